"""The numba kernels of a solve: arrays in, arrays out.

Their parameters, here and in solver.game.audit_kernels; scores, totals and turn totals in steps:

turn : the turn function of solver.game.kernel_source that weighs everything
hot_best, three, all_dice : those that weigh less, see solver.game.kernel_source.Turns
turns : all of them, likewise
solve : `solve_turns`
group : sweep_kernels.solve_group
solvers : turns and group
table : start-of-turn win probabilities, which are renewed in place, see solver.game.layout
s : a total of both scores
r, u, w : role and mode of the player to move, mode of the opponent
own, opponent : scores of the player to move and of the opponent
start : the opponent's score in lane 0 of a group; it is one more from lane to lane
steps : number of turn totals to solve in the turns of a group
first : least `paired_score` of a group of pairs, states and their mirror images
active : whether each group of a total is to be solved
game : a GameNumbers
lists, bonuses, scratch, slack, others : with `game` the parts of a Work, which numba cannot bring
    whole into a parallel loop
work : the OwnWork of one thread and one player, see `own_work`
one, other : how the players of the first and of the other half of the roles play, see Outcomes
"""

import os
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from solver.game import layout
from solver.game.lanes import LANES
from solver.game.layout import (
    DUE,
    EVERYTHING,
    EXACT,
    NOT_ALLOWED,
    PAD,
    GameNumbers,
    Lists,
    Outcomes,
    OwnWork,
    Scratch,
)
from solver.turn.equations import EVEN

EXACT_BACK, EXACT_AROUND, EXACT_NO_BANK, EXACT_GIVEN = (
    EXACT[one] for one in ("back", "around", "no_bank", "given")
)

kernel: Any = partial(njit, nogil=True, error_model="numpy")
"""Compiles a function that kernels call; a division by zero raises nothing."""

entry: Any = partial(kernel, cache=True)
"""Compiles a kernel that Python calls, and keeps it, so that it is compiled once."""

_ROUNDING = 1e-9
"""What chances may be off by; that of any roll of ten dice is more."""
_SETTLED = 1e-17
"""Largest change of a value that is renewed no more."""

# Threads that wait for the others sleep, or on a busy machine they would take the processors from
# those that work. Read when the first parallel kernel starts.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def array_type(dtype, axes):
    """The numba type of a contiguous array."""
    return types.Array(dtype, axes, "C")


TABLE_TYPE = array_type(types.float64, 5)
LISTS_TYPE = types.NamedTuple(
    [
        *[array_type(types.intp, 1)] * 3,
        *[array_type(types.float64, 1)] * 4,
        array_type(types.int8, 1),
        array_type(types.intp, 1),
        types.intp,
        *[types.float64] * 2,
        *[array_type(types.intp, 1)] * 3,
        array_type(types.float64, 1),
        *[types.intp] * 6,
        array_type(types.intp, 1),
        types.boolean,
    ],
    Lists,
)
TURN_SIGNATURE = types.intp(*[array_type(types.float64, 1)] * 5, LISTS_TYPE, types.intp)
TURN_TYPE = types.FunctionType(TURN_SIGNATURE)
GAME_TYPE = types.NamedUniTuple(types.intp, len(GameNumbers._fields), GameNumbers)
SCRATCH_TYPE = types.NamedTuple(
    [array_type(types.float64, axes) for axes in (5, 5, 3, 3, 2, 2, 2, 4)], Scratch
)
WORK_TYPES = (
    GAME_TYPE,
    LISTS_TYPE,
    array_type(types.intp, 1),
    SCRATCH_TYPE,
    types.float64,
)
"""The types of `Work.alike`."""
OWN_WORK_TYPE = types.NamedTuple(
    [
        GAME_TYPE,
        LISTS_TYPE,
        array_type(types.intp, 1),
        *[array_type(types.float64, axes) for axes in (4, 2, 2, 1, 1, 1, 3)],
        types.float64,
    ],
    OwnWork,
)
_TURNS_SIGNATURE = types.intp(TURN_TYPE, TABLE_TYPE, *[types.intp] * 5, OWN_WORK_TYPE)
TURNS_TYPE = types.FunctionType(_TURNS_SIGNATURE)
"""The type of `solve_turns`. Kernels are given it, as code that they call by its name is part of
theirs, and so would be compiled and made fast again for each."""
OUTCOMES_TYPE = types.NamedTuple(
    [
        array_type(types.int32, 5),
        *[array_type(types.intp, 1)] * 3,
        *[array_type(types.float64, 1)] * 5,
    ],
    Outcomes,
)
TURN_TYPES = types.UniTuple(TURN_TYPE, 4)
"""The types of the fields of Turns."""
CONTEST_TYPES = OUTCOMES_TYPE, OUTCOMES_TYPE
"""The types of the players of a Contest."""


def as_value(function: Any, signature: Any) -> Any:
    """Return a compiled function as kernels are given it.

    Given as it is, numba would look up what it compiled of it in every call of a kernel, which
    takes much of a short solve.
    """
    return types.CompileResultWAP(function.get_compile_result(signature))


@kernel
def own_work(game, lists, bonuses, values, scratch, slack, worker):
    """The OwnWork of one thread: with its part of the scratch arrays, and values of a player's."""
    return OwnWork(
        game,
        lists,
        bonuses,
        values[worker],
        scratch.bank[worker],
        scratch.farkle[worker],
        scratch.lost[worker],
        scratch.room[worker],
        scratch.barred[worker],
        scratch.banks[worker],
        slack,
    )


@kernel
def is_on_board(u, game):
    """Whether a player is on the board in a mode."""
    return u // game.farkle_limit % game.boards == 0


@kernel
def uses_left(u, game):
    """How many uses of a badge are left in a mode."""
    return u // (game.farkle_limit * game.boards)


@kernel
def after_bank(u, game):
    """The mode after a bank."""
    return uses_left(u, game) * game.farkle_limit * game.boards


@kernel
def own_scores(s, u, w, game):
    """Least and most score that the player to move may have in total s, given both modes."""
    own_most = game.scores - 1 if is_on_board(u, game) else game.zero
    opponent_most = game.scores - 1 if is_on_board(w, game) else game.zero
    return max(0, s - opponent_most), min(own_most, s)


@kernel
def lanes_of(s, start, u, w, game):
    """First lane of a group that is a state, and the one after the last; no lane may be one."""
    low, high = own_scores(s, u, w, game)
    return max(0, s - start - high), min(LANES, s - start - low + 1)


by_lesser = kernel(layout.by_lesser)


@kernel
def paired_score(s, own, r, game):
    """The score that a state has in common with its mirror image, by which they are in a group.

    The lesser one, or else that of whoever is in a later role.
    """
    if by_lesser(game):
        return min(own, s - own)
    return own if 2 * r >= game.roles else s - own


@kernel
def least_bank(u, game):
    """Least turn total that may be banked in a mode, the goal aside."""
    return game.least if is_on_board(u, game) else game.opening


@kernel
def fallen(own, cost, least, game):
    """A score that falls by a cost, which may be EVERYTHING, to no less than `least`."""
    return min(own, game.zero) if cost == EVERYTHING else max(least, own - cost)


@kernel
def after_loss(own, game):
    """Score after a roll that loses everything, or after a farkle that does not count."""
    return own if game.spares == 1 else min(own, game.zero)


@kernel
def after_farkle(u, own, game):
    """Mode and score after a farkle in mode u that leaves the score at `own` before any penalty."""
    board = u // game.farkle_limit
    farkles = u - board * game.farkle_limit + 1
    if farkles == game.farkle_limit:
        farkles = game.after_penalty
        own = fallen(own, game.penalty, 0, game)
    return board * game.farkle_limit + farkles, own


@kernel
def caught_up(opponent, own, after, game):
    """The opponent's score after a bank that took the own score from `own` to `after`."""
    if game.caught == 0 or after != opponent or after == own:
        return opponent
    return fallen(opponent, game.caught, min(opponent, game.zero), game)


@kernel
def _farkled(table, r, u, w, opponent, own, kept, game):
    """Value of a farkle that keeps so many points, before any penalty; u is the mode before."""
    after, score = after_farkle(u, own + kept, game)
    theirs = caught_up(opponent, own, score, game) if kept > 0 else opponent
    return 1.0 - table[game.roles - 1 - r, w, after, theirs + score, PAD + theirs]


@kernel
def _keep(table, s, start, r, u, w, work, bank, rows):
    """Mend farkles that keep the turn total, where it may be banked."""
    game, farkle = work.game, work.farkle
    for lane in range(*lanes_of(s, start, u, w, game)):
        opponent = start + lane
        own = s - opponent
        for t in range(may_bank_from(own, u, game), rows):
            value = bank[t, lane]
            if game.exact > 0 and own + t > game.scores:
                break
            if own + t < game.scores:
                if is_barred(own + t, work.barred):
                    continue
                mode = after_bank(u, game) + u % game.farkle_limit
                value = _farkled(table, r, mode, w, opponent, own, t, game)
            farkle[t, lane] = value


@kernel
def is_barred(score, barred):
    """Whether no bank may leave a score below the goal; `barred` is as in Scratch."""
    return barred.size > 0 and barred[score] > 0.0


@kernel
def _fill(rows, lanes):
    """Set flat rows of LANES to the same values."""
    for begin in range(0, len(rows), LANES):
        row = rows[begin : begin + LANES]
        for lane in range(LANES):
            row[lane] = lanes[lane]


@kernel
def may_bank_from(own, u, game):
    """The least turn total that may be banked."""
    least = least_bank(u, game)
    return min(least, max(1, game.scores - own)) if game.free_win == 1 else least


@kernel
def turn_totals(s, start, r, u, w, game):
    """Number of turn totals of a group to solve; 0 where no lane is a state."""
    low, high = own_scores(s, u, w, game)
    least_own = max(low, s - start - LANES + 1)
    if least_own > min(high, s - start):
        return 0
    began = r % (game.roles // game.sides) == 0
    return max(game.scores - least_own, least_bank(u, game)) + (game.beyond if began else 0)


@kernel
def prepare_banks(table, s, start, r, u, w, steps, game, barred, bank):
    """Fill `bank`; it is the same for any number of own farkles in a row.

    barred : as in Scratch
    """
    low, high = own_scores(s, u, w, game)
    rows = steps + game.reach
    banked = table[game.roles - 1 - r, w, after_bank(u, game)]
    least = 1 if game.free_win == 1 else least_bank(u, game)
    bank[:least] = NOT_ALLOWED
    played = steps if game.at_once == 1 else rows
    for t in range(least, played):
        after = banked[s + t, PAD + start : PAD + start + LANES]
        for lane in range(LANES):
            bank[t, lane] = 1.0 - after[lane]
    bank[played:rows] = 1.0
    for lane in range(LANES):
        own = s - start - lane
        if not low <= own <= high:
            # no state: a lane in which nothing is worth a roll delays no other one
            bank[least:rows, lane] = 1.0
            continue
        if game.free_win == 1:
            bank[: may_bank_from(own, u, game), lane] = NOT_ALLOWED
        if game.exact > 0:
            # see `_mend_beyond`: what these lead to may still change
            bank[game.scores - own + 1 : rows, lane] = NOT_ALLOWED
        if barred.size > 0:
            for t in range(least, game.scores - own):
                if barred[own + t] > 0.0:
                    bank[t, lane] = NOT_ALLOWED


@kernel
def prepare_rest(table, s, start, r, u, w, steps, origin, bank, work):
    """Fill a thread's scratch but for banks, which are given, and for what all turns share.

    That is 1 beyond the goal where it wins at once, and that a farkle which keeps nothing is worth
    as much at any turn total: it is only in the first row.

    origin : row of the scratch's values for turn total 0
    """
    game, values, farkle, lost = work.game, work.values, work.farkle, work.lost
    low, high = own_scores(s, u, w, game)
    other, rows = game.roles - 1 - r, steps + game.reach
    for lane in range(LANES):
        opponent = start + lane
        own = s - opponent
        farkle[0, lane] = 0.0
        lost[lane] = 0.0
        if low <= own <= high:
            farkle[0, lane] = _farkled(table, r, u, w, opponent, own, 0, game)
            kept = opponent + after_loss(own, game)
            mode = u - u % game.farkle_limit
            lost[lane] = 1.0 - table[other, w, mode, kept, PAD + opponent]
    if game.keeps == 1:
        work.room[:] = farkle[0]
        _fill(farkle[:rows].ravel(), work.room)
        _keep(table, s, start, r, u, w, work, bank, rows)
    levels, _, dice, _ = values.shape
    if game.caught != 0:
        mend_caught(table, s, start, r, u, w, bank, work)
    if game.exact > 0:
        _mend_beyond(table, s, start, r, u, w, rows, bank, work)
    if work.lists.uses > 0:
        return
    if game.exact > 0:
        last = values[0, origin + steps]
        ends = bank[steps], farkle[steps if game.keeps == 1 else 0], lost
        _settle_beyond(last, *ends, work.lists)
        for level in range(levels):
            for t in range(steps, rows):
                values[level, origin + t] = last
        return
    for level in range(levels):
        if game.at_once == 0:
            for t in range(steps, rows):
                _fill(values[level, origin + t].ravel(), bank[t])
        if not work.lists.may_bank.all():
            for t in range(steps, rows):
                here = values[level, origin + t]
                if t > steps and game.at_once == 1 and game.keeps == 0:
                    here[:] = values[level, origin + steps]
                    continue
                roll_on(
                    here.reshape(dice, 1, LANES),
                    bank[t].reshape(1, LANES),
                    farkle[t if game.keeps == 1 else 0].reshape(1, LANES),
                    lost.reshape(1, LANES),
                    work.lists,
                )


@kernel
def mend_caught(table, s, start, r, u, w, bank, work):
    """Set banks that come to the opponent's score to what they lead to: that one falls back."""
    game = work.game
    for lane in range(*lanes_of(s, start, u, w, game)):
        opponent = start + lane
        own = s - opponent
        behind = opponent - own
        if behind >= may_bank_from(own, u, game) and not is_barred(opponent, work.barred):
            theirs, mode = caught_up(opponent, own, opponent, game), after_bank(u, game)
            after = table[game.roles - 1 - r, w, mode, theirs + opponent, PAD + theirs]
            bank[behind, lane] = 1.0 - after


@kernel
def after_beyond(own, beyond, game):
    """The score after a bank that would lead beyond an exact goal."""
    if game.exact == EXACT_BACK:
        return max(game.zero, 2 * game.scores - beyond)
    if game.exact == EXACT_AROUND:
        return min(game.zero + beyond - game.scores, game.scores - 1)
    return own


@kernel
def others_beyond(u, w, own, beyond, opponent, game):
    """Own mode, and the opponent's mode and score, after a bank that would lead beyond the goal.

    The opponent's score may be that of the goal.
    """
    after = u // game.farkle_limit * game.farkle_limit
    if game.exact == EXACT_GIVEN and opponent + beyond - own <= game.scores:
        return after, after_bank(w, game) + w % game.farkle_limit, opponent + beyond - own
    if EXACT_BACK <= game.exact <= EXACT_AROUND:
        return (
            after_bank(u, game),
            w,
            caught_up(opponent, own, after_beyond(own, beyond, game), game),
        )
    return after, w, opponent


@kernel
def _mend_beyond(table, s, start, r, u, w, rows, bank, work):
    """Set banks beyond an exact goal to what they lead to, which may be states of any total."""
    game = work.game
    if game.exact == EXACT_NO_BANK:
        return
    for lane in range(*lanes_of(s, start, u, w, game)):
        opponent = start + lane
        own = s - opponent
        for t in range(max(game.scores - own + 1, may_bank_from(own, u, game)), rows):
            score = after_beyond(own, own + t, game)
            after, mode, theirs = others_beyond(u, w, own, own + t, opponent, game)
            left = 1.0 - table[game.roles - 1 - r, mode, after, theirs + score, PAD + theirs]
            bank[t, lane] = left if theirs < game.scores else 0.0


@kernel
def _settle_beyond(values, bank, farkle, lost, lists):
    """Fill what dice are worth where more points change nothing, and rolling on may be best.

    values : shape (columns, LANES); the others in one row, shape (LANES,)
    """
    ends_alike = lists.chances.sum() + lists.farkles.sum() > len(values) - _ROUNDING
    if ends_alike and lists.may_bank.all():
        # whoever rolls on and on farkles in the end
        for n in range(len(values)):
            for lane in range(LANES):
                values[n, lane] = max(bank[lane], farkle[lane])
        return
    roll_until_banked(
        values.reshape(len(values), 1, LANES),
        bank.reshape(1, LANES),
        farkle.reshape(1, LANES),
        lost.reshape(1, LANES),
        lists,
        True,
    )


@kernel
def roll_on(values, bank, farkle, lost, lists):
    """Fill what dice are worth that may not be banked, where more points are worth no more.

    Shapes as of `roll_until_banked`. Where those are hot dice alone all others stay as they are.
    """
    if not lists.may_bank[:-1].all():
        roll_until_banked(values, bank, farkle, lost, lists, False)
        return
    for p in range(values.shape[1]):
        for lane in range(LANES):
            ended = lists.wins[-1] if p == 0 else 0.0
            ended += lists.loses[-1] * lost[p, lane] + lists.farkles[-1] * farkle[p, lane]
            ended += lists.goes_on * bank[p, lane]
            values[-1, p, lane] = ended / (1.0 - lists.only_hot)


@kernel
def roll_until_banked(values, bank, farkle, lost, lists, weighs):
    """Fill what dice are worth that must be rolled, where more points are worth no more.

    values : shape (columns, planes, LANES), the others in one row, shape (planes, LANES)
    weighs : whether dice that may be banked are rolled where that is better; else they are banked
    """
    columns, planes, _ = values.shape
    for n in range(columns):
        # no more than anything is worth: from below it settles, also in rounded numbers
        values[n] = min(1, lists.may_bank[n]) * np.maximum(bank, 0.0)
    rolled, most, chosen = np.empty((planes, LANES)), np.empty(LANES), np.empty(LANES, np.intp)
    even = EVEN if planes > 1 else 0.0
    change = 1.0
    while change > _SETTLED:
        change = 0.0
        for n in range(columns):
            if lists.may_bank[n] and not weighs:
                continue
            for p in range(planes):
                for lane in range(LANES):
                    ended = lists.loses[n] * lost[p, lane] + lists.farkles[n] * farkle[p, lane]
                    rolled[p, lane] = ended + (lists.wins[n] if p == 0 else 0.0)
            for k in range(lists.first_beyond[n], lists.first_beyond[n + 1]):
                begin, end = lists.starts_beyond[k], lists.starts_beyond[k + 1] - 1
                chosen[:] = lists.columns_beyond[end]
                most[:] = values[lists.columns_beyond[end], 0]
                for option in range(end - 1, begin - 1, -1):
                    column = lists.columns_beyond[option]
                    here = values[column, 0]
                    for lane in range(LANES):
                        better = here[lane] > most[lane] + even
                        most[lane] = here[lane] if better else most[lane]
                        chosen[lane] = column if better else chosen[lane]
                for p in range(planes):
                    for lane in range(LANES):
                        worth = most[lane] if p == 0 else values[chosen[lane], p, lane]
                        rolled[p, lane] += lists.chances_beyond[k] * worth
            if lists.may_bank[n]:
                due = DUE * (lists.may_bank[n] - 1)
                for lane in range(LANES):
                    if rolled[0, lane] <= bank[0, lane] + due:
                        rolled[0, lane] = bank[0, lane]
            for p in range(planes):
                for lane in range(LANES):
                    change = max(change, abs(rolled[p, lane] - values[n, p, lane]))
                    values[n, p, lane] = rolled[p, lane]


@kernel
def prepare(table, s, start, r, u, w, work):
    """What the turns with opponents' scores start .. start + LANES - 1 lead to.

    Fills a thread's scratch and returns the number of turn totals to solve; 0 where no lane is a
    state.
    """
    game, bank = work.game, work.bank
    steps = turn_totals(s, start, r, u, w, game)
    if steps > 0:
        rows = steps + game.reach
        prepare_banks(table, s, start, r, u, w, steps, game, work.barred, bank)
        if game.at_once == 1:
            work.values[:, steps:rows] = 1.0
        prepare_rest(table, s, start, r, u, w, steps, 0, bank, work)
        if game.keeps == 0:
            work.room[:] = work.farkle[0]
            _fill(work.farkle[:rows].ravel(), work.room)
    return steps


@kernel
def _solve_rows(turn, begin, end, level, origin, bank, work):
    """Solve a level's turn totals below `end`, those from there on being solved.

    Down to `begin`, if the turn function goes as far; returns the last one.
    """
    following, row = min(level + 1, work.bonuses.size - 1), origin + begin
    return begin + turn(
        work.values[level, row:].ravel(),
        work.values[following, row + work.bonuses[level] :].ravel(),
        bank[begin:].ravel(),
        work.farkle[begin:].ravel() if work.game.keeps == 1 else work.farkle[0],
        work.lost,
        work.lists,
        end - begin,
    )


@kernel
def solve_levels(turn, steps, work):
    """Solve the turns that a thread's scratch was prepared for."""
    for level in range(work.bonuses.size - 1, -1, -1):
        _solve_rows(turn, 0, steps, level, 0, work.bank, work)


@entry(_TURNS_SIGNATURE)
def solve_turns(turn, table, s, start, r, u, w, work):
    """Solve the turns with opponents' scores start .. start + LANES - 1 in a thread's scratch.

    Returns the number of turn totals that were solved; 0 where no lane is a state.
    """
    steps = prepare(table, s, start, r, u, w, work)
    solve_levels(turn, steps, work)
    return steps


@kernel
def rising(rows, low, high, fall):
    """The turn total from which on no values in `rows` fall, in lanes from `low` to below `high`.

    fall : room for LANES numbers
    """
    fall[:] = 0.0
    for t in range(len(rows) - 1):
        for lane in range(LANES):
            fall[lane] = max(fall[lane], rows[t, lane] - rows[t + 1, lane])
    if fall[low:high].max() > 0.0:
        for t in range(len(rows) - 2, -1, -1):
            for lane in range(low, high):
                if rows[t, lane] > rows[t + 1, lane]:
                    return t + 1
    return 0


@kernel
def solve_tiers(turns, steps, first, origin, bank, work):
    """Solve like solve_levels, in less time where few dice are not worth a roll.

    origin : see `prepare_rest`

    It is the same, but for rounding, in lanes in which no banks and farkles from turn total `first`
    on fall.
    """
    for level in range(work.bonuses.size - 1, -1, -1):
        end = _solve_rows(turns[3], first, steps, level, origin, bank, work)
        end = _solve_rows(turns[2], first, end, level, origin, bank, work)
        end = _solve_rows(turns[1], first, end, level, origin, bank, work)
        _solve_rows(turns[0], 0, end, level, origin, bank, work)


@kernel
def raise_banks(bank, fewer, s, start, u, rows, lists, game):
    """Raise banks to those with a badge where these are better.

    fewer : banks that leave one use less, each of the turn total that it is raised to
    """
    for lane in range(min(LANES, s - start + 1)):  # in all others own scores are below any
        own = s - start - lane
        for t in range(1, rows):
            raised = lists.raised[t]
            reaches = own + raised >= game.scores
            if t >= least_bank(u, game) or (reaches and game.free_win == 1):
                bank[t, lane] = max(bank[t, lane], fewer[min(raised, rows - 1), lane])


@kernel
def _of_layer(lists, places, begin, end):
    """The lists of the columns from `begin` to below `end`, which lead to other places."""
    return Lists(
        places,
        lists.starts,
        lists.first_list[begin : end + 1],
        lists.chances,
        lists.farkles[begin:end],
        lists.wins[begin:end],
        lists.loses[begin:end],
        lists.may_bank[begin:end],
        lists.cells[begin:end],
        lists.stride,
        lists.only_hot,
        lists.goes_on,
        lists.columns_beyond,
        lists.starts_beyond,
        lists.first_beyond,
        lists.chances_beyond,
        lists.start,
        lists.uses,
        lists.layers,
        lists.levels,
        lists.split,
        lists.room,
        lists.raised,
        lists.at_start,
    )


@kernel
def solve_layer(turn, steps, number, layer, origin, bank, work):
    """Solve a layer of turns in which a badge may be used, those of fewer uses being solved.

    number : the block of rows in which its first level is
    layer : 0 for the layer of the fewest uses that a turn may come to
    origin : as for `prepare_rest`
    """
    game, lists = work.game, work.lists
    values, farkle, lost = work.values, work.farkle, work.lost
    begin, end = (lists.split, len(lists.cells)) if layer > 0 else (0, lists.split)
    rows, count, dice = values.shape[1], lists.starts[-1], lists.start + 1
    may_bank = lists.may_bank[lists.split - dice : lists.split]
    rolls_on = game.exact > 0 or not may_bank.all()
    # a roll that wins may be better than a bank that has to stand a last turn
    rolls_on = rolls_on or (game.at_once == 0 and lists.wins.any())
    for level in range(lists.levels - 1, -1, -1):
        block = values[number + level, origin:]
        first = ((number + level) * rows + origin - lists.room) * lists.stride
        space = values.reshape(values.size)[first:]
        options = slice(level * count, (level + 1) * count)
        if rolls_on:
            beyond = _of_layer(lists, lists.columns_beyond[options], begin, end)
            far, ends = space[steps * lists.stride :], farkle[steps if game.keeps == 1 else 0]
            last, change = block[steps, :dice], 1.0
            # no more than anything is worth: from below it settles, also in rounded numbers
            for n in range(dice):
                last[n] = may_bank[n] * np.maximum(bank[steps], 0.0)
            while change > _SETTLED:
                before = last.copy()
                turn(far, far, bank[steps], ends, lost, beyond, 1)
                change = np.abs(last - before).max()
        for t in range(steps, steps + game.reach if rolls_on or game.at_once == 0 else 0):
            block[t, :dice] = block[steps, :dice] if rolls_on else bank[t : t + 1]
        here = _of_layer(lists, lists.places[options], begin, end)
        farkles = farkle.ravel() if game.keeps == 1 else farkle[0]
        turn(space, space, bank.ravel(), farkles, lost, here, steps)


@intrinsic
def _take(_context, places, which):
    """Count up ``places[which]``, and return what it was; no other thread gets the same."""
    signature = types.intp(places, which)

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        unit = ir.Constant(context.get_value_type(types.intp), 1)
        # nothing else is told by it: what was done before is seen once all threads are done
        place = builder.gep(array.data, [arguments[1]])
        return builder.atomic_rmw("add", place, unit, "monotonic")

    return signature, generate


@kernel
def shares(tasks, workers):
    """Where the parts of so many tasks begin and end: of worker k from [0, k] to below [1, k].

    Each thread begins with a part of its own, and then helps the others: what tasks cost is not
    known before, and numba divides a loop before it begins, so that all would wait for the thread
    that has most to do. Neighbours stay with one thread as far as that goes, as they share what is
    in the cache.
    """
    parts = np.empty((2, workers), dtype=np.intp)
    for worker in range(workers):
        parts[0, worker] = tasks * worker // workers
        parts[1, worker] = tasks * (worker + 1) // workers
    return parts


@kernel
def next_task(parts, worker):
    """Number of a task that nobody has done, of a worker's own part first; -1 if there is none."""
    workers = parts.shape[1]
    for k in range(workers):
        whose = (worker + k) % workers
        if parts[0, whose] < parts[1, whose]:
            task: int = _take(parts[0], whose)  # type: ignore[call-arg] # numba gives the context
            if task < parts[1, whose]:
                return task
    return -1


@entry(
    types.void(
        TURN_TYPE,
        *[array_type(types.float64, axes) for axes in (4, 2, 1, 1)],
        LISTS_TYPE,
        array_type(types.intp, 1),
        array_type(types.float64, 2),
    ),
)
def beat_turns(turn, values, bank, farkle, lost, lists, bonuses, starts):
    """Fill what starts of turns are worth that have to beat 1, 2, ... steps of points.

    values : solved for turns with nothing to beat, shape (levels, turn totals, columns, LANES)
    bank : shape (turn totals, LANES); what may not be banked any more becomes NOT_ALLOWED
    starts : shape (steps, LANES), of which the first row stays as it is
    """
    last, start = len(values) - 1, values.shape[2] - 1
    for k in range(1, len(starts)):
        bank[k] = NOT_ALLOWED
        for level in range(last, -1, -1):
            hot = values[min(level + 1, last), bonuses[level] :]
            turn(values[level].ravel(), hot.ravel(), bank.ravel(), farkle, lost, lists, k + 1)
        starts[k] = values[0, 0, start]
