"""Badges that are used up: what they allow, how often, and what of it sources leave open.

When a power acts, and what it does then; every use is one of those that a player has in a game:

- `WARLORD`: when a turn is banked, its points are `amount` % more; with `at_start` that has to be
  said before the first roll, and a farkle costs the use.
- `RESURRECTION`: after a farkle the same dice are rolled again, and the turn total stays.
- `MIGHT`: `die` is added to one roll. Dice of it may be set aside like any other; afterwards it is
  gone, and what remains are the own dice that were not set aside, all six if none is left.
- `DOPPELGANGER`: dice that are set aside count twice, once a roll.
- `TRANSMUTATION`: one die of a roll is turned to the face `amount`, which then is no joker, or,
  where that is JOKER, to a joker.
- `REROLL`: 1 to `amount` dice of a roll are rolled again; with `alike` exactly two that show
  the same. Then dice are set aside as ever, and if none can be, it is a farkle.

The last two act on a roll that scores; with `after_farkle` on any. Several uses may fall in one
turn, on different rolls, and those of `RESURRECTION` after one another; with `once` only one.

Where the rules decide rolls by themselves, one that wins or loses the score is settled before a
badge can act on it, and one that loses the turn is a farkle like any other. A roll that a badge has
changed, or thrown anew or with one more die, is decided by what it then shows. A die is turned so
that the roll scores or wins. Bonuses for hot dice count once, whatever a badge makes of the points
of dice, but are part of a turn total that a `WARLORD` raises; a farkle that keeps the turn total
keeps it as it is, without that share.
"""

from dataclasses import dataclass
from enum import StrEnum

from solver.errors import InvalidRulesError
from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import JOKER, Die

MAX_USES = 3
MAX_SHARE = 200
"""The largest share of a `WARLORD`, in hundredths of a turn total."""
MAX_REROLLED = 3
"""Dice that may be rolled again in one use."""


_ORDINARY = Die()


class PowerKind(StrEnum):
    """What a badge that is used up allows."""

    WARLORD = "warlord"
    RESURRECTION = "resurrection"
    MIGHT = "might"
    DOPPELGANGER = "doppelganger"
    TRANSMUTATION = "transmutation"
    REROLL = "reroll"


@dataclass(frozen=True, slots=True)
class Power:
    """What a player may do some times in a game.

    Raises InvalidRulesError for what is no power.
    """

    kind: PowerKind
    uses: int = 1
    """The number of uses in the whole game."""
    amount: int = 0
    """A share in hundredths, a face or a number of dice, see the kinds."""
    alike: bool = False
    """Whether two dice that show the same are rolled again, and no others."""
    after_farkle: bool = False
    """Whether what acts on a roll also acts where nothing of it scores."""
    at_start: bool = False
    """Whether the use has to be said before the first roll of the turn."""
    once: bool = False
    """Whether there is at most one use in a turn."""
    die: Die = _ORDINARY
    """The one that is added to a roll; kept as the one that it falls like (`Die.reduced`)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "die", self.die.reduced)
        most = {
            PowerKind.WARLORD: MAX_SHARE,
            PowerKind.TRANSMUTATION: len(FACES),
            PowerKind.REROLL: MAX_REROLLED,
        }.get(self.kind, 0)
        least = 0 if self.kind is PowerKind.TRANSMUTATION else min(1, most)
        # what two of them leave over of a step would add up
        uses = 1 if self.kind is PowerKind.WARLORD else MAX_USES
        if not 1 <= self.uses <= uses or not least <= self.amount <= most:
            raise InvalidRulesError.say(
                "a badge of the kind {kind} has 1 to {uses} uses and an amount of {least} to"
                " {most}, not {found} uses and {amount}",
                kind=str(self.kind),
                uses=uses,
                least=least,
                most=most,
                found=self.uses,
                amount=self.amount,
            )

    @property
    def is_of_bank(self) -> bool:
        """Whether it changes nothing but what a bank is worth."""
        return self.kind is PowerKind.WARLORD

    @property
    def makes_points(self) -> bool:
        """Whether dice may be set aside for other points than they show."""
        kinds = PowerKind.MIGHT, PowerKind.DOPPELGANGER, PowerKind.TRANSMUTATION
        return self.kind in kinds

    @property
    def changes_rolls(self) -> bool:
        """Whether it changes what dice of a roll show."""
        return self.kind in {PowerKind.TRANSMUTATION, PowerKind.REROLL}

    @property
    def has_jokers(self) -> bool:
        """Whether there may be jokers by it."""
        turns = self.kind is PowerKind.TRANSMUTATION and self.amount == JOKER
        return turns or (self.kind is PowerKind.MIGHT and bool(self.die.jokers))

    def more(self, turn_total: int) -> int:
        """What a turn total counts for when it is banked with it, rounded down to whole points."""
        return turn_total * (100 + self.amount) // 100

    def raised(self, rules: Ruleset, rows: int) -> list[int]:
        """What turn totals from 0 count for when they are banked with it, all in point steps.

        A fraction of a step that is left over never matters where the goal is a multiple of the
        step: it is left out, or where the goal has to be exceeded it counts as a whole one.
        """
        points = (self.more(step * rules.point_step) for step in range(rows))
        return [in_steps(rules, raised) // rules.point_step for raised in points]


def in_steps(rules: Ruleset, points: int) -> int:
    """The multiple of the step that points count for, see `Power.raised`."""
    step = rules.point_step
    up = step - 1 if rules.goal_must_be == "exceeded" else 0
    return (points + up) // step * step


def uses_of(power: Power | None) -> int:
    """How often a player may use a power, 0 without one."""
    return power.uses if power else 0


def power_data(power: Power | None) -> list[object]:
    """A power as plain data that can be ordered and hashed; [] for none."""
    if power is None:
        return []
    return [
        str(power.kind),
        power.uses,
        power.amount,
        [power.alike, power.after_farkle, power.at_start, power.once],
        [list(power.die.weights), sorted(power.die.jokers)],
    ]
