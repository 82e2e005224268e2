"""The solve of a game of several players: totals of all scores from high to low, ring by ring.

A bank leads to a higher total (solver.game.many_layers), a farkle to another state of the same ring
(solver.game.many_rings). Rolls that lose everything lead to lower totals: where there are any,
whole sweeps are repeated.
"""

from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from solver.game import many_kernels as kernels
from solver.game import round_sweeps
from solver.game.endgame import endgame
from solver.game.kernel_source import load_turn
from solver.game.lanes import LANES
from solver.game.layout import Lists, lists_of
from solver.game.list_kernels import turn_by_seat
from solver.game.many import Checked, Lasts, ManySolution, Size, check_many
from solver.game.many import size as find_size
from solver.game.many_best import play_off_endings
from solver.game.many_layers import MAX_SWEEPS, LayerSolve, unsettled
from solver.game.many_rings import TOLERANCE, Part, Rings, Settled, States
from solver.game.solvable import check_solvable
from solver.game.standings import Progress
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, TurnPlan, solve_turn, turn_plan

FITS = 1e-10
"""How much a value may miss its equations, if no choices are mixed."""


def solve_many(
    rules: Ruleset,
    players: int,
    *,
    plans: Sequence[TurnPlan] = (),
    cache: Path,
    threads: int | None = None,
    reverse: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> ManySolution:
    """Solve a game in which every one of so many players maximises the own chance to win.

    plans : the turn of each seat with all options, or one that all have, of a game that can be
        solved; if none are given all throw the dice of the rules
    cache : the folder that keeps compiled code
    threads : as many as there are processors if None; the result is the same for any number
    reverse : options that are equal for the mover are taken in the opposite order

    Raises InvalidRulesError for a game that is too large, without an end, or with a penalty for
    farkles in a row; ConvergenceError where values do not settle in MAX_SWEEPS sweeps.
    """
    if rules.rounds:
        check_many(rules, players)
        how: dict[str, Any] = {"threads": threads, "reverse": reverse, "on_progress": on_progress}
        return round_sweeps.solve_three(rules, cache=cache, **how)
    if plans:
        check_solvable(rules, plans)
    else:
        check_many(rules, players)
    solve = ManySolve(rules, players, plans=plans, cache=cache, threads=threads, reverse=reverse)
    return solve.solved(on_progress)


def check(
    rules: Ruleset,
    players: int,
    values: Floats,
    *,
    plans: Sequence[TurnPlan] = (),
    cache: Path,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Checked:
    """Put the values of a solved game back into their equations, in every state."""
    if rules.rounds:
        return round_sweeps.check(rules, values, on_progress=on_progress)
    solve = ManySolve(rules, players, plans=plans, cache=cache)
    solve.values[:] = values.ravel()
    off = solve.misfits(on_progress)
    fits = off <= FITS
    return Checked(float(np.max(off, where=fits, initial=0.0)), int(np.count_nonzero(~fits)))


class _Seat(NamedTuple):
    """What kernels need of who throws some dice: a turn function, and what it works with."""

    turn: Callable[..., Any]
    game: kernels.ManyNumbers
    lists: Lists
    bonuses: npt.NDArray[np.intp]
    scratch: kernels.ManyScratch


class ManySolve(LayerSolve):
    """A solve on this machine, ring by ring, and what kernels need."""

    def __init__(
        self,
        rules: Ruleset,
        players: int,
        *,
        plans: Sequence[TurnPlan] = (),
        cache: Path,
        threads: int | None = None,
        reverse: bool = False,
    ) -> None:
        """Begin with values still to be solved, see `solve_many`."""
        # a player with more points may be worse off, as the others play otherwise: all options
        self._plans = tuple(plans) or (turn_plan(rules, all_options=True),)
        super().__init__(rules, size := find_size(rules, players, self._plans), self._plans)
        self.values = self.by_player.reshape(-1)
        self._rings = Rings(size, self.by_player, self.solve)
        games = [_numbers(rules, size, plan) for plan in self._plans]
        turns = [
            turn_by_seat(players - 1)
            if plans
            else load_turn(plan, cache, players - 1, reverse=reverse)
            for plan in self._plans
        ]
        scratch = _scratch(rules, games, self._plans, threads or numba.get_num_threads())
        self._seats = [
            _Seat(turn, game, lists_of(plan, players - 1), np.array(plan.bonuses, np.intp), own)
            for turn, game, plan, own in zip(turns, games, self._plans, scratch, strict=True)
        ]
        self.lasts = self._final_turns(rules)
        self._turn_totals = np.maximum(size.scores - np.arange(size.standings), 1)
        self._turn_totals[size.scores :] = size.scores

    def solve(self, states: States, role: int) -> None:
        """Solve states of a role once, in ascending order."""
        chasers, number = self._chasers(role), role % len(self._seats)
        turn, *work = self._seats[number]
        last = self.lasts[chasers][(number + 1) % len(self._seats), 0].ravel()
        kernels.solve_states(turn, self.values, last, chasers, states, role, *work)
        own = states // self.size.standings ** (self.size.players - 1)
        cells = self._plans[number].columns * self._plans[number].levels
        self.states_solved += int(self._turn_totals[own].sum()) * cells

    def settle(self, part: Part, *, guess: bool) -> Settled:
        """Renew the values of a part of a layer, at first from a guess; returns how they did."""
        if guess:
            kernels.guess_states(self.values, part.firsts, self._seats[0].game)
        return self._rings.settle(part)

    def settle_layer(self, layer: int, *, guess: bool) -> None:
        """Renew the values of a layer, at first from a guess."""
        for part in self.layers.parts(layer):
            self.settled.add(self.settle(part, guess=guess))

    def misfits(self, on_progress: Callable[[Progress], None]) -> Floats:
        """The most by which each value differs from what the equations make of the others."""
        exact = self.by_player.copy()
        misses = np.empty(len(exact))
        for layer in range(len(self.layers)):
            on_progress(Progress(1, self.layers.done(layer), None))
            for part in self.layers.parts(layer):
                for states, role in self._rings.apart(part):
                    self.solve(states, role)
                    at = states + role * self.size.standings**self.size.players
                    misses[at] = np.max(np.abs(self.by_player[at] - exact[at]), axis=1)
                    self.by_player[at] = exact[at]
        return misses

    def _chasers(self, role: int) -> int:
        """How many players have a final turn after the one of this role reached the goal."""
        if len(self.lasts) == 1:
            return 0
        return self.size.players - 1 - (role if self.rules.has_roles else 0)

    def _final_turns(self, rules: Ruleset) -> Lasts:
        """The values of all final turns."""
        players, seats = self.size.players, len(self._seats)
        level = rules.ties != "earlier"
        levels = players if level else 1
        nobody = 1 / np.arange(1, levels + 1)[:, np.newaxis]
        if self.size.ranked:
            nobody = self._play_offs(rules)
        lasts: list[Floats] = [np.stack([nobody] * seats)]
        for chasers in range(1, players if rules.ending != "at_once" else 1):
            levels = players - chasers if level else 1
            below = lasts[-1]
            lasts.append(
                np.stack(
                    [
                        self._last(below[(seat + 1) % seats], chasers, levels, seat)
                        for seat in range(seats)
                    ]
                )
            )
        return tuple(lasts)

    def _last(self, below: Floats, chasers: int, levels: int, seat: int = 0) -> Floats:
        """The values of final turns of so many from a seat on, given those of one player less."""
        shape = self.size.last_shape(chasers, levels)
        values = np.zeros((levels, int(np.prod(shape[1:-1])), shape[-1]))
        turns = np.arange(values.shape[1], dtype=np.int64)
        for level in range(1, levels + 1):
            self._solve_last(below, chasers, level, turns, values[level - 1], seat)
        return values.reshape(shape)

    def _solve_last(
        self, below: Floats, chasers: int, level: int, turns: States, values: Floats, seat: int = 0
    ) -> None:
        turn, *work = self._seats[seat]
        kernels.solve_last(turn, below.ravel(), chasers, level, turns, values, *work)

    def _play_offs(self, rules: Ruleset) -> Floats:
        """The chances at the start of a play-off, shape (how many are level less one, who).

        A round of it is a final turn for all: whoever begins it gets some points, and the others
        have a margin of as many. A tie of all leads to another round, so that it is solved again
        and again. Raises ConvergenceError.
        """
        players, width = self.size.players, self.size.last_shape(1, 1)[1]
        chances = np.eye(players)
        chances[1:] = 0.0
        chances[1, :2] = 1 - endgame(rules).tie, endgame(rules).tie
        if players == 2:
            return chances
        chances[2] = 1 / 3
        points = np.arange(self.size.margins, dtype=np.int64)
        values = np.zeros((len(points), players))
        for _ in range(MAX_SWEEPS):
            second = self._last(chances, 1, 2)
            self._solve_last(second, 2, 1, points * width + points, values)
            ends = play_off_endings(rules, values, chances[1, :2])
            start = solve_turn(self._plans[0], ends).rolls[0, 0, -1]
            change = float(np.max(np.abs(start - chances[2])))
            chances[2] = start
            if change < TOLERANCE / 10:
                return chances
        raise unsettled(rules, change)


def _numbers(rules: Ruleset, size: Size, plan: TurnPlan) -> kernels.ManyNumbers:
    """What kernels have to know of a game."""
    step = rules.point_step
    return kernels.ManyNumbers(
        players=size.players,
        scores=size.scores,
        standings=size.standings,
        roles=size.roles,
        margins=size.margins,
        width=size.last_shape(1, 1)[1],
        least=rules.least_bank() // step,
        opening=rules.least_bank(on_board=False) // step,
        least_win=rules.least_bank(wins=True) // step,
        opening_win=rules.least_bank(on_board=False, wins=True) // step,
        keeps=int(rules.farkle_keeps_turn_total),
        beyond=size.beyond,
        reach=plan.reach,
        level=int(rules.ties != "earlier"),
        ranked=int(size.ranked),
    )


def _scratch(
    rules: Ruleset, games: Sequence[kernels.ManyNumbers], plans: Sequence[TurnPlan], threads: int
) -> list[kernels.ManyScratch]:
    """Room for the turns of each plan, all in the same place."""
    planes = games[0].players - 1
    rows = [
        max(game.scores, game.opening, game.margins) + game.beyond + game.reach + 1
        for game in games
    ]
    shapes = [
        (plan.levels, most, plan.columns, planes, LANES)
        for plan, most in zip(plans, rows, strict=True)
    ]
    values = np.zeros(threads * max(map(prod, shapes)))
    bank, farkle = np.zeros((2, threads, max(rows), planes, LANES))
    lost = np.zeros((threads, planes, LANES))
    barred = np.zeros((threads, games[0].scores if rules.barred else 0))
    barred[:, [score // rules.point_step for score in rules.barred]] = 1.0
    return [
        kernels.ManyScratch(
            values=values[: threads * prod(shape)].reshape(threads, *shape),
            bank=bank,
            farkle=farkle,
            lost=lost,
            barred=barred,
        )
        for shape in shapes
    ]
