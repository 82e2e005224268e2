"""What a turn remembers beside its total and the dice to roll: the layers of its tables.

A table of a turn has a column for each number of dice in each layer, the start of the turn in the
last layer. An option that needs another memory adds a field to Memory, says in `memories` which
values there are, in `remembered` what a state holds, and in `after` where a throw leads.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from solver.rules.ruleset import RULESETS, Ruleset

if TYPE_CHECKING:
    from solver.turn.scoring import TurnState


class Memory(NamedTuple):
    """What a turn remembers; numbers are told apart as far as they matter."""

    throws: int = 0
    """How many throws the turn has had."""
    to_confirm: bool = False
    """Whether a further roll has to score before the turn may be banked."""

    def after(self, most_throws: int, *, to_confirm: bool) -> "Memory":
        """What is remembered after a further throw of which dice were set aside."""
        return Memory(min(self.throws + 1, most_throws), to_confirm)


def most_throws(rules: Ruleset) -> int:
    """The number of throws from which on more make no difference; 0 where none do."""
    return rules.throws or int(rules.has_first_throw)


@lru_cache(maxsize=RULESETS)
def memories(rules: Ruleset) -> tuple[Memory, ...]:
    """All that a turn may remember under the rules, beginning with its start."""
    most, doubts = most_throws(rules), (False, True) if rules.to_confirm else (False,)
    every = (Memory(throws, doubt) for throws in range(most + 1) for doubt in doubts)
    # before a first throw nothing was set aside
    return tuple(one for one in every if one.throws or not (most and one.to_confirm))


def remembered(turn: "TurnState", most_throws: int) -> Memory:
    """What a turn remembers in a state."""
    # where throws are not counted, points tell that there was one
    return Memory(min(max(turn.throws, int(turn.turn_total > 0)), most_throws), turn.to_confirm)


def column_of(rules: Ruleset, turn: "TurnState") -> int:
    """The column of a state in plans of the rules."""
    layers = memories(rules.of_turn)
    layer = layers.index(remembered(turn, layers[-1].throws))
    return (len(layers) - 1 - layer) * rules.dice + turn.dice - 1
