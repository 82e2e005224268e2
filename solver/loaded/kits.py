"""What players bring to a game: the dice and the badge of each, and what these do at the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from solver.errors import InvalidRequestError
from solver.game.position import Position, check_position
from solver.loaded.matchup import Matchup
from solver.named.badges import NamedBadge, check_tiers
from solver.named.drafts import order_of_picks, pairs_of, set_of_pairs
from solver.named.rolls import roll_text, set_aside_text
from solver.named.sets import NamedDie, NamedSet
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import DiceSet, Remaining, Roll, make_roll
from solver.turn.scoring import SetAside, TurnState

_LASTING = {"headstart", "formation", "triple"}
"""Kinds of badges that are not used up."""
_REMEMBERED = 2_000
"""Rolls of which is remembered what may be set aside."""


@dataclass(frozen=True, slots=True)
class Kit:
    """What one player brings."""

    dice: NamedSet
    badge: NamedBadge | None = None

    @property
    def head_start(self) -> int:
        """Points before the first turn."""
        return self.badge.head_start if self.badge else 0

    @property
    def text(self) -> str:
        """Dice and badge, in the language that is spoken."""
        return f"{self.dice.text} + {self.badge.text}" if self.badge else self.dice.text

    def roll_text(self, roll: Roll, dice: Remaining) -> str:
        """A roll of some of the dice, which are named where it matters."""
        return roll_text(self.dice, make_roll(roll), dice)

    def set_aside_text(self, roll: Roll, kept: Roll) -> str:
        """Dice of a roll, which are named where it matters."""
        return set_aside_text(self.dice, roll, make_roll(kept))


def matchup_of(rules: Ruleset, kits: Sequence[Kit], *, joker_alone: bool = False) -> Matchup:
    """The match-up of two players; the first one's kit is that of side 0.

    Raises InvalidDiceError, InvalidRulesError, InvalidPositionError for a head start that reaches
    the goal, and InvalidRequestError for a badge that is used up in a game and for two badges of
    different tiers.
    """
    one, other = kits
    for badge in (one.badge, other.badge):
        if badge and badge.badge.kind not in _LASTING:
            raise InvalidRequestError.say(
                "{badge} is used up in a game, and no game here can be played with it yet: only"
                " badges that add points or combinations can be brought",
                badge=badge.badge.called,
            )
    check_tiers(one.badge, other.badge)
    check_position(rules, Position(one.head_start, other.head_start, dice=rules.dice))
    first, second = (kit.badge.combinations(rules) if kit.badge else () for kit in kits)
    return Matchup(rules, (one.dice.dice_set, other.dice.dice_set), joker_alone, (first, second))


def kits_of_picks(pool: Sequence[NamedDie], picks: Sequence[int], dice: int) -> tuple[Kit, ...]:
    """The sets of so many dice of two players who took pairs of a pool in these places."""
    order = order_of_picks(pairs_of(dice))
    taken = list(zip(picks, order, strict=True))
    sets = ([pool[place] for place, seat in taken if seat == number] for number in (0, 1))
    return tuple(Kit(set_of_pairs(one)) for one in sets)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a match-up at the table."""

    matchup: Matchup
    number: int

    @property
    def dice(self) -> DiceSet:
        """What it throws."""
        return self.matchup.dice[self.number]

    def set_asides(self, roll: Roll) -> tuple[SetAside, ...]:
        """Every legal set-aside of a roll, most points first; empty for a farkle."""
        return _set_asides(self.matchup, self.number, roll)

    def after(self, turn: TurnState, kept: SetAside) -> TurnState:
        """Where a legal set-aside of a roll of `turn.dice` leads to."""
        left = self.dice.without(turn.dice, kept.dice) or self.dice.whole
        return TurnState(turn.turn_total + kept.points, left)

    def thrown(self, dice: Remaining) -> tuple[int, ...]:
        """The types of some remaining dice, one by one, in their order."""
        return tuple(k for k, number in enumerate(self.dice.remaining[dice]) for _ in range(number))

    def can_fall(self, dice: Remaining, roll: Roll) -> bool:
        """Whether a roll can be one of some remaining dice."""
        types = self.dice.types
        if not all(0 < die <= len(FACES) * len(types) for die in roll):
            return False
        shown = [divmod(die - 1, len(FACES)) for die in roll]
        is_shown = all(types[k].weights[face] for k, face in shown)
        return is_shown and tuple(sorted(k for k, _ in shown)) == self.thrown(dice)


@lru_cache(maxsize=_REMEMBERED)
def _set_asides(matchup: Matchup, side: int, roll: Roll) -> tuple[SetAside, ...]:
    return matchup.set_asides(side, roll)
