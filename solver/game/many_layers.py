"""The order in which a game of several players is solved: layer by layer, each of them in parts.

A layer is all states with one total of all scores. A bank leads to a layer with a higher total, so
that they are solved from high to low; a farkle stays in its ring (solver.game.many_rings). So rings
of a layer do not depend on each other: it is cut into parts of some rings each, which may be
solved in any order and anywhere. They are the same ones everywhere, as are the values.
"""

import time
from collections.abc import Iterable

import numpy as np

from solver.errors import ConvergenceError
from solver.game.many import Lasts, ManySolution, Size, all_totals
from solver.game.many_rings import TOLERANCE, Part, Settled, States, members, parts
from solver.game.standings import OnProgress, Progress
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, TurnPlan

MAX_SWEEPS = 1000


class Layers:
    """The layers of a game, the one with the highest total first."""

    def __init__(self, size: Size) -> None:
        self.size = size
        totals = all_totals(size)
        self._in_order = np.argsort(totals, kind="stable").astype(np.int32)
        self._ends = np.cumsum(np.bincount(totals))

    def __len__(self) -> int:
        return len(self._ends)

    def states(self, layer: int) -> States:
        """The states of role 0, ascending."""
        total = len(self) - 1 - layer
        begin = self._ends[total - 1] if total else 0
        states: States = self._in_order[begin : self._ends[total]].astype(np.int64)
        return states

    def parts(self, layer: int) -> list[Part]:
        """Rings that are solved together; together they are all of the layer."""
        return parts(self.size, self.states(layer))

    def all_states(self, part: Part) -> States:
        """The states of the rings of a part, by their numbers among all roles'."""
        return np.concatenate(members(self.size, part))

    def done(self, layer: int) -> float:
        """The share of a sweep that is done before a layer."""
        return float(1 - self._ends[len(self) - 1 - layer] / len(self._in_order))


class LayerSolve:
    """A solve of a game of several players, whose values settle layer by layer."""

    def __init__(self, rules: Ruleset, size: Size, plans: Iterable[TurnPlan]) -> None:
        """Begin with values still to be solved; `plans` are the turns of all seats."""
        self._began = time.perf_counter()
        self.rules, self.size, self.layers = rules, size, Layers(size)
        self._again = any(np.any(plan.lose_chances) for plan in plans)
        """Whether there are rolls that lead to lower totals, so that one sweep is not enough."""
        self.by_player: Floats = np.full((size.states, size.players - 1), 1 / size.players)
        """The values, shape (states, players - 1)."""
        self.lasts: Lasts = ()
        self.settled = Settled()
        """How values settled in the sweep under way."""
        self.states_solved = 0

    def settle_layer(self, layer: int, *, guess: bool) -> None:
        """Renew the values of a layer, at first from a guess."""
        raise NotImplementedError

    def solved(self, on_progress: OnProgress) -> ManySolution:
        """Renew values in sweeps over all layers until they rest, and return them.

        Raises ConvergenceError where they do not rest in MAX_SWEEPS sweeps, and what `settle_layer`
        does.
        """
        change = 0.0
        for number in range(1, MAX_SWEEPS + 1):
            change, self.settled = 1.0 if number == 1 else 0.0, Settled()
            for layer in range(len(self.layers)):
                on_progress(Progress(number, self.layers.done(layer), None))
                here = self.layers.states(layer)
                before = self.by_player[here]
                self.settle_layer(layer, guess=number == 1)
                if number > 1:
                    moved = np.abs(self.by_player[here] - before)
                    change = max(change, float(np.max(moved, initial=0.0)))
            if not self._again or change <= TOLERANCE:
                break
        else:
            raise unsettled(self.rules, change)
        return ManySolution(
            rules=self.rules,
            players=self.size.players,
            values=self.by_player.reshape(self.size.shape),
            lasts=self.lasts,
            tolerance=TOLERANCE,
            sweeps=number,
            largest_change=self.settled.change,
            mixed=self.settled.mixed,
            restless=self.settled.restless,
            states_solved=self.states_solved,
            seconds=time.perf_counter() - self._began,
        )


def unsettled(rules: Ruleset, change: float) -> ConvergenceError:
    """The error for values that do not settle."""
    return ConvergenceError.say(
        "{rules}: cannot be solved: after {sweeps} passes win probabilities still change by"
        " {change:.1e}; no strategy file is written",
        rules=rules.name,
        sweeps=MAX_SWEEPS,
        change=change,
    )
