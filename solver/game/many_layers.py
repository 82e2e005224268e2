"""The order in which a game of several players is solved: layer by layer, each of them in parts.

A layer is all states with one total of all scores. A bank leads to a layer with a higher total, so
that they are solved from high to low; a farkle stays in its ring (solver.game.many_rings). So rings
of a layer do not depend on each other: it is cut into parts of some rings each, which may be
solved in any order and anywhere. They are the same ones everywhere, as are the values.
"""

from collections.abc import Callable

import numpy as np

from solver.errors import ConvergenceError
from solver.game.many import Size, all_totals
from solver.game.many_rings import TOLERANCE, Part, States, members, parts
from solver.game.standings import Progress
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats

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


def solve_layers(
    rules: Ruleset,
    layers: Layers,
    values: Floats,
    settle: Callable[[int, int], None],
    *,
    again: bool,
    on_progress: Callable[[Progress], None],
) -> int:
    """Renew values in sweeps over all layers until they rest; returns the number of sweeps.

    values : shape (states, players - 1)
    settle : renews the values of a layer in the sweep of this number, from 1
    again : whether there are rolls that lead to lower totals, so that one sweep is not enough

    Raises ConvergenceError where they do not rest in MAX_SWEEPS sweeps.
    """
    change = 0.0
    for number in range(1, MAX_SWEEPS + 1):
        change = 1.0 if number == 1 else 0.0
        for layer in range(len(layers)):
            on_progress(Progress(number, layers.done(layer), None))
            here = layers.states(layer)
            before = values[here]
            settle(layer, number)
            if number > 1:
                change = max(change, float(np.max(np.abs(values[here] - before), initial=0.0)))
        if not again or change <= TOLERANCE:
            return number
    raise unsettled(rules, change)


def unsettled(rules: Ruleset, change: float) -> ConvergenceError:
    """The error for values that do not settle."""
    return ConvergenceError.say(
        "{rules}: cannot be solved: after {sweeps} passes win probabilities still change by"
        " {change:.1e}; no strategy file is written",
        rules=rules.name,
        sweeps=MAX_SWEEPS,
        change=change,
    )
