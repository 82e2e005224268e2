"""What is answered at turn totals beyond all that wins, against the slow twin.

The values between turns are made up: they only have to be the same for both.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bot.services.advisor import Advisor
from bot.services.situation import Situation
from solver.errors import InvalidPositionError
from solver.game.best import Strategy
from solver.game.position import (
    MAX_TURN_TOTAL,
    Position,
    check_position,
    reachable_at,
)
from solver.game.standings import (
    Solution,
    Standing,
    role,
    standing_index,
)
from solver.play.advice import advise, odds
from solver.rules.ruleset import Ruleset
from solver.strategy import save_strategy
from solver.turn.dice import TurnState, dice_set
from solver.turn.equations import Decision, turn_plan
from solver.turn.memory import memories
from tests import naive
from tests.conftest import check_reachable, mostly_slow
from tests.house_rules import KEEPS, ONE_BY_ONE, small
from tests.made_up import made_up_values

NAMED = dict(ONE_BY_ONE)
GAMES = {
    name: NAMED[name]
    for name in (
        "nothing special",
        "farkle keeps hot dice",
        "bonus three times",
        "points 2, 1, 4 times, bonus",
        "points twice, in the end",
        "final_turn earlier",
        "final_turn shared with minimums",
        "final_turn played_on with minimums",
        "equal_turns shared",
        "equal_turns played_on with minimums",
        "final turn, hot dice forced",
        "final turn, no bank",
        "final turn, bonus",
        "final turn, exceeded",
        "final turn, penalty",
        "final turn, instant win",
        "play-off, opening",
    )
} | {
    "far from safe": small(dice=4, goal=200, ending="final_turn", ties="shared", **KEEPS),
    "steps of one": Ruleset.model_validate(
        {
            "name": "one",
            "goal": 11,
            "dice": 2,
            "ending": "equal_turns",
            "scoring": {"single": [1, 2, 0, 0, 5, 0], "three_of_a_kind": 0},
        }
    ),
}
ROWS = 700
"""Turn totals in point steps that the twin goes to: far enough that nobody ever comes there."""


@cache
def final_turns(rules: Ruleset) -> naive.FinalTurns:
    return naive.final_turns(rules, ROWS + 50)


class Twin:
    """One turn by the slow twin."""

    def __init__(self, rules: Ruleset, values: np.ndarray, start: Position) -> None:
        self.rules, self.values, self.start = rules, values, start
        totals = range(0, ROWS * rules.point_step, rules.point_step)
        own = (start.banked, start.farkles, start.on_board)
        if start.banked >= rules.winning_score or start.opponent >= rules.winning_score:
            self._last(totals)
            return
        allowed = [rules.may_bank(t, own[0], on_board=own[2]) for t in totals]
        self.bank = np.array(
            [
                self.left(naive.after_bank(rules, own, t), t) if may else naive.NOT_ALLOWED
                for t, may in zip(totals, allowed, strict=True)
            ]
        )
        ends = [(naive.after_farkle(rules, own, t), naive.kept_of(rules, own, t)) for t in totals]
        self.farkle = np.array([self.left(*end) for end in ends])
        self.lose = self.left(naive.after_losing_everything(own))
        self.found = naive.turn(
            rules, self.bank[:, None], self.farkle[:, None], np.array([self.lose])
        )[..., 0]

    def left(self, standing: naive.Standing, points: int = 0) -> float:
        """What the player is worth whose turn has ended with this standing, and brought points."""
        rules, other = self.rules, self.start.other
        own = self.start.banked, self.start.farkles, self.start.on_board
        theirs = other.score, other.farkles, other.on_board
        theirs = naive.other_after(rules, own, standing, theirs, points)
        if theirs[0] >= rules.winning_score > other.score:
            return 0.0
        if standing[0] < rules.winning_score:
            where = (
                role(rules, began=not self.start.began),
                standing_index(rules, Standing(*theirs)),
                standing_index(rules, Standing(*standing)),
            )
            return 1 - float(self.values[where])
        if rules.ending == "at_once" or (rules.has_roles and not self.start.began):
            return 1.0
        behind = (standing[0] - other.score) // rules.point_step
        return 1 - float(final_turns(rules).chase[other.on_board][min(behind, ROWS + 49)])

    def _last(self, totals: range) -> None:
        """A final turn, or the first of a play-off."""
        rules, start = self.rules, self.start
        final = final_turns(rules)
        tie = naive.after_tie(rules, final.play_off)
        in_play_off = start.banked >= rules.winning_score
        on_board = in_play_off or start.on_board
        if in_play_off and start.began and start.banked == start.opponent:
            second = naive.chase(rules, ROWS, tie, on_board=True)
            worth = 1 - second
        else:
            behind = start.opponent - start.banked
            worth = np.array([1.0 if t > behind else tie if t == behind else 0.0 for t in totals])
        allowed = [rules.may_bank(t, rules.winning_score, on_board=on_board) for t in totals]
        kept = [naive.points_of_farkle(rules, t, on_board=on_board) for t in totals]
        self.bank = np.where(allowed, worth, naive.NOT_ALLOWED)
        self.farkle = worth[[points // rules.point_step for points in kept]]
        self.lose = 0.0
        self.found = naive.turn(
            rules, self.bank[:, None], self.farkle[:, None], np.array([self.lose])
        )[..., 0]

    def rolled(self, state: TurnState) -> float:
        """What a roll is worth."""
        rules, row = self.rules, state.turn_total // self.rules.point_step
        hot = min(state.hot_dice, naive.levels(rules) - 1)
        worth = 0.0
        for what, chance in naive.outcomes(rules, state.dice).items():
            if what == "win":
                worth += chance
            elif what == "lose":
                worth += chance * self.lose
            elif not what:
                worth += chance * self.farkle[row]
            elif not isinstance(what, str):
                after = (naive.advance(rules, state.turn_total, hot, one) for one in what)
                worth += chance * max(
                    self.found[total // rules.point_step, left, new] for total, left, new in after
                )
        return worth


def starts(rules: Ruleset) -> list[Position]:
    """Starts of turns, of which every kind ends in another way."""
    most, step, dice = rules.winning_score - rules.point_step, rules.point_step, rules.dice
    boards = not rules.has_opening
    found = [
        Position.of_two(on_board=boards, opponent_on_board=boards, dice=dice),
        Position.of_two(most, 0, opponent_on_board=boards, dice=dice),
        Position.of_two(step * (most // step // 2), most, dice=dice),
    ]
    if rules.has_roles:
        found += [Position.of_two(most, step, dice=dice, began=False)]
    if rules.ending != "at_once":
        began = not rules.has_roles
        found += [Position.of_two(most, rules.winning_score + 3 * step, dice=dice, began=began)]
    if rules.ties == "played_on":
        goal = rules.winning_score
        found += [
            Position.of_two(goal, goal, dice=dice),
            Position.of_two(goal, goal + step, dice=dice),
        ]
    return found


@pytest.mark.mostly_slow(4)
@pytest.mark.parametrize("name", mostly_slow(zip(GAMES, GAMES, strict=True), 2))
def test_turn_totals_beyond_the_goal_are_answered_exactly(name: str) -> None:
    rules = GAMES[name]
    values = made_up_values(rules)
    strategy = Strategy(rules, values, "made up")
    goal, reach = rules.winning_score // rules.point_step, turn_plan(rules).reach
    compared = 0
    for start in starts(rules):
        twin = Twin(rules, values, start)
        solved = len(strategy.turn(start).ends.bank) - reach
        far = {1, goal - 1, goal, goal + 1, solved - 1, solved, solved + reach, 2 * goal + reach}
        for row in sorted({*far, *range(goal, goal + 100, 13), 300}):
            possible = reachable_at(rules, row * rules.point_step)
            for level, column in np.argwhere(possible):
                memory = memories(rules.of_turn)[-1 - column // rules.dice]
                here = Position.of_two(
                    start.banked,
                    start.opponent,
                    row * rules.point_step,
                    start.farkles,
                    start.opponent_farkles,
                    int(column) % rules.dice + 1,
                    int(level) + memory.hot_dice,
                    on_board=start.on_board,
                    opponent_on_board=start.opponent_on_board,
                    began=start.began,
                )
                check_position(rules, here)
                found = odds(strategy, here)
                assert found.roll == pytest.approx(twin.rolled(here.turn), abs=1e-10)
                expected = twin.found[row, here.dice, min(here.hot_dice, naive.levels(rules) - 1)]
                assert found.win_probability == pytest.approx(expected, abs=1e-10)
                if found.bank is not None:
                    assert found.bank == pytest.approx(twin.bank[row], abs=1e-11)
                roll, _ = next(iter(dice_set(rules).rolls(here.dice)))
                for option in advise(strategy, here, roll).options:
                    after = option.turn_total // rules.point_step
                    hot_after = here.hot_dice + (option.dice_left == rules.dice)
                    hot_after = min(hot_after, naive.levels(rules) - 1)
                    assert option.win_probability == pytest.approx(
                        twin.found[after, option.dice_left, hot_after], abs=1e-10
                    )
                compared += 1
    assert compared > 50


def test_a_turn_total_beyond_what_wins_is_pointless_and_answered(
    tiny: Solution, tmp_path: Path
) -> None:
    save_strategy(tiny, tmp_path)
    advisor = Advisor(tmp_path)
    for total in (600, 5_000, 123_450, MAX_TURN_TOTAL):
        situation = Situation(rules=tiny.rules, turn_total=total)
        found = advisor.odds(3, situation)
        assert (found.action, found.bank, found.win_probability) == (Decision.WIN, 1, 1)
        assert found.roll < 1
        advice = advisor.advise("1 1 5", situation)
        assert {option.action for option in advice.options} == {Decision.WIN}
    for total in (MAX_TURN_TOTAL + 50, 10**30, 5_025):
        situation = Situation(rules=tiny.rules, turn_total=total)
        with pytest.raises(InvalidPositionError, match="a multiple of 50 from 0 to 1,000,000"):
            advisor.odds(3, situation)


def test_a_turn_total_that_no_dice_make_is_refused() -> None:
    """Three of four dice score, and the last one never does: there are no hot dice."""
    rules = small(dice=4, goal=600, scoring={"single": 0, "three_of_a_kind": 200})
    assert not reachable_at(rules, 50_000).any()
    with pytest.raises(InvalidPositionError, match="the turn total cannot be 50,000"):
        check_reachable(rules, Position.of_two(turn_total=50_000, dice=1))


def test_what_would_take_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more points would still matter so far beyond the goal that it cannot be worked out."""
    rules = GAMES["steps of one"]
    strategy = Strategy(rules, made_up_values(rules), "made up")
    monkeypatch.setattr("solver.game.best._MOST_ROWS", 50)
    with pytest.raises(InvalidPositionError, match="beyond the goal are not worked out"):
        strategy.turn(Position.of_two(turn_total=11, dice=2))
    strategy.turn(Position.of_two(turn_total=10, dice=2))


def test_far_turns_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = GAMES["final_turn earlier"]
    strategy = Strategy(rules, made_up_values(rules), "made up")
    far = strategy.turn(Position.of_two(turn_total=1000, dice=3))
    assert strategy.turn(Position.of_two(turn_total=5000, dice=2)) is far
    assert strategy.turn(Position.of_two(dice=3)) is strategy.turn(
        Position.of_two(turn_total=350, dice=1)
    )
    monkeypatch.setattr(strategy, "_solve_turn", None)
    assert strategy.turn(Position.of_two(turn_total=2000, dice=3)) is far
