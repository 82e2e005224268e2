"""Games of optimal play that are counted: turns, points, farkles, and how close decisions are.

Loads numba. The games are those of solver.play.matches. At every decision, a state of a turn in
which the player may bank or roll, both choices are weighed: the value of banking is in the tables,
that of rolling is summed over all rolls.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from solver.errors import ConvergenceError
from solver.game.endgame import endgame
from solver.game.layout import make_work, mode
from solver.game.outcomes import outcomes_of_values
from solver.game.position import Position, rules_at
from solver.game.standings import (
    BANK,
    FARKLE,
    LOSE,
    OUT,
    SPARED,
    WIN,
    Bools,
    Ints,
    first_standing,
    role,
)
from solver.play.compare import CLOSE, Estimate, Tally
from solver.play.match_players import TurnValues, ValuesPlayer, optimal_values
from solver.play.matches import DiceTables, Games, dice_tables, set_aside, set_seed, throw
from solver.play.turn_kernels import sweep_turns
from solver.rules.ruleset import Ruleset
from solver.turn.scoring import turn_plan

_MOST_SWEEPS, _SETTLED = 10_000, 1e-10
"""The most sweeps over expected turns, and the change at which they have settled."""

_CHUNK = 4096
"""Games that are played side by side."""


@njit(cache=True)
def _rolled(values: TurnValues, p: int, state: tuple[int, int, int], dice: DiceTables) -> float:
    """Win probability of rolling in a state of a turn, which is its level, turn total and dice.

    p : the place of the turn among all
    """
    level, total, to_roll = state
    levels, rows = values.worth.shape[1:3]
    value, missed = 0.0, 0.0
    number, kind = int(dice.dice[to_roll - 1]), dice.throws[to_roll - 1]
    if kind == 0:
        return float(values.farkle[p, min(total, rows - 1)])
    for roll in range(dice.of_dice[kind], dice.of_dice[kind + 1]):
        end = dice.end[roll]
        if end == FARKLE:
            missed += dice.ways[roll] / 6.0**number
            continue
        if end == LOSE:
            worth = values.lost[p]
        elif end == WIN:
            worth = 1.0
        elif end == OUT:
            worth = 0.0
        else:
            points, hot, left = set_aside(values.worth[p], roll, (total, level, to_roll), dice)
            worth = values.worth[p, min(hot, levels - 1), min(points, rows - 1), left - 1]
        value += dice.ways[roll] / 6.0**number * worth
    tries = dice.tries[to_roll - 1]
    farkle = values.farkle[p, min(total, rows - 1)] if dice.counts[to_roll - 1] else values.lost[p]
    farkles = missed**tries if tries > 0 else 0.0
    if missed < 1.0:
        value *= (1.0 - farkles) / (1.0 - missed)
    return float(value + farkles * farkle)


@njit(cache=True)
def _tally_turns(
    here: Ints,
    values: TurnValues,
    allowed: Bools,
    may_leave: Bools,
    dice: DiceTables,
    kinds: npt.NDArray[np.int8],
    totals: Ints,
    decisions: Ints,
    close: Ints,
) -> None:
    """Play one turn of each game; fill in how it ends, its turn total, and its decisions.

    here[game] is the place of its values and of the turn totals that it is allowed to bank.
    """
    levels, rows, whole = values.worth.shape[1:]
    for game, p in enumerate(here):
        total, hot, to_roll, kind = 0, 0, whole, -1
        while kind < 0:
            kind, total, hot, to_roll = throw(values.worth[p], total, hot, to_roll, dice)
            may = allowed[p, min(total, allowed.shape[1] - 1)]
            may_bank = may and may_leave[to_roll - 1]
            if kind >= 0 or not may_bank:
                continue
            row, level = min(total, rows - 1), min(hot, levels - 1)
            banked = values.bank[p, row]
            rolled = _rolled(values, p, (level, total, to_roll), dice)
            decisions[game] += 1
            close[game] += abs(banked - rolled) < CLOSE
            # the value is the greater of both, without the rounding of the sum above
            if banked >= values.worth[p, level, row, to_roll - 1]:
                kind = BANK
        kinds[game] = kind
        totals[game] = total


class _Counted(Games[ValuesPlayer]):
    """Games of which is counted what happens; arrays by game, also of those that are over."""

    def __init__(self, rules: Ruleset, games: int) -> None:
        super().__init__(rules, games)
        self._which = np.arange(games)
        """The games that are still played."""
        counts = np.zeros((5, games), dtype=np.int64)
        self.turn_count, self.points, self.farkles, self.decisions, self.close = counts

    def turns(
        self,
        player: ValuesPlayer,
        positions: Sequence[Position],
        games: Ints,
        here: Ints,
        allowed: Bools,
    ) -> tuple[npt.NDArray[np.int8], Ints]:
        """Turns of some games, by the values of the solved game."""
        rules, number = rules_at(self.rules, positions[0]), len(games)
        kind, total = np.empty(number, dtype=np.int8), np.empty(number, dtype=np.int64)
        decisions, close = np.zeros((2, number), dtype=np.int64)
        _tally_turns(
            here,
            player(positions),
            allowed,
            turn_plan(rules).may_bank,
            dice_tables(rules),
            kind,
            total,
            decisions,
            close,
        )
        which = self._which[games]
        may = allowed[here, np.minimum(total, allowed.shape[1] - 1)]
        keeps = (kind == FARKLE) & may & rules.farkle_keeps_turn_total
        if rules.is_exact:
            scores = np.array([one.banked for one in positions])[here] + total * rules.point_step
            keeps &= scores <= rules.goal
        self.turn_count[which] += 1
        self.points[which] += np.where((kind == BANK) | keeps, total, 0) * rules.point_step
        self.farkles[which] += (kind == FARKLE) | (kind == SPARED)
        self.decisions[which] += decisions
        self.close[which] += close
        return kind, total

    def keep(self, goes_on: Bools) -> None:
        """Go on with some of the games."""
        super().keep(goes_on)
        self._which = self._which[goes_on]


def tally(
    rules: Ruleset,
    values: npt.NDArray[np.float64],
    code: Path,
    games: int,
    seed: int,
    on_progress: Callable[[float], None] = lambda _: None,
) -> Tally:
    """Play games of optimal play and count.

    values : of the solved game, in the layout of a Solution
    code : the folder of compiled code
    games : two at least
    on_progress : told the share of the games that is done
    """
    found = optimal_values(rules, values, code)
    set_seed(seed % 2**32)
    counts: list[Ints] = []
    for begin in range(0, games, _CHUNK):
        on_progress(begin / games)
        played = _Counted(rules, min(_CHUNK, games - begin))
        while played.phase.size:
            played.turn(found)
        both = played.turn_count, played.points, played.farkles, played.decisions, played.close
        counts.append(np.array(both))
    turns, points, farkles, decisions, close = np.concatenate(counts, axis=1)
    ones = np.ones(games)
    return Tally(
        games=games,
        turns=_ratio(turns, ones),
        points=_ratio(points, turns),
        farkles=_ratio(farkles, turns),
        decisions=_ratio(decisions, ones),
        close=_ratio(close, decisions),
    )


def _ratio(counts: npt.NDArray[Any], of: npt.NDArray[Any]) -> Estimate:
    """A sum over games as a share of another one, and by the delta method its standard error."""
    whole = float(of.sum())
    if whole == 0:
        return Estimate(0.0, 0.0)
    share = float(counts.sum()) / whole
    games = len(of)
    scatter = float(np.sum((counts - share * of) ** 2))
    return Estimate(share, math.sqrt(scatter * games / (games - 1)) / whole)


def expected_turns(rules: Ruleset, values: npt.NDArray[np.float64], code: Path) -> float:
    """Turns of a game of optimal play, those of both players; exact.

    With optimal play a turn ends in given ways, so that the expected turns from each state on are 1
    and those after each ending times its chance; sweeps from high totals to low solve that.

    Raises SolveError where that is too much to hold, and ConvergenceError where it does not settle.
    Not for ties that are played on, nor for games that are defended.
    """
    ends = endgame(rules)
    outcomes = outcomes_of_values(rules, ends, np.asarray(values), cache=code)
    game, *_, scratch, _ = make_work(rules, ends, 1)
    turns = np.zeros(outcomes.which.shape)
    ends_game = [rules.goal_ends_game(last_of_round=r == 1) for r in range(game.roles)]
    leaves = np.where(ends_game, 0.0, 1.0)
    for _ in range(_MOST_SWEEPS):
        if sweep_turns(turns, outcomes, leaves, game, scratch.barred[0]) < _SETTLED:
            break
    else:
        raise ConvergenceError.say("{rules}: games are too long to count", rules=rules.name)
    own = first_standing(rules)
    mode_of, score = mode(rules, own), (own.score - rules.score_floor) // rules.point_step
    return float(turns[role(rules, began=True), mode_of, mode_of, score, score])
