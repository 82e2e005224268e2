"""The game of two players whose badges are used up, solved for every state at the start of a turn.

A state has the uses that both have left besides the scores. A turn is solved in layers, one for
each number of uses left in it; a use leads to the layer of one less, and nothing gives one back.
Totals of both scores are solved from high to low as without badges, and each for all uses left, the
fewest first: what a turn may lead to is then solved, but for a farkle without a use.
"""

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numba
import numpy as np

from solver.errors import InvalidRulesError
from solver.game.lanes import LANES, lane_array
from solver.game.standings import LEAST, MAX_VALUES, score_count, value_shape
from solver.loaded import power_kernels
from solver.loaded.matchup import Matchup, MatchupSolution, uses_shape
from solver.loaded.totals import check_settled, check_winnable, done
from solver.turn.dice import DiceSet
from solver.turn.equations import Floats
from solver.turn.power_lists import Offers
from solver.turn.powers import Power, PowerKind, uses_of
from solver.turn.remaining import Ints, roll_chances, shape_of
from solver.turn.rerolls import find_rerolls

_KINDS = {
    PowerKind.WARLORD: power_kernels.WARLORD,
    PowerKind.RESURRECTION: power_kernels.RESURRECTION,
    PowerKind.MIGHT: power_kernels.MIGHT,
    PowerKind.DOPPELGANGER: power_kernels.OFFERED,
    PowerKind.TRANSMUTATION: power_kernels.OFFERED,
    PowerKind.REROLL: power_kernels.REROLL,
}
_NO_INDEX = np.zeros(1, dtype=np.intp)
_NO_LISTS = power_kernels.Lists(
    _NO_INDEX[:0], _NO_INDEX, _NO_INDEX, np.empty(0), np.empty((0, LANES))
)
_NO_NODES = power_kernels.Nodes(_NO_LISTS, _NO_LISTS, _NO_INDEX, _NO_INDEX, np.empty(0))


def solve_powers(
    matchup: Matchup,
    *,
    tolerance: float,
    threads: int | None = None,
    on_progress: Callable[[float], None] = lambda _: None,
) -> MatchupSolution:
    """Solve a match-up in which a badge is used up, see `solver.loaded.game.solve_matchup`.

    tolerance : how far each pair of states may be from its fixed point, relative to it or to LEAST
    """
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
    check_winnable(*(one.plain.farkles for one in players))
    scratch = [(_scratch(players[0], rows), _scratch(players[1], rows)) for _ in range(workers)]
    totals = 2 * scores - 1
    tables = np.full((*shape, 2, totals + 1, scores + LANES), 0.5)
    slopes = np.full((*shape, scores + LANES), 0.1)
    limits = tolerance, LEAST
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
                check_settled(rules, worst := report[:, 0].max(), tolerance)
                error += worst
                rounds += report[:, 1].sum()
                if mirrored and uses[0] > uses[1]:
                    _mirror(tables, s, uses)
            on_progress(done(totals - s, scores))
    own, opponent = np.indices((scores, scores))
    values = np.stack(
        (tables[:, :, 0, own + opponent, opponent], tables[:, :, 1, own + opponent, own]), axis=2
    )
    columns = sum(len(one.plain.farkles) for one in players)
    return MatchupSolution(
        matchup=matchup,
        values=values,
        error_bound=error,
        states_solved=int(rounds) * LANES * columns * rows // 2,
        seconds=time.perf_counter() - started,
    )


def _mirror(tables: Floats, s: int, uses: tuple[int, ...]) -> None:
    """Fill what two equal players have at total s with exchanged uses."""
    one, other = uses
    second = np.arange(s + 1)
    second = second[(second < tables.shape[-1]) & (s - second < tables.shape[-1])]
    tables[other, one, 0, s, second] = tables[one, other, 1, s, s - second]
    tables[other, one, 1, s, second] = tables[one, other, 0, s, s - second]


def _player(matchup: Matchup, side: int, rows: int) -> power_kernels.Player:
    """A side as the kernels take it, with turns of so many turn totals."""
    rules, thrown, power = matchup.rules, matchup.dice[side], matchup.powers[side]
    plain, found = matchup.offers(side)
    one_layer = power is None or power.is_of_bank
    layers = 1 if one_layer else (2 if power and power.once else 1 + uses_of(power))
    common = _lists(plain, layers, thrown)
    offers, added, nodes = common, _NO_LISTS, _NO_NODES
    if power and power.kind is PowerKind.MIGHT:
        added = _lists(found, layers, thrown, power)
    elif power and power.kind is PowerKind.REROLL:
        nodes = _nodes(plain, thrown, power)
    elif not one_layer:
        offers = _lists(found, layers, thrown)
    return power_kernels.Player(
        kind=_KINDS[power.kind] if power else power_kernels.NONE,
        layers=layers,
        once=int(bool(power and power.once)),
        at_start=int(bool(power and power.at_start)),
        plain=common,
        offers=offers,
        added=added,
        nodes=nodes,
        raised=np.array(power.raised(rules, rows) if power else range(rows), dtype=np.intp),
    )


def _lists(
    offers: Offers, layers: int, thrown: DiceSet, power: Power | None = None
) -> power_kernels.Lists:
    """Lists of a set as kernels take them; of rolls with the die that a power adds."""
    chances, farkles = offers.chances(thrown, power.die if power else None)
    return power_kernels.Lists(
        offers.places(layers, LANES),
        offers.starts,
        offers.first_list,
        chances,
        farkles[:, np.newaxis].repeat(LANES, axis=1),
    )


def _nodes(plain: Offers, thrown: DiceSet, power: Power) -> power_kernels.Nodes:
    """What dice may be rolled again, in the space of `power_kernels.Nodes`."""
    number = len(plain.starts) - 1
    found = find_rerolls(shape_of(thrown), power)
    places, lengths, chances, first_roll = [], [], [], [0]
    to, weights, sizes, first_node = [], [], [], [0]
    for column, rerolls in enumerate(found):
        first, end = plain.first_list[column : column + 2]
        own = plain.lists[column]
        lists = np.where(own == end - first, number, first + own)
        falls = np.flatnonzero(chance := roll_chances(thrown, column + 1))
        options = np.where(rerolls.offered < 0, -1, number + 1 + rerolls.offered)
        if not power.after_farkle:
            options[lists == number] = -1
        options = np.sort(np.hstack((lists[:, np.newaxis], options))[falls], axis=1)
        # equal dice make equal nodes
        options[:, 1:][options[:, 1:] == options[:, :-1]] = -1
        places.append(options[options >= 0])
        lengths.append((options >= 0).sum(axis=1))
        chances.append(chance[falls])
        first_roll.append(first_roll[-1] + len(falls))
        first_node.append(first_node[-1] + sum(len(rolls) for _, rolls in rerolls.blocks))
        for (_, rolls), block in zip(rerolls.blocks, rerolls.chances(thrown), strict=True):
            falls = np.flatnonzero(block)
            found_lists, added, size = _merged(lists[rolls[:, falls]], block[falls])
            to.append(found_lists)
            weights.append(added)
            sizes.append(size)
    outcomes = np.concatenate(to)
    return power_kernels.Nodes(
        rolls=power_kernels.Lists(
            (np.concatenate(places) * LANES).astype(np.intp),
            np.concatenate(([0], np.cumsum(np.concatenate(lengths)))).astype(np.intp),
            np.array(first_roll, dtype=np.intp),
            np.concatenate(chances),
            _NO_LISTS.farkles,
        ),
        outcomes=power_kernels.Lists(
            (outcomes * LANES).astype(np.intp),
            np.arange(len(outcomes) + 1, dtype=np.intp),
            _NO_INDEX,
            np.concatenate(weights),
            _NO_LISTS.farkles,
        ),
        first_outcome=np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.intp),
        first_node=np.array(first_node, dtype=np.intp),
        ones=np.ones(number),
    )


def _merged(lists: Ints, chances: Floats) -> tuple[Ints, Floats, Ints]:
    """The outcomes of nodes, those of a node that are worth the same as one.

    lists : what each outcome is worth, shape (nodes, outcomes); chances : of each outcome

    Returns what each is worth and its chance, node after node, and how many each node has.
    """
    order = np.argsort(lists, axis=1, kind="stable")
    lists = np.take_along_axis(lists, order, axis=1)
    is_first = np.ones(lists.shape, dtype=np.bool_)
    is_first[:, 1:] = lists[:, 1:] != lists[:, :-1]
    firsts = np.flatnonzero(is_first)
    added = np.add.reduceat(chances[order].ravel(), firsts)
    return lists.ravel()[firsts], added, is_first.sum(axis=1)


def _scratch(player: power_kernels.Player, rows: int) -> power_kernels.Scratch:
    """A thread's scratch for one player's turns of so many turn totals."""
    lanes = LANES
    columns = len(player.plain.farkles)
    row = player.layers * (columns + 1) * lanes
    lists = player.plain, player.offers, player.added
    reach = max(int(one.places.max(initial=0)) for one in lists) // row + 1
    most = int(np.diff(player.nodes.first_node).max(initial=0))
    return power_kernels.Scratch(
        values=lane_array((rows + reach + 1) * row, fill=1.0),
        bank=lane_array(rows, lanes),
        more=lane_array(rows, lanes),
        least=lane_array(rows, columns * lanes),
        instead=lane_array(rows, columns * lanes),
        rolled=lane_array(rows, columns * lanes),
        out=lane_array(columns * lanes),
        space=lane_array(2, (len(player.nodes.ones) + 1 + most) * lanes),
        said=lane_array(lanes),
    )
