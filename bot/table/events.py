"""What happens at a table. Events hold seat numbers, no names: who sits where is kept apart."""

import dataclasses
import re
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from solver.loaded.kits import Kit
from solver.named.sets import NamedDie
from solver.rules.ruleset import Ruleset
from solver.turn.dice import Roll


class TurnEnding(StrEnum):
    """How a turn ends."""

    BANK = "bank"
    FARKLE = "farkle"
    LOSE = "lose"
    """The turn ended in a roll that loses everything."""
    WIN = "win"
    """The turn ended in a roll that wins."""
    OUT = "out"
    """The turn ended in a roll that loses the game."""
    SKIP = "skip"
    """The turn was passed by other players."""
    RESIGNED = "resigned"


SeatNumber = Annotated[int, Field(ge=0)]


# events have secrets and seeds, which no error is to show
_STRICT = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Event:
    """What has happened."""

    __slots__ = ()

    kind: ClassVar[str]
    """What it is stored as, and called in JSON: the words of its name."""
    kinds: ClassVar[dict[str, type["Event"]]] = {}
    """All that can happen, by their kind."""

    def __init_subclass__(cls) -> None:
        """Have events of this kind read again."""
        cls.kind = re.sub(r"\B[A-Z]", r" \g<0>", cls.__name__).lower()
        Event.kinds[cls.kind] = cls


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a game is set up with, besides who sits down."""

    rules: Ruleset
    host: SeatNumber | None = 0
    """Who may replace or skip those who are away, None if nobody sits who set up the game."""
    tracked: bool = False
    """Whether the dice are real ones, told by the players."""
    hints: bool = True
    away_seconds: int | None = None
    """The seconds without a move after which others may skip or replace a player."""
    commitment: str | None = None
    """The hash of the secret that the rolls are made from."""
    kits: tuple[Kit, ...] = ()
    """What each player brings, seat by seat, also who is still to sit down; none where all throw
    the dice of the rules."""
    joker_alone: bool = False
    """Whether jokers of these dice may score without a die that is none."""
    pool: tuple[NamedDie, ...] = ()
    """The dice of which a pair each is laid out, for two players to take their dice in turn."""
    closed: bool = False
    """Whether it is a game of a tournament: nobody else can sit down, and nobody get up."""

    @property
    def brings_dice(self) -> bool:
        """Whether players bring dice, or take them here, and do not throw those of the rules."""
        return bool(self.kits or self.pool)

    @property
    def terms(self) -> dict[str, Any]:
        """All of it by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(Setup)}


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Begun(Event, Setup):
    """A game is set up; people may join until the first roll."""

    game: str
    levels: tuple[str | None, ...]
    """The level of each seat's bot, None for a person."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Joined(Event):
    """A seat more, at the end."""

    level: str | None = None
    kit: Kit | None = None
    """What the player brings in place of what the game was begun with."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Picked(Event):
    """The player to move has taken a pair of dice that was laid out."""

    place: Annotated[int, Field(ge=0)]
    """The place of the pair in the pool."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Left(Event):
    """A seat less, before the first roll: those behind it move up."""

    seat: SeatNumber


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Seeded(Event):
    """A player's own share in the rolls to come."""

    seat: SeatNumber
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Rolled(Event):
    """The player to move has rolled."""

    dice: Roll
    """The dice in the order in which they fell; with kits the face f of type k is 6 * k + f."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class TookOver(Event):
    """The player to move begins the turn with what the player before left."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Kept(Event):
    """The player to move has set dice aside."""

    dice: Roll


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Banked(Event):
    """The player to move has banked the turn total."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Used(Event):
    """The player to move has used the badge that is used up, see solver.turn.powers."""

    dice: Roll = ()
    """The dice of the roll that count twice, that are turned, or that are rolled again."""
    fallen: Roll = ()
    """What fell by it, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Accepted(Event):
    """The player to move has kept the badge, and takes the farkle that lies on the table."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Scored(Event):
    """The player to move had a whole turn with real dice."""

    points: int = 0
    ending: Literal[
        TurnEnding.BANK, TurnEnding.FARKLE, TurnEnding.LOSE, TurnEnding.WIN, TurnEnding.OUT
    ] = TurnEnding.BANK


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Corrected(Event):
    """What a seat really has, or whose turn it really is, in a tracked game."""

    seat: SeatNumber
    score: int | None = None
    farkles: int | None = None
    uses: int | None = None
    """The uses left of a badge that is used up."""
    moves: bool = False
    """Whether it is this seat's turn."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Undone(Event):
    """The last event that could be taken back was."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Resigned(Event):
    """A player has given up."""

    seat: SeatNumber


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Skipped(Event):
    """The turn of the player to move passed without points."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Replaced(Event):
    """A bot plays on for a seat."""

    seat: SeatNumber
    level: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Ended(Event):
    """The game was ended without a result."""

    idle_hours: int | None = None
    """Where it ended by itself: for how long nobody had moved."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Revealed(Event):
    """The secret of the rolls, in hexadecimal digits, once the game is over."""

    secret: str


_READERS: dict[str, TypeAdapter[Event]] = {
    kind: TypeAdapter(event) for kind, event in Event.kinds.items()
}


def event_data(event: Event) -> dict[str, Any]:
    """An event as plain data without its kind."""
    reader = _READERS[event.kind]
    data: dict[str, Any] = reader.dump_python(event, mode="json", exclude_defaults=True)
    if isinstance(event, Begun):
        # whole, as some defaults of rules follow from other options
        data["rules"] = event.rules.model_dump(mode="json")
    return data


def make_event(kind: str, data: dict[str, Any]) -> Event:
    """The event that `event_data` was made from. Raises KeyError for a kind that there is not."""
    return _READERS[kind].validate_python(data)
