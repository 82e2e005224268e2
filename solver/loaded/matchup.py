"""Two players with dice of their own: what is played, and what of it can be solved."""

import hashlib
import json
from dataclasses import dataclass

from solver.errors import InvalidDiceError, InvalidRulesError
from solver.rules.ruleset import FACES, MAX_POINTS, Ruleset
from solver.turn.dice import DiceSet, Die, Remaining, Roll, dice_set, make_dice_set
from solver.turn.equations import Floats
from solver.turn.powers import Power, PowerKind, power_data, uses_of
from solver.turn.remaining import RollLists, roll_lists, set_asides_of, shape_of
from solver.turn.scoring import Badge, SetAside


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
    badges: tuple[Badge, Badge] = ((), ())
    """The combinations that the badge of each side adds or changes."""
    powers: tuple[Power | None, Power | None] = (None, None)
    """What the badge of each side allows some times in a game."""

    def __post_init__(self) -> None:
        for thrown, badge in zip(self.dice, self.badges, strict=True):
            check_loaded(self.rules, thrown)
            _check_badge(self.rules, badge)
        if self.rules.scoring.nothing and any(one and one.has_jokers for one in self.powers):
            raise _not_yet(self.rules, "scoring.nothing")

    @property
    def is_fair(self) -> bool:
        """Whether both throw the dice that the rules have anyway, so that they say it all."""
        plays_more = any(self.badges) or any(self.powers)
        return self.dice == (dice_set(self.rules),) * 2 and not plays_more

    @property
    def exchanged(self) -> "Matchup":
        """The same with the sides exchanged."""
        one, other = self.dice
        badges, powers = self.badges[::-1], self.powers[::-1]
        return Matchup(self.rules, (other, one), self.joker_alone, badges, powers)

    @property
    def is_in_order(self) -> bool:
        """Whether it is this one that stands for itself and its exchange."""
        dice, badges = map(plain, self.dice), map(sorted, self.badges)
        one, other = zip(dice, badges, map(power_data, self.powers), strict=True)
        return one <= other

    def lists(self, side: int) -> RollLists:
        """What the rolls of a side offer."""
        return roll_lists(
            self.rules,
            shape_of(self.dice[side]),
            joker_alone=self.joker_alone,
            badge=self.badges[side],
        )

    def shown(self, side: int, roll: Roll) -> DiceSet:
        """The dice that a roll of a side is of: its set, with the die that a badge added to it."""
        thrown, power = self.dice[side], self.powers[side]
        own = len(FACES) * len(thrown.types)
        if power and power.kind is PowerKind.MIGHT and any(die > own for die in roll):
            return thrown.with_die(power.die)
        return thrown

    def set_asides(self, side: int, roll: Roll) -> tuple[SetAside, ...]:
        """Every legal set-aside of a roll of a side, most points first."""
        shown = self.shown(side, roll)
        return set_asides_of(
            self.rules,
            shown,
            roll,
            joker_alone=self.joker_alone,
            badge=self.badges[side],
            more=len(shown.types) - len(self.dice[side].types),
        )

    def check_roll(self, side: int, dice: Remaining, roll: Roll) -> None:
        """Refuse a roll that is not one of some dice of a side. Raises InvalidRollError."""
        thrown, shown = self.dice[side], self.shown(side, roll)
        if shown is not thrown:
            dice = shown.place((*thrown.remaining[dice], 1))
        shown.check_roll(dice, roll, turned=self.powers[side] is not None)

    def left(self, side: int, dice: Remaining, kept: Roll) -> Remaining:
        """What is to be rolled next once dice of a roll of some dice of a side were set aside."""
        thrown, shown = self.dice[side], self.shown(side, kept)
        if shown is not thrown:
            # the die that a badge added is gone, set aside or not
            kept = tuple(die for die in kept if shown.type_of(die) < len(thrown.types))
        return thrown.without(dice, kept) or thrown.whole

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what decides play: the rules and both sets, in either order."""
        jokers = any(thrown.has_jokers for thrown in self.dice)
        jokers |= any(power and power.has_jokers for power in self.powers)
        ordered = self if self.is_in_order else self.exchanged
        said: dict[str, object] = {
            "rules": self.rules.digest,
            "dice": [plain(thrown) for thrown in ordered.dice],
            "joker_alone": self.joker_alone and jokers,
        }
        if any(self.badges):
            said["badges"] = [sorted(badge) for badge in ordered.badges]
        if any(self.powers):
            said["powers"] = [power_data(power) for power in ordered.powers]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _check_badge(rules: Ruleset, badge: Badge) -> None:
    """Refuse what is no combination. Raises InvalidRulesError."""
    if badge and rules.scoring.nothing:
        raise _not_yet(rules, "scoring.nothing")
    for dice, points in badge:
        sound = 1 <= len(dice) <= rules.dice and set(dice) <= set(FACES)
        if not sound or not 0 < points <= MAX_POINTS or points % rules.point_step:
            raise InvalidRulesError.say(
                "{rules}: a badge makes 1 to {dice} faces worth a multiple of {step} points, not"
                " {faces} worth {points}",
                rules=rules.name,
                dice=rules.dice,
                step=rules.point_step,
                faces=" ".join(map(str, dice)),
                points=points,
            )


@dataclass(frozen=True, slots=True, eq=False)
class MatchupSolution:
    """Start-of-turn win probabilities of a match-up, and what it took to find them."""

    matchup: Matchup
    values: Floats
    """V at [side to act, its score, the other's score], scores in point steps; where badges are
    used up with the uses that side 0 and side 1 have left before these axes, see `uses_shape`."""
    error_bound: float
    """What no value is off by more than, relative to it or to LEAST where it is less, as far as the
    slopes of the last steps tell."""
    states_solved: int
    """States (t, remaining dice, ...) whose value was computed, again and again."""
    seconds: float


def uses_shape(matchup: Matchup) -> tuple[int, ...]:
    """Shape of the axes of uses left that values have before all others, () without powers."""
    if not any(matchup.powers):
        return ()
    return tuple(1 + uses_of(power) for power in matchup.powers)


def exchanged_values(matchup: Matchup, values: Floats) -> Floats:
    """The values of a match-up as those of its exchange."""
    if not any(matchup.powers):
        return values[::-1]
    return values.swapaxes(0, 1)[:, :, ::-1]


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
            "the {rules} rules are played with {right} dice, and the set has {number}",
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
        raise _not_yet(rules, found[0])


def _not_yet(rules: Ruleset, key: str) -> InvalidRulesError:
    return InvalidRulesError.say(
        "{rules}: with loaded dice {key} cannot be solved yet; use rules without it",
        rules=rules.name,
        key=key,
    )
