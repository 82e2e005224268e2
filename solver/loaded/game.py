"""The game of two players with different dice, solved for every state at the start of a turn.

It is a contest of the ordinary solve: each player has the lists of an own set, and a half of the
table. Two who throw the same dice are solved as two who throw the dice of the rules.

Where badges are used up a state has the uses that both have left besides the scores. A turn is
solved in layers, one for each number of uses left in it; a use leads to the layer of one less, and
nothing gives one back. Totals of both scores are solved from high to low as without badges, and
each for all uses left, the fewest first: what a turn may lead to is then solved, but for a farkle
without a use.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numba
import numpy as np

from solver.errors import ConvergenceError, InvalidRulesError
from solver.game.lanes import LANES
from solver.game.standings import LEAST, MAX_VALUES, Progress, score_count, value_shape
from solver.game.sweeps import solve
from solver.game.workload import BOUND, workload
from solver.loaded import power_kernels
from solver.loaded.matchup import Matchup, MatchupSolution, check_winnable, uses_shape
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats
from solver.turn.power_cells import Cells, TurnCells
from solver.turn.remaining import Ints

_POWER_TOLERANCE = 1e-12
"""How far pairs of states may be from their fixed points where badges are used up, relative to
these or to LEAST."""

_FIRST_SWEEP = 2.9
"""Times that the first sweep solves each state where farkles cost nothing; later ones do once."""


def solve_matchup(
    matchup: Matchup,
    *,
    cache: Path,
    threads: int | None = None,
    on_progress: Callable[[float], None] = lambda _: None,
) -> MatchupSolution:
    """Solve a match-up; `on_progress` is told the share of the work that is done, about.

    The folder `cache` keeps compiled code. The result is the same for any number of `threads`; as
    many as there are processors if None.

    Raises InvalidRulesError for a game that is too large, InvalidDiceError where nobody could ever
    win, and ConvergenceError.
    """
    started = time.perf_counter()
    if any(matchup.powers):
        return _solve_powers(matchup, threads, on_progress)
    seats = [0] if matchup == matchup.from_seat(1) else [0, 1]
    plans = [] if matchup.is_fair else [matchup.plan(seat) for seat in seats]
    check_winnable(*(plan.farkle_chances + plan.lose_chances for plan in plans))
    hopeless = [not (plan.chances[-1].any() or plan.win_chances[-1]) for plan in plans]
    if any(hopeless):
        # nothing is left to solve, and intervals would not shrink
        values = np.ones(value_shape(matchup.rules, sides=2))
        values[: len(values) // 2] -= hopeless[0]
        values[len(values) // 2 :] -= hopeless[1]
        error_bound, states = 0.0, 0
    else:
        told = _Told(matchup.rules, on_progress)
        found = solve(matchup.rules, plans=plans, cache=cache, threads=threads, on_progress=told)
        values = np.concatenate([found.values] * (2 // len(seats)))
        error_bound, states = found.error_bound, found.states_solved
    on_progress(1.0)
    seconds = time.perf_counter() - started
    return MatchupSolution(matchup, values, error_bound, states, seconds)


class _Told:
    """Tells which share of a solve is done, given how it goes."""

    def __init__(self, rules: Ruleset, on_progress: Callable[[float], None]) -> None:
        self._first = 1.0 if rules.farkle_penalty else _FIRST_SWEEP
        self._sweeps = workload(rules).sweeps if rules.farkle_penalty else _FIRST_SWEEP + 1 + BOUND
        self._on_progress = on_progress
        self._share = 0.0

    def __call__(self, progress: Progress) -> None:
        began = progress.sweep > 1 or progress.bounding
        done = self._first if began else self._first * progress.done
        if began:
            here = 1 + BOUND * progress.done if progress.bounding else progress.done
            done += progress.sweep - 2 + here
        self._share = max(self._share, min(1.0, done / self._sweeps))
        self._on_progress(self._share)


def _solve_powers(
    matchup: Matchup, threads: int | None, on_progress: Callable[[float], None]
) -> MatchupSolution:
    """Solve a match-up in which a badge is used up, see `solve_matchup`."""
    started = time.perf_counter()
    rules = matchup.rules
    value_shape(rules)
    scores = score_count(rules)
    match = power_kernels.Match(
        scores=scores,
        least=rules.least_bank() // rules.point_step,
        free_win=int(not rules.minimum_binds_win),
    )
    shape = uses_shape(matchup)
    if (number := 2 * math.prod(shape) * scores**2) > MAX_VALUES:
        raise InvalidRulesError.say(
            "{rules}: with these badges there are {number:,} states, and at most {most:,} can be"
            " solved",
            rules=rules.name,
            number=number,
            most=MAX_VALUES,
        )
    workers = threads or numba.get_num_threads()
    rows = max(scores, match.least)
    players = _player(matchup, 0, rows), _player(matchup, 1, rows)
    check_winnable(*(matchup.plan(side).farkle_chances for side in (0, 1)))
    turns = matchup.turn_cells(0), matchup.turn_cells(1)
    scratch = [(_scratch(turns[0], rows), _scratch(turns[1], rows)) for _ in range(workers)]
    totals = 2 * scores - 1
    tables = np.full((*shape, 2, totals + 2, scores + LANES), 0.5)
    slopes = np.full((*shape, scores + LANES), 0.1)
    limits = _POWER_TOLERANCE, LEAST
    report = np.zeros((workers, 2))
    mirrored = matchup == matchup.from_seat(1)
    error = rounds = 0.0
    with ThreadPoolExecutor(workers) as pool:
        for s in range(totals - 1, -1, -1):
            for uses in product(*map(range, shape)):
                if mirrored and uses[0] < uses[1]:
                    continue  # with its mirror image, which is solved at once after it
                work = s, uses, tables, slopes[uses], match, *players
                for share in [
                    pool.submit(power_kernels.solve_groups, worker, *work, *own, limits, report)
                    for worker, own in enumerate(scratch)
                ]:
                    share.result()
                worst = report[:, 0].max()
                if not worst <= 100 * _POWER_TOLERANCE:
                    raise ConvergenceError.say(
                        "{rules}: the win probabilities with these dice do not settle: they still"
                        " change by {change:.1e}",
                        rules=rules.name,
                        change=worst,
                    )
                error += worst
                rounds += report[:, 1].sum()
                if mirrored and uses[0] > uses[1]:
                    _mirror(tables, s, uses)
            on_progress(_done(totals - s, scores))
    own, opponent = np.indices((scores, scores))
    values = np.stack(
        (tables[:, :, 0, own + opponent, opponent], tables[:, :, 1, own + opponent, own]), axis=2
    )
    columns = sum(turn.columns for turn in turns)
    return MatchupSolution(
        matchup=matchup,
        values=values,
        error_bound=error,
        states_solved=int(rounds) * LANES * columns * rows // 2,
        seconds=time.perf_counter() - started,
    )


def _done(solved: int, scores: int) -> float:
    """The share of the work that so many of the highest totals are.

    A total has so many pairs of states, whose turns are as long as the goal is away: up to the
    total at which one player has reached it both grow, and then only the turns do.
    """
    share = np.minimum(np.arange(2 * scores), np.arange(2 * scores)[::-1])
    work = np.cumsum(share * np.arange(2 * scores))
    return float(work[solved] / work[-1])


def _mirror(tables: Floats, s: int, uses: tuple[int, ...]) -> None:
    """Fill what two equal players have at total s with exchanged uses."""
    one, other = uses
    second = np.arange(s + 1)
    second = second[(second < tables.shape[-1]) & (s - second < tables.shape[-1])]
    tables[other, one, 0, s, second] = tables[one, other, 1, s, s - second]
    tables[other, one, 1, s, second] = tables[one, other, 0, s, s - second]


def _player(matchup: Matchup, side: int, rows: int) -> power_kernels.Player:
    """A side as the kernels take it, with turns of so many turn totals."""
    rules, power, turns = matchup.rules, matchup.powers[side], matchup.turn_cells(side)
    return power_kernels.Player(
        layers=turns.layers,
        width=turns.width * LANES,
        room=turns.room * LANES,
        whole=(turns.columns - 1) * LANES,
        farkle=turns.farkle * LANES,
        plain=_program(turns.plain),
        powered=_program(turns.powered or turns.plain),
        of_bank=int(bool(power and power.is_of_bank)),
        at_start=int(bool(power and power.at_start)),
        raised=np.array(power.raised(rules, rows) if power else range(rows), dtype=np.intp),
    )


def _program(parts: Sequence[Cells]) -> power_kernels.Program:
    """The cells of a layer as kernels take them, one after another."""
    numbers = [len(part.first_list) - 1 for part in parts]
    places = [part.place + np.arange(number) for part, number in zip(parts, numbers, strict=True)]
    options = np.concatenate([part.options for part in parts])
    return power_kernels.Program(
        options=options * LANES,
        starts=_joined([part.starts for part in parts]),
        first_list=_joined([part.first_list for part in parts]),
        chances=np.concatenate([part.chances for part in parts]),
        places=np.concatenate(places) * LANES,
        from_layer=np.repeat([int(not part.from_room) for part in parts], numbers),
        to_layer=np.repeat([int(not part.to_room) for part in parts], numbers),
        banked=np.repeat([part.banked for part in parts], numbers),
    )


def _joined(begins: Sequence[Ints]) -> Ints:
    """Where parts begin one after another, and the end, given that for some of them each."""
    return np.concatenate(([0], np.cumsum(np.concatenate([np.diff(some) for some in begins]))))


def _scratch(turns: TurnCells, rows: int) -> power_kernels.Scratch:
    """A thread's scratch for one player's turns of so many turn totals."""
    cells = turns.room + (rows + turns.reach + 1) * turns.stride
    return power_kernels.Scratch(
        values=np.ones(cells * LANES),
        bank=np.zeros((rows, LANES)),
        said=np.zeros(LANES),
    )
