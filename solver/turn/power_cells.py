"""A turn in which a badge may be used, as cells that are worked out one after another.

For each number of uses left a turn total has a layer of cells: what the states of the turn are
worth, W(n), what rolling is worth, R(n), and behind both what a farkle is worth. A cell is a sum
over lists, of which each adds its chance times the most that one of its options is worth; and an
option is a cell of a higher turn total, of the layer of one use less, or one that was worked out
before. In front of a turn total's cells there is room for what only other cells of it depend on,
where those of lower turn totals, which are solved later, come to lie. So what a badge allows is
nothing but which lists there are.

All of it follows from what rolls offer (`solver.turn.remaining`), and the chances of a set.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import JOKER, Badge, DiceSet, Die, all_points_with_jokers
from solver.turn.equations import Floats
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import (
    Bools,
    Ints,
    RollLists,
    Shape,
    any_set,
    best_of_shown,
    digit,
    gathered,
    roll_chances,
    shape_of,
    shown_by_rolls,
    worth_of,
)
from solver.turn.rerolls import Rerolls, find_rerolls

_KEPT = 4
"""Shapes whose lists are kept in memory."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells that lie side by side, none of which is an option of another."""

    place: int
    """That of the first one, counted from where the room of their turn total begins."""
    options: Ints
    """Places of the options, likewise, list after list, shape (options,)."""
    used: Bools
    """Whether an option uses the badge, shape (options,)."""
    starts: Ints
    """Where each list starts in `options`, and the end, shape (lists + 1,)."""
    first_list: Ints
    """The first list of each cell, and the end, shape (cells + 1,)."""
    chances: Floats
    """The chance of each list, shape (lists,)."""
    banked: bool = False
    """Whether a player may bank instead."""

    def best(self, options: Floats) -> Floats:
        """Return what each list is worth, given what each option is."""
        found: Floats = np.maximum.reduceat(options, self.starts[:-1])
        return found

    def sums(self, best: Floats) -> Floats:
        """Return what each cell is worth, given what each list is."""
        found: Floats = np.add.reduceat((best.T * self.chances).T, self.first_list[:-1])
        return found


@dataclass(frozen=True, eq=False)
class TurnCells:
    """The cells of the turns of a player.

    They lie layer by layer, the fewest uses left last; so what a use leads to lies a layer further
    on.
    """

    rules: Ruleset
    power: Power
    """What the badge allows that is used up."""
    columns: int
    layers: int
    """Numbers of uses left that a turn may come to."""
    width: int
    """Cells of a turn total: W, R, a farkle, and with a die that is added what rolling it is worth.
    """
    room: int
    """Cells that the room has."""
    solved: int
    """Turn totals that a turn has at most, but for those at which the goal is reached."""
    reach: int
    """Most steps that an option adds to the turn total."""
    outcomes: int
    """How many outcomes a chance is the sum of at most, each of which was rounded."""
    plain: tuple[Cells, ...]
    """Those of the layer of the fewest uses, in the order in which they are worked out."""
    powered: tuple[Cells, ...]
    """Those of all other layers."""

    @property
    def uses(self) -> int:
        """Return how often the badge may be used in a game."""
        return self.power.uses

    @property
    def at_start(self) -> bool:
        """Whether a use has to be said before the first roll."""
        return self.power.at_start

    def raised(self, rows: int) -> list[int]:
        """Return what the badge makes of turn totals that are banked, [] if it does not."""
        return self.power.raised(self.rules, rows) if self.power.is_of_bank else []

    @property
    def farkle(self) -> int:
        """Return the place of what a farkle is worth, which is given."""
        return self.room + 2 * self.columns

    @property
    def rows(self) -> int:
        """Return how many rows a layer has: turn totals, after those for the room of the first."""
        return self.room // self.width + self.solved + self.reach + 1

    @property
    def layer(self) -> int:
        """Return how many cells a layer has."""
        return self.rows * self.width

    def begin(self, row: int, layer: int) -> int:
        """Return where the room of a layer begins at a turn total in steps."""
        return (self.layers - 1 - layer) * self.layer + row * self.width

    def of_layer(self, layer: int) -> tuple[Cells, ...]:
        """Return the cells of a layer, of which the first is that of the fewest uses."""
        return self.powered if layer else self.plain


class _Lists(NamedTuple):
    """Lists of some cells, in any order; arguments of `Cells` beside."""

    cells: Ints
    """The cell of each list."""
    chances: Floats
    lengths: Ints
    options: Ints
    used: Bools


def turn_cells(
    rules: Ruleset,
    lists: RollLists,
    thrown: DiceSet,
    power: Power,
    solved: int,
    *,
    joker_alone: bool,
    badge: Badge,
) -> TurnCells:
    """Return the cells of turns with a set, of which `lists` are what rolls offer without `power`.

    solved : as of TurnCells

    Raises InvalidDiceError where nothing can score.
    """
    columns = lists.columns
    width = (3 if power.kind is PowerKind.MIGHT else 2) * columns + 1
    rerolls = find_rerolls(shape_of(thrown), power) if power.kind is PowerKind.REROLL else ()
    nodes = [[rolls.shape for _, rolls in one.blocks] for one in rerolls]
    room = 2 * (len(lists.starts) + 1) + max((sum(n for n, _ in some) for some in nodes), default=0)
    found = TurnCells(
        rules=rules,
        power=power,
        columns=columns,
        layers=1 if power.is_of_bank else (2 if power.once else 1 + power.uses),
        width=width,
        room=-(-room // width) * width if rerolls else 0,
        solved=solved,
        reach=int(lists.targets.max(initial=0)) // columns,
        outcomes=max((most for some in nodes for _, most in some), default=0),
        plain=(),
        powered=(),
    )
    first, chances = found.room + columns, lists.chances(thrown)
    numbers = np.arange(columns)
    farkles = _singles(np.full(columns, found.farkle), chances[1][0])
    rolls = _of_rolls(found, lists, chances[0])
    states = _cells(found.room, [_singles(first + numbers)], banked=True)
    found = replace(found, plain=(_cells(first, [rolls, farkles]), states))
    if power.is_of_bank:
        return found
    if power.kind is PowerKind.RESURRECTION:
        again = _Lists(
            cells=numbers,
            chances=chances[1][0],
            lengths=np.full(columns, 2),
            options=np.stack((farkles.options, first + numbers + found.layer), axis=1).ravel(),
            used=np.tile([False, True], columns),
        )
        return replace(found, powered=(_cells(first, [rolls, again]), states))
    if power.kind is PowerKind.REROLL:
        return _with_rerolls(found, lists, thrown, power)
    die = Die(jokers=power.die.jokers)
    kind = replace(power, uses=1, at_start=False, once=False, die=die)
    offers = power_lists(lists, shape_of(thrown), kind, joker_alone=joker_alone, badge=badge)
    reach = max(found.reach, int(offers.targets.max(initial=0)) // offers.width)
    found = replace(found, reach=reach)
    if power.kind is PowerKind.MIGHT:
        wider, others = offers.chances(thrown, power.die)
        below = np.full(columns, found.farkle + found.layer)
        added = _cells(
            found.farkle + 1,
            [_of_rolls(found, offers, wider, below=found.layer), _singles(below, others[0])],
        )
        ways = np.stack((first + numbers, added.place + numbers), axis=1).ravel()
        either = _singles(ways)._replace(
            cells=numbers, chances=np.ones(columns), lengths=np.full(columns, 2)
        )
        states = _cells(found.room, [either], banked=True)
        return replace(found, powered=(added, found.plain[0], states))
    wider, others = offers.chances(thrown)
    farkles = farkles._replace(chances=others[0])
    rolls = _of_rolls(found, offers, wider)
    return replace(found, powered=(_cells(first, [rolls, farkles]), states))


def _cells(place: int, parts: list[_Lists], *, banked: bool = False) -> Cells:
    """Cells from the place of the first on, each with all its lists."""
    cells, chances, lengths, options, used = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(cells, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    in_order = np.argsort(rank.repeat(lengths), kind="stable")
    return Cells(
        place=place,
        options=options[in_order].astype(np.intp),
        used=used[in_order].astype(np.bool_),
        starts=np.concatenate(([0], np.cumsum(lengths[order]))).astype(np.intp),
        first_list=np.searchsorted(cells[order], np.arange(cells.max() + 2)),
        chances=chances[order],
        banked=banked,
    )


def _singles(options: Ints, chances: Floats | None = None, cells: Ints | None = None) -> _Lists:
    """Lists of one option each, one for each cell and with certainty unless more is told."""
    number = len(options)
    return _Lists(
        cells=np.arange(number) if cells is None else cells,
        chances=np.ones(number) if chances is None else chances,
        lengths=np.ones(number, dtype=np.intp),
        options=options,
        used=np.zeros(number, dtype=np.bool_),
    )


def _of_rolls(found: TurnCells, lists: RollLists, chances: Floats, *, below: int = 0) -> _Lists:
    """What rolls offer in the layer so many cells further on: the lists of R(n)."""
    columns = found.columns
    steps, cell = np.divmod(lists.targets[lists.options], lists.width)
    used = (cell >= columns) & (cell < 2 * columns)
    places = found.room + cell + used * (found.layer - columns)
    return _Lists(
        cells=lists.column_of_lists,
        chances=chances,
        lengths=np.diff(lists.starts, append=len(lists.options)),
        options=steps * found.width + places + below,
        used=used,
    )


def _with_rerolls(found: TurnCells, lists: RollLists, thrown: DiceSet, power: Power) -> TurnCells:
    """The cells of a turn in which dice of a roll may be rolled again.

    In the room are what each list of set-asides and a farkle are worth with one use less, then the
    same with as many, and then what may be rolled again of the dice of a column.
    """
    columns, number = found.columns, len(lists.starts)
    rolls = _of_rolls(found, lists, np.ones(number))._replace(cells=np.arange(number))
    farkle = _singles(np.array([found.farkle]), cells=np.array([number]))
    each, size = [], number + 1
    for shift in (0, 1):
        for part in (rolls, farkle):
            options = part.options + (1 - shift) * found.layer
            each.append(part._replace(cells=part.cells + shift * size, options=options))
    powered = [_cells(0, each)]
    for column, rerolls in enumerate(find_rerolls(shape_of(thrown), power)):
        first, end = lists.first_list[column : column + 2]
        own = lists.lists[column]
        of_rolls = np.where(own == end - first, number, first + own)
        nodes = [*_nodes(rerolls, thrown, of_rolls, size)]
        if nodes:
            powered.append(_cells(2 * size, nodes))
        falls = np.flatnonzero(chance := roll_chances(thrown, column + 1))
        options = np.where(rerolls.offered < 0, -1, 2 * size + rerolls.offered)
        if not power.after_farkle:
            options[of_rolls == number] = -1
        options = np.sort(np.hstack((size + of_rolls[:, np.newaxis], options))[falls], axis=1)
        # equal dice make equal nodes
        options[:, 1:][options[:, 1:] == options[:, :-1]] = -1
        offered = options[options >= 0]
        part = _Lists(
            cells=np.zeros(len(falls), dtype=np.intp),
            chances=chance[falls],
            lengths=(options >= 0).sum(axis=1),
            options=offered,
            used=offered >= 2 * size,
        )
        powered.append(_cells(found.room + columns + column, [part]))
    return replace(found, powered=(*powered, found.plain[-1]))


def _nodes(rerolls: Rerolls, thrown: DiceSet, of_rolls: Ints, size: int) -> Iterator[_Lists]:
    """Lists of the nodes of a column: outcomes that are worth the same list are one.

    of_rolls : the list of each roll, `size` - 1 for a farkle
    """
    before = 0
    for (_, rolls), chances in zip(rerolls.blocks, rerolls.chances(thrown), strict=True):
        nodes = before + np.arange(len(rolls))[:, np.newaxis]
        which, own = np.unique(nodes * size + of_rolls[rolls], return_inverse=True)
        weights = np.bincount(own.ravel(), np.broadcast_to(chances, rolls.shape).ravel())
        falls = weights > 0
        yield _singles(which[falls] % size, weights[falls].astype(np.float64), which[falls] // size)
        before += len(rolls)


def power_lists(
    lists: RollLists, shape: Shape, power: Power, *, joker_alone: bool = False, badge: Badge = ()
) -> RollLists:
    """Return what the rolls of a shape offer to who may use a power on them.

    Cells behind those of the remaining dice are the same with a use, and a farkle that is taken as
    it is. Of `MIGHT` they are what rolls with the die that is added offer once it is.
    """
    if power.kind is PowerKind.DOPPELGANGER:
        return _doubled(lists)
    return _offered(lists.rules, shape, power, joker_alone, badge)


def _doubled(lists: RollLists) -> RollLists:
    """Every option also with twice the steps, by a use."""
    columns, width = lists.columns, 2 * lists.columns + 1
    steps, cell = np.divmod(lists.targets[lists.options], columns)
    numbers = np.arange(len(lists.starts)).repeat(np.diff(lists.starts, append=len(lists.options)))
    offsets = np.concatenate((steps * width + cell, 2 * steps * width + columns + cell))
    offsets = offsets[np.argsort(np.tile(numbers, 2), kind="stable")]
    targets, options = np.unique(offsets, return_inverse=True)
    return replace(lists, width=width, targets=targets, options=options, starts=2 * lists.starts)


@lru_cache(maxsize=_KEPT)
def _offered(
    rules: Ruleset, shape: Shape, power: Power, joker_alone: bool, badge: Badge
) -> RollLists:
    thrown, adds = any_set(shape), power.kind is PowerKind.MIGHT
    points = all_points_with_jokers(rules, joker_alone=joker_alone, badge=badge, added=int(adds))
    worth, offsets = worth_of(rules, points), []
    columns = thrown.whole
    for dice in range(1, columns + 1):
        shown = shown_by_rolls(thrown, dice)
        changed = []
        if adds:
            for face in FACES:
                die = np.full((len(shown), 1), digit(JOKER if face in power.die.jokers else face))
                changed.append(np.hstack((shown, die)))
        else:
            for place in range(shown.shape[1]):
                changed.append(shown.copy())
                changed[-1][:, place] = digit(power.amount)
        best, *used = (
            best_of_shown(rules, thrown, dice, one, worth)[0] for one in (shown, *changed)
        )
        offsets.append(np.vstack(used) if adds else _either(best, used, power.after_farkle))
    ends = [np.zeros(len(of_rolls), dtype=np.intp) for of_rolls in offsets]
    return gathered(rules, columns if adds else 2 * columns + 1, offsets, ends, [])


def _either(best: Ints, used: list[Ints], after_farkle: bool) -> Ints:
    """Where rolls lead to as they are, and by a use with one die turned or another."""
    columns = best.shape[1]
    turned, farkles = np.max(used, axis=0), ~np.any(best >= 0, axis=1)
    if not after_farkle:
        turned[farkles] = -1
    by_use = farkles & np.any(turned >= 0, axis=1)
    plain, use = (
        np.where(some >= 0, some // columns * (2 * columns + 1) + some % columns + behind, -1)
        for some, behind in ((best, 0), (turned, columns))
    )
    return np.hstack((plain, use, np.where(by_use, 2 * columns, -1)[:, np.newaxis]))
