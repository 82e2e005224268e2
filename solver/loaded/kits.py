"""What players bring to a game: the dice and the badge of each, and what these do at the table."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import ClassVar, TypeVar

from solver.errors import InvalidPositionError, InvalidRulesError
from solver.loaded.matchup import Matchup, check_no_badges, check_plain
from solver.named.badges import Badges, NamedBadge, check_tiers, played_badges
from solver.named.drafts import order_of_picks, pairs_of, set_of_pairs
from solver.named.rolls import roll_text, set_aside_text
from solver.named.sets import NamedDie, NamedSet, make_set, ordinary_die
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import (
    DiceSet,
    Die,
    Fate,
    Hand,
    Remaining,
    Roll,
    SetAside,
    TurnState,
    after_points,
    dice_text,
    fate_of_faces,
    make_roll,
)
from solver.turn.equations import TurnPlan
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import set_asides_of

T = TypeVar("T")

_PAIRS = 256
"""Match-ups of two of several players that are remembered."""
_REMEMBERED = 2_000
"""Rolls of which is remembered what may be set aside."""


@dataclass(frozen=True, slots=True)
class Kit:
    """What one player brings."""

    dice: NamedSet
    badge: NamedBadge | None = None
    between: ClassVar[str] = "; "
    """What stands between several rolls or set-asides; a comma may be in one."""

    @property
    def text(self) -> str:
        """Dice and badge, in the language that is spoken."""
        return f"{self.dice.text} + {self.badge.text}" if self.badge else self.dice.text

    @property
    def with_added(self) -> NamedSet:
        """The dice and the one that the badge adds to a roll, if it does."""
        return replace(self.dice, added=self.badge.added if self.badge else None)

    def shown(self, roll: Roll) -> NamedSet:
        """The dice that a roll is of."""
        own = len(FACES) * len(self.dice.dice_set.types)
        is_wider = self.badge and self.badge.added and any(die > own for die in roll)
        return self.with_added if is_wider else self.dice

    def roll_text(self, roll: Roll, dice: Remaining) -> str:
        """A roll of some of the dice, which are named where it matters."""
        shown = self.shown(roll)
        if shown.added:
            left = (*self.dice.dice_set.remaining[dice], 1)
            dice = shown.dice_set.place(left)
        return roll_text(shown, make_roll(roll), dice)

    def set_aside_text(self, roll: Roll, kept: Roll) -> str:
        """Dice of a roll, which are named where it matters."""
        return set_aside_text(self.shown(roll), roll, make_roll(kept))

    def name_of(self, die: int, roll: Roll) -> str:
        """What a die of a roll is called; "" where dice have no names."""
        shown = self.shown(roll)
        return self.data(shown.first_name(shown.dice_set.type_of(die)).typed, "")

    def data(self, text: str, value: T) -> str | T:  # noqa: ARG002
        """Dice as plain data: as they are typed, or `value` where dice have no names."""
        return text


class PlainKit(Kit):
    """The dice of the rules: they have no names, and are told in the order in which they fell."""

    __slots__ = ()
    between: ClassVar[str] = ", "

    def roll_text(self, roll: Roll, dice: Remaining) -> str:  # noqa: ARG002
        """The faces of a roll."""
        return dice_text(roll)

    def set_aside_text(self, roll: Roll, kept: Roll) -> str:  # noqa: ARG002
        """The faces of dice of a roll."""
        return dice_text(make_roll(kept))

    def data(self, text: str, value: T) -> T:  # noqa: ARG002
        """The value."""
        return value


@cache
def plain_kit(number: int) -> PlainKit:
    """What everybody brings to rules of so many dice where nobody says otherwise."""
    return PlainKit(make_set([ordinary_die()] * number))


def kit_of(kits: Sequence[Kit], seat: int, rules: Ruleset) -> Kit:
    """What a seat brings: the dice of the rules where nobody brings others."""
    return kits[seat] if kits else plain_kit(rules.dice)


def badges_of(kits: Sequence[Kit]) -> Badges:
    """The badges of two players that do anything."""
    one, other = kits
    return played_badges(one.badge, other.badge)


def head_starts_of(rules: Ruleset, badges: Badges) -> tuple[int, int]:
    """Points that the badges of two players give at the start. Raises InvalidPositionError."""
    mine, theirs = (badge.head_start if badge else 0 for badge in badges)
    for points in (mine, theirs):
        if points >= rules.winning_score or points % rules.point_step:
            raise InvalidPositionError.say(
                "a head start is a multiple of {step} points below the goal of {goal:,}, not"
                " {points:,}",
                step=rules.point_step,
                goal=rules.goal,
                points=points,
            )
    return mine, theirs


def matchup_of(rules: Ruleset, kits: Sequence[Kit], *, joker_alone: bool = False) -> Matchup:
    """What players bring as it is solved; the first one's kit is that of seat 0.

    Raises InvalidDiceError, InvalidRulesError, InvalidPositionError for a head start that reaches
    the goal, and InvalidRequestError for two badges of different tiers.
    """
    if len(kits) > 2:
        return Matchup(rules, tuple(kit.dice.dice_set for kit in kits), joker_alone)
    one, other = kits
    check_tiers(one.badge, other.badge)
    badges = badges_of(kits)
    head_starts_of(rules, badges)
    added = tuple(badge.combinations(rules) if badge else () for badge in badges)
    powers = tuple(badge.power if badge else None for badge in badges)
    dice = one.dice.dice_set, other.dice.dice_set
    return Matchup(rules, dice, joker_alone, added, powers)


def matchup_of_all(
    rules: Ruleset, kits: Sequence[Kit], *, joker_alone: bool = False
) -> Matchup | None:
    """What two players bring as it is solved; None of more, see `many_of`, and where nobody does.

    Raises what `matchup_of` does, and InvalidRequestError for badges where more than two play.
    """
    if len(kits) in {0, 2}:
        return solved_of(rules, kits, joker_alone=joker_alone)
    check_no_badges(*(kit.badge for kit in kits))
    check_plain(rules)
    for one, other in pairwise(kits):
        matchup_of(rules, (one, other), joker_alone=joker_alone)
    return None


@lru_cache(maxsize=_PAIRS)
def pair_of(rules: Ruleset, one: Kit, other: Kit, *, joker_alone: bool) -> Matchup:
    """The match-up of two of several players, as if they were alone."""
    return matchup_of(rules, (one, other), joker_alone=joker_alone)


@lru_cache(maxsize=_PAIRS)
def many_of(rules: Ruleset, kits: tuple[Kit, ...], *, joker_alone: bool) -> Matchup | None:
    """What several players bring as it is solved; None where that is too large."""
    with suppress(InvalidRulesError):
        return matchup_of(rules, kits, joker_alone=joker_alone)
    return None


def solved_of(rules: Ruleset, kits: Sequence[Kit], *, joker_alone: bool) -> Matchup | None:
    """Return what players bring as it is solved; None where all throw the dice of the rules.

    Raises what `matchup_of` does, and InvalidRulesError for what is too large.
    """
    return matchup_of(rules, kits, joker_alone=joker_alone) if kits else None


def kits_of_picks(pool: Sequence[NamedDie], picks: Sequence[int], dice: int) -> tuple[Kit, ...]:
    """The sets of so many dice of two players who took pairs of a pool in these places."""
    order = order_of_picks(pairs_of(dice))
    taken = list(zip(picks, order, strict=True))
    sets = ([pool[place] for place, seat in taken if seat == number] for number in (0, 1))
    return tuple(Kit(set_of_pairs(pairs)) for pairs in sets)


@dataclass(frozen=True)
class Side(Hand):
    """One side of a match-up, or one of several players with dice of their own."""

    matchup: Matchup
    number: int

    @property
    def rules(self) -> Ruleset:  # type: ignore[override]
        """Return the rules of the match-up."""
        return self.matchup.rules

    @property
    def dice(self) -> DiceSet:
        """Return all dice."""
        return self.matchup.dice[self.number]

    @property
    def plan(self) -> TurnPlan:
        """Return what all rolls offer, as arrays, but for a badge that is used up."""
        return self.matchup.plan(self.number)

    @property
    def power(self) -> Power | None:
        """What its badge allows some times in the game."""
        return self.matchup.powers[self.number]

    @property
    def types(self) -> tuple[Die, ...]:
        """The types of its dice, the last one of the die that its badge adds to a roll, if any."""
        adds = self.power and self.power.kind is PowerKind.MIGHT
        return (*self.dice.types, *([self.power.die] if self.power and adds else []))

    def shown(self, roll: Roll) -> DiceSet:
        """Return the dice that a roll is of, with the die that a badge added to it."""
        thrown, power = self.dice, self.power
        own = len(FACES) * len(thrown.types)
        if power and power.kind is PowerKind.MIGHT and any(die > own for die in roll):
            return thrown.with_die(power.die)
        return thrown

    def set_asides(self, roll: Roll, turn: TurnState | None = None) -> tuple[SetAside, ...]:  # noqa: ARG002
        """Return every legal set-aside of a roll, most points first; none of a farkle."""
        return _set_asides(self, roll)

    def check_roll(self, dice: Remaining, roll: Roll) -> None:
        """Refuse a roll that is not one of some of the dice. Raises InvalidRollError."""
        thrown, shown = self.dice, self.shown(roll)
        if shown is not thrown:
            dice = shown.place((*thrown.remaining[dice], 1))
        shown.check_roll(dice, roll, turned=self.power is not None)

    def fate(self, roll: Roll, turn: TurnState) -> Fate:  # noqa: ARG002
        """Return what a roll does to the turn."""
        fate = fate_of_faces(self.rules, self.shown(roll).faces(roll))
        return fate or (Fate.SCORES if self.set_asides(roll) else Fate.FARKLE)

    def after(self, turn: TurnState, kept: SetAside, times: int = 1) -> TurnState:
        """Where a legal set-aside of a roll of `turn.dice`, for so many times its points, leads."""
        thrown, shown, dice = self.dice, self.shown(kept.dice), kept.dice
        if shown is not thrown:
            # the die that a badge added is gone, set aside or not
            dice = tuple(die for die in kept.dice if shown.type_of(die) < len(thrown.types))
        left = thrown.without(turn.dice, dice)
        after = after_points(self.rules, turn, times * kept.points, left, thrown)
        return after if self.matchup.counts_hot_dice else replace(after, hot_dice=0)


@lru_cache(maxsize=_REMEMBERED)
def _set_asides(side: Side, roll: Roll) -> tuple[SetAside, ...]:
    shown, matchup = side.shown(roll), side.matchup
    if fate_of_faces(side.rules, shown.faces(roll)):
        return ()
    return set_asides_of(
        side.rules,
        shown,
        roll,
        joker_alone=matchup.joker_alone,
        badge=matchup.badges[side.number],
        added=len(shown.types) - len(side.dice.types),
    )
