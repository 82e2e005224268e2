"""Levels of play with any dice: with those of the rules they do what the levels always do."""

import random
from statistics import fmean, stdev

import pytest

from solver.errors import InvalidRequestError, MissingStrategyError
from solver.game.position import Position
from solver.loaded.kits import Kit, Side, matchup_of
from solver.named.sets import read_set
from solver.play.loaded_policies import LOADED_LEVELS, LoadedPolicy
from solver.play.policies import make_policy
from solver.play.policy import TurnView
from solver.turn.dice import make_roll
from solver.turn.points import points_table
from solver.turn.scoring import TurnState, set_asides
from tests.loaded_dice import kcd

RULES = kcd(goal=1000, minimum_bank=100)
ORDINARY = Side(matchup_of(RULES, (Kit(read_set("ordinary*6")),) * 2), 0)


@pytest.mark.parametrize("level", sorted(set(LOADED_LEVELS) - {"optimal"}))
def test_with_ordinary_dice_they_play_as_ever(level: str) -> None:
    plain, loaded = make_policy(level), LoadedPolicy(level, ORDINARY)
    chance = random.Random(level)
    for _ in range(400):
        dice, turn_total = chance.randint(1, 6), 50 * chance.randint(0, 12)
        position = Position.of_two(50 * chance.randint(0, 19), 0, turn_total=turn_total, dice=dice)
        roll = tuple(sorted((chance.randint(1, 6) for _ in range(dice)), reverse=True))
        if set_asides(RULES, roll):
            move = plain.choose(TurnView(RULES, position, roll))
            assert loaded.choose(position, roll) == move
        assert loaded.banks(position) == plain.banks(RULES, position)


def test_simulated_turns_bring_what_was_worked_out() -> None:
    """Turns for most points with three types of dice, two of them jokers now and then."""
    chance = random.Random(7)
    side = Side(matchup_of(RULES, (Kit(read_set("lucky*3,odd,devil*2")),) * 2), 0)
    policy, thrown = LoadedPolicy("max-points", side), side.dice
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
            move = policy.choose(turn, roll)
            kept = next(one for one in side.set_asides(roll) if one.dice == move.set_aside)
            after = side.after(turn.turn, kept)
            turn = turn.change(turn_total=after.turn_total, dice=after.dice)
            if move.bank:
                brought.append(min(after.turn_total, 1000))
                break
    table = points_table(RULES, side.matchup.lists(0).plan(thrown))
    points = table.value(TurnState(0, thrown.whole)) * 1000
    assert abs(fmean(brought) - points) < 4 * stdev(brought) / len(brought) ** 0.5
    assert fmean(brought) > 500


def test_levels_that_there_are_not() -> None:
    with pytest.raises(InvalidRequestError, match="plays by a table of equal dice"):
        LoadedPolicy("memo", ORDINARY)
    with pytest.raises(MissingStrategyError, match="not solved against each other yet"):
        LoadedPolicy("optimal", ORDINARY)
