"""How the turns of a player end in every state of a game: of best play, and of given decisions.

With the way to play held fixed a turn is linear: its value is the sum, over the ways in which it
may end, of their chance times what they are worth. So these chances are found once, and a sweep
that evaluates a way to play takes a short sum for each state where one that chooses solves a turn.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import ConvergenceError, SolveError
from solver.game.endgame import Endgame
from solver.game.kernel_source import load_turn
from solver.game.kernels import solve_turns
from solver.game.lanes import LANES
from solver.game.layout import GameNumbers, Lists, Outcomes, lists_of, solved_game
from solver.game.outcome_kernels import (
    outcome_of_decisions,
    outcomes_of_best_play,
)
from solver.rules.ruleset import RULESETS, Ruleset
from solver.turn.equations import Floats, turn_plan

MOST_CHANCES = 400_000_000
"""The most chances of banks that the outcomes of best play may have, 8 bytes each; most games have
fewer than the number that is reckoned with."""

_CHUNKS = 64
"""Chunks of groups of states between which progress is told."""

_NOTHING_LEFT = 1e-12


class Outcome(NamedTuple):
    """How one turn ends: chances by turn total in point steps, and of rolls that end it."""

    banked: Floats
    """The last turn total stands for all further ones; so does that of `farkled`."""
    farkled: Floats
    wins: float
    loses: float
    """Also of a farkle that does not count for the penalty, see GameNumbers.spares."""

    def ended(self, rules: Ruleset) -> Floats:
        """Chances of the points that a turn ends with, but for rolls that lose everything."""
        chances = self.banked + self.farkled
        chances[0] += self.loses if rules.spares_farkles else 0.0
        return chances


def outcomes_of_values(
    rules: Ruleset,
    ends: Endgame,
    values: Floats,
    *,
    cache: Path,
    on_progress: Callable[[float], None] = lambda _: None,
) -> Outcomes:
    """How the turns of best play end, given the values of the solved game as in a Solution.

    A tie between bank and roll is banked; of set-asides of equal value the one with more points is
    taken. Raises SolveError where that is too much to hold.
    """
    table, work = solved_game(rules, ends, values)
    game = work.game
    played = range(game.roles)
    ends_game = np.array([rules.goal_ends_game(last_of_round=r == 1) for r in played])
    groups = _groups(game)
    rooms = _rooms(game, groups, ends_game)
    workers = len(work.scratch.lost)
    room = np.bincount(np.arange(len(groups)) % workers, weights=rooms, minlength=workers)
    room = room.astype(np.intp)
    if room.sum() > MOST_CHANCES:
        raise SolveError.say(
            "{rules}: evaluating best play takes up to {memory:,} MB of memory, and at most"
            " {most:,} may be used; a higher score_floor or a lower goal takes less",
            rules=rules.name,
            memory=int(room.sum() * 8 // 10**6),
            most=MOST_CHANCES * 8 // 10**6,
        )
    modes = game.farkle_limit * game.boards
    shape = game.roles, modes, modes, game.scores, game.scores
    number = int(np.prod(shape))
    first, start, length = np.zeros((3, number), dtype=np.intp)
    farkled, wins, loses = np.zeros((3, number))
    outcomes = Outcomes(
        np.arange(number, dtype=np.int32).reshape(shape),
        first,
        start,
        length,
        np.empty(room.sum()),
        np.empty(room.sum() if game.keeps else 0),
        farkled,
        wins,
        loses,
    )
    turn = load_turn(turn_plan(rules), cache)
    given = outcomes, np.cumsum(room) - room, ends_game
    size = max(1, len(groups) // (_CHUNKS * workers)) * workers
    for begin in range(0, len(groups), size):
        on_progress(begin / len(groups))
        part = groups[begin : begin + size]
        outcomes_of_best_play(solve_turns, turn, table, part, *work.alike, *given)
    return outcomes


def _groups(game: GameNumbers) -> npt.NDArray[np.intp]:
    """Total and first opponent's score of every group of states."""
    groups = [
        (total, start)
        for total in range(2 * game.scores - 2, -1, -1)
        for start in range(max(0, total - game.scores + 1), min(game.scores - 1, total) + 1, LANES)
    ]
    return np.array(groups, dtype=np.intp)


def _rooms(
    game: GameNumbers, groups: npt.NDArray[np.intp], ends_game: npt.NDArray[np.bool_]
) -> Floats:
    """Most turn totals that can be banked in the states of each group together."""
    opponent = groups[:, 1:] + np.arange(LANES)
    own = groups[:, :1] - opponent
    states = np.zeros(own.shape)
    for most in (game.scores - 1, game.zero)[: game.boards]:
        for opponents_most in (game.scores - 1, game.zero)[: game.boards]:
            states += (own >= 0) & (own <= most) & (opponent <= opponents_most)
    states *= game.farkle_limit**2
    missing = game.scores - own
    longest = np.maximum(missing.max(axis=1, keepdims=True), max(game.least, game.opening))
    longest = longest + game.beyond + game.reach
    folded = ends_game & (game.keeps == 0) & (game.exact == 0)
    rows = sum(np.where(ends, np.maximum(missing, 0), longest) for ends in folded)
    rooms: Floats = (states * rows).sum(axis=1)
    return rooms


@lru_cache(maxsize=RULESETS)
def _choices(rules: Ruleset) -> tuple[Lists, npt.NDArray[np.intp]]:
    """Every set-aside of every roll, those that are never best as well, and the bonuses."""
    plan = turn_plan(rules, all_options=True)
    return lists_of(plan), np.array(plan.bonuses, dtype=np.intp)


def outcome_of(
    rules: Ruleset,
    worth: Floats,
    bank: npt.NDArray[np.bool_],
    allowed: npt.NDArray[np.bool_],
) -> Outcome:
    """How a turn ends that is played by the arrays of some Decisions.

    allowed : which turn totals may be banked, as many as are told apart; of decisions that tell
        more apart the further ones are as the last

    Raises ConvergenceError for decisions by which a turn goes on for ever.
    """
    rows = max(len(allowed), worth.shape[1])
    allowed = np.pad(allowed, (0, rows - len(allowed)), mode="edge")
    banked, farkled, ends = np.empty(rows), np.empty(rows), np.empty(3)
    outcome_of_decisions(
        np.ascontiguousarray(worth),
        np.ascontiguousarray(bank),
        allowed,
        *_choices(rules),
        0.0,
        banked,
        farkled,
        ends,
    )
    if ends[2] > _NOTHING_LEFT:
        raise ConvergenceError.say(
            "{rules}: a turn played like that may never end, as the player can roll on for ever",
            rules=rules.name,
        )
    if not rules.farkle_keeps_turn_total:
        farkled[:1], farkled[1:] = farkled.sum(), 0.0
    else:
        lost = farkled[~allowed].sum()
        farkled[~allowed] = 0.0
        farkled[0] = lost
    return Outcome(banked, farkled, float(ends[0]), float(ends[1]))
