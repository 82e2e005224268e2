"""Why to bank or to roll, against a twin that goes through the turn by plain recursion."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from bot.views.advice import odds_text, why_text
from solver.game.best import Strategy
from solver.game.position import Position, reachable
from solver.game.standings import Solution, Standing, after_turn
from solver.play.advice import Reason, advise, odds, why, with_why
from solver.rules.file import make_rules
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Decision
from solver.turn.memory import memories
from tests import naive
from tests.conftest import mostly_slow
from tests.house_rules import ONE_BY_ONE
from tests.made_up import made_up_values


class Twin:
    """The definition of the reasons, from the values of a game in which the goal wins at once."""

    def __init__(self, solution: Solution) -> None:
        self.rules = solution.rules
        self.values = Strategy(solution.rules, solution.values, "twin")
        self.known: dict[tuple[object, ...], dict[tuple[int, int], float]] = {}

    def value(self, own: Standing, other: Standing) -> float:
        """At the start of a turn."""
        return self.values.win_probability(
            Position.of_two(own.score, other.score, 0, own.farkles, other.farkles, self.rules.dice)
        )

    def rolled(self, bank: list[float | None], farkle: float, t: int, n: int) -> bool:
        """Whether rolling n dice is worth more than the bank at t."""
        key = *bank, farkle
        if key in self.known:
            self.known[key] = self.known.pop(key)  # the last one asked for
        else:
            found = naive.turn_values(self.rules, bank, farkle)
            self.known[key] = {(total, dice): value for total, dice, value in found}
        here = self.known[key].get((t, n), 1.0)
        return here > (bank[t] or 0.0) + 1e-12 if t < len(bank) else False

    def rolls(self, at: Position, *, counts: bool = True) -> bool:
        rules, step = self.rules, self.rules.point_step
        own = Standing(at.banked, at.farkles)
        other = Standing(at.opponent, at.opponent_farkles)
        bank: list[float | None] = []
        for t in range((rules.goal - at.banked) // step):
            after = after_turn(rules, own, t * step)
            legal = t * step >= max(rules.minimum_bank, step)
            bank.append(1 - self.value(other, after) if legal else None)
        missed = after_turn(rules, own, 0, farkles=True)
        missed = replace(missed, score=max(missed.score, rules.score_floor))
        if not counts:
            missed = Standing(own.score, 0)
        farkle = 1 - self.value(other, missed)
        return self.rolled(bank, farkle, at.turn_total // step, at.dice)

    def rolls_for_points(self, score: int, at: Position) -> bool:
        """A turn for the most points up to the goal."""
        rules, step = self.rules, self.rules.point_step
        bank = [
            (score + t * step) / rules.goal if t * step >= max(rules.minimum_bank, step) else None
            for t in range((rules.goal - score) // step)
        ]
        return self.rolled(bank, score / rules.goal, at.turn_total // step, at.dice)

    def points_of_rolling(self, at: Position) -> float:
        """The points of rolling in a turn for the most points that lacks the whole goal."""
        rules, step = self.rules, self.rules.point_step
        self.rolls_for_points(0, at)
        known = next(reversed(self.known.values()))

        def worth(points: int, dice: int) -> float:
            return known.get((at.turn_total // step + points // step, dice), 1.0)

        chances = naive.outcomes(rules, at.dice).items()
        return rules.goal * sum(
            chance * max((worth(points, left) for points, left in choices), default=0.0)
            for choices, chance in chances
            if not isinstance(choices, str)
        )

    def reason(self, at: Position) -> Reason:
        if at.turn_total < max(self.rules.minimum_bank, self.rules.point_step):
            return Reason.NO_CHOICE
        if at.banked + at.turn_total >= self.rules.goal:
            return Reason.WINS
        rolls = self.rolls(at)
        if not rolls and self.rolls(at, counts=False):
            return Reason.FARKLES
        if self.rolls_for_points(0, at) == rolls:
            return Reason.POINTS
        return self.need(at) if rolls else self.care(at)

    def need(self, at: Position) -> Reason:
        """Rolled though points say bank."""
        if not self.rolls(at.change(opponent=min(at.opponent, 0))):
            return Reason.NEED
        return Reason.TOGETHER if self.rolls(self.away(at)) else Reason.GOAL

    def care(self, at: Position) -> Reason:
        """Banked though points say roll."""
        far = self.rolls(self.away(at))
        if far and not self.rolls_for_points(max(at.banked, 0), at):
            return Reason.GOAL
        if self.rolls(at.change(opponent=at.banked)):
            return Reason.LEAD if at.banked > at.opponent else Reason.THEIR_SCORE
        return Reason.GOAL if far else Reason.TOGETHER

    def away(self, at: Position) -> Position:
        return at.change(banked=min(at.banked, 0), opponent=min(at.opponent, 0))


@pytest.mark.slow
def test_reasons_are_those_of_the_twin_all_over_a_game(tiny: Solution) -> None:
    rules, twin = tiny.rules, Twin(tiny)
    strategy = Strategy(rules, tiny.values, "tiny")
    possible = reachable(rules)[0]
    seen: Counter[Reason] = Counter()
    scores = range(rules.score_floor, rules.goal, 150)
    for own, other, farkles, theirs in product(scores, scores, (0, 2), (0,)):
        for t, n in product(range(11), range(1, 4)):
            if not possible[t, n - 1]:
                continue
            at = Position.of_two(own, other, t * 50, farkles, theirs, n)
            found = why(strategy, at)
            seen[found.reason] += 1
            assert found.reason is twin.reason(at), at
            assert found.action is odds(strategy, at).action
            if own == other == 0:
                assert found.points_of_rolling == pytest.approx(twin.points_of_rolling(at))
    # every reason that such a game can have comes up
    assert {Reason.NO_CHOICE, Reason.WINS, Reason.FARKLES, Reason.POINTS, Reason.NEED} <= set(seen)
    assert {Reason.GOAL, Reason.LEAD} <= set(seen)


BY_HAND = [
    # a die that farkles two times in three is not rolled at 1,350
    ("classic", Position.of_two(8550, 8600, 1350, dice=1), Decision.BANK, Reason.POINTS),
    # six dice seldom farkle
    ("kcd", Position.of_two(0, 0, 300, dice=6), Decision.ROLL, Reason.POINTS),
    # they are 50 points from the goal, and 450 points would not be enough
    ("kcd", Position.of_two(2750, 3600, 1200, dice=4), Decision.ROLL, Reason.NEED),
    ("classic", Position.of_two(7900, 9950, 1700, dice=3), Decision.ROLL, Reason.NEED),
    # the same turn against somebody who has only begun
    ("classic", Position.of_two(7900, 0, 1700, dice=3), Decision.BANK, Reason.POINTS),
    # the third farkle in a row costs 500, the first nothing
    (
        "facebook",
        Position.of_two(8250, 8900, 400, farkles=2, dice=1),
        Decision.BANK,
        Reason.FARKLES,
    ),
    ("facebook", Position.of_two(8250, 8900, 400, farkles=0, dice=1), Decision.ROLL, Reason.NEED),
    # a lead, and the same turn with as many points as the other
    ("classic", Position.of_two(9100, 7800, 550, dice=4), Decision.BANK, Reason.LEAD),
    ("classic", Position.of_two(9100, 9100, 550, dice=4), Decision.ROLL, Reason.POINTS),
    # 350 points win, and the next roll may well bring them
    ("kcd", Position.of_two(3650, 3400, 250, dice=2), Decision.ROLL, Reason.GOAL),
    ("kcd", Position.of_two(0, 0, 250, dice=2), Decision.BANK, Reason.POINTS),
    # all but there: more points count for nothing
    ("classic", Position.of_two(8450, 7700, 1250, dice=5), Decision.BANK, Reason.GOAL),
    ("classic", Position.of_two(0, 0, 1250, dice=5), Decision.ROLL, Reason.POINTS),
    ("kcd", Position.of_two(3600, 3950, 450, dice=1), Decision.WIN, Reason.WINS),
    # less than the 300 that facebook asks for, and the start of a turn
    ("facebook", Position.of_two(0, 0, 250, dice=3), Decision.ROLL, Reason.NO_CHOICE),
    ("kcd", Position.of_two(0, 0), Decision.ROLL, Reason.NO_CHOICE),
    # a bank beyond the goal leaves them one turn; they have had theirs
    ("arnold", Position.of_two(8900, 9100, 1350, dice=1), Decision.BANK, Reason.THEIR_LAST_TURN),
    ("arnold", Position.of_two(9350, 9950, 850, dice=3), Decision.ROLL, Reason.THEIR_LAST_TURN),
    ("arnold", Position.of_two(9100, 10000, 650, dice=6), Decision.ROLL, Reason.LAST_TURN),
    ("arnold", Position.of_two(9850, 10200, 1400, dice=1), Decision.WIN, Reason.WINS),
]


@pytest.mark.parametrize(("name", "position", "action", "reason"), BY_HAND)
def test_reasons_by_hand(
    strategies: dict[str, Strategy],
    name: str,
    position: Position,
    action: Decision,
    reason: Reason,
) -> None:
    found = why(strategies[name], position)
    assert (found.action, found.reason) == (action, reason)
    assert (found.bank is None) == (reason is Reason.NO_CHOICE)


@pytest.mark.mostly_slow(9)
@pytest.mark.mostly_skipped(2)
@pytest.mark.parametrize(
    "rules", mostly_slow((name, rules) for name, rules in ONE_BY_ONE if rules.dice < 4)
)
def test_every_rule_set_has_reasons_and_they_have_sentences(rules: Ruleset) -> None:
    """Whatever the options: made-up values, as only the end of games is asked of them."""
    if rules.throws == 1:
        pytest.skip("after its one throw a turn has no choice that has a reason")
    strategy = Strategy(rules, made_up_values(rules), "made up")
    possible = reachable(rules)
    rows = min(possible.shape[1], 3 * rules.winning_score // rules.point_step)
    scores = (0, rules.winning_score // 2 // rules.point_step * rules.point_step)
    # nor does a final turn of one throw have one
    ends = rules.ending != "at_once" and not rules.final_throws
    goals = (rules.winning_score,) if ends else ()
    for own, other in product(scores, (*scores, *goals)):
        for level, t, n in zip(*possible[:, :rows:2].nonzero(), strict=True):
            dice = int(n) % rules.dice + 1
            memory = memories(rules.of_turn)[-1 - int(n) // rules.dice]
            at = Position.of_two(own, other, int(t) * 2 * rules.point_step, dice=dice)
            hot_dice = int(level) + memory.hot_dice
            at = at.change(hot_dice=hot_dice, began=other < rules.winning_score)
            at = at.change(to_confirm=memory.to_confirm)
            told = odds_text(with_why(strategy, odds(strategy, at)))
            found = why(strategy, at)
            words = "roll" if found.action is Decision.ROLL else "bank"
            sentence = "win equally" if found.reason is Reason.EVEN else f"Why {words}: "
            assert (found.bank is None) != (sentence in told)


def test_farkles_and_advice_on_the_best_choice(tiny: Solution) -> None:
    strategy = Strategy(tiny.rules, tiny.values, "tiny")
    missed = with_why(strategy, advise(strategy, Position.of_two(dice=3), (6, 4, 2)))
    assert missed.why is None
    found = with_why(strategy, advise(strategy, Position.of_two(dice=3), (6, 5, 1)))
    best = found.options[0]
    assert found.why
    assert (found.why.turn_total, found.why.dice) == (best.turn_total, best.dice_left)
    farkles = naive.outcomes(tiny.rules, best.dice_left)[frozenset()]
    assert found.why.farkle_probability == pytest.approx(farkles)
    found = replace(found, why=replace(found.why, reason=Reason.FARKLES))
    assert "would be your first, and number 3 in a row costs" in " ".join(why_text(found).split())


@pytest.mark.parametrize("beyond_goal", ["lost", "back", "around", "given"])
def test_no_bank_beyond_an_exact_goal_leaves_them_a_last_turn(beyond_goal: str) -> None:
    """Nor does any other sentence that takes its points as banked tell why."""
    fields = {"goal": 1000, "goal_must_be": "exact", "beyond_goal": beyond_goal}
    rules = make_rules({"name": "exact", **fields}, "exact")
    strategy = Strategy(rules, made_up_values(rules), "made up")
    for banked, turn_total in product((850, 900, 950), (150, 200, 300)):
        at = Position.of_two(banked, 500, turn_total, dice=3)
        answer = with_why(strategy, odds(strategy, at))
        assert answer.why
        beyond = banked + turn_total > rules.goal
        assert (answer.why.reason in {Reason.BEYOND, Reason.EVEN}) == beyond
        even = answer.bank == pytest.approx(answer.roll, abs=1e-11)
        assert (answer.why.reason is Reason.EVEN) == (even and answer.action is not Decision.WIN)
        told = " ".join(odds_text(answer).split())
        assert ("equally often" in told, "goal of exactly 1,000" in told) == (
            answer.why.reason is Reason.EVEN,
            answer.why.reason is Reason.BEYOND,
        )


def test_a_first_bank_may_be_one_that_catches_up() -> None:
    """Whoever made it is on the board, also where it would have cost the other one nothing."""
    fields = {"goal": 5000, "caught_up": 100, "opening_minimum": 300}
    rules = make_rules({"name": "caught", **fields}, "caught")
    strategy = Strategy(rules, made_up_values(rules), "made up")
    at = Position.of_two(0, 600, 600, dice=2, on_board=False)
    answer = with_why(strategy, odds(strategy, at))
    assert answer.action is Decision.BANK
    assert answer.why
