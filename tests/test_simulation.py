"""The simulation against exact values of small games."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product

import numpy as np
import pytest

from solver.game.position import Position
from solver.rules.ruleset import Ruleset
from tests import naive
from tests.conftest import EVERY, mostly_slow
from tests.house_rules import ONE_BY_ONE, small
from tests.simulation import Decisions, Tables, simulate

GAMES = 20_000
ALL = [(name, rules) for name, rules in ONE_BY_ONE if rules.dice < 6]


def greedy(rules: Ruleset, *, rows: int = 40) -> Tables:
    """Set aside as many points as possible, and bank as soon as the rules allow."""

    def tables(positions: Sequence[Position]) -> Iterable[Decisions]:
        shape = len(positions), 1, rows, rules.dice
        win = np.broadcast_to(np.arange(rows)[:, None], shape)
        bank = np.zeros(shape, dtype=np.bool_)
        for number, one in enumerate(positions):
            for row in range(rows):
                bank[number, 0, row] = rules.may_bank(
                    row * rules.point_step, one.banked, on_board=one.on_board
                )
        for dice in range(1, rules.dice + 1):
            bank[..., dice - 1] &= naive.may_leave(rules, dice)
        return zip(win / rows, bank, strict=True)

    return tables


def optimal(rules: Ruleset) -> tuple[Tables, float]:
    """Optimal decisions, and the value of the start, from the slow twin."""
    step, winning = rules.point_step, rules.winning_score
    rows = naive.horizon(rules) + 1
    values = naive.value_iteration(rules)
    final = naive.final_turns(rules, rows + (winning - rules.score_floor) // step)
    tie = naive.after_tie(rules, final.play_off)

    def ends(position: Position) -> tuple[Callable[[int], float], Callable[[int], float], float]:
        """What a bank and a farkle are worth, by the turn total, and losing everything."""
        me = (position.banked, position.farkles, position.on_board)
        other = (position.opponent, position.opponent_farkles, position.opponent_on_board)

        def after(standing: naive.Standing, points: int = 0) -> float:
            score = standing[0]
            theirs = naive.other_after(rules, me, standing, other, points)
            if score < winning:
                began = not position.began if rules.has_roles else True
                return 0.0 if theirs[0] >= winning else 1 - values[began, theirs, standing]
            if rules.ending == "at_once" or (rules.has_roles and not position.began):
                return 1.0
            behind = (score - position.opponent) // step
            return 1 - float(final.chase[position.opponent_on_board][behind])

        def kept(total: int) -> int:
            return naive.points_of_farkle(rules, total, on_board=position.on_board)

        def against(total: int) -> float:
            more = (total - position.opponent + position.banked) // step
            if more > 0:
                return 1 - float(final.chase[True][more]) if rules.ending == "defended" else 1.0
            return 0.0 if more else tie

        def first(total: int) -> float:
            return 1 - float(final.chase[True][total // step])

        if position.opponent < winning:
            return (
                lambda total: after(naive.after_bank(rules, me, total), total),
                lambda total: after(
                    naive.after_farkle(rules, me, total), naive.kept_of(rules, me, total)
                ),
                after(naive.after_losing_everything(me)),
            )
        if rules.ties == "played_on" and position.banked >= winning and position.began:
            assert position.banked == position.opponent
            return first, lambda total: first(kept(total)), 0.0
        return against, lambda total: against(kept(total)), 0.0

    @cache
    def layout(here: Ruleset) -> list[tuple[int, int, int, int]]:
        """The number of dice, the hot dice, the level and the column of each state of dice."""
        states = product(naive.numbers(here), range(naive.levels(here)))
        return [
            (number, hot, naive.level(here, hot), naive.column(here, number, hot))
            for number, hot in states
            # no turn begins with hot dice
            if not (hot and here.hot_dice_times and naive.is_first(here, number))
        ]

    @cache
    def table(position: Position) -> Decisions:
        here = naive.in_last_turns(rules) if position.opponent >= winning else rules
        places = layout(here)
        bank, farkle, lose = ends(position)
        totals = range(0, rows * step, step)
        banks = np.array(
            [
                bank(total)
                if rules.may_bank(total, position.banked, on_board=position.on_board)
                else naive.NOT_ALLOWED
                for total in totals
            ]
        )[:, None]
        farkles = np.array([farkle(total) for total in totals])[:, None]
        found = naive.turn(here, banks, farkles, np.array([lose]))[..., 0]
        levels, columns = (max(one[k] for one in places) + 1 for k in (2, 3))
        worth = np.zeros((levels, rows, columns))
        stop = np.zeros(worth.shape, dtype=np.bool_)
        for number, hot, level, column in places:
            worth[level, :, column] = found[:, number, hot]
            may_leave = naive.may_leave(here, number)
            stop[level, :, column] = (found[:, number, hot] == banks[:, 0]) & may_leave
        return worth, stop

    def tables(positions: Sequence[Position]) -> Iterable[Decisions]:
        return map(table, positions)

    start = (0, 0, not rules.has_opening)
    return tables, values[True, start, start]


def check(found: tuple[float, int], expected: float) -> None:
    wins, games = found
    deviation = math.sqrt(games * max(expected * (1 - expected), 1e-9))
    assert abs(wins - games * expected) < 4.5 * deviation


@pytest.mark.slow
def test_a_trivial_policy_by_hand() -> None:
    """Two dice, ones count 100, to 200; a turn brings 200, 100 or 0 points and is banked."""
    scoring = {"single": (100, 0, 0, 0, 0, 0), "three_of_a_kind": 0}
    rules = small(dice=2, goal=200, scoring=scoring)
    one, none = 10 / 36, 25 / 36
    # V(own score, other's score) = win + one (1 - ...) + none (1 - ...), and all chances add to 1
    system = [
        [1 + none, one, 0, 0],  # V(0, 0): after one hundred the other has V(0, 100)
        [0, 1, none, one],  # V(0, 100)
        [0, none, 1, 0],  # V(100, 0): one hundred wins as well
        [0, 0, 0, 1 + none],  # V(100, 100)
    ]
    expected = np.linalg.solve(system, np.ones(4))[0]
    check(simulate(rules, greedy(rules), GAMES // 4, seed=1), float(expected))


@pytest.mark.slow
def test_the_seed_decides() -> None:
    rules = small()
    found = [simulate(rules, greedy(rules), 1000, seed=seed)[0] for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    "rules", [small(minimum_bank=200), small(opening_minimum=200), small(hot_dice="no_bank")]
)
def test_banks_against_the_rules_are_refused(rules: Ruleset) -> None:
    with pytest.raises(ValueError, match="do not allow"):
        simulate(rules, greedy(small()), 1000, seed=1)


@pytest.mark.mostly_skipped(12)
@pytest.mark.parametrize("rules", mostly_slow(ALL, len(ALL)))
def test_optimal_play_wins_as_often_as_the_slow_twin_says(rules: Ruleset) -> None:
    tables, expected = optimal(rules)
    games = GAMES // (2 if EVERY else 12)
    check(simulate(rules, tables, games, seed=3, chunk=500), expected)
