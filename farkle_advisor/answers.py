"""What is answered: plain data that prints as the chat shows it. Chances are from 0 to 1."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

import numpy as np
import numpy.typing as npt

Action = Literal["roll", "bank", "win", "take over", "lost"]
"""What to do at a turn total; "win" is a bank that wins the game, "take over" the start of a turn
with what the player before left, "lost" is what came to too little by the last throw of the turn.
"""


class _Printed:
    """An answer whose text is what the chat shows."""

    __slots__ = ()
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Option:
    """One way to go on after a roll."""

    keep: str
    """The dice to set aside as they are typed, "5 3 3 3"; loaded ones by name, "5 lucky, 1 odd"."""
    faces: tuple[int, ...]
    """The faces of these dice, a joker as 0."""
    points: int
    turn: int
    """The turn total with these points."""
    dice: int
    """How many dice are rolled next if the turn goes on; all of them with hot dice."""
    left: str
    """These dice, as `Game.odds` takes them: "2", loaded ones by name: "lucky*2,odd"."""
    action: Action
    win_probability: float
    cost: float
    """What it costs against the best option."""
    chances: tuple[float, ...]
    """The win probabilities of all players, in the order in which their scores were given."""


@dataclass(frozen=True, slots=True, repr=False)
class Advice(_Printed, Sequence[Option]):
    """Every option after a roll, the best first; empty for a farkle."""

    options: tuple[Option, ...]
    win_probability: float
    """With the best option, or a use of your badge where that is better, which `text` has; or after
    the farkle."""
    chances: tuple[float, ...]
    """The win probabilities of all players then, in the order in which their scores were given."""
    reachable: bool
    """Whether rolls lead to the position; if not, this is what it would be worth."""
    text: str = field(compare=False)
    """The answer as the chat shows it."""

    @property
    def best(self) -> Option | None:
        """The best option; None where there is no choice, as after a farkle."""
        return self.options[0] if self.options else None

    @overload
    def __getitem__(self, place: int) -> Option: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Option, ...]: ...
    def __getitem__(self, place: int | slice) -> Option | tuple[Option, ...]:
        return self.options[place]

    def __len__(self) -> int:
        return len(self.options)

    def __iter__(self) -> Iterator[Option]:
        return iter(self.options)


@dataclass(frozen=True, slots=True, repr=False)
class Odds(_Printed):
    """Roll or bank, before a roll."""

    action: Action
    win_probability: float
    """That of the better choice."""
    roll: float
    """Win probability of rolling."""
    bank: float | None
    """Win probability of banking; None where that is not allowed."""
    farkle_probability: float
    """Chance that the next roll is a farkle."""
    chances: tuple[float, ...]
    """The win probabilities of all after the better choice, in the order of `Option.chances`."""
    reachable: bool
    """Whether rolls lead to the position; if not, this is what it would be worth."""
    text: str = field(compare=False)
    """The answer as the chat shows it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Turn(_Printed):
    """A whole turn as arrays of shape (turn totals, dice)."""

    totals: npt.NDArray[np.int64]
    """Turn totals in points, shape (turn totals,)."""
    dice: tuple[str, ...]
    """The dice to roll that a column is of, as `Game.odds` takes them."""
    roll: npt.NDArray[np.float64]
    """Win probability of rolling."""
    bank: npt.NDArray[np.float64]
    """Win probability of banking; NaN where that is not allowed."""
    reachable: npt.NDArray[np.bool_]
    """Whether the turn can come there."""
    bank_from: Mapping[str, int | None]
    """The least turn total at which to bank, for each of `dice`; None where that is never best."""
    text: str
    """When to bank, as the chat shows it."""

    @property
    def value(self) -> npt.NDArray[np.float64]:
        """Win probability of the better choice."""
        return np.fmax(self.bank, self.roll)

    @property
    def banks(self) -> npt.NDArray[np.bool_]:
        """Where to bank; a tie is banked."""
        return np.asarray(self.bank >= self.roll)


@dataclass(frozen=True, slots=True, repr=False)
class Duel(_Printed):
    """How often one way to play wins against another one; a shared win counts half."""

    one: str
    """The way to play that is told of."""
    other: str
    beginning: float
    """Win probability of `one` in a game that it begins."""
    second: float
    """In a game that the other one begins."""
    text: str = field(compare=False)
    """The answer as the chat shows it."""

    @property
    def overall(self) -> float:
        """The mean of both: each begins as often."""
        return (self.beginning + self.second) / 2


@dataclass(frozen=True, slots=True, repr=False)
class Points(_Printed):
    """A turn for the most points, with no goal."""

    points: float
    """Expected, with what a farkle costs taken off."""
    farkle_probability: float
    """Chance that such a turn ends in a farkle."""
    bank_from: Mapping[int, int | None]
    """The turn total from which on to bank, by the dice left to roll; None for never."""
    text: str = field(compare=False)
    """The answer as the chat shows it."""
