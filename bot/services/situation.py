"""A position as people give it, and its fields: from them every front makes its options."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from solver.errors import InvalidRequestError
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
    others: tuple[int, ...] = ()
    """Scores of the players after the opponent, in the order of their turns."""
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

    @classmethod
    def given(cls, *, opponent: Sequence[int] = (0,), **fields: Any) -> "Situation":
        """A position by its fields, with the scores of all others as one of them."""
        return cls(opponent=opponent[0], others=tuple(opponent[1:]), **fields)

    @property
    def players(self) -> int:
        """How many there are."""
        return 2 + len(self.others)

    def check_two(self) -> None:
        """Raises InvalidRequestError where more than two players are told of."""
        if self.others:
            raise InvalidRequestError.say(
                "this is told of two players: them: takes one score here, and scores of several"
                " in /advise and /odds"
            )


class FieldKind(Enum):
    """What the value of a field is."""

    NUMBER = auto()
    SCORES = auto()
    """A score, or those of several players."""
    YES_NO = auto()
    PLAYER = auto()
    """The player to act or the other one."""
    RULES = auto()


@dataclass(frozen=True, slots=True)
class PositionField:
    """One field of a position, as people give it at each front."""

    flags: tuple[str, ...]
    """On the command line: the first is the attribute of `Situation`, the last the chat's name."""
    help: str
    """On the command line."""
    meaning: str
    """In a chat, marked by `say_later`."""
    kind: FieldKind = FieldKind.NUMBER
    metavar: str | None = None
    """On the command line."""
    least: int = 0
    """The range of numbers that a front may ask for; rules may allow less."""
    most: int = _MOST_POINTS

    @property
    def attribute(self) -> str:
        """Of `Situation`, which has its default."""
        return _yes_flag(self.flags[0]).replace("-", "_")

    @property
    def name(self) -> str:
        """In a chat."""
        return _yes_flag(self.flags[-1])


def _yes_flag(flag: str) -> str:
    return flag.partition("/")[0].removeprefix("--")


TURN_TOTAL = PositionField(
    ("--turn-total", "--turn"),
    "Points set aside in this turn before the roll.",
    say_later("points set aside in this turn so far"),
    metavar="T",
)
"""The one field that a turn from its start has not."""

POSITION_FIELDS = (
    TURN_TOTAL,
    PositionField(
        ("--banked", "--me"),
        "Your score.",
        say_later("your score"),
        metavar="B",
        least=-_MOST_POINTS,
    ),
    PositionField(
        ("--opponent", "--them"),
        "The opponent's score; of several those of all, in the order of turns, as 2500,3100.",
        say_later("the opponent's score; of several in the order of turns, as 2500,3100"),
        FieldKind.SCORES,
        "D",
    ),
    PositionField(
        ("--farkles",),
        "Your farkles in a row before this turn.",
        say_later("your farkles in a row before this turn"),
        metavar="F",
        most=10,
    ),
    PositionField(
        ("--opponent-farkles", "--their-farkles"),
        "The opponent's farkles in a row.",
        say_later("the opponent's farkles in a row"),
        metavar="E",
        most=10,
    ),
    PositionField(
        ("--rules",),
        "The name of a rule set or a TOML file.",
        say_later("a rule set, facebook unless you say another"),
        FieldKind.RULES,
        "RULES",
    ),
    PositionField(
        ("--hot-dice",),
        "Hot dice so far in this turn, where their bonus changes.",
        say_later("hot dice so far in this turn, where their bonus changes"),
        metavar="N",
        most=100,
    ),
    PositionField(
        ("--on-board/--not-on-board",),
        "Whether you have banked before; if not given, whether you have points.",
        say_later("yes or no: whether you have banked before"),
        FieldKind.YES_NO,
    ),
    PositionField(
        ("--opponent-on-board/--opponent-not-on-board", "--their-on-board/--their-not-on-board"),
        "The same of the opponent.",
        say_later("yes or no: whether the opponent has"),
        FieldKind.YES_NO,
    ),
    PositionField(
        ("--began",),
        "Who began, where both have as many turns, or who begins a play-off.",
        say_later("me or them: who began, or begins a play-off"),
        FieldKind.PLAYER,
    ),
)
