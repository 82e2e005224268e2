"""The game of several players with dice of their own, solved for every start of a turn.

As that of equal dice, solver.game.many_sweeps: totals of all scores from high to low, ring by ring.
A ring holds the same scores with each seat as the mover, whose lists are those of its dice.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np

from solver.game.lanes import LANES, lane_array
from solver.game.many import ManyCheck, Size
from solver.game.many_kernels import ManyNumbers, ManyScratch
from solver.game.many_rings import States
from solver.game.many_sweeps import RingSolve, many_check, many_numbers
from solver.game.standings import Progress
from solver.loaded import kernels, many_kernels
from solver.loaded.matchup import ManyMatchupSolution, Matchup
from solver.loaded.totals import check_winnable
from solver.turn.equations import Floats
from solver.turn.scoring import TurnPlan


def solve_many_matchup(
    matchup: Matchup,
    *,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> ManyMatchupSolution:
    """Solve a game in which everybody maximises the own chance to win.

    The result is the same for any
    number of `threads`; as many as there are processors if None.

    Raises InvalidDiceError where nobody could ever win.
    """
    started = time.perf_counter()
    solve = LoadedSolve(matchup, matchup.size, threads=threads)
    solve.sweep(matchup.rules, again=False, watch=on_progress)
    settled = solve.rings.settled
    return ManyMatchupSolution(
        matchup=matchup,
        values=solve.values.reshape(solve.size.shape),
        largest_change=settled.change,
        mixed=settled.mixed,
        restless=settled.restless,
        states_solved=solve.states_solved,
        seconds=time.perf_counter() - started,
    )


def check_many_matchup(
    matchup: Matchup,
    values: Floats,
    *,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> ManyCheck:
    """Put the values of a solved game back into their equations, in every state."""
    solve = LoadedSolve(matchup, matchup.size)
    solve.values[:] = values.ravel()
    return many_check(solve.misfits(on_progress))


@dataclass(frozen=True, slots=True, eq=False)
class _Seat:
    """What kernels need of a player."""

    game: ManyNumbers
    lists: kernels.Lists
    columns: int


class LoadedSolve(RingSolve):
    """The values of one solve and what kernels need."""

    def __init__(self, matchup: Matchup, size: Size, *, threads: int | None = None) -> None:
        """With values still to be solved; the role of a mover is its seat where `size` has roles.

        Raises InvalidDiceError where nobody could ever win.
        """
        plans = [matchup.plan(seat) for seat in range(max(1, size.roles))]
        check_winnable(*(plan.farkle_chances for plan in plans))
        games = [many_numbers(matchup.rules, size, plan) for plan in plans]
        super().__init__(size, games[0])
        planes = size.players - 1
        self._seats = [
            _Seat(game, _lists(plan, planes), plan.columns)
            for game, plan in zip(games, plans, strict=True)
        ]
        self._scratch = _scratch(size, self._seats, threads or numba.get_num_threads())
        self._last = np.ones(1)
        self._planes = (0,) * planes
        self._turn_totals = np.maximum(size.scores - np.arange(size.scores), games[0].least_win)

    def solve(self, states: States, role: int) -> None:
        """As it says above."""
        seat = self._seats[role]
        many_kernels.solve_states(
            self.values,
            self._last,
            states,
            role,
            seat.game,
            seat.lists,
            self._scratch,
            self._planes,
        )
        own = states // self.size.standings ** (self.size.players - 1)
        self.states_solved += int(self._turn_totals[own].sum()) * seat.columns


def _lists(plan: TurnPlan, planes: int) -> kernels.Lists:
    """The lists of a turn, one value of LANES for each plane behind the other."""
    column = np.argmax(plan.chances, axis=0)
    return kernels.Lists(
        places=plan.targets[plan.options] * (planes * LANES),
        starts=np.append(plan.starts, len(plan.options)),
        first_list=np.searchsorted(column, np.arange(plan.columns + 1)),
        chances=plan.chances.max(axis=0),
        farkles=plan.farkle_chances,
    )


def _scratch(size: Size, seats: list[_Seat], threads: int) -> ManyScratch:
    most = max(max(seat.game.scores, seat.game.least_win) for seat in seats)
    rows = most + max(seat.game.reach for seat in seats) + 1
    planes = size.players - 1
    cells = max(seat.columns for seat in seats) * planes * LANES
    return ManyScratch(
        values=lane_array(threads, rows * cells),
        bank=lane_array(threads, rows, planes, LANES),
        farkle=lane_array(threads, rows, planes, LANES),
        lost=lane_array(threads, planes, LANES),
        out=lane_array(threads, cells),
    )
