"""A position as people give it, and its fields: from them every front makes its options."""

from dataclasses import dataclass
from enum import Enum, auto

from solver.rules.ruleset import Ruleset
from solver.wording import say_later

DEFAULT_RULES = "facebook"

ME_OR_THEM = {say_later("me"): True, say_later("them"): False}
"""What a field of the kind `PLAYER` takes, and what that means."""

_MOST_POINTS = 100_000


@dataclass(frozen=True, slots=True)
class Situation:
    """A position as people give it: what they leave out is the start of a turn."""

    banked: int = 0
    opponent: int = 0
    turn_total: int = 0
    farkles: int = 0
    opponent_farkles: int = 0
    hot_dice: int | None = None
    """Hot dice in this turn so far; as few as the turn total allows if not given."""
    on_board: bool | None = None
    """Whether the player has banked before; if not given, whether there are points."""
    opponent_on_board: bool | None = None
    began: bool | None = None
    """Whether the player to act began the game; if not given, unless only the opponent can have."""
    rules: str | Ruleset = DEFAULT_RULES
    """A preset's name, the path of a TOML file, or the rules themselves."""


class FieldKind(Enum):
    """What the value of a field is."""

    NUMBER = auto()
    YES_NO = auto()
    PLAYER = auto()
    """The player to act or the other one."""
    RULES = auto()


@dataclass(frozen=True, slots=True)
class PositionField:
    """One field of a position, as people give it at each front."""

    attribute: str
    """Of `Situation`, which has its default."""
    name: str
    """In a chat."""
    meaning: str
    """In a chat, marked by `say_later`."""
    flags: tuple[str, ...]
    """On the command line."""
    help: str
    """On the command line."""
    kind: FieldKind = FieldKind.NUMBER
    metavar: str | None = None
    """On the command line."""
    least: int = 0
    """The range of numbers that a front may ask for; rules may allow less."""
    most: int = _MOST_POINTS


TURN_TOTAL = PositionField(
    "turn_total",
    "turn",
    say_later("points set aside in this turn so far"),
    ("--turn-total", "--turn"),
    "Points set aside in this turn before the roll.",
    metavar="T",
)
"""The one field that a turn from its start has not."""

POSITION_FIELDS = (
    TURN_TOTAL,
    PositionField(
        "banked",
        "me",
        say_later("your score"),
        ("--banked", "--me"),
        "Your score.",
        metavar="B",
        least=-_MOST_POINTS,
    ),
    PositionField(
        "opponent",
        "them",
        say_later("the opponent's score"),
        ("--opponent", "--them"),
        "The opponent's score.",
        metavar="D",
        least=-_MOST_POINTS,
    ),
    PositionField(
        "farkles",
        "farkles",
        say_later("your farkles in a row before this turn"),
        ("--farkles",),
        "Your farkles in a row before this turn.",
        metavar="F",
        most=10,
    ),
    PositionField(
        "opponent_farkles",
        "their-farkles",
        say_later("the opponent's farkles in a row"),
        ("--opponent-farkles", "--their-farkles"),
        "The opponent's farkles in a row.",
        metavar="E",
        most=10,
    ),
    PositionField(
        "rules",
        "rules",
        say_later("a rule set, facebook unless you say another"),
        ("--rules",),
        "The name of a rule set or a TOML file.",
        FieldKind.RULES,
        metavar="RULES",
    ),
    PositionField(
        "hot_dice",
        "hot-dice",
        say_later("hot dice so far in this turn, where their bonus changes"),
        ("--hot-dice",),
        "Hot dice so far in this turn, where their bonus changes.",
        metavar="N",
        most=100,
    ),
    PositionField(
        "on_board",
        "on-board",
        say_later("yes or no: whether you have banked before"),
        ("--on-board/--not-on-board",),
        "Whether you have banked before; if not given, whether you have points.",
        FieldKind.YES_NO,
    ),
    PositionField(
        "opponent_on_board",
        "their-on-board",
        say_later("yes or no: whether the opponent has"),
        (
            "--opponent-on-board/--opponent-not-on-board",
            "--their-on-board/--their-not-on-board",
        ),
        "The same of the opponent.",
        FieldKind.YES_NO,
    ),
    PositionField(
        "began",
        "began",
        say_later("me or them: who began, or begins a play-off"),
        ("--began",),
        "Who began, where both have as many turns, or who begins a play-off.",
        FieldKind.PLAYER,
    ),
)
