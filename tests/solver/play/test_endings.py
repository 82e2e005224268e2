"""How turns end, held against every roll gone through by itself."""

from collections import Counter, defaultdict
from itertools import product
from pathlib import Path

import pytest

from solver.game.best import Strategy
from solver.game.position import Position
from solver.game.standings import Solution
from solver.game.sweeps import solve
from solver.play.advice import Option, advise, odds, with_endings
from solver.strategy import open_strategy, save_strategy
from solver.turn.dice import make_roll
from solver.turn.equations import Decision
from solver.turn.points import TurnEnds
from tests.house_rules import small

FARKLE = -1
Known = dict[Position, Counter[int]]


def ends_of(
    strategy: Strategy, position: Position, known: dict[Position, Counter[int]]
) -> Counter[int]:
    """The chance of each number of points banked, and of a farkle, roll by roll."""
    if position in known:
        return known[position]
    found: Counter[int] = Counter()
    rolls = Counter(make_roll(dice) for dice in product(range(1, 7), repeat=position.dice))
    for roll, number in rolls.items():
        share = number / 6**position.dice
        advice = advise(strategy, position, roll)
        ways = (
            {FARKLE: 1.0} if advice.farkle else after(strategy, position, advice.options[0], known)
        )
        for points, chance in ways.items():
            found[points] += share * chance
    known[position] = found
    return found


def after(strategy: Strategy, position: Position, option: Option, known: Known) -> dict[int, float]:
    """How the turn ends after a choice."""
    if option.action is not Decision.ROLL:
        return {option.turn_total: 1.0}
    used_all = option.dice_left == strategy.rules.dice and len(option.set_aside) == position.dice
    then = position.change(
        turn_total=option.turn_total,
        dice=option.dice_left,
        hot_dice=position.hot_dice + used_all,
        to_confirm=option.to_confirm,
    )
    assert odds(strategy, then).action is Decision.ROLL
    return dict(ends_of(strategy, then, known))


@pytest.mark.parametrize(
    ("scores", "turn", "roll"),
    [
        ((0, 0), (0, 3), (5, 2, 1)),
        ((100, 300), (0, 3), (5, 5, 3)),
        ((350, 200), (50, 2), (1, 5)),
        ((0, 450), (100, 1), (5,)),
    ],
)
def test_every_ending_has_its_chance(
    tiny: Solution,
    tmp_path: Path,
    scores: tuple[int, int],
    turn: tuple[int, int],
    roll: tuple[int, ...],
) -> None:
    save_strategy(tiny, tmp_path)
    strategy = open_strategy(tmp_path, tiny.rules)
    position = Position.of_two(*scores, turn_total=turn[0], dice=turn[1])
    advice = with_endings(strategy, advise(strategy, position, make_roll(roll)))
    known: Known = {}
    assert advice.options
    for option in advice.options:
        expected = after(strategy, position, option, known)
        ends = option.ends
        assert isinstance(ends, TurnEnds)
        assert ends.farkle == pytest.approx(expected.pop(FARKLE, 0.0), abs=1e-12)
        banked = dict(ends.banked)
        assert banked.keys() == {points for points, chance in expected.items() if chance}
        assert banked == pytest.approx(expected, abs=1e-12)
        assert ends.farkle + sum(banked.values()) == pytest.approx(1)
        assert ends.points == pytest.approx(sum(k * v for k, v in expected.items()))


def test_what_has_to_be_confirmed_is_not_banked(tmp_path: Path, kernels: Path) -> None:
    pair = {"dice": "aa", "points": 300, "then": "roll_on"}
    rules = small(goal=250, scoring={"combination": [pair]})
    save_strategy(solve(rules, cache=kernels), tmp_path)
    strategy, position = open_strategy(tmp_path, rules), Position.of_two(dice=3)
    advice = with_endings(strategy, advise(strategy, position, make_roll((1, 1, 6))))
    assert any(one.to_confirm for one in advice.options)
    for option in advice.options:
        assert option.ends
        farkle = after(strategy, position, option, {}).get(FARKLE, 0.0)
        assert option.ends.farkle == pytest.approx(farkle, abs=1e-12)


@pytest.mark.parametrize(
    ("beyond", "left"), [("lost", 150), ("given", 150), ("back", 100), ("around", 100)]
)
def test_a_bank_beyond_an_exact_goal_brings_what_it_leaves(
    beyond: str, left: int, tmp_path: Path, kernels: Path
) -> None:
    """From 150 of 200 points: 150 more are 300, back to 100 and around to 100."""
    rules = small(goal=200, goal_must_be="exact", beyond_goal=beyond)
    save_strategy(solve(rules, cache=kernels), tmp_path)
    strategy, position = open_strategy(tmp_path, rules), Position.of_two(150, 0, dice=3)
    roll = make_roll((1, 5, 2))
    for option in with_endings(strategy, advise(strategy, position, roll)).options:
        assert option.ends
        assert all(chance > 1e-12 for _, chance in option.ends.banked), "no rest of rounding"
        if option.turn_total == 150 and option.action is not Decision.ROLL:
            assert option.ends.banked == ((left - 150, 1.0),)
        if beyond in {"given", "back"}:  # a turn may go on for ever, and the twin with it
            continue
        bank_on = after(strategy, position, option, {}).items()
        brings: dict[int, float] = defaultdict(float)
        for points, chance in bank_on:
            if points != FARKLE:
                brings[_score_after(150 + points, beyond) - 150] += chance
        assert dict(option.ends.banked) == pytest.approx({k: v for k, v in brings.items() if v})


def _score_after(score: int, beyond: str) -> int:
    """The score that a bank leaves from 150 points on, which 200 have to be met exactly."""
    if score <= 200:
        return score
    return min(score, 350) - 200 if beyond == "around" else 150
