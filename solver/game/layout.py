"""The table that all kernels work on, and what else they are given.

A table of start-of-turn win probabilities,

    table[r, u, w, s, PAD + i]: float64, shape (roles, modes, modes, totals, PAD + scores + PAD)

for a player to move with score i in mode u against an opponent with score s - i in mode w; scores
count point steps above the floor, s is the total of both. A mode is the farkles in a row, plus
`farkle_limit` where the player is not on the board, plus all of these for each use of a badge that
is left. Role 0 is the player who began; there is only
that one where it does not matter. In this layout the values that banking leads to stand side by
side for states that differ by one step from one player to the other, so that LANES of them are
solved at once.

Where the opponent's score s - i is at or over the goal, the entry in column u, w = 0 is the value
of the final turn, and 0 where the goal wins at once. All other entries that are no state of the
game are 0.

A table of bounds has all roles twice, first with lower and then with upper bounds of every value:
the opponent's lower bounds make the upper ones of the player to move, and the other way round.
What the end of a turn leads to is then, as ever, the role that counts as far from the last one.

A table of a contest has all roles twice as well: first of one player, then of another one, who need
not play alike nor have the same dice, each with the chance to win when that player is to move. Such
a table of bounds has them four times: both players' lower bounds, then both players' upper ones.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, product
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from solver.game.endgame import Endgame
from solver.game.lanes import LANES, lane_array
from solver.game.standings import (
    Block,
    Bools,
    Standing,
    blocks,
    check_afresh,
    score_count,
    value_shape,
)
from solver.rules.ruleset import Ruleset
from solver.turn.equations import Floats, TurnPlan, turn_plan

if TYPE_CHECKING:
    from solver.turn.power_cells import TurnCells

PAD = LANES
"""Columns on either side of a table, so that a group of lanes may stand out over its edge."""

EXACT = {"lost": 1, "back": 2, "around": 3, "no_bank": 4, "given": 5}
"""What a bank beyond an exact goal does, as in `Ruleset.beyond_goal`."""

EVERYTHING = -1
"""The penalty by which a score above 0 falls to 0."""

NOT_ALLOWED = -9.0
"""The mover's value of a bank that is not allowed, so little that not even DUE makes it best."""

_PLANS = 8
"""Plans whose lists are kept in memory: of six different dice they take 10 MB."""

DUE = 2.0
"""How much more a roll has to be worth than a bank that must be made, to be best: never."""


class GameNumbers(NamedTuple):
    """What kernels have to know of a game; points in steps."""

    roles: int
    """Along the first axis of the table."""
    sides: int
    """How many times a table has all roles: 1, or 2 for bounds or a contest, or 4 for both."""
    farkle_limit: int
    boards: int
    """2 where it matters who is on the board, else 1."""
    modes: int
    """Number of modes: of farkles in a row, boards and uses of a badge that may be left."""
    scores: int
    """Number of scores below the goal."""
    zero: int
    """Index of the score 0."""
    least: int
    """Least turn total that may be banked on the board."""
    opening: int
    """Least turn total that may be banked off the board."""
    free_win: int
    """1 where a bank that reaches the goal may be less than `least`."""
    penalty: int
    spares: int
    """1 where `lost` is the value of a farkle that does not count for the penalty."""
    after_penalty: int
    """Farkles in a row after one that costs points."""
    keeps: int
    """1 where a farkle keeps the turn total."""
    beyond: int
    """Turn totals beyond the goal, for the player whose goal is not the end."""
    reach: int
    at_once: int
    """1 where who reaches the goal always wins at once, or goes beyond it."""
    exact: int
    """Where the goal has to be met exactly, one of EXACT; else 0."""
    caught: int
    """What it costs to be caught up, as a penalty."""


class Lists(NamedTuple):
    """What the rolls of a player lead to, as kernels take it that go through it."""

    places: npt.NDArray[np.intp]
    """Where each option lies from the row of a turn total on, list after list, (options,).

    Hot dice come first in their list, at ``~place`` from the row of hot dice on."""
    starts: npt.NDArray[np.intp]
    """Where each list starts in `places`, and the end, (lists + 1,)."""
    first_list: npt.NDArray[np.intp]
    """The first list of each column, and the end, (columns + 1,)."""
    chances: Floats
    """Chance of each list when rolling its own dice, (lists,), or of each in each lane."""
    farkles: Floats
    """Chance of a farkle when rolling the dice of a column, (columns,); so the others."""
    wins: Floats
    loses: Floats
    may_bank: npt.NDArray[np.int8]
    """1 where one may bank with the dice of a column left, 2 where one must, shape (columns,)."""
    cells: npt.NDArray[np.intp]
    """Where what a column is worth lies in the row of a turn total, (columns,). A column may lead
    to those before it in the same row."""
    stride: int
    """How much further on the row of the next turn total is."""
    only_hot: float = 0.0
    """Chance that a roll of all dice can only be set aside whole."""
    goes_on: float = 0.0
    """Chance that a roll of all dice scores otherwise."""
    columns_beyond: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
    """Which column each option leads to where more points are worth no more, list after list.

    Where a badge may be used they are places, and all other lists are as ever. Else lists that lead
    to the same columns, in the same order, are one there."""
    starts_beyond: npt.NDArray[np.intp] = np.zeros(1, dtype=np.intp)
    """Where each of those lists starts, and the end; so the others, as without `beyond`."""
    first_beyond: npt.NDArray[np.intp] = np.zeros(1, dtype=np.intp)
    chances_beyond: Floats = np.empty(0)
    start: int = -1
    """The column of all dice, with which a turn starts."""
    uses: int = 0
    """How often the player may use a badge in a game."""
    layers: int = 1
    """Numbers of uses left that a turn may come to, the fewest last: a block of rows each, or one
    for each level. There are as many sets of places as there are levels, one after another."""
    levels: int = 1
    split: int = 0
    """The first column of layers with a use left; those before are of the fewest uses."""
    room: int = 0
    """Rows in front of those of turn totals, for what only other columns of a row depend on."""
    raised: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
    """Turn totals that a badge makes of each when it is banked, in steps; empty without one."""
    at_start: bool = False
    """Whether that has to be said before the first roll, for all banks of a turn."""


class Scratch(NamedTuple):
    """The turns under way, one in each lane: float64 arrays, with an axis of threads in front."""

    values: Floats
    """Win probability with dice 1.. in turn, shape (levels, turn totals, dice, LANES).

    Where the goal wins at once 1 in rows that only turn totals beyond it ever have."""
    others: Floats
    """Win probability of a contest's second player, whose dice need not be those of the first."""
    bank: Floats
    """Value of banking a turn total, or NOT_ALLOWED, shape (turn totals, LANES)."""
    farkle: Floats
    """Value of a farkle at a turn total, shape (turn totals, LANES)."""
    lost: Floats
    """Value of a roll that loses everything, or see GameNumbers.spares, shape (LANES,)."""
    room: Floats
    """Room for one value of each lane, shape (LANES,)."""
    barred: Floats
    """1 for each score that no bank may leave, else 0, shape (scores,); empty without any."""
    banks: Floats
    """Banks like `bank` that serve several turns, by whether the player to move is behind, role,
    whether on the board, and mode of the opponent, shape (these, turn totals, LANES)."""


class Outcomes(NamedTuple):
    """How the turns of a player end who plays in a given way, in every state; for kernels.

    `which` names the outcome of each state, and the others have one entry for each outcome, but for
    `banked` and `kept`, in which they lie one after the other. All empty for who plays as is best.
    """

    which: npt.NDArray[np.int32]
    """Outcome at [role, mode, opponent's mode, score, opponent's score], scores from the floor."""
    first: npt.NDArray[np.intp]
    """The first turn total with a chance."""
    start: npt.NDArray[np.intp]
    """Where its chance is in `banked` and `kept`."""
    length: npt.NDArray[np.intp]
    """Turn totals with a chance, from the first one to the last."""
    banked: Floats
    """Chances that turn totals are banked."""
    kept: Floats
    """Chances of a farkle at turn totals, where a farkle keeps them; else empty."""
    farkled: Floats
    """Chance of a farkle, where it keeps nothing."""
    wins: Floats
    """Chance of a roll that wins at once, or of a bank that does."""
    loses: Floats
    """Chance of a roll that loses everything."""


class Contest(NamedTuple):
    """How two players play, each of whom has half of the roles of a table."""

    one: Outcomes
    other: Outcomes


def as_is_best() -> Outcomes:
    """The empty outcomes of a player who plays as is best, whose turns the kernels solve."""
    none, chances = np.empty(0, dtype=np.intp), np.empty(0)
    which = np.empty((0,) * 5, dtype=np.int32)
    return Outcomes(which, none, none, none, chances, chances, chances, chances, chances)


class Work(NamedTuple):
    """What kernels are given besides the turn, the table and the place where they work."""

    game: GameNumbers
    lists: Lists
    bonuses: npt.NDArray[np.intp]
    """The bonus for each hot dice in a turn, in steps; the last one goes on for those to come."""
    scratch: Scratch
    slack: float
    """How far bounds are moved apart when they are written; 0 in a table of values."""
    others: Lists
    """The lists of the second player of a contest."""

    @property
    def alike(self) -> tuple[GameNumbers, Lists, npt.NDArray[np.intp], Scratch, float]:
        """Return what kernels are given where both players throw the same dice."""
        return self[:-1]


class OwnWork(NamedTuple):
    """What one thread is given for the turns of one player, see `Work` and `Scratch`."""

    game: GameNumbers
    lists: Lists
    bonuses: npt.NDArray[np.intp]
    values: Floats
    bank: Floats
    farkle: Floats
    lost: Floats
    room: Floats
    barred: Floats
    banks: Floats
    slack: float


def _game_numbers(
    rules: Ruleset, plans: Sequence[TurnPlan], ends: Endgame, sides: int
) -> GameNumbers:
    step = rules.point_step
    everything = rules.farkle_penalty is not None and rules.penalty_points == 0
    boards = rules.boards
    return GameNumbers(
        roles=sides * (2 if rules.has_roles else 1),
        sides=sides,
        farkle_limit=rules.farkle_limit,
        boards=boards,
        modes=rules.farkle_limit * boards * (1 + max(plan.uses for plan in plans)),
        scores=score_count(rules),
        zero=-rules.score_floor // step,
        least=rules.least_bank() // step,
        opening=rules.least_bank(on_board=False) // step,
        free_win=int(not rules.minimum_binds_win),
        penalty=EVERYTHING if everything else rules.penalty_points // step,
        spares=int(rules.spares_farkles),
        after_penalty=rules.farkles_after_penalty,
        keeps=int(rules.farkle_keeps_turn_total),
        beyond=ends.beyond,
        reach=max(plan.farthest for plan in plans),
        at_once=int(rules.ending == "at_once" and not rules.is_exact),
        exact=EXACT[rules.beyond_goal] if rules.is_exact else 0,
        caught=EVERYTHING if rules.caught_up == "everything" else rules.caught_up // step,
    )


@lru_cache(maxsize=_PLANS)
def lists_of(plan: TurnPlan, planes: int = 1, rows: int = 0) -> Lists:
    """The lists of a plan as kernels take them, which are kept.

    planes : how many values a state has, by seat; of more than one options stand in the order of
        the plan, hot dice as well
    rows : how many each layer of a turn has in which a badge may be used
    """
    if plan.cells:
        return lists_of_cells(plan.cells, rows)
    columns = np.argmax(plan.chances, axis=0)
    order = np.argsort(columns, kind="stable")
    cell = planes * LANES
    places, hot = plan.targets[plan.options] * cell, plan.is_hot[plan.options]
    numbers = np.arange(len(plan.lengths)).repeat(plan.lengths)
    later = ~hot if planes == 1 else np.zeros(len(hot))
    in_order = np.lexsort((later, numbers, columns[numbers]))
    return Lists(
        places=np.where(hot, ~places, places)[in_order],
        starts=np.append(0, np.cumsum(plan.lengths[order])).astype(np.intp),
        first_list=np.searchsorted(columns[order], np.arange(plan.columns + 1)),
        chances=plan.chances.max(axis=0)[order],
        farkles=plan.counted_farkles,
        wins=plan.win_chances,
        loses=plan.other_ends,
        may_bank=plan.may_bank.astype(np.int8) + plan.must_bank,
        cells=np.arange(plan.columns) * cell,
        stride=plan.columns * cell,
        only_hot=float(plan.only_hot[-1]),
        goes_on=float(plan.goes_on[-1] - plan.only_hot[-1]),
        start=plan.columns - 1,
        **_lists_beyond(plan),
    )


def lists_of_cells(cells: "TurnCells", rows: int) -> Lists:
    """The lists of a turn in which a badge may be used: a column for each cell, layer by layer.

    The first columns of a layer have no lists: they are what is given.

    rows : those of a level in the kernels, which take them as far apart
    """
    layers = [cells.plain, cells.powered][: cells.layers]
    parts = [part for layer in layers for part in layer]
    first = np.cumsum([0, *(len(part.chances) for part in parts)])
    given = np.arange(cells.given.start, cells.given.stop)
    columns, first_list, banked = [], [0], list[Bools]()
    for number, part in enumerate(parts):
        if number in {0, len(cells.plain)}:
            columns.append(given)
            first_list += first_list[-1:] * len(given)
            banked.append(np.zeros(len(given), dtype=np.bool_))
        columns.append(part.place + np.arange(len(part.banked)))
        first_list += (first[number] + part.first_list[1:]).tolist()
        banked.append(part.banked)
    split = len(given) + sum(len(part.banked) for part in cells.plain)
    ends = np.zeros((3, len(first_list) - 1))
    for begin in [0, split][: cells.layers]:
        ends[np.arange(len(given)), begin + np.arange(len(given))] = 1.0
    options = np.concatenate([part.options for part in parts])
    levels = range(cells.plan.levels)
    places, beyond = (
        np.concatenate([cells.places(options, k, rows * cells.width, beyond=far) for k in levels])
        for far in (False, True)
    )
    begins = np.cumsum([0, *(len(part.options) for part in parts)])
    starts = [begin + part.starts[:-1] for begin, part in zip(begins, parts, strict=False)]
    return Lists(
        places=places * LANES,
        starts=np.append(np.concatenate(starts), begins[-1]),
        first_list=np.array(first_list, dtype=np.intp),
        chances=np.concatenate([part.chances for part in parts]),
        farkles=ends[0],
        wins=ends[1],
        loses=ends[2],
        may_bank=np.concatenate(banked).astype(np.int8),
        cells=np.concatenate(columns) * LANES,
        stride=cells.width * LANES,
        columns_beyond=beyond * LANES,
        start=cells.columns - 1,
        uses=cells.uses,
        layers=cells.layers,
        levels=cells.plan.levels,
        split=split,
        room=cells.room // cells.width,
        raised=np.array(cells.raised(rows), dtype=np.intp),
        at_start=cells.at_start,
    )


def _lists_beyond(plan: TurnPlan) -> dict[str, Any]:
    """The fields of Lists that are for where more points are worth no more."""
    alike: dict[tuple[int, tuple[int, ...]], list[float]] = {}
    for chances, options in zip(plan.chances.T, plan.lists(), strict=True):
        # the last of those that lead to a column is the first that is chosen
        last_first = (plan.targets[list(options[::-1])] % plan.columns).tolist()
        place = int(chances.argmax()), tuple(dict.fromkeys(last_first))[::-1]
        alike.setdefault(place, []).append(float(chances.max()))
    lists = sorted(alike)
    of_column = [column for column, _ in lists]
    return {
        "columns_beyond": np.array([*chain(*(columns for _, columns in lists))], dtype=np.intp),
        "starts_beyond": np.cumsum([0, *(len(columns) for _, columns in lists)], dtype=np.intp),
        "first_beyond": np.searchsorted(of_column, np.arange(plan.columns + 1)),
        "chances_beyond": np.array([fsum(alike[key]) for key in lists]),
    }


def make_work(
    rules: Ruleset,
    ends: Endgame,
    threads: int | None = None,
    *,
    sides: int = 1,
    slack: float = 0.0,
    plans: Sequence[TurnPlan] = (),
) -> Work:
    """What kernels need for the turns of a game; for as many threads as there are if None.

    sides : 2 for a table of bounds, which have some `slack`, or of a contest; 4 for both
    plans : the turns of the players of a contest, where they have their own

    Raises InvalidRulesError where turns may begin with what the player before left.
    """
    check_afresh(rules)
    plans = plans or [turn_plan(rules)]
    game = _game_numbers(rules, plans, ends, sides)
    threads = threads or numba.get_num_threads()
    # as many turn totals as any turn may need, with those that hold only a bank
    rows = max(game.scores, game.opening) + game.beyond + game.reach
    places = 2 * game.roles * game.modes**2 // game.farkle_limit
    shapes = [(plan.levels, rows, plan.columns) for plan in plans]
    for number, plan in enumerate(plans):
        if cells := plan.cells:
            blocks = cells.layers * plan.levels
            shapes[number] = blocks, rows + cells.room // cells.width, cells.width
    if game.modes > game.boards * game.farkle_limit:
        # layers of fewer uses of one player stay while those of the other are solved
        shapes = [shapes[0], shapes[-1]]
    values = [lane_array((threads, *shape, LANES), float(game.at_once)) for shape in shapes]
    barred = np.zeros((threads, game.scores if rules.barred else 0))
    barred[:, [game.zero + score // rules.point_step for score in rules.barred]] = 1.0
    scratch = Scratch(
        values=values[0],
        others=values[-1],
        bank=np.zeros((threads, rows, LANES)),
        farkle=np.zeros((threads, rows, LANES)),
        lost=np.zeros((threads, LANES)),
        room=np.zeros((threads, LANES)),
        barred=barred,
        banks=np.zeros((threads, places, rows, LANES)),
    )
    lists = [lists_of(plan, rows=shape[1]) for plan, shape in zip(plans, shapes, strict=False)]
    bonuses = np.array(plans[0].bonuses, dtype=np.intp)
    return Work(game, lists[0], bonuses, scratch, slack, lists[-1])


def make_table(
    game: GameNumbers, lasts: Sequence[Floats], plans: Sequence[TurnPlan] = ()
) -> np.ndarray:
    """A table whose states are worth 0.5, with the final turns beside them.

    lasts : for each side the values of final turns, as in `Endgame.lasts`
    plans : the turns of the players of a contest, where they have their own
    """
    modes = game.modes
    totals = 2 * game.scores + game.opening + game.beyond + game.reach + LANES
    table = np.zeros((game.roles, modes, modes, totals, game.scores + 2 * PAD))
    played, most = game.roles // game.sides, 1 + max((plan.uses for plan in plans), default=0)
    for total in range(totals):
        if total <= 2 * game.scores - 2:
            low, high = max(0, total - game.scores + 1), min(game.scores - 1, total)
            table[..., total, PAD + low : PAD + high + 1] = 0.5
        behind = np.arange(min(game.scores, total - game.scores + 1))
        if len(behind):
            margins = np.minimum(total - 2 * behind, lasts[0].shape[-1] - 1)
            each = game.farkle_limit * game.boards
            for mode in range(modes):
                for side, last in enumerate(lasts):
                    chaser, uses = (side + 1) * played - 1, min(mode // each, len(last) - 1)
                    is_on = mode // game.farkle_limit % game.boards == 0
                    worth = last[uses, int(is_on), margins].clip(0.0, 1.0)
                    # whatever uses who is chased has left
                    table[chaser, mode, ::each, total, PAD + behind] = worth[:, np.newaxis]
    for side in range(game.sides if plans else 0):
        own, other = (1 + plans[(side + k) % len(plans)].uses for k in (0, 1))
        states = table[side * played : (side + 1) * played]
        states[:, own * modes // most :] = 0.0
        states[:, :, other * modes // most :] = 0.0
    return table


def independent_totals(rules: Ruleset, game: GameNumbers) -> int:
    """Number of totals in a row whose states do not depend on each other, see sweep_totals.

    A bank adds the least bank or more, and the last farkle in a row costs the penalty, unless the
    score cannot fall as far. Then the lesser score ends at index 0 of a total in which it is in
    the first group, as it was before if it fell by less than LANES.
    """
    if not rules.farkle_penalty or rules.is_exact or rules.changes_other:
        return 1
    loses = "loses_score" in rules.decisive
    falls_to_zero = game.penalty == EVERYTHING or loses
    if rules.farkle_keeps_turn_total or (falls_to_zero and game.zero > 0):
        return 1
    return min(LANES, game.least, game.penalty if game.penalty != EVERYTHING else LANES)


def by_lesser(game: GameNumbers) -> bool:
    """Whether it is the lesser of both scores that tells a group of states.

    Where players have roles of their own, or bounds, that of one of them fills more lanes. But with
    a penalty the player ahead has to come first, or the bounds of slow games are not proved. Where
    who is caught up falls to the other's old score, both have changed places: that is one group.
    """
    return game.roles == 1 or game.penalty != 0 or game.caught != 0


def first_scores(total: int, game: GameNumbers) -> npt.NDArray[np.intp]:
    """Least `kernels.paired_score` of each group of a total."""
    most = total // 2 if by_lesser(game) else min(total, game.scores - 1)
    return np.arange(max(0, total - game.scores + 1), most + 1, LANES)


def work_done(total: int, scores: int) -> float:
    """Share of a sweep's work, states times the length of their turns, done before `total`."""
    x = (total + 1) / scores
    return 1 - x**2 + x**3 / 3 if x < 1 else (2 - x) ** 3 / 3


def solved_game(
    rules: Ruleset, ends: Endgame, values: np.ndarray, threads: int | None = None
) -> tuple[np.ndarray, Work]:
    """The table of a solved game with the values of its solution, and what kernels need."""
    work = make_work(rules, ends, threads)
    table = make_table(work.game, [ends.lasts])
    write_table(rules, table, values)
    return table, work


def write_table(rules: Ruleset, table: np.ndarray, values: np.ndarray) -> None:
    """Put the values of a solution, or of one side of a table of bounds, into their places."""
    for row, column, scores, states in _rows(rules, table):
        states[:] = values[:, row, column : column + scores]


def read_table(rules: Ruleset, table: np.ndarray) -> np.ndarray:
    """The states of a table in the layout of a solution, with standings for each use left."""
    _, own, other = value_shape(rules)
    uses = uses_in(rules, table)
    values = np.empty((len(table), uses * own, uses * other))
    for row, column, scores, states in _rows(rules, table):
        values[:, row, column : column + scores] = states
    return values


def uses_in(rules: Ruleset, table: np.ndarray) -> int:
    """Return how many numbers of uses left of a badge the modes of a table tell apart."""
    return int(table.shape[1]) // (rules.farkle_limit * rules.boards)


def mode(rules: Ruleset, standing: Standing | Block, uses: int = 0) -> int:
    """Index of a mode; `uses` are those left of a badge."""
    off_board = rules.has_opening and not standing.on_board
    return standing.farkles + rules.farkle_limit * (rules.boards * uses + off_board)


def _rows(rules: Ruleset, table: np.ndarray) -> Iterator[tuple[int, int, int, np.ndarray]]:
    """Each standing with each block of opponents: row, first column, length, place in the table."""
    row, uses = 0, range(uses_in(rules, table))
    for left, own in product(uses, blocks(rules)):
        u = mode(rules, own, left)
        for index in range(own.scores):
            column = 0
            for others_left, opponent in product(uses, blocks(rules)):
                w = mode(rules, opponent, others_left)
                totals = slice(index, index + opponent.scores)
                yield row, column, opponent.scores, table[:, u, w, totals, PAD + index]
                column += opponent.scores
            row += 1
