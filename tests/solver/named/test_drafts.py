"""Dice that are drafted."""

import random
from collections import Counter

import pytest

from solver.errors import InvalidDiceError
from solver.named.drafts import LAID_OUT, check_pool, dealt, drawn, order_of_picks, rule_of_thumb
from solver.named.sets import read_die


def test_nobody_has_two_turns_more_than_the_other() -> None:
    """And who begins is not always first: the second player takes two after the first one."""
    assert order_of_picks(3) == (0, 1, 1, 0, 0, 1)
    for pairs in range(1, 6):
        order = order_of_picks(pairs)
        assert Counter(order) == {0: pairs, 1: pairs}


def test_dice_that_are_drawn_differ_and_all_come_up() -> None:
    chance, seen = random.Random(1), Counter[str]()
    for _ in range(300):
        dice = drawn(chance, LAID_OUT)
        assert len({die.die for die in dice}) == LAID_OUT
        seen.update(die.key for die in dice)
    assert len(seen) == 32, "the 42 dice of the second game fall in so many ways"
    assert max(seen.values()) < 2 * min(seen.values())


def test_sets_that_are_dealt_are_three_pairs_each() -> None:
    one, other = dealt(random.Random(2), 6)
    assert [number for _, number in (*one.counted, *other.counted)] == [2] * 6
    assert not {die.die for die in one.dice} & {die.die for die in other.dice}


def test_the_rule_of_thumb() -> None:
    by_worth = sorted(map(read_die, ("misfortune", "ordinary", "weighted")), key=rule_of_thumb)
    assert [die.key for die in by_worth] == ["misfortune", "ordinary", "weighted"]
    assert rule_of_thumb(read_die("1:1:1:1:1:1@joker1")) == rule_of_thumb(read_die("ordinary"))


def test_refusals() -> None:
    with pytest.raises(InvalidDiceError, match="a set under these rules has 5 dice"):
        dealt(random.Random(3), 5)
    with pytest.raises(InvalidDiceError, match="a draft needs at least 6 pairs, not 5"):
        check_pool(drawn(random.Random(4), 5), 6)
