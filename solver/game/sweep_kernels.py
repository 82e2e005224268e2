"""The numba kernels of a sweep: groups of states are renewed, or guessed, total by total.

Parameters as in solver.game.kernels.
"""

import numpy as np
from numba import prange, types

from solver.game.kernels import (
    CONTEST_TYPES,
    GAME_TYPE,
    LISTS_TYPE,
    OUTCOMES_TYPE,
    OWN_WORK_TYPE,
    TABLE_TYPE,
    TURN_TYPES,
    WORK_TYPES,
    array_type,
    as_value,
    by_lesser,
    entry,
    kernel,
    lanes_of,
    least_bank,
    next_task,
    own_scores,
    own_work,
    paired_score,
    prepare_banks,
    prepare_rest,
    raise_banks,
    rising,
    shares,
    solve_layer,
    solve_tiers,
    turn_totals,
    uses_left,
)
from solver.game.lanes import LANES
from solver.game.layout import NOT_ALLOWED, PAD
from solver.game.standings import LEAST

MAX_SECANT_STEPS = 100

_NARROW = LEAST / 3
"""What changes are relative to where bounds are narrow, see bounds.intervals."""

_APART = 1e-9
"""How far apart of themselves two values have to be so that the slope between them tells much."""


@kernel
def _expect(s, start, r, u, w, rows, origin, bank, work, outcomes):
    """Set starts to what turns are worth that end by `outcomes`; scratch was prepared for them."""
    game, values, farkle, lost = work.game, work.values, work.farkle, work.lost
    role = r % (game.roles // game.sides)
    for lane in range(*lanes_of(s, start, u, w, game)):
        own = s - start - lane
        k = outcomes.which[role, u, w, own, start + lane]
        first, begin = outcomes.first[k], outcomes.start[k]
        value = outcomes.wins[k] + outcomes.loses[k] * lost[lane]
        value += outcomes.farkled[k] * farkle[0, lane]
        for place in range(outcomes.length[k]):
            t = min(first + place, rows - 1)
            value += outcomes.banked[begin + place] * bank[t, lane]
        if game.keeps == 1:
            for place in range(outcomes.length[k]):
                t = min(first + place, rows - 1)
                value += outcomes.kept[begin + place] * farkle[t, lane]
        values[0, origin, -1, lane] = value


@kernel
def _place_of_banks(r, u, w, behind, game):
    """Where the banks of a mode are among those in scratch; `behind` as of `solve_group`."""
    place = (int(behind) * game.roles + r) * game.modes + u
    return place // game.farkle_limit * game.modes + w


@kernel
def _banks(table, s, start, r, u, w, steps, behind, work, rises):
    """The banks of a mode among those of a thread, which are filled unless they are.

    behind, rises : as of `solve_group`
    """
    game, place = work.game, _place_of_banks(r, u, w, behind, work.game)
    bank = work.banks[place]
    if rises[place] < 0:
        begin, end = lanes_of(s, start, u, w, game)
        prepare_banks(table, s, start, r, u, w, steps, game, work.barred, bank)
        rises[place] = rising(bank[: steps + game.reach], begin, end, work.room)
    return bank


@kernel
def _solve_uses(turn, table, s, start, r, u, w, steps, origin, behind, below, work, rises):
    """Solve turns in which a badge may be used; returns the block of rows in which they start.

    below : whether those parts of turns are solved, too, in which fewer uses are left
    behind, rises : as of `solve_group`
    """
    game, lists, raised = work.game, work.lists, work.bank
    uses, rows = uses_left(u, game), steps + game.reach
    fewest = max(0, uses - lists.layers + 1)
    said = np.zeros(LANES)
    for left in range(fewest if below else uses, uses + 1):
        mode = u - (uses - left) * game.farkle_limit * game.boards
        bank = _banks(table, s, start, r, mode, w, steps, behind, work, rises)
        block, raises = lists.layers - 1 - (left - fewest), lists.raised.size > 0 and left > 0
        block, less = block * lists.levels, bank
        if raises:
            fewer = mode - game.farkle_limit * game.boards
            less = _banks(table, s, start, r, fewer, w, steps, behind, work, rises)
            prepare_rest(table, s, start, r, fewer, w, steps, origin, less, work)
            if lists.at_start:
                raised[:rows] = NOT_ALLOWED
                raise_banks(raised, less, s, start, mode, rows, lists, game)
                solve_layer(turn, steps, block, 0, origin, raised, work)
                said[:] = work.values[block, origin, lists.start]
        prepare_rest(table, s, start, r, mode, w, steps, origin, bank, work)
        if raises and not lists.at_start:
            raised[:rows] = bank[:rows]
            raise_banks(raised, less, s, start, mode, rows, lists, game)
            bank = raised
        solve_layer(turn, steps, block, left - fewest, origin, bank, work)
    here = work.values[block, origin, lists.start]
    here[:] = np.maximum(here, said)
    return block


_GROUP_SIGNATURE = types.void(
    TURN_TYPES,
    TABLE_TYPE,
    *[types.intp] * 5,
    OWN_WORK_TYPE,
    OUTCOMES_TYPE,
    *[types.boolean] * 2,
    array_type(types.intp, 1),
    types.boolean,
)
GROUP_TYPE = types.FunctionType(_GROUP_SIGNATURE)
"""The type of `solve_group`, which is given as `kernels.solve_turns` is."""


@entry(_GROUP_SIGNATURE)
def solve_group(turns, table, s, start, r, u, w, work, outcomes, behind, level, rises, below):
    """Renew the states with opponents' scores start .. start + LANES - 1.

    The player to move, whose `work` it is, plays by `outcomes`, or as is best if they are empty.
    Where groups are told by the lesser score only those of players `behind`, or else of players
    ahead; those of `level` scores as well if so. Where a badge may be used, those parts of turns in
    which fewer uses are left are solved only if `below`.
    """
    game = work.game
    steps = turn_totals(s, start, r, u, w, game)
    if steps == 0:
        return
    rows = steps + game.reach
    begin, end = lanes_of(s, start, u, w, game)
    # all turns end in the same rows, where what is beyond the goal stays
    origin, block = work.values.shape[1] - rows, 0
    if work.lists.uses > 0:
        block = _solve_uses(
            turns[0], table, s, start, r, u, w, steps, origin, behind, below, work, rises
        )
    else:
        bank = _banks(table, s, start, r, u, w, steps, behind, work, rises)
        prepare_rest(table, s, start, r, u, w, steps, origin, bank, work)
        if outcomes.length.size == 0:
            first = rises[_place_of_banks(r, u, w, behind, game)] if game.exact == 0 else steps
            if game.caught != 0 and game.exact == 0:
                first = rising(bank[:rows], begin, end, work.room)
            if game.keeps == 1:
                first = max(first, rising(work.farkle[:rows], begin, end, work.room))
            solve_tiers(turns, steps, min(steps, first), origin, bank, work)
        else:
            _expect(s, start, r, u, w, rows, origin, bank, work, outcomes)
    slack = work.slack if 2 * r >= game.roles else -work.slack
    for lane in range(begin, end):
        score = s - start - lane
        if not by_lesser(game) or (level if 2 * score == s else (2 * score < s) == behind):
            # a sum of chances may come out one rounding above 1
            value = work.values[block, origin, work.lists.start, lane] + slack
            table[r, u, w, s, PAD + score] = min(1.0, max(0.0, value))


GROUP = as_value(solve_group, _GROUP_SIGNATURE)
"""`solve_group`, as kernels are given it."""


@kernel
def _solve_pairs(solvers, table, s, first, r, u, w, players, twice, rises, below):
    """Renew the states of total s in which `paired_score` is first .. first + LANES - 1.

    Those in which the player with the other score is to move are in role r and mode u, the rest
    their mirror images.

    players : the work and the outcomes of both players, the first one's first
    twice : whether states of level scores are renewed with both. One that a farkle leads back to is
        then set to where it would stay, by the line through what both times made of it.
    rises : of each of the banks in scratch, the turn total from which on they do not fall, or -1
        where they are still to be filled; they are those of higher totals, so that they stay the
        same while these states are solved
    below : as of `solve_group`
    """
    turns, group = solvers
    work, theirs, one, other = players
    game, half = work.game, s // 2
    mirror = game.roles - 1 - r
    # lower bounds of both players, then upper ones
    is_first = r // (game.roles // game.sides) % 2 == 0
    own, opponents = work.lists.uses, theirs.lists.uses
    if not is_first:
        own, opponents = opponents, own
    if uses_left(u, game) > own or uses_left(w, game) > opponents:
        return
    here = table[r, u, w, s, PAD + half : PAD + half + 1]
    loops = twice and 2 * half == s and first <= half < first + LANES and u == w and r == mirror
    x, image = here[0] if loops else 0.0, 0.0
    # a choice of what holds so many arrays would take as long as a small group
    if is_first:
        group(turns, table, s, first, r, u, w, work, one, False, True, rises, below)
    else:
        group(turns, table, s, first, r, u, w, theirs, other, False, True, rises, below)
    if loops:
        image = here[0]
    start = s - first - LANES + 1
    if is_first:
        group(turns, table, s, start, mirror, w, u, theirs, other, True, twice, rises, below)
    else:
        group(turns, table, s, start, mirror, w, u, work, one, True, twice, rises, below)
    if loops and here[0] != image and image != x:
        # what a turn is worth falls as the value of a farkle does, by no more than that
        slope = max(-1.0, min(0.0, (here[0] - image) / (image - x)))
        here[0] = x + (image - x) / (1.0 - slope)


@kernel
def _renew(solvers, table, s, first, players):
    """Renew a group of LANES states of total s with their mirror images.

    players : as of `_solve_pairs`
    """
    game = players[0].game
    limit = game.farkle_limit
    rises, modes = np.full(len(players[0].banks), -1), limit * game.boards
    # those with fewer uses of badges first, which turns may lead to
    number = game.modes // modes
    for uses in range(number * number):
        own, others = uses // number, uses % number
        for count in range(2 * limit - 2, -1, -1):
            for u in range(own * modes, (own + 1) * modes):
                e = count - u % limit
                if not 0 <= e < limit:
                    continue
                for w in range(others * modes + e, (others + 1) * modes, limit):
                    for r in range(game.roles if by_lesser(game) else game.roles // 2):
                        given = players, False, rises, True
                        _solve_pairs(solvers, table, s, first, r, u, w, *given)


@entry(
    types.void(
        GROUP_TYPE,
        *TURN_TYPES,
        TABLE_TYPE,
        types.intp,
        array_type(types.boolean, 2),
        *WORK_TYPES,
        LISTS_TYPE,
        *CONTEST_TYPES,
    ),
    parallel=True,
)
def sweep_totals(
    group,
    turn,
    hot_best,
    three,
    all_dice,
    table,
    s,
    active,
    game,
    lists,
    bonuses,
    scratch,
    slack,
    others,
    one,
    other,
):
    """Renew the states of totals s, s - 1, ... in `active[0]`, `active[1]`, ... groups.

    Higher totals are done, and these do not depend on each other but for scores that cannot fall
    any further, all of them in the first groups. Inside a total a state depends only on the one
    with the players exchanged. So a task is a group of LANES states with their mirror images, but
    for the first groups, which are one task; no task touches the values of another, and the result
    is the same for any number of threads.
    """
    workers = len(scratch.lost)
    chain = np.flatnonzero(active[:, 0])
    # one group after the other, as those of one total share little that is in the cache
    groups, rows = np.nonzero(active[:, 1:].T)
    parts = shares(rows.size + 1, workers)
    for worker in prange(workers):
        own = own_work(game, lists, bonuses, scratch.values, scratch, slack, worker)
        # where both throw the same, turns of either side of a pair stay while badges may be used
        theirs = own_work(game, others, bonuses, scratch.others, scratch, slack, worker)
        players, solvers = (own, theirs, one, other), ((turn, hot_best, three, all_dice), group)
        for _ in range(rows.size + 1):
            task = next_task(parts, worker)
            if task < 0:
                break
            if task == 0:
                for row in chain:
                    first = max(0, s - row - game.scores + 1)
                    _renew(solvers, table, s - row, first, players)
            else:
                row = rows[task - 1]
                first = max(0, s - row - game.scores + 1) + (groups[task - 1] + 1) * LANES
                _renew(solvers, table, s - row, first, players)


@kernel
def _possible(slope):
    """Return a slope if a function may have it that rises by less than x does; else 0."""
    return slope if 0.0 <= slope < 1.0 - 1e-12 else 0.0


@entry(
    types.void(
        GROUP_TYPE,
        *TURN_TYPES,
        TABLE_TYPE,
        types.intp,
        array_type(types.boolean, 1),
        *WORK_TYPES,
        LISTS_TYPE,
        *CONTEST_TYPES,
        array_type(types.float64, 4),
        types.float64,
        types.float64,
        types.float64,
    ),
    parallel=True,
)
def solve_total(
    group,
    turn,
    hot_best,
    three,
    all_dice,
    table,
    s,
    active,
    game,
    lists,
    bonuses,
    scratch,
    slack,
    others,
    one,
    other,
    slopes,
    tolerance,
    least,
    wide,
):
    """Solve the states of total s in `active` groups for rules under which a farkle costs nothing.

    The value x of a state and that of its mirror image depend on each other by a farkle each:
    x = G(x), G piecewise linear with 0 <= G' < 1. Secant steps on G, lane by lane, end once what is
    left is within `tolerance` of both values, or of `least` if one is less. The first step takes
    the slope that continues those of the two totals before; what a step leaves is about its length
    times the change of the slope. Where G' is close to 1, rounding hides the slope between points
    that are near each other: then only points that are `wide` of x apart count for it, the first
    step goes that far by a slope of 0, and what is left is the length of a step, as a line through
    points on both sides of a kink tells less. A task is a group as in sweep_totals.

    slopes : at [role and mode, mode, total modulo 3, score], renewed in place
    wide : 0 unless values do not settle otherwise
    """
    workers = len(scratch.lost)
    lowest, tasks = max(0, s - game.scores + 1), np.flatnonzero(active)
    parts = shares(tasks.size, workers)
    for worker in prange(workers):
        own = own_work(game, lists, bonuses, scratch.values, scratch, slack, worker)
        # where both throw the same, turns of either side of a pair stay while badges may be used
        theirs = own_work(game, others, bonuses, scratch.others, scratch, slack, worker)
        players, solvers = (own, theirs, one, other), ((turn, hot_best, three, all_dice), group)
        last_x, last_image = np.empty(LANES), np.empty(LANES)
        last_other, falls = np.empty(LANES), np.empty(LANES)
        rises = np.full(len(own.banks), -1)
        modes, roles = game.modes, (game.roles + 1) // 2
        for _ in range(tasks.size):
            place = next_task(parts, worker)
            if place < 0:
                break
            first = lowest + tasks[place] * LANES
            # those with fewer uses of badges first, which turns may lead to
            for mode in range(roles * modes * modes):
                mirror, u, w = mode // modes // modes, mode // modes % modes, mode % modes
                r = game.roles - 1 - mirror
                low, high = own_scores(s, u, w, game)
                begin, end = max(first, low), min(first + LANES - 1, high)
                if game.roles == 1:
                    # of the player who is behind x is the smaller and so more exact number
                    end = min(end, s // 2)
                rises[:], falls[:] = -1, 0.0
                behind, ahead = table[r, u, w, s], table[mirror, w, u, s]
                lines = slopes[mirror * modes + u, w]
                slope, near, far = lines[s % 3], lines[(s + 1) % 3], lines[(s + 2) % 3]
                for k in range(begin, end + 1):
                    slope[k] = _possible(near[k] + near[k + 1] - far[k + 1]) if wide == 0.0 else 0.0
                for iteration in range(MAX_SECANT_STEPS if begin <= end else 0):
                    x_before = behind.copy()
                    given = players, True, rises, iteration == 0
                    _solve_pairs(solvers, table, s, first, mirror, w, u, *given)
                    error = 0.0
                    for score in range(begin, end + 1):
                        lane, x, image = score - first, x_before[PAD + score], behind[PAD + score]
                        other_image, known = ahead[PAD + s - score], slope[score]
                        change = 1.0
                        if iteration > 0 and abs(x - last_x[lane]) > max(_APART, wide / 2.0) * x:
                            risen, apart = image - last_image[lane], x - last_x[lane]
                            slope[score] = _possible(risen / apart)
                            falls[lane] = (other_image - last_other[lane]) / apart
                            if wide == 0.0:
                                change = abs(slope[score] - known) / (1.0 - slope[score])
                        distance = (image - x) / (1.0 - slope[score])
                        left = abs(distance) * change / max(min(image, other_image), least)
                        error = max(error, left)
                        if iteration == 0 and abs(distance) < wide * x:
                            distance = np.copysign(wide * x, distance)
                        last_x[lane], last_image[lane], last_other[lane] = x, image, other_image
                        moved = other_image + falls[lane] * distance
                        ahead[PAD + s - score] = min(1.0, max(0.0, moved))
                        behind[PAD + score] = min(1.0, max(0.0, x + distance))
                    if iteration > 0 and error <= tolerance:
                        break


@entry(
    types.Tuple((types.float64, types.intp))(
        TABLE_TYPE,
        TABLE_TYPE,
        types.intp,
        array_type(types.boolean, 2),
        GAME_TYPE,
        types.float64,
        array_type(types.float64, 2),
        array_type(types.float32, 5),
    ),
)
def note_changes(table, before, s, active, game, least, changed, change):
    """Hold the states of totals s, s - 1, ... against what they were before.

    before : the totals solved together, from the last one up to s
    active : of which groups turn totals are counted, at [how far below s, group]
    least : changes are relative to the value, or to this if it is less
    changed : at [total, group], set to the largest change of its states, unless it was neither
        solved nor guessed; relative to how far apart the bounds of a proof are
    change : set to the change of each value; nothing is written if it is empty

    Returns the largest relative change, NaN where one is, and how many turn totals are in the turns
    of active groups.
    """
    modes, rows = game.modes, len(active)
    largest, solved, most = 0.0, 0, np.empty(changed.shape[1])
    for row in range(rows):
        total = s - row
        first = max(0, total - game.scores + 1)
        most[:] = 0.0
        for r in range(game.roles):
            for u in range(modes):
                least_total = 1 if game.free_win == 1 else least_bank(u, game)
                for w in range(modes):
                    low, high = own_scores(total, u, w, game)
                    new, old = table[r, u, w, total], before[r, u, w, rows - 1 - row]
                    for own in range(low, high + 1):
                        group = (paired_score(total, own, r, game) - first) // LANES
                        value, moved = new[PAD + own], new[PAD + own] - old[PAD + own]
                        if change.size:
                            change[r, u, w, total, PAD + own] = moved
                        if value == 0.0:  # no state, where a player has no such uses of a badge
                            continue
                        if active[row, group]:
                            solved += max(game.scores - own, least_total)
                        relative = abs(moved) / max(value, least)
                        largest = np.maximum(largest, relative)  # which keeps a NaN
                        share = abs(moved) / (value * (1.0 - value) + _NARROW)
                        most[group] = np.maximum(most[group], share)
        for group in range(len(most)):
            # what is at rest keeps what it changed by when it was solved last
            if active[row, group] or most[group] != 0.0:
                changed[total, group] = most[group]
    return largest, solved


@kernel
def _logit(probability):
    return np.log(max(probability, 1e-300)) - np.log(max(1.0 - probability, 1e-15))


@entry(types.void(TABLE_TYPE, types.intp, types.intp, GAME_TYPE))
def guess_total(table, s, k, game):
    """Guess the states of total s with an opponent without farkles, of which nothing is known.

    Their logits continue those of higher totals: bilinear where both players are far enough from
    the goal, else linear along one score. Totals from s + k on are known, those over s guessed.
    Only for players on the board; what is guessed for others is 0.5.
    """
    scores, each = game.scores, game.farkle_limit * game.boards
    low, high = max(0, s - scores + 1), min(scores - 1, s)
    for r in range(game.roles):
        for mode in range(game.farkle_limit * (game.modes // each) ** 2):
            uses, f = divmod(mode, game.farkle_limit)
            u, w = uses // (game.modes // each) * each + f, uses % (game.modes // each) * each
            known = table[r, u, w]
            for own in range(low, high + 1):
                opponent = s - own
                if own + k < scores and opponent + k < scores:
                    logit = (
                        _logit(known[s + k, PAD + own + k])
                        + _logit(known[s + k, PAD + own])
                        - _logit(known[s + 2 * k, PAD + own + k])
                    )
                elif own + 2 * k < scores:
                    near, far = known[s + k, PAD + own + k], known[s + 2 * k, PAD + own + 2 * k]
                    logit = 2.0 * _logit(near) - _logit(far)
                elif opponent + 2 * k < scores:
                    near, far = known[s + k, PAD + own], known[s + 2 * k, PAD + own]
                    logit = 2.0 * _logit(near) - _logit(far)
                else:
                    continue
                known[s, PAD + own] = 1.0 / (1.0 + np.exp(-logit))


@entry(
    types.void(TABLE_TYPE, types.intp, types.intp, types.intp, GAME_TYPE),
)
def guess_between(table, s, above, below, game):
    """Guess the states of total s from those of total s - below and of three totals above.

    These are s + above and as far apart as it is from s - below. Logits are a cubic polynomial of
    the score of the player who is behind, in which they are smoother than in the other one; of that
    one's where the score would be below the floor. The other score is no higher than it can be.
    """
    modes, apart = game.modes, above + below
    moves = np.array([-below, above, above + apart, above + 2 * apart])
    shares = np.ones(len(moves))
    for k in range(len(moves)):
        for other in range(len(moves)):
            if other != k:
                shares[k] *= moves[other] / (moves[other] - moves[k])
    for r in range(game.roles):
        for u in range(modes):
            for w in range(modes):
                known = table[r, u, w]
                low, high = own_scores(s, u, w, game)
                for own in range(low, high + 1):
                    moves_own = (2 * own < s) == (min(own, s - own) >= below)
                    logit = 0.0
                    for k in range(len(moves)):
                        total = s + moves[k]
                        least, most = own_scores(total, u, w, game)
                        there = own + moves[k] if moves_own else own
                        there = min(max(there, least), most)
                        logit += shares[k] * _logit(known[total, PAD + there])
                    known[s, PAD + own] = 1.0 / (1.0 + np.exp(-logit))
