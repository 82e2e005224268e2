"""What happens at a table. Events hold seat numbers, no names: who sits where is kept apart."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from solver.dice import Roll
from solver.rules import Ruleset

SeatNumber = Annotated[int, Field(ge=0)]


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Begun(_Event):
    """A game is set up; people may join until the first roll."""

    kind: Literal["begun"] = "begun"
    game: str
    rules: Ruleset
    levels: tuple[str | None, ...]
    """Of each seat the level of its bot, None for a person."""
    host: SeatNumber | None = 0
    """Who may replace or skip those who are away, None if nobody sits who set up the game."""
    tracked: bool = False
    """Whether the dice are real ones, told by the players."""
    hints: bool = True
    away_seconds: int | None = None
    """After how long without a move others may skip or replace a player."""
    commitment: str | None = None
    """Of the secret that the rolls are made from."""


class Joined(_Event):
    """A seat more, at the end."""

    kind: Literal["joined"] = "joined"
    level: str | None = None


class Seeded(_Event):
    """A player's own share in the rolls to come."""

    kind: Literal["seeded"] = "seeded"
    seat: SeatNumber
    text: str


class Rolled(_Event):
    """The player to move has rolled; the faces in the order in which they fell."""

    kind: Literal["rolled"] = "rolled"
    dice: Roll


class Kept(_Event):
    """The player to move has set dice aside."""

    kind: Literal["kept"] = "kept"
    dice: Roll


class Banked(_Event):
    """The player to move has banked the turn total."""

    kind: Literal["banked"] = "banked"


class Scored(_Event):
    """The player to move had a whole turn with real dice."""

    kind: Literal["scored"] = "scored"
    points: int = 0
    ending: Literal["bank", "farkle", "lose", "win"] = "bank"


class Corrected(_Event):
    """What a seat really has, or whose turn it really is, in a tracked game."""

    kind: Literal["corrected"] = "corrected"
    seat: SeatNumber
    score: int | None = None
    farkles: int | None = None
    moves: bool = False
    """Whether it is this seat's turn."""


class Undone(_Event):
    """The last event that could be taken back was."""

    kind: Literal["undone"] = "undone"


class Resigned(_Event):
    """A player has given up."""

    kind: Literal["resigned"] = "resigned"
    seat: SeatNumber


class Skipped(_Event):
    """The turn of the player to move passed without points."""

    kind: Literal["skipped"] = "skipped"


class Replaced(_Event):
    """A bot plays on for a seat."""

    kind: Literal["replaced"] = "replaced"
    seat: SeatNumber
    level: str


class Ended(_Event):
    """The game was ended without a result."""

    kind: Literal["ended"] = "ended"


class Revealed(_Event):
    """The secret of the rolls, in hexadecimal digits, once the game is over."""

    kind: Literal["revealed"] = "revealed"
    secret: str


Event = (
    Begun
    | Joined
    | Seeded
    | Rolled
    | Kept
    | Banked
    | Scored
    | Corrected
    | Undone
    | Resigned
    | Skipped
    | Replaced
    | Ended
    | Revealed
)

_ANY: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def event_data(event: Event) -> dict[str, Any]:
    """An event as plain data without its kind."""
    data = event.model_dump(mode="json", exclude={"kind"}, exclude_defaults=True)
    if isinstance(event, Begun):
        # whole, as some defaults of rules follow from other options
        data["rules"] = event.rules.model_dump(mode="json")
    return data


def make_event(kind: str, data: dict[str, Any]) -> Event:
    """The event that `event_data` was made from."""
    return _ANY.validate_python({"kind": kind, **data})
