"""What a turn remembers beside its total and the dice to roll: the layers of its tables.

A table of a turn has a column for each number of dice in each layer, the start of the turn in the
last layer. An option that needs another memory adds a field to Memory, says in `memories` which
values there are, in `remembered` what a state holds, and in `after` where a throw leads.
"""

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from solver.rules.patterns import Dice
from solver.rules.ruleset import RULESETS, Ruleset, is_part
from solver.wording import say

if TYPE_CHECKING:
    from solver.turn.scoring import TurnState


class Memory(NamedTuple):
    """What a turn remembers; numbers are told apart as far as they matter."""

    throws: int = 0
    """How many throws the turn has had."""
    to_confirm: int = False
    """What is left to be confirmed before the turn may be banked, see `Ruleset.needs`."""

    hot_dice: int = 0
    """How often all dice were set aside, where set-asides count more times after that."""
    held: Dice = ()
    """The set that is held, one of `Ruleset.sets`."""
    fills: int = False
    """Whether a straight is to be filled: then the dice to roll tell how many faces are missing."""

    def held_with(self, rules: Ruleset, dice: int) -> Dice:
        """What is held where so many dice are to be rolled; of parts of straights, one of all."""
        return rules.parts_by_missing.get(dice, ()) if self.fills else self.held

    def after(self, most: "Memory", *, to_confirm: int, is_hot: bool, held: Dice = ()) -> "Memory":
        """What is remembered after a further throw of which dice were set aside.

        most : the last of `memories`
        is_hot : whether all dice are set aside now
        held : the set that is held now, or the part of a straight
        """
        hot_dice = min(self.hot_dice + is_hot, most.hot_dice)
        fills = is_part(held)
        sets = () if fills else held
        return Memory(min(self.throws + 1, most.throws), to_confirm, hot_dice, sets, fills)


def most_throws(rules: Ruleset) -> int:
    """The number of throws from which on more make no difference; 0 where none do."""
    is_special = rules.has_first_throw or not rules.counts_farkle(first=False, all_dice=True)
    return rules.throws or int(is_special)


@lru_cache(maxsize=RULESETS)
def memories(rules: Ruleset) -> tuple[Memory, ...]:
    """All that a turn may remember under the rules, beginning with its start."""
    most = most_throws(rules)
    hots = range(rules.hot_dice_counted if rules.hot_dice_times else 1)
    sets = [(held, False) for held in rules.sets if not is_part(held)]
    sets += [((), True)] * bool(rules.parts_by_missing)
    every = (
        Memory(throws, need, hot, *held)
        for throws, need, hot, held in product(range(most + 1), rules.needs, hots, sets)
    )
    # before a first throw nothing was set aside
    found = (one for one in every if one.throws or not (most and any(one)))
    return tuple(sorted(found, key=lambda one: one.hot_dice))


def remembered(turn: "TurnState", most: Memory) -> Memory:
    """What a turn remembers in a state; `most` is the last of `memories`."""
    # where throws are not counted, points tell that there was one
    throws = min(max(turn.throws, int(not turn.is_first)), most.throws)
    # no turn begins with hot dice
    hot_dice = min(max(turn.hot_dice, 0), most.hot_dice) if throws >= min(1, most.throws) else 0
    fills = is_part(turn.held_set)
    return Memory(throws, turn.to_confirm, hot_dice, () if fills else turn.held_set, fills)


def column_of(rules: Ruleset, turn: "TurnState") -> int:
    """The column of a state in plans of the rules."""
    layers = memories(rules.of_turn)
    layer = layers.index(remembered(turn, layers[-1]))
    return (len(layers) - 1 - layer) * rules.dice + turn.dice - 1


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


def held_text(turn: "TurnState") -> str:
    """Which set is held, or which part of a straight."""
    if is_part(turn.held_set):
        return say("{dice} is held for a straight", dice=typed_set(turn.held_set))
    return say("the set {dice} is held", dice=typed_set(turn.held_set))


def typed_set(held: Dice) -> str:
    """A set as it is typed, such as 222."""
    return "".join(map(str, sorted(held)))
