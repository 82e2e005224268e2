"""The game of two players with different dice, solved for every state at the start of a turn.

The equations are those of solver.turn.equations, for each player with the lists of an own set. A
bank leads to a higher total of both scores, and a farkle passes the turn at the same scores. So the
totals are solved once each, from high to low; inside a total the two states that have the same
scores, one for each player to act, depend on each other and on nothing else in it.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

from solver.game.lanes import LANES, lane_array
from solver.game.standings import LEAST, score_count, value_shape
from solver.game.sweeps import solve
from solver.loaded import kernels
from solver.loaded.matchup import Matchup, MatchupSolution
from solver.loaded.power_game import solve_powers
from solver.loaded.totals import check_settled, check_winnable, done
from solver.turn.dice import DiceSet
from solver.turn.remaining import RollLists

_TOLERANCE = 1e-12
"""How far each pair of states may be from its fixed point, relative to it or to LEAST."""


def lists_of(lists: RollLists, thrown: DiceSet) -> kernels.Lists:
    """The lists of a set, as kernels take them, the same in all lanes."""
    chances, farkles = lists.chances(thrown)
    return kernels.Lists(
        *lists.places(LANES), chances, farkles[:, np.newaxis].repeat(LANES, axis=1)
    )


def solve_matchup(
    matchup: Matchup,
    *,
    cache: Path,
    threads: int | None = None,
    on_progress: Callable[[float], None] = lambda _: None,
) -> MatchupSolution:
    """Solve a match-up; `on_progress` is told the share of the work that is done, about.

    Where the dice are those of the rules it is the ordinary solve, with code in the folder `cache`.
    The result is the same for any number of `threads`; as many as there are processors if None.

    Raises InvalidRulesError for a game that is too large, InvalidDiceError where nobody could ever
    win, and ConvergenceError.
    """
    started = time.perf_counter()
    rules = matchup.rules
    if matchup.is_fair:
        fair = solve(rules, cache=cache, threads=threads)
        on_progress(1.0)
        values = np.concatenate((fair.values, fair.values))
        return MatchupSolution(matchup, values, fair.error_bound, fair.states_solved, fair.seconds)
    if any(matchup.powers):
        return solve_powers(matchup, tolerance=_TOLERANCE, threads=threads, on_progress=on_progress)
    value_shape(rules)
    scores = score_count(rules)
    step = rules.point_step
    match = kernels.Match(
        scores=scores,
        least=rules.least_bank() // step,
        free_win=int(not rules.minimum_binds_win),
        mirrored=int(matchup == matchup.from_seat(1)),
    )
    found_lists = first, second = matchup.lists(0), matchup.lists(1)
    lists = lists_of(first, matchup.dice[0]), lists_of(second, matchup.dice[1])
    check_winnable(*(one.farkles for one in lists))
    workers = threads or numba.get_num_threads()
    rows = max(scores, match.least)
    sides = _side(first, rows, workers), _side(second, rows, workers)
    totals = 2 * scores - 1
    tables = np.full((2, totals + 1, scores + LANES), 0.5)
    slopes = np.full(scores + LANES, 0.1)
    limits = _TOLERANCE, LEAST
    report = np.zeros((workers, 2))
    error = rounds = 0.0
    for s in range(totals - 1, -1, -1):
        kernels.solve_total(
            s, tables, slopes, match, lists[0], lists[1], sides[0], sides[1], limits, report
        )
        check_settled(rules, worst := report[:, 0].max(), _TOLERANCE)
        error += worst
        rounds += report[:, 1].sum()
        on_progress(done(totals - s, scores))
    own, opponent = np.indices((scores, scores))
    values = np.stack((tables[0][own + opponent, opponent], tables[1][own + opponent, own]))
    columns = sum(found.columns for found in found_lists)
    return MatchupSolution(
        matchup=matchup,
        values=values,
        error_bound=error,
        states_solved=int(rounds) * LANES * columns * rows // 2,
        seconds=time.perf_counter() - started,
    )


def _side(lists: RollLists, rows: int, workers: int) -> kernels.Side:
    """Scratch for one player's turns of so many turn totals."""
    columns = lists.columns
    reach = int(lists.targets[-1]) // columns
    return kernels.Side(
        values=lane_array(workers, (rows + reach + 1) * columns * LANES, fill=1.0),
        bank=lane_array(workers, rows, LANES),
        farkle=lane_array(workers, rows, LANES),
        out=lane_array(workers, columns * LANES),
    )
