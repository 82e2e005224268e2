"""What a turn remembers beside its total and the dice to roll: the layers of its tables.

A table of a turn has a column for each number of dice in each layer, the start of the turn in the
last layer. An option that needs another memory adds a field to Memory, says in `memories` which
values there are, in `remembered` what a state holds, and in `after` where a throw leads.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.rules.patterns import Dice
from solver.rules.ruleset import RULESETS, Ruleset
from solver.wording import say

if TYPE_CHECKING:
    from solver.turn.dice import TurnState


class Memory(NamedTuple):
    """What a turn remembers; numbers are told apart as far as they matter."""

    throws: int = 0
    """How many throws the turn has had."""
    to_confirm: int = False
    """What is left to be confirmed before the turn may be banked, see `Ruleset.needs`."""

    hot_dice: int = 0
    """How often all dice were set aside, where set-asides count more times after that."""
    held: int = 0
    """The layer of what is held, one of `held_layers`."""
    fills: int = False
    """Whether a straight is to be filled: then the dice to roll tell how many faces are missing."""

    def is_left(self, rules: Ruleset, dice: int) -> bool:
        """Whether so many dice can be left to roll."""
        return dice in held_layers(rules)[self.held]

    def held_with(self, rules: Ruleset, dice: int) -> Dice:
        """What is held where so many dice are to be rolled; of what makes no difference, one."""
        return held_layers(rules)[self.held].get(dice, ())

    def after(
        self, most: "Memory", *, to_confirm: int, is_hot: bool, held: tuple[int, bool] = (0, False)
    ) -> "Memory":
        """What is remembered after a further throw of which dice were set aside.

        most : the last of `memories`
        is_hot : whether all dice are set aside now
        held : what is held now, as in `held_places`
        """
        hot_dice = min(self.hot_dice + is_hot, most.hot_dice)
        return Memory(min(self.throws + 1, most.throws), to_confirm, hot_dice, *held)


@lru_cache(maxsize=RULESETS)
def held_layers(rules: Ruleset) -> tuple[dict[int, Dice], ...]:
    """What is held by the number of dice to roll, in as few layers of that as can be.

    One stands for all with which the same dice bring the same points, in the same turns. The
    first layer is that in which nothing is held.
    """
    every = range(1, rules.dice + 1)
    if rules.combine_throws:
        alike = dict[tuple[Any, ...], Dice]()
        for held, what in _prospects(rules).items():
            alike.setdefault(what, held)
        by_number = [
            [held for held in alike.values() if len(held) == rules.dice - number]
            for number in every
        ]
        longest = max(map(len, by_number))
        layers = [
            {number: ways[k] for number, ways in zip(every, by_number, strict=True) if ways[k:]}
            for k in range(longest)
        ]
        return {rules.dice: ()}, *layers
    parts = {rules.dice - len(held): held for held in rules.sets if rules.is_part(held)}
    sets = [held for held in rules.sets if not rules.is_part(held)]
    layers = [dict.fromkeys(every[: rules.dice - len(held)], held) for held in sets]
    return *layers, *([parts] if parts else [])


@lru_cache(maxsize=RULESETS)
def held_places(rules: Ruleset) -> dict[Dice, tuple[int, bool]]:
    """The layer of all that may be held, and whether it is a part of a straight."""
    layers = {held: k for k, layer in enumerate(held_layers(rules)) for held in layer.values()}
    if rules.combine_throws:
        first = {_prospects(rules)[held]: layers[held] for held in layers if held}
        layers |= {held: first[what] for held, what in _prospects(rules).items()}
    parts = [held for held in rules.sets if rules.is_part(held)]
    return {held: (layers[held], False) for held in layers} | {
        part: (len(held_layers(rules)) - 1, True) for part in parts
    }


@lru_cache(maxsize=RULESETS)
def _prospects(rules: Ruleset) -> dict[Dice, tuple[Any, ...]]:
    """What each number of dice that is held may still bring, where throws combine.

    Equal for dice that are held of which it makes no difference which they are: as many are
    left, and the same ones of a throw bring the same points and leave equal prospects.
    """
    prospects = dict[Dice, tuple[Any, ...]]()
    numbers = dict[tuple[Any, ...], int]()
    for held in sorted(rules.sets[1:], key=len, reverse=True):
        what: list[Any] = [rules.dice - len(held)]
        for kept, points in rules.beside(held).items():
            after = prospects.get(tuple(sorted(held + kept, reverse=True)), ())
            what += [kept, points, numbers.get(after, -1)]
        prospects[held] = tuple(what)
        numbers.setdefault(prospects[held], len(numbers))
    return prospects


def held_after(rules: Ruleset, held: Dice, kept: Dice, left: int) -> Dice:
    """What is held after dice were set aside which leave so many."""
    if not left or len(rules.sets) == 1 or rules.is_part(held):
        return ()
    if rules.combine_throws:
        return tuple(sorted(held + kept, reverse=True))
    if not held and kept in rules.sets and left + len(kept) == rules.dice:
        return kept
    face = held[0] if held else max(kept, key=kept.count)
    grown = told_apart(rules, (*held, *(die for die in kept if die == face)))
    return grown if grown in rules.sets else held


def told_apart(rules: Ruleset, held: Dice) -> Dice:
    """The dice of a set without those that make no difference."""
    return held[:3] if rules.held_sets == "linear" and not rules.is_part(held) else held


def most_throws(rules: Ruleset) -> int:
    """The number of throws from which on more make no difference; 0 where none do."""
    is_special = rules.has_first_throw or not rules.counts_farkle(first=False, all_dice=True)
    return rules.throws or int(is_special)


@lru_cache(maxsize=RULESETS)
def memories(rules: Ruleset) -> tuple[Memory, ...]:
    """All that a turn may remember under the rules, beginning with its start."""
    most = most_throws(rules)
    hots = range(rules.hot_dice_counted if rules.hot_dice_times else 1)
    layers = sorted(set(held_places(rules).values()))
    every = (
        Memory(throws, need, hot, *held)
        for throws, need, hot, held in product(range(most + 1), rules.needs, hots, layers)
    )
    # before a first throw nothing was set aside
    reachable = (memory for memory in every if memory.throws or not (most and any(memory)))
    return tuple(sorted(reachable, key=lambda memory: memory.hot_dice))


def remembered(turn: "TurnState", most: Memory, places: Mapping[Dice, tuple[int, bool]]) -> Memory:
    """What a turn remembers in a state.

    most : the last of `memories`
    places : the layers of what may be held, as in `held_places`
    """
    # where throws are not counted, points tell that there was one
    throws = min(max(turn.throws, int(not turn.is_first)), most.throws)
    # no turn begins with hot dice
    hot_dice = min(max(turn.hot_dice, 0), most.hot_dice) if throws >= min(1, most.throws) else 0
    return Memory(throws, turn.to_confirm, hot_dice, *places[turn.held_set])


def confirm_text(rules: Ruleset, turn: "TurnState") -> str:
    """What is left to be confirmed, and by what if not by any roll."""
    faces = rules.confirming
    if rules.confirm_points and faces:
        return say(
            "{points:,} more points or a {faces} have to confirm what was set aside",
            points=turn.to_confirm,
            faces=faces,
        )
    if rules.confirm_points:
        return say(
            "{points:,} more points have to confirm what was set aside", points=turn.to_confirm
        )
    if faces:
        return say("a {faces} has to confirm what was set aside", faces=faces)
    return say("what was set aside last has to be confirmed")


def held_text(rules: Ruleset, turn: "TurnState") -> str:
    """Which set is held, which part of a straight, or which dice count with further ones."""
    dice = typed_set(turn.held_set)
    if rules.is_part(turn.held_set):
        return say("{dice} is held for a straight", dice=dice)
    if rules.combine_throws:
        return say("{dice} held", dice=dice)
    return say("the set {dice} is held", dice=dice)


def typed_set(held: Dice) -> str:
    """A set as it is typed, such as 222."""
    return "".join(map(str, sorted(held)))
