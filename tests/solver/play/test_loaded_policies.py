"""Levels of play with dice of one's own: with those of the rules they do what they always do."""

import random
from statistics import fmean, stdev
from typing import Any

import pytest

from solver.game.position import Position
from solver.loaded.kits import Kit, Side, matchup_of
from solver.named.sets import read_set
from solver.play.memo import GoForIt, MemoGoForIt, RuleOfThumb, Thumb
from solver.play.policies import make_policy
from solver.play.policy import Policy
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Fate, TurnState, make_roll
from solver.turn.equations import EqualDice
from solver.turn.points import points_table
from tests.loaded_dice import kcd

RULES = kcd(goal=1000, minimum_bank=100)


NAMES = ("max-points", "greedy", "cautious", "memo", "threshold:250", "turn-points")
POLICIES: list[Policy] = [
    *map(make_policy, NAMES),
    make_policy("turn-points-bank-wins"),
    MemoGoForIt(GoForIt((800,) * 6, (900,) * 6)),
    RuleOfThumb(Thumb("points for dice", (2, 6), (200, 400), per_die=30)),
]


def play_alike(policy: Policy, rules: Ruleset, times: int) -> None:
    """Hold a policy against itself, with the dice of the rules and with ordinary ones brought."""
    hands = EqualDice(rules), Side(matchup_of(rules, (Kit(read_set("ordinary*6")),) * 2), 0)
    chance = random.Random(policy.name)
    for _ in range(times):
        dice, turn_total = chance.randint(1, 6), 50 * chance.randint(0, 12)
        position = Position.of_two(50 * chance.randint(0, 19), 0, turn_total=turn_total, dice=dice)
        roll = tuple(sorted((chance.randint(1, 6) for _ in range(dice)), reverse=True))
        if hands[0].fate(roll, position.turn) is Fate.SCORES:
            moves = [policy.choose(hand, position, roll) for hand in hands]
            assert moves[0] == moves[1]
        assert policy.banks(hands[0], position) == policy.banks(hands[1], position)


@pytest.mark.mostly_slow(4)
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_with_ordinary_dice_they_play_as_ever(policy: Policy) -> None:
    play_alike(policy, RULES, 400)


@pytest.mark.mostly_slow(4)
@pytest.mark.parametrize(
    "options",
    [
        {"hot_dice": "no_bank"},
        {"hot_dice_bonus": (100, 50)},
        {"farkle_keeps_turn_total": True},
        {"instant_win": ("111",)},
        {"lose_everything": ("666",)},
        {"ending": "final_turn"},
    ],
    ids="".join,
)
def test_so_they_do_under_other_rules(options: dict[str, Any]) -> None:
    rules = kcd(goal=1000, minimum_bank=100, **options)
    for policy in POLICIES[1:]:  # the first weighs what may be even but for rounding
        play_alike(policy, rules, 40)


def test_who_looks_at_numbers_of_dice_does_so_with_any_set() -> None:
    side = Side(matchup_of(RULES, (Kit(read_set("lucky*3,odd,devil*2")),) * 2), 0)
    memo, thrown = make_policy("memo"), side.dice
    for dice in range(1, thrown.whole + 1):
        for turn_total in range(0, 1000, 50):
            here = Position.of_two(0, 0, turn_total=turn_total, dice=dice)
            like = here.change(dice=sum(thrown.remaining[dice]))
            assert memo.banks(side, here) == memo.banks(EqualDice(RULES), like)


@pytest.mark.slow
def test_simulated_turns_bring_what_was_worked_out() -> None:
    """Turns for most points with three types of dice, two of them jokers now and then."""
    chance = random.Random(7)
    side = Side(matchup_of(RULES, (Kit(read_set("lucky*3,odd,devil*2")),) * 2), 0)
    policy, thrown = make_policy("max-points"), side.dice
    brought = []
    for _ in range(1_500):
        turn = Position.of_two(0, 0, dice=thrown.whole)
        while True:
            types = [thrown.types[k] for k in side.thrown(turn.dice)]
            roll = make_roll(
                6 * k + chance.choices(range(1, 7), die.weights)[0]
                for k, die in zip(side.thrown(turn.dice), types, strict=True)
            )
            if not side.set_asides(roll):
                brought.append(0)
                break
            move = policy.choose(side, turn, roll)
            kept = next(one for one in side.set_asides(roll) if one.dice == move.set_aside)
            after = side.after(turn.turn, kept)
            turn = turn.change(turn_total=after.turn_total, dice=after.dice)
            if move.bank:
                brought.append(min(after.turn_total, 1000))
                break
    table = points_table(RULES, side.plan)
    points = table.value(TurnState(0, thrown.whole)) * 1000
    assert abs(fmean(brought) - points) < 4 * stdev(brought) / len(brought) ** 0.5
    assert fmean(brought) > 500
