"""Two players with dice of their own: what is played, and what of it can be solved."""

import hashlib
import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solver.errors import InvalidDiceError, InvalidRulesError
from solver.rules.ruleset import Ruleset
from solver.turn.dice import DiceSet, Die, dice_set, make_dice_set

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Matchup:
    """A game between two sets of dice. A side, 0 or 1, is a set with its player.

    Raises InvalidDiceError for sets that do not have as many dice as the rules say, and
    InvalidRulesError for rules that cannot be solved with loaded dice.
    """

    rules: Ruleset
    dice: tuple[DiceSet, DiceSet]
    joker_alone: bool = False
    """Whether a joker may score without a die that is none."""

    def __post_init__(self) -> None:
        for thrown in self.dice:
            check_loaded(self.rules, thrown)

    @property
    def is_fair(self) -> bool:
        """Whether both throw the dice that the rules have anyway, so that they say it all."""
        return self.dice == (dice_set(self.rules),) * 2

    @property
    def exchanged(self) -> "Matchup":
        """The same with the sides exchanged."""
        return Matchup(self.rules, (self.dice[1], self.dice[0]), self.joker_alone)

    @property
    def is_in_order(self) -> bool:
        """Whether it is this one that stands for itself and its exchange."""
        return plain(self.dice[0]) <= plain(self.dice[1])

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides play: the rules and both sets, in either order."""
        jokers = any(thrown.has_jokers for thrown in self.dice)
        said = {
            "rules": self.rules.digest,
            "dice": sorted(plain(thrown) for thrown in self.dice),
            "joker_alone": self.joker_alone and jokers,
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class MatchupSolution:
    """Start-of-turn win probabilities of a match-up, and what it took to find them."""

    matchup: Matchup
    values: Floats
    """V at [side to act, its score, the other's score], scores in point steps."""
    error_bound: float
    """What no value is off by more than, relative to it or to LEAST where it is less, as far as the
    slopes of the last steps tell."""
    states_solved: int
    """States (t, remaining dice, ...) whose value was computed, again and again."""
    seconds: float

    def first_wins(self, side: int) -> float:
        """Win probability of a side that begins."""
        return float(self.values[side, 0, 0])


Plain = tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]
"""A set as plain data: for each type the number of dice, the weights and the faces that are jokers.
"""


def plain(thrown: DiceSet) -> Plain:
    """A set as plain data."""
    return tuple(
        (number, die.weights, tuple(sorted(die.jokers)))
        for die, number in zip(thrown.types, thrown.counts, strict=True)
    )


def from_plain(data: Plain) -> DiceSet:
    """The set that plain data are. Raises InvalidDiceError."""
    return make_dice_set(
        Die(weights, frozenset(jokers)) for number, weights, jokers in data for _ in range(number)
    )


def check_loaded(rules: Ruleset, thrown: DiceSet) -> None:
    """Refuse rules that cannot be solved with loaded dice, and sets of another number of dice.

    Raises InvalidDiceError or InvalidRulesError.
    """
    if (number := sum(thrown.counts)) != rules.dice:
        raise InvalidDiceError.say(
            "{rules} rules are played with {right} dice, and the set has {number}",
            rules=rules.name,
            right=rules.dice,
            number=number,
        )
    plain = Ruleset(name=rules.name, goal=rules.goal)
    names = [
        "hot_dice",
        "hot_dice_bonus",
        "farkle_keeps_turn_total",
        "farkle_penalty",
        "instant_win",
        "lose_everything",
        "ending",
    ]
    found = [name for name in names if getattr(rules, name) != getattr(plain, name)]
    if rules.has_opening:
        found.append("opening_minimum")
    if rules.scoring.nothing and thrown.has_jokers:
        found.append("scoring.nothing")
    if found:
        raise InvalidRulesError.say(
            "{rules}: with loaded dice {key} cannot be solved yet; use rules without it",
            rules=rules.name,
            key=found[0],
        )
