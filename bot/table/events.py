"""What happens at a table. Events hold seat numbers, no names: who sits where is kept apart."""

from enum import StrEnum
from typing import Annotated, Any, Literal

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


_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Begun:
    """A game is set up; people may join until the first roll."""

    kind: Literal["begun"] = "begun"
    game: str
    rules: Ruleset
    levels: tuple[str | None, ...]
    """The level of each seat's bot, None for a person."""
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
    """What each player brings, seat by seat; none where all throw the dice of the rules."""
    joker_alone: bool = False
    """Whether jokers of these dice may score without a die that is none."""
    pool: tuple[NamedDie, ...] = ()
    """The dice of which a pair each is laid out, for two players to take their dice in turn."""
    closed: bool = False
    """Whether nobody else can sit down, and nobody get up, as in a game of a tournament."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Joined:
    """A seat more, at the end."""

    kind: Literal["joined"] = "joined"
    level: str | None = None
    kit: Kit | None = None
    """What the player brings in place of what the game was begun with."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Picked:
    """The player to move has taken a pair of dice that was laid out."""

    kind: Literal["picked"] = "picked"
    place: Annotated[int, Field(ge=0)]
    """The place of the pair in the pool."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Left:
    """A seat less, before the first roll: those behind it move up."""

    kind: Literal["left"] = "left"
    seat: SeatNumber


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Seeded:
    """A player's own share in the rolls to come."""

    kind: Literal["seeded"] = "seeded"
    seat: SeatNumber
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Rolled:
    """The player to move has rolled."""

    kind: Literal["rolled"] = "rolled"
    dice: Roll
    """The dice in the order in which they fell; with kits the face f of type k is 6 * k + f."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class TookOver:
    """The player to move begins the turn with what the player before left."""

    kind: Literal["took over"] = "took over"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Kept:
    """The player to move has set dice aside."""

    kind: Literal["kept"] = "kept"
    dice: Roll


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Banked:
    """The player to move has banked the turn total."""

    kind: Literal["banked"] = "banked"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Used:
    """The player to move has used the badge that is used up, see solver.turn.powers."""

    kind: Literal["used"] = "used"
    dice: Roll = ()
    """The dice of the roll that count twice, that are turned, or that are rolled again."""
    fallen: Roll = ()
    """What fell by it, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Accepted:
    """The player to move has kept the badge, and takes the farkle that lies on the table."""

    kind: Literal["accepted"] = "accepted"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Scored:
    """The player to move had a whole turn with real dice."""

    kind: Literal["scored"] = "scored"
    points: int = 0
    ending: Literal[
        TurnEnding.BANK, TurnEnding.FARKLE, TurnEnding.LOSE, TurnEnding.WIN, TurnEnding.OUT
    ] = TurnEnding.BANK


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Corrected:
    """What a seat really has, or whose turn it really is, in a tracked game."""

    kind: Literal["corrected"] = "corrected"
    seat: SeatNumber
    score: int | None = None
    farkles: int | None = None
    uses: int | None = None
    """The uses of the badge that are left."""
    moves: bool = False
    """Whether it is this seat's turn."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Undone:
    """The last event that could be taken back was."""

    kind: Literal["undone"] = "undone"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Resigned:
    """A player has given up."""

    kind: Literal["resigned"] = "resigned"
    seat: SeatNumber


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Skipped:
    """The turn of the player to move passed without points."""

    kind: Literal["skipped"] = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Replaced:
    """A bot plays on for a seat."""

    kind: Literal["replaced"] = "replaced"
    seat: SeatNumber
    level: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Ended:
    """The game was ended without a result."""

    kind: Literal["ended"] = "ended"
    idle_hours: int | None = None
    """Where it ended by itself: for how long nobody had moved."""


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Revealed:
    """The secret of the rolls, in hexadecimal digits, once the game is over."""

    kind: Literal["revealed"] = "revealed"
    secret: str


Event = (
    Begun
    | Joined
    | Left
    | Picked
    | Seeded
    | Rolled
    | TookOver
    | Kept
    | Banked
    | Used
    | Accepted
    | Scored
    | Corrected
    | Undone
    | Resigned
    | Skipped
    | Replaced
    | Ended
    | Revealed
)

_ANY: TypeAdapter[Event] = TypeAdapter(
    Annotated[Event, Field(discriminator="kind")],
    config=ConfigDict(hide_input_in_errors=True),  # events have secrets and seeds
)


def event_data(event: Event) -> dict[str, Any]:
    """An event as plain data without its kind."""
    data: dict[str, Any] = _ANY.dump_python(event, mode="json", exclude_defaults=True)
    if isinstance(event, Begun):
        # whole, as some defaults of rules follow from other options
        data["rules"] = event.rules.model_dump(mode="json")
    return data


def make_event(kind: str, data: dict[str, Any]) -> Event:
    """The event that `event_data` was made from."""
    return _ANY.validate_python({"kind": kind, **data})
