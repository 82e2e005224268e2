"""What a player throws, and what rolls of it come to."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import DiceSet, Die, Remaining, Roll, dice_set, make_roll, parts
from solver.turn.powers import Power
from solver.turn.scoring import (
    Fate,
    SetAside,
    TurnPlan,
    TurnState,
    after_set_aside,
    fate,
    set_asides,
    turn_plan,
)


class Hand:
    """A player with the dice that are thrown: here those of the rules, all alike.

    See `solver.loaded.kits.Side` for dice of one's own.
    """

    rules: Ruleset
    matchup: Any
    """What all bring to the game; None where all throw the dice of the rules."""

    @property
    def dice(self) -> DiceSet:
        """Return all dice."""
        return dice_set(self.rules)

    @property
    def power(self) -> Power | None:
        """Return what a badge allows some times in the game."""
        return None

    @property
    def types(self) -> tuple[Die, ...]:
        """Return the types of the dice, the last one of the die that a badge adds to a roll."""
        return self.dice.types

    @property
    def plan(self) -> TurnPlan:
        """Return what all rolls offer, as arrays, but for what is never best for two."""
        return turn_plan(self.rules)

    @property
    def plan_with_all(self) -> TurnPlan:
        """Return what all rolls offer, as arrays."""
        return turn_plan(self.rules, all_options=True)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the number of dice of each column of the plan."""
        numbers = tuple(map(sum, self.dice.remaining[1:]))
        return numbers * len(self.plan.memories)

    def fate(self, roll: Roll, turn: TurnState) -> Fate:
        """Return what a roll does to the turn, which was as `turn` says before it."""
        return fate(self.rules, roll, first=turn.is_first, held=turn.held_set)

    def set_asides(self, roll: Roll, turn: TurnState | None = None) -> tuple[SetAside, ...]:
        """Return every legal set-aside of a roll, most points first; none of a farkle.

        turn : as it was before the roll; None for one under way, without hot dice so far
        """
        first, held = (turn.is_first, turn.held_set) if turn else (False, ())
        found = set_asides(self.rules, roll, first=first, held=held)
        times = self.rules.times_after(turn.hot_dice if turn else 0)
        return (
            tuple(replace(one, points=times * one.points) for one in found) if times > 1 else found
        )

    def after(self, turn: TurnState, kept: SetAside, times: int = 1) -> TurnState:  # noqa: ARG002
        """Return where a legal set-aside of a roll of `turn.dice` leads.

        times : by what a badge multiplies its points
        """
        return after_set_aside(self.rules, turn, kept)

    def check_roll(self, dice: Remaining, roll: Roll) -> None:
        """Refuse a roll that is not one of some of the dice. Raises InvalidRollError."""
        self.dice.check_roll(dice, roll)

    def shown(self, roll: Roll) -> DiceSet:  # noqa: ARG002
        """Return the dice that a roll is of, with the die that a badge added to it."""
        return self.dice

    def thrown(self, dice: Remaining) -> tuple[int, ...]:
        """Return the types of some remaining dice, one by one, in their order."""
        return tuple(k for k, number in enumerate(self.dice.remaining[dice]) for _ in range(number))

    def can_fall(self, thrown: Sequence[int], roll: Roll) -> bool:
        """Whether dice of these types, in their order, can fall as a roll."""
        types = self.types
        if not all(0 < die <= len(FACES) * len(types) for die in roll):
            return False
        shown = [divmod(die - 1, len(FACES)) for die in roll]
        is_shown = all(types[k].weights[face] for k, face in shown)
        return is_shown and sorted(k for k, _ in shown) == list(thrown)

    def turned(self, roll: Roll, die: int) -> Roll:
        """Return a roll of which one die was turned to the face that its badge turns dice to."""
        face = self.power.amount if self.power else 0
        dice = self.shown(roll)
        shown = dice.shown_by(dice.type_of(die), face)
        return make_roll([*without(roll, (die,)), shown])

    def can_turn(self, roll: Roll) -> bool:
        """Whether a die of a roll can be turned so that it scores."""
        return any(self.set_asides(self.turned(roll, die)) for die in set(roll))

    def rerolled(self, dice: Roll) -> list[int]:
        """Return the types of some dice of a roll, one by one, in their order."""
        return sorted(self.dice.type_of(die) for die in dice)

    def may_reroll(self, dice: Roll) -> bool:
        """Whether its badge may roll these dice of a roll again at once."""
        power = self.power
        if power is None or not 1 <= len(dice) <= power.amount:
            return False
        return not power.alike or (len(dice) == 2 and len(set(self.dice.faces(dice))) == 1)

    def can_reroll(self, roll: Roll) -> bool:
        """Whether there are dice in a roll that its badge may roll again."""
        return any(self.may_reroll(dice) for dice in parts(roll))


@dataclass(frozen=True)
class EqualDice(Hand):
    """The dice of the rules, which all who bring no others throw."""

    rules: Ruleset
    matchup: None = None


def without(roll: Roll, dice: Iterable[int]) -> Roll:
    """Return the dice of a roll that are not among some of them."""
    return make_roll((Counter(roll) - Counter(dice)).elements())
