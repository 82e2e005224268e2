"""Whose turn it is: in rounds, in each of which everybody who waits has one turn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for something, and where."""

    person: str
    place: str


@dataclass(frozen=True, slots=True, eq=False)
class Waiting(Generic[T]):
    """Something that waits for its turn."""

    asker: Asker
    what: T
    round: int
    """The first one in which the person has nothing else."""
    rank: int
    """How many things of the same place come before it in that round."""
    number: int
    """In the order in which all came."""

    @property
    def order(self) -> tuple[int, int, int]:
        """The least comes first: places take turns within a round."""
        return self.round, self.rank, self.number


class Turns(Generic[T]):
    """What waits, by the people who asked for it.

    Whoever asks for one thing waits for at most one thing of each other person, however much they
    have asked for before; for two at most where they have had their turn of the round.
    """

    def __init__(self) -> None:
        self._waiting: list[Waiting[T]] = []
        self._round = self._count = 0
        self._served: set[str] = set()
        """Who has had their turn of the round."""

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Waiting[T]]:
        return iter(self._waiting)

    def add(self, asker: Asker, what: T) -> Waiting[T]:
        """Have something wait."""
        taken = [one.round for one in self._waiting if one.asker.person == asker.person]
        if asker.person in self._served:
            taken.append(self._round)
        its_round = max(taken, default=self._round - 1) + 1
        rank = sum(
            one.round == its_round and one.asker.place == asker.place for one in self._waiting
        )
        self._count += 1
        self._waiting.append(one := Waiting(asker, what, its_round, rank, self._count))
        return one

    def remove(self, one: Waiting[T]) -> None:
        """Something waits no more, if it did."""
        if one in self._waiting:
            self._waiting.remove(one)

    def take(self) -> T:
        """What comes first; there has to be something."""
        one = min(self._waiting, key=lambda one: one.order)
        self._waiting.remove(one)
        if one.round > self._round:
            self._round = one.round
            self._served.clear()
        self._served.add(one.asker.person)
        return one.what

    def before(self, one: Waiting[T]) -> list[T]:
        """What comes before something that waits, unless others ask for more."""
        return [other.what for other in self._waiting if other.order < one.order]
