"""What numba compiles for loaded dice of several players: turns over remaining dice, side by side.

A value is that of every player, as in solver.game.many_kernels, and a loop goes through the lists
of a set, as in solver.game.list_kernels.
"""

from numba import njit, prange

from solver.game.lanes import LANES
from solver.game.list_kernels import add_choices
from solver.game.many_kernels import ManyScratch, prepare
from solver.turn.equations import EVEN


@njit(nogil=True, cache=True, error_model="numpy")
def _solve_rows(values, steps, reach, bank, farkle, lists, out, planes):
    """One turn in each lane, backwards over its turn totals; `out` ends as the first row.

    values : flat, rows of columns * planes * LANES; from row `steps` on it is best to bank
    bank, farkle : (rows, planes, LANES), the values of ending the turn
    planes : a tuple of as many numbers as there are planes
    """
    columns, count = len(lists.farkles), len(planes)
    cell = count * LANES
    size = columns * cell
    for t in range(steps, steps + reach):
        for n in range(columns):
            place = t * size + n * cell
            for p in range(count):
                for lane in range(LANES):
                    values[place + p * LANES + lane] = bank[t, p, lane]
    for t in range(steps - 1, -1, -1):
        # a turn begins with all dice
        for n in range(0 if t else columns - 1, columns):
            place = n * cell
            for p in range(count):
                for lane in range(LANES):
                    out[place + p * LANES + lane] = lists.farkles[n] * farkle[t, p, lane]
            first, end = lists.first_list[n], lists.first_list[n + 1]
            where, starts = lists.places, lists.starts
            add_choices(  # type: ignore[call-arg] # numba gives it the context by itself
                values, t * size, where, starts, lists.chances, first, end, out, place, planes
            )
            for lane in range(LANES):
                if out[place + lane] <= bank[t, 0, lane] + EVEN:
                    for p in range(count):
                        out[place + p * LANES + lane] = bank[t, p, lane]
        here = values[t * size :]
        for k in range(size):
            here[k] = out[k]


@njit(nogil=True, cache=True, error_model="numpy", parallel=True)
def solve_states(values, last, states, r, game, lists, scratch, planes):
    """Renew the values of some states of one role, none of which another of them leads to.

    As of solver.game.many_kernels, of games that end at once.

    game : a ManyNumbers with the reach of the mover's dice
    lists : the mover's, with a farkle's chance for each column
    scratch : a ManyScratch whose values and out are flat but for the axis of threads
    planes : a tuple of as many numbers as there are players but one
    """
    count = len(planes)
    whole = game.standings**count
    workers = len(scratch.lost)
    groups = (len(states) + LANES - 1) // LANES
    start = (len(lists.farkles) - 1) * count * LANES
    for worker in prange(workers):
        own = ManyScratch(
            scratch.values[worker],
            scratch.bank[worker],
            scratch.farkle[worker],
            scratch.lost[worker],
            scratch.out[worker],
        )
        for group in range(worker, groups, workers):
            first = group * LANES
            end = min(first + LANES, len(states))
            steps = game.least_win
            for k in range(first, end):
                steps = max(steps, game.scores - states[k] // whole)
            rows = steps + game.reach
            for lane in range(LANES):
                state = states[min(first + lane, end - 1)]
                prepare(values, last, 0, state, r, lane, rows, game, own)
            _solve_rows(own.values, steps, game.reach, own.bank, own.farkle, lists, own.out, planes)
            for k in range(first, end):
                at = (r * whole * game.standings + states[k]) * count
                for p in range(count):
                    # a sum of chances may come out one rounding above 1
                    found = own.out[start + p * LANES + k - first]
                    values[at + p] = min(1.0, max(0.0, found))
