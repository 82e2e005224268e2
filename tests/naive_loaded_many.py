"""Several players with dice of their own, the slow and obvious way: all states, in plain Python.

Written from the rules of the game. A state is who moves and everybody's score, and its value is the
chance of every seat. Who moves takes what is best for the own chance; of options that are equal to
1e-11 a bank before a roll, then the one with more points, then the one that leaves more dice.
"""

from itertools import product

from tests import naive
from tests.naive_loaded import Dice, Player

Value = tuple[float, ...]
"""The chance of every seat."""
State = tuple[int, tuple[int, ...]]
"""Whose turn begins, and the scores of all seats in points."""
EVEN = 1e-11


class Game:
    """A game of so many players, in the order of their turns."""

    def __init__(self, players: list[Player]) -> None:
        self.players, self.count = players, len(players)
        self.rules = players[0].table.rules
        self.outcomes = [
            {
                left: [
                    (chance, sorted(choices, key=lambda one: (-one[0], -len(one[1]))))
                    for choices, chance in falls.items()
                ]
                for left, falls in player.outcomes.items()
            }
            for player in players
        ]
        """By seat and dice: what may fall with its chance, and its options in their order."""
        self.values: dict[State, Value] = {}

    def solve(self, tolerance: float = 1e-15, most: int = 400) -> dict[State, Value] | None:
        """Values that fit each other; None where they do not settle."""
        rules = self.rules
        scores = range(0, naive.goal_score(rules), rules.point_step)
        for standing in sorted(product(scores, repeat=self.count), key=sum, reverse=True):
            ring = [(mover, standing) for mover in range(self.count)]
            self.values.update(dict.fromkeys(ring, (1 / self.count,) * self.count))
            for _ in range(most):
                if max([self.renew(state) for state in reversed(ring)]) < tolerance:
                    break
            else:
                return None
        return self.values

    def renew(self, state: State) -> float:
        before, after = self.values[state], self.start(state)
        self.values[state] = after
        return max(abs(a - b) for a, b in zip(after, before, strict=True))

    def handed_on(self, state: State, points: int) -> Value:
        """What all have after a turn of so many points."""
        mover, scores = state
        score = scores[mover] + points
        if score >= naive.goal_score(self.rules):
            return tuple(float(seat == mover) for seat in range(self.count))
        after = (*scores[:mover], score, *scores[mover + 1 :])
        return self.values[(mover + 1) % self.count, after]

    def start(self, state: State) -> Value:
        """The value of a state by those of the others."""
        mover, scores = state
        rules, player = self.rules, self.players[mover]
        farkle = self.handed_on(state, 0)
        # from here on a bank is allowed and wins
        enough = max(naive.goal_score(rules) - scores[mover], naive.least_bank(rules))
        wins = self.handed_on(state, enough)
        found: dict[tuple[int, Dice], Value] = {}
        for total in range(enough - rules.point_step, -1, -rules.point_step):
            bank = None
            if total and naive.may_bank(rules, total, scores[mover]):
                bank = self.handed_on(state, total)
            for left in player.remaining:
                rolled = [0.0] * self.count
                for chance, options in self.outcomes[mover][left]:
                    best = None
                    for points, to in options:
                        at = total + points
                        after = wins if at >= enough else found[at, to]
                        if best is None or after[mover] > best[mover] + EVEN:
                            best = after
                    for seat, one in enumerate(best or farkle):
                        rolled[seat] += chance * one
                banks = bank is not None and rolled[mover] <= bank[mover] + EVEN
                found[total, left] = bank if banks and bank else tuple(rolled)
        return found[0, player.whole]
