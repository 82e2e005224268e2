"""A tournament as data: who must play whom, who is through, and the table, by its games alone.

No input, output, clock or chance. In a round robin everybody plays everybody once; the games of
who left count for nobody. In a knock-out who loses is out, who left loses what is not played, and
a shared win is played again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cached_property
from itertools import groupby

from solver.wording import say_later

MOST_ENTRANTS = 16
"""Who can take part: more would not fit into a message."""
WIN, DRAW = 1.0, 0.5


class Form(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = say_later("round-robin")
    KNOCK_OUT = say_later("knock-out")


class Nobody(Enum):
    """What stands in a pairing where nobody is known."""

    BYE = "nobody, so that the other goes through"
    OPEN = "who wins a pairing that is not decided"


Side = int | Nobody
"""One of the two of a pairing: an entrant by number."""


class State(Enum):
    """How far a pairing has come."""

    OPEN = "who plays is not known yet"
    DUE = "to be played"
    PLAYING = "its game is under way"
    PLAYED = "decided by its game"
    BYE = "decided without a game"
    VOID = "counts for nobody, as somebody left"


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part, or did."""

    number: int
    """The number in the order of joining; 0 is the host."""
    person: str | None
    """None for who was forgotten."""
    name: str
    left: bool = False


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A game of a pairing."""

    id: str
    sides: tuple[int, int]
    """The entrants, by seat."""
    open: bool
    shares: tuple[float, float] | None = None
    """Shares of the win by seat; None while it is played, and if it ended without a result."""
    biggest: tuple[int, int] = (0, 0)
    """The points of the biggest turn, by seat."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two who must play each other."""

    round: int
    """The number of the round, from 1."""
    sides: tuple[Side, Side]
    """Who begins comes first."""
    state: State
    game: TournamentGame | None = None
    """The last one that they have begun."""
    winner: Side = Nobody.OPEN
    """Who goes through; nobody where both left."""

    @property
    def shares(self) -> tuple[float, float] | None:
        """Shares of the win in a pairing that was played, in the order of its sides."""
        if self.state is not State.PLAYED or not self.game or not self.game.shares:
            return None
        first, second = self.game.shares
        return (first, second) if self.game.sides == self.sides else (second, first)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    place: int
    """The place, from 1; those who are equal share it."""
    entrant: Entrant
    games: int
    points: float
    """Games won; a shared one is half a point."""


@dataclass(frozen=True)
class Tournament:
    """A tournament as it is now."""

    id: str
    place: str
    form: Form
    rules: dict[str, object]
    """The rules as data."""
    hints: bool
    entrants: tuple[Entrant, ...]
    draw: tuple[int, ...]
    """Everybody who was there at the start, as drawn; empty before it."""
    games: tuple[TournamentGame, ...]
    """The games in the order in which they were begun."""
    ended: bool
    """Whether it was ended, or is known to have come to its end."""

    @property
    def started(self) -> bool:
        """Whether it was drawn who plays whom."""
        return bool(self.draw)

    @cached_property
    def complete(self) -> bool:
        """Whether nothing is left to play."""
        undecided = {State.OPEN, State.DUE, State.PLAYING}
        return self.started and not any(pairing.state in undecided for pairing in self.pairings)

    @property
    def over(self) -> bool:
        """Whether it has come to its end, or was ended before."""
        return self.ended or self.complete

    @cached_property
    def present(self) -> tuple[Entrant, ...]:
        """The entrants who have not left."""
        return tuple(entrant for entrant in self.entrants if not entrant.left)

    def entrant(self, number: int) -> Entrant:
        """The one of this number."""
        return next(entrant for entrant in self.entrants if entrant.number == number)

    def entrant_of(self, person: str) -> Entrant | None:
        """The one who is this person, and has not left."""
        return next((entrant for entrant in self.present if entrant.person == person), None)

    def game_of(self, number: int) -> TournamentGame | None:
        """The game in which an entrant sits, if one is under way."""
        return next((game for game in self.games if game.open and number in game.sides), None)

    @cached_property
    def pairings(self) -> tuple[Pairing, ...]:
        """All that are known, round by round; of a knock-out all there will be."""
        if self.form is Form.ROUND_ROBIN:
            return tuple(
                self._judged(number, sides, void=True) for number, sides in round_robin(self.draw)
            )
        return tuple(self._knock_out())

    @property
    def rounds(self) -> int:
        """How many there are."""
        return max((pairing.round for pairing in self.pairings), default=0)

    @property
    def due(self) -> tuple[Pairing, ...]:
        """The pairings under way, and of the others that can be played everybody's next one."""
        if self.ended:
            return ()
        due = [pairing for pairing in self.pairings if pairing.state is State.PLAYING]
        busy = set(self._busy)
        for pairing in self.pairings:
            if pairing.state is State.DUE and not busy & set(pairing.sides):
                due.append(pairing)
                busy |= set(pairing.sides)
        return tuple(sorted(due, key=self.pairings.index))

    @property
    def waiting(self) -> tuple[Entrant, ...]:
        """The entrants who are to play later on, but nobody now."""
        if self.ended:
            return ()
        to_come = (pair for pair in self.pairings if pair.state in {State.OPEN, State.DUE})
        later = _sides_of(to_come) - _sides_of(self.due)
        return tuple(entrant for entrant in self.present if entrant.number in later)

    def between(self, one: int, other: int) -> Pairing | None:
        """The pairing of these two, if there is one."""
        both = {one, other}
        return next((pair for pair in self.pairings if set(pair.sides) == both), None)

    def may_begin(self, pairing: Pairing) -> bool:
        """Whether a game of a pairing can be begun: neither of the two plays another one."""
        free = not self._busy & set(pairing.sides)
        return not self.ended and pairing.state is State.DUE and free

    @cached_property
    def _busy(self) -> set[Side]:
        """The entrants whose game is under way."""
        return _sides_of(pair for pair in self.pairings if pair.state is State.PLAYING)

    @property
    def table(self) -> tuple[Row, ...]:
        """Everybody who was there at the start, the best first, those who left last."""
        record = {number: [0, 0.0] for number in self.draw}
        for pairing in self.pairings:
            for side, share in zip(pairing.sides, pairing.shares or (), strict=False):
                if isinstance(side, int):
                    record[side][0] += 1
                    record[side][1] += share
        ranks = self._ranks({number: points for number, (_, points) in record.items()})
        order = sorted(self.draw, key=lambda number: (ranks[number], self.entrant(number).name))
        rows: list[Row] = []
        for _, group in groupby(order, key=ranks.__getitem__):
            place = len(rows) + 1
            for number in group:
                games, points = record[number]
                rows.append(Row(place, self.entrant(number), int(games), points))
        return tuple(rows)

    @property
    def winners(self) -> tuple[Entrant, ...]:
        """Who is first once all is played, if that is anybody."""
        if not self.complete:
            return ()
        return tuple(row.entrant for row in self.table if row.place == 1 and not row.entrant.left)

    @property
    def biggest_turn(self) -> tuple[Entrant, int] | None:
        """Who had the turn of most points, and how many."""
        turns = [
            (points, -number)
            for game in self.games
            for number, points in zip(game.sides, game.biggest, strict=True)
        ]
        points, number = max(turns, default=(0, 0))
        return (self.entrant(-number), points) if points else None

    def _ranks(self, points: dict[int, float]) -> dict[int, tuple[float, ...]]:
        """What places are by, the least first.

        In a round robin that are the points, and among equals those against each other; in a
        knock-out the round in which somebody lost.
        """
        if self.form is Form.KNOCK_OUT:
            return {number: (-self._lost_in(number),) for number in self.draw}
        among = dict.fromkeys(points, 0.0)
        for pairing in self.pairings:
            one, other = pairing.sides
            if isinstance(one, int) and isinstance(other, int) and pairing.shares:
                equal = points[one] == points[other]
                among[one] += pairing.shares[0] * equal
                among[other] += pairing.shares[1] * equal
        return {
            number: (self.entrant(number).left, -points[number], -among[number])
            for number in self.draw
        }

    def _lost_in(self, number: int) -> int:
        """The round in which somebody lost; one more than there are for who has not."""
        for pairing in reversed(self.pairings):
            if number in pairing.sides:
                lost = pairing.winner is not Nobody.OPEN and pairing.winner != number
                return pairing.round if lost else self.rounds + 1
        return 0

    def _knock_out(self) -> Iterator[Pairing]:
        sides: list[Side] = list(bracket(self.draw))
        number = 1
        while len(sides) > 1:
            following: list[Side] = []
            for one, other in zip(sides[::2], sides[1::2], strict=True):
                pairing = self._judged(number, (one, other), void=False)
                following.append(pairing.winner)
                yield pairing
            sides, number = following, number + 1

    def _judged(self, number: int, sides: tuple[Side, Side], *, void: bool) -> Pairing:
        """A pairing of a round, and what came of it.

        void : whether it counts for nobody where somebody left
        """
        one, other = sides
        if Nobody.BYE in sides:
            through = other if one is Nobody.BYE else one
            state = State.OPEN if through is Nobody.OPEN else State.BYE
            return Pairing(number, sides, state, winner=through)
        if not (isinstance(one, int) and isinstance(other, int)):
            return Pairing(number, sides, State.OPEN)
        game = next((game for game in self.games[::-1] if set(game.sides) == {one, other}), None)
        gone = [self.entrant(side).left for side in (one, other)]
        if void and any(gone):
            return Pairing(number, sides, State.VOID, game)
        shares = game.shares if game else None
        if game and shares and (void or WIN in shares):
            winner = game.sides[shares.index(WIN)] if WIN in shares else Nobody.BYE
            return Pairing(number, sides, State.PLAYED, game, winner)
        if any(gone):
            through = Nobody.BYE if all(gone) else sides[gone.index(False)]
            return Pairing(number, sides, State.BYE, game, through)
        playing = game is not None and game.open
        return Pairing(number, sides, State.PLAYING if playing else State.DUE, game)


def _sides_of(pairings: Iterable[Pairing]) -> set[Side]:
    return {side for pairing in pairings for side in pairing.sides}


def round_robin(draw: Sequence[int]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Every two once, round by round; in each round nobody plays twice.

    The circle method: one stays, the others move on by a place. Everybody begins as often as not,
    to within a game.
    """
    ring: list[int | None] = [*draw, *([None] if len(draw) % 2 else [])]
    for number in range(1, len(ring)):
        for k in range(len(ring) // 2):
            one, other = ring[k], ring[-1 - k]
            if one is not None and other is not None:
                yield number, (other, one) if k == 0 and number % 2 == 0 else (one, other)
        ring = [ring[0], ring[-1], *ring[1:-1]]


def bracket(draw: Sequence[int]) -> list[Side]:
    """The sides of the first round of a knock-out: neighbours play each other.

    So many byes that their number is a power of two; no two of them meet.
    """
    places = [0]
    while len(places) < len(draw):
        most = 2 * len(places) - 1
        places = [place for seed in places for place in (seed, most - seed)]
    return [draw[place] if place < len(draw) else Nobody.BYE for place in places]
