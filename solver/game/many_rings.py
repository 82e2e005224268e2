"""States that depend on each other by a farkle each, and how their values settle.

A farkle hands the turn on at the same scores. So the states with the same players at the same
scores, one for whoever moves, are a *ring*; a *round* solves each of them once, against the
direction in which the turn goes on. What a state makes of the next one is a constant and the chance
q of a farkle times its value, as long as choices stay the same. So a round leaves the product Q of
these chances of an error, and the limit of all rounds to come is known from the last two, Q as the
ratio of their changes:

    limit = value + change * Q / (1 - Q)

Three rounds settle nearly all rings. Players with equal scores make a ring shorter, all equal ones
a ring of one state, which is solved again and again.

The mover's own value is continuous, but that of others jumps where the mover changes its mind. So
there are rings without choices that fit each other: with one choice of a mover the others play so
that another choice is better, with that one so that the first is. As in any game, chances to choose
the one or the other then fit: the mover is indifferent, and values lie between those of both
choices. They are found by bisection between values that lead to each other, T(A) = B and T(B) = A.

- In a ring of as many states as players, with affine maps T1 and T2 for both choices and fixed
  points F1 and F2, every mixture has its fixed point on the line through F1 and F2, and so have A
  and B. The point of that line where T changes from T1 to T2 is the one that is looked for.
- Where two players mix at once, no line is enough: rounds that go a little of the way each stay
  around the values, and what they lead to there are the corners of a mixture of three.
- Where three players have equal scores, the mover's farkle is worth what the third one has. The
  value x of that at which the mover changes its mind gives all: g(x) for the mover, whose own value
  is continuous, x for the third and what is left for the second.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.game.many import Size
from solver.turn.equations import Floats

States = npt.NDArray[np.int64]


class Part(NamedTuple):
    """Some rings of as many states each."""

    length: int
    """The number of states of each."""
    firsts: States
    """The first state of each."""


PART = 1024
"""Rings that are solved together at most."""

TOLERANCE = 1e-13
"""Change of any value with which it has settled."""

_FIT = 1e-9
"""How much a mixture may miss the values that it is a mixture of."""

_ROUNDS = 60

_JUMPS = 8
"""Rounds after which no limits are guessed any more, as they might lead astray."""

_SHORT_ROUNDS = 400
"""The most rounds of rings with less states than players, whose limits are not guessed."""

_STEP = 0.3
"""The share of the way to what a round comes to, later in short rings: there choices that fit each
other may be missed again and again by whole steps."""

_HALVINGS = 60

_LINES = 8
"""How often the line is drawn anew on which a mixture is looked for."""

_LITTLE, _LITTLE_STEPS, _SHORTER = 0.03, 1000, 8
"""Where no mixture of two choices fits: how far rounds go, and how many before and in the mean, and
how much shorter their ways become."""

_ALIKE, _MOST_KINDS = 1e-5, 8
"""How much rounds with the same choices may differ, and with how many of them a mixture is
looked for."""

_MOST_RATE = 0.95


@dataclass(slots=True)
class Settled:
    """How the values of rings settled."""

    change: float = 0.0
    """Largest change of a value when it was solved last."""
    mixed: int = 0
    """Rings in which no choices fit each other, so that a player mixes two."""
    restless: int = 0
    """Rings for which no mixture was found, whose values are means over rounds."""

    def add(self, other: "Settled") -> None:
        """Count those of other rings as well."""
        self.change = max(self.change, other.change)
        self.mixed += other.mixed
        self.restless += other.restless


def following(size: Size, states: States) -> States:
    """The standings of states as the player who follows sees them."""
    others = size.standings ** (size.players - 1)
    ahead: States = states % others * size.standings + states // others
    return ahead


def parts(size: Size, states: States) -> list[Part]:
    """The rings of some states of role 0, all of them whole, in parts of at most PART rings."""
    return [
        Part(length, firsts[begin : begin + PART])
        for length, firsts in _by_length(size, states)
        for begin in range(0, len(firsts), PART)
    ]


def _by_length(size: Size, states: States) -> list[Part]:
    """One state of each ring, by the length of rings."""
    if size.roles > 1:
        return [Part(size.players, states)]
    length = np.full(len(states), size.players)
    greatest = np.ones(len(states), dtype=np.bool_)
    ahead = states
    for k in range(1, size.players):
        ahead = following(size, ahead)
        greatest &= ahead <= states
        length[(ahead == states) & (length == size.players)] = k
    parts = [Part(k, states[greatest & (length == k)]) for k in np.unique(length).tolist()]
    return [part for part in parts if len(part.firsts)]


def members(size: Size, part: Part) -> list[States]:
    """The states of rings in the order of turns, each by its number among all roles'."""
    length, firsts = part
    by_turn = [firsts]
    for _ in range(length - 1):
        by_turn.append(following(size, by_turn[-1]))
    if size.roles > 1:
        whole = size.standings**size.players
        by_turn = [states + k * whole for k, states in enumerate(by_turn)]
    return by_turn


class Rings:
    """The rings of a game of several players."""

    def __init__(self, size: Size, values: Floats, solve: Callable[[States, int], None]) -> None:
        """A way to solve states of a role once, which renews `values`, shape (states, players - 1).

        States of a role lie behind those of the role before.
        """
        self._size = size
        self._values = values
        self._solve = solve
        self._whole = size.standings**size.players
        self._settled = Settled()

    def apart(self, part: Part) -> list[tuple[States, int]]:
        """All states of rings with their roles, in portions in which none leads to another."""
        roles = range(part.length) if self._size.roles > 1 else [0] * part.length
        rings = zip(members(self._size, part), roles, strict=True)
        return [(np.sort(states - role * self._whole), role) for states, role in rings]

    def _round(self, part: Part) -> Floats:
        """Solve every state of rings once, the first ones last; returns the values of these."""
        for states, role in reversed(self.apart(part)):
            self._solve(states, role)
        return self._values[part.firsts]

    def settle(self, part: Part) -> Settled:
        """Solve rings until they have settled; returns how they did."""
        self._settled = Settled()
        length, firsts = part
        full = length == self._size.players
        rate = np.zeros(len(firsts))
        last = np.zeros((len(firsts), self._values.shape[1]))
        for number in range(_ROUNDS if full else _SHORT_ROUNDS):
            before = self._values[firsts]
            after = self._round(Part(length, firsts))
            change = after - before
            if number == 1 and full:
                square, product = np.sum(last * last, axis=1), np.sum(change * last, axis=1)
                np.divide(product, square, out=rate, where=square > 0)
                np.clip(rate, 0.0, _MOST_RATE, out=rate)
            if not full and number >= _SHORT_ROUNDS // 4:
                self._values[firsts] = before + _STEP * change
            if 0 < number < _JUMPS:
                limit = after + change * (rate / (1 - rate))[:, np.newaxis]
                self._values[firsts] = np.clip(limit, 0.0, 1.0)
            changes = np.max(np.abs(change), axis=1)
            going = changes > TOLERANCE
            rest = float(np.max(changes, where=~going, initial=0.0))
            self._settled.change = max(self._settled.change, rest)
            if not going.any():
                return self._settled
            firsts, rate, last = firsts[going], rate[going], change[going]
        self._mix(Part(length, firsts))
        return self._settled

    def _mix(self, part: Part) -> None:
        """Set the values of rings in which no choices fit each other to those of a mixture."""
        length, firsts = part
        here = np.array(members(self._size, part))
        one = self._values[firsts]
        other = self._round(part)
        for _ in range(_LINES):
            one, other = self._boundary(part, one, other)
            sides = []
            for side in (one, other):
                self._values[firsts] = side
                self._round(part)
                sides.append(self._values[here])
            boundary = one, other
            one, other = sides[0][0], sides[1][0]
        one, other = boundary
        middle = (one + other) / 2
        if length == 1 and self._size.players == 3:
            third = 1 - middle.sum(axis=1)
            own = (sides[0][0] + sides[1][0])[:, 0] / 2
            middle = np.stack([own, 1 - own - third], axis=1)
        gap = sides[0][0] - sides[1][0]
        square = np.sum(gap * gap, axis=1)
        share = np.sum((middle - sides[1][0]) * gap, axis=1)
        np.divide(share, square, out=share, where=square > 0)
        share = np.clip(share, 0.0, 1.0)[:, np.newaxis]
        mixture = share * sides[0] + (1 - share) * sides[1]
        misses = np.max(np.abs(mixture[0] - middle), axis=1)
        self._values[here] = mixture
        fits = misses <= _FIT
        worst = float(np.max(misses, where=fits, initial=0.0))
        self._settled.mixed += int(np.count_nonzero(fits))
        if not fits.all():
            apart = self._average(Part(length, firsts[~fits]))
            worst = max(worst, float(np.max(apart)))
            self._settled.mixed += int(np.count_nonzero(apart <= _FIT))
            self._settled.restless += int(np.count_nonzero(apart > _FIT))
        self._settled.change = max(self._settled.change, worst)

    def _average(self, part: Part) -> Floats:
        """Set the values of rings in which several players mix at once.

        Rounds that each go a little way stay around values that no single choice leads to, as near
        as a round goes far; so ever shorter ways lead there. What they lead to around those values
        are the corners of a mixture, see `_mixed`. Returns how far values are from being a mixture,
        shape (rings,).
        """
        firsts, everybody = part.firsts, np.array(members(self._size, part))
        here, way = self._values[firsts], _LITTLE
        best, misses = self._values[everybody], np.full(len(firsts), np.inf)
        while True:
            rounds = np.empty((_LITTLE_STEPS, *everybody.shape, here.shape[1]))
            places = np.empty((_LITTLE_STEPS, *here.shape))
            for number in range(-_LITTLE_STEPS, _LITTLE_STEPS):
                self._values[firsts] = here
                after = self._round(part)
                if number >= 0:
                    rounds[number], places[number] = self._values[everybody], here
                here = here + way * (after - here)
            middle, spread = places.mean(axis=0), np.ptp(places, axis=0).max(axis=1)
            before = misses.copy()
            for ring in range(len(firsts)):
                values, miss = _mixed(rounds[:, :, ring], middle[ring])
                # where choices are those of one line this leads along it, as rounds hardly do
                middle[ring] = values[0]
                if max(miss, spread[ring]) < misses[ring]:
                    best[:, ring], misses[ring] = values, max(miss, spread[ring])
            if not np.any((misses > _FIT) & (misses < before / 2)):
                break
            here, way = middle, way / _SHORTER
        self._values[everybody] = best
        return misses

    def _boundary(self, part: Part, one: Floats, other: Floats) -> tuple[Floats, Floats]:
        """Values of the first states on both sides of where choices change, next to each other.

        They lie between `one` and `other`, on different sides.
        """
        self._values[part.firsts] = one
        after_one = self._round(part)
        self._values[part.firsts] = other
        after_other = self._round(part)
        for _ in range(_HALVINGS):
            between = (one + other) / 2
            self._values[part.firsts] = between
            after = self._round(part)
            nearer = np.sum((after - after_one) ** 2, axis=1) <= np.sum(
                (after - after_other) ** 2, axis=1
            )
            as_one = nearer[:, np.newaxis]
            one, other = np.where(as_one, between, one), np.where(as_one, other, between)
            after_one = np.where(as_one, after, after_one)
            after_other = np.where(as_one, after_other, after)
        return one, other


def _mixed(rounds: Floats, middle: Floats) -> tuple[Floats, float]:
    """The mixture of some rounds of a ring that leads to given values of its first state.

    rounds : values of all states of the ring after each round, shape (rounds, states, values)

    Returns the values of the states, and by how much those of the first one are missed at most.
    """
    ends = rounds[:, 0]
    _, kinds = np.unique(np.round(ends / _ALIKE).astype(np.int64), axis=0, return_index=True)
    mean: Floats = rounds.mean(axis=0)
    best, least = mean, float(np.max(np.abs(mean[0] - middle)))
    corners = len(middle) + 1
    for picks in combinations(kinds[:_MOST_KINDS].tolist(), min(corners, len(kinds))):
        sides = np.vstack([ends[[*picks]].T, np.ones(len(picks))])
        shares = np.linalg.lstsq(sides, np.append(middle, 1.0), rcond=None)[0].clip(0.0)
        values: Floats = np.tensordot(shares / shares.sum(), rounds[[*picks]], axes=1)
        miss = float(np.max(np.abs(values[0] - middle)))
        if miss < least:
            best, least = values, miss
    return best, least
