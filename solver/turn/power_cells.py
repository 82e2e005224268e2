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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from solver.rules.ruleset import FACES, Ruleset
from solver.turn.dice import JOKER, Badge, DiceSet, Die, all_points_with_jokers
from solver.turn.equations import SETTLED, Endings, Floats, TurnPlan, TurnTable
from solver.turn.powers import Power, PowerKind
from solver.turn.remaining import (
    Bools,
    Ints,
    RollLists,
    Shape,
    any_set,
    decided,
    digit,
    gathered,
    roll_chances,
    shape_of,
    shown_by_rolls,
    targets_of_shown,
    worth_of,
)
from solver.turn.rerolls import Rerolls, find_rerolls

_KEPT = 4
"""Shapes whose lists are kept in memory."""
_WINS = 1
"""The end of a turn by a roll that wins, see `solver.turn.remaining.gathered`."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells that lie side by side, none of which is an option of another."""

    place: int
    """The place of the first one, counted from where the room of their turn total begins."""
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
    banked: Bools
    """Whether a player may bank instead, shape (cells,)."""

    def best(self, options: Floats) -> Floats:
        """Return what each list is worth, given what each option is."""
        worth: Floats = np.maximum.reduceat(options, self.starts[:-1])
        return worth

    def sums(self, best: Floats) -> Floats:
        """Return what each cell is worth, given what each list is."""
        worth: Floats = np.add.reduceat((best.T * self.chances).T, self.first_list[:-1])
        return worth


@dataclass(frozen=True, eq=False)
class TurnCells:
    """The cells of the turns of a player.

    They lie layer by layer, the fewest uses left last, and in a layer level by level, see TurnPlan;
    so what a use leads to lies a layer further on.
    """

    rules: Ruleset
    power: Power
    """What the badge allows that is used up."""
    plan: TurnPlan
    """The turn without the badge."""
    layers: int
    """Numbers of uses left that a turn may come to."""
    width: int
    """Cells of a turn total: W, R, what is given, and with a die that is added what rolling it is
    worth."""
    room: int
    """Cells that the room has."""
    solved: int
    """Turn totals that a turn has at most, but for those at which the goal is reached."""
    reach: int
    """Most steps that an option adds to the turn total."""
    outcomes: int
    """How many outcomes a chance is the sum of at most, each of which was rounded."""
    plain: tuple[Cells, ...]
    """The cells of the layer of the fewest uses, in the order in which they are worked out."""
    powered: tuple[Cells, ...]
    """The cells of all other layers."""

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
    def columns(self) -> int:
        """Return the number of remaining dice that a turn tells apart."""
        return self.plan.columns

    @property
    def given(self) -> slice:
        """Return the places of what is given: what a farkle is worth, a win, and a lost score.

        Of the last two only where rolls decide the game.
        """
        first = self.room + 2 * self.columns
        return slice(first, first + _given(self.rules))

    @property
    def rows(self) -> int:
        """Return how many rows a layer has: turn totals, after those for the room of the first."""
        return self.room // self.width + self.solved + self.reach + 1

    @property
    def layer(self) -> int:
        """Return how many cells a layer has."""
        return self.plan.levels * self.rows * self.width

    def places(self, options: Ints, level: int, block: int, *, beyond: bool = False) -> Ints:
        """Return the places of options at a level, if each has so many cells.

        beyond : whether all turn totals are alike, so that one row leads to itself
        """
        inside = options >= self.room
        layer, place = np.divmod((options - self.room).clip(0), self.layer)
        steps, cell = np.divmod(place, self.width)
        # nothing but a set-aside leads to all dice to be rolled or banked
        hot = inside & (cell == self.columns - 1)
        steps = (steps + hot * self.plan.bonuses[level]) * (not beyond)
        blocks = layer * self.plan.levels + hot * (self.plan.next_level(level) - level)
        places = self.room + blocks * block + steps * self.width + cell
        return np.where(inside, places, options)

    def turn(self, solved: int) -> "CellTurn":
        """Return room for turns of so many turn totals, from which on all are alike."""
        return CellTurn(self, solved)


class CellTurn:
    """Turns of cells in NumPy, with room for one of each number of uses left."""

    def __init__(self, cells: TurnCells, solved: int) -> None:
        """Make room for turns of so many turn totals, from which on all are alike."""
        self.cells, self.solved, self.rows = cells, solved, solved + cells.reach + 1
        self._block = cells.room + self.rows * cells.width
        self._space = np.zeros(cells.layers * cells.plan.levels * self._block)
        self.grids = self._space
        """The cells that were solved last, shape (levels, turn totals, cells of a turn total)."""

    def options(self, part: Cells, row: int, layer: int, level: int) -> Floats:
        """Return what options are worth at a turn total of a level."""
        places = self.cells.places(part.options, level, self._block)
        return self._space.take(self._begin(row, layer, level) + places)

    def solve(self, number: int, ends: Endings, raised: Floats | None = None) -> TurnTable:
        """Solve the layer of that number, those before being solved: the part of so many uses.

        ends : by turn total, with fewer of them, of which the last stands for all that follow
        raised : what banking with the badge is worth, where that may be, else NaN, (turn totals,)
        """
        cells, plan, columns = self.cells, self.cells.plan, self.cells.columns
        ends = ends._replace(banks=self._padded(ends.banks), farkles=self._padded(ends.farkles))
        grids = self._space.reshape(cells.layers, plan.levels, -1, cells.width)[-1 - number]
        grids = grids[:, cells.room // cells.width :]
        best = ends.bank if raised is None else np.fmax(ends.bank, raised)
        best = np.nan_to_num(best, nan=-1.0)
        rolls_on = ends.weighs or not plan.may_bank.all() or bool(plan.win_chances.any())
        given = np.empty((self.rows, 3))
        given[:, 0], given[:, 1], given[:, 2] = ends.farkle, ends.win[0], ends.lost[0]
        for level in range(plan.levels - 1, -1, -1):
            grid = grids[level]
            # no more than anything is worth: from below it settles, also in rounded numbers
            grid[self.solved :, :columns] = np.where(plan.may_bank, best[self.solved].clip(0), 0.0)
            before = grid[self.solved].copy()
            self._fill(number, level, [self.solved], given, best, beyond=rolls_on)
            while rolls_on and np.max(np.abs(grid[self.solved] - before)) > SETTLED:
                before = grid[self.solved].copy()
                self._fill(number, level, [self.solved], given, best, beyond=True)
            # from there on all turn totals are alike
            grid[self.solved :] = grid[self.solved]
            self._fill(number, level, range(self.solved - 1, -1, -1), given, best)
        # sums of chances may come out one rounding above 1
        np.minimum(grids, 1.0, out=grids)
        self.grids = grids
        values, rolls = (grids[:, :, begin : begin + columns, np.newaxis] for begin in (0, columns))
        return TurnTable(values, rolls, ends, plan)

    def _fill(
        self,
        number: int,
        level: int,
        rows: Iterable[int],
        given: Floats,
        best: Floats,
        *,
        beyond: bool = False,
    ) -> None:
        """Solve rows of a level of a layer, one after another.

        given : by row as of `TurnCells.given`, shape (turn totals, 3)
        best : bank, -1 where it is not allowed, shape (turn totals,)
        beyond : as of `TurnCells.places`
        """
        cells, parts = self.cells, self.cells.powered if number else self.cells.plain
        options = [cells.places(part.options, level, self._block, beyond=beyond) for part in parts]
        for row in rows:
            here = self._space[self._begin(row, number, level) :]
            here[cells.given] = given[row, : cells.given.stop - cells.given.start]
            for part, places in zip(parts, options, strict=True):
                worth = part.sums(part.best(here.take(places)))
                if part.banked.any():
                    np.maximum(worth, np.where(part.banked, best[row], -1.0), out=worth)
                here[part.place : part.place + len(worth)] = worth

    def _begin(self, row: int, layer: int, level: int) -> int:
        """Return where the room of a level begins at a turn total in steps."""
        blocks = (self.cells.layers - 1 - layer) * self.cells.plan.levels + level
        return blocks * self._block + row * self.cells.width

    def _padded(self, ends: Floats) -> Floats:
        """Return ends by turn total, (turn totals, 1), with as many as set-asides may lead to."""
        return np.pad(ends, ((0, self.rows - len(ends)), (0, 0)), mode="edge")


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
    plan: TurnPlan,
    thrown: DiceSet,
    power: Power,
    solved: int,
    *,
    joker_alone: bool,
    badge: Badge,
) -> TurnCells:
    """Return the cells of turns with a set, of which `lists` are what rolls offer without `power`.

    plan, solved : as of TurnCells

    Raises InvalidDiceError where nothing can score.
    """
    columns, given = lists.columns, _given(rules)
    width = (3 if power.kind is PowerKind.MIGHT else 2) * columns + given
    rerolls = find_rerolls(shape_of(thrown), power) if power.kind is PowerKind.REROLL else ()
    nodes = [[rolls.shape for _, rolls in reroll.blocks] for reroll in rerolls]
    most = max((sum(n for n, _ in node) for node in nodes), default=0)
    room = 2 * (len(lists.starts) + given) + most
    cells = TurnCells(
        rules=rules,
        power=power,
        plan=plan,
        layers=1 if power.is_of_bank else (2 if power.once else 1 + power.uses),
        width=width,
        room=-(-room // width) * width if rerolls else 0,
        solved=solved,
        reach=plan.reach,
        outcomes=max((most for node in nodes for _, most in node), default=0),
        plain=(),
        powered=(),
    )
    first, chances = cells.room + columns, lists.chances(thrown)
    numbers = np.arange(columns)
    rolls, farkles, *ends = _of_rolls(cells, lists, *chances)
    states = _cells(cells.room, [_singles(first + numbers)], banked=plan.may_bank)
    cells = replace(cells, plain=(_cells(first, [rolls, farkles, *ends]), states))
    if power.is_of_bank:
        return cells
    if power.kind is PowerKind.RESURRECTION:
        again = _Lists(
            cells=numbers,
            chances=chances[1][0],
            lengths=np.full(columns, 2),
            options=np.stack((farkles.options, first + numbers + cells.layer), axis=1).ravel(),
            used=np.tile([False, True], columns),
        )
        return replace(cells, powered=(_cells(first, [rolls, again, *ends]), states))
    if power.kind is PowerKind.REROLL:
        return _with_rerolls(cells, lists, thrown, power)
    die = Die(jokers=power.die.jokers)
    kind = replace(power, uses=1, at_start=False, once=False, die=die)
    offers = power_lists(lists, shape_of(thrown), kind, joker_alone=joker_alone, badge=badge)
    reach = int(offers.targets.max(initial=0)) // offers.width + max(plan.bonuses)
    cells = replace(cells, reach=max(cells.reach, reach))
    if power.kind is PowerKind.MIGHT:
        wider = _of_rolls(cells, offers, *offers.chances(thrown, power.die), below=cells.layer)
        added = _cells(cells.given.stop, [*wider])
        ways = np.stack((first + numbers, added.place + numbers), axis=1).ravel()
        either = _singles(ways)._replace(
            cells=numbers, chances=np.ones(columns), lengths=np.full(columns, 2)
        )
        states = _cells(cells.room, [either], banked=plan.may_bank)
        return replace(cells, powered=(added, cells.plain[0], states))
    rolled = _cells(first, [*_of_rolls(cells, offers, *offers.chances(thrown))])
    return replace(cells, powered=(rolled, states))


def _given(rules: Ruleset) -> int:
    """How many cells of a turn total are given, see `TurnCells.given`."""
    return 3 if rules.decisive else 1


def _cells(place: int, parts: list[_Lists], banked: Bools | None = None) -> Cells:
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
        banked=np.zeros(cells.max() + 1, dtype=np.bool_) if banked is None else banked,
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


def _of_rolls(
    cells: TurnCells, lists: RollLists, chances: Floats, ends: Floats, *, below: int = 0
) -> Iterator[_Lists]:
    """What rolls offer in the layer so many cells further on: the lists of R(n).

    And those of rolls that end the turn, by what is given.

    ends : the chances of these, as of `RollLists.chances`
    """
    columns = cells.columns
    steps, cell = np.divmod(lists.targets[lists.options], lists.width)
    used = (cell >= columns) & (cell < 2 * columns)
    places = cells.room + cell + used * (cells.layer - columns)
    yield _Lists(
        cells=lists.column_of_lists,
        chances=chances,
        lengths=np.diff(lists.starts, append=len(lists.options)),
        options=steps * cells.width + places + below,
        used=used,
    )
    for place, shares in zip(range(cells.given.start, cells.given.stop), ends, strict=False):
        yield _singles(np.full(columns, place + below), shares)


def _with_rerolls(cells: TurnCells, lists: RollLists, thrown: DiceSet, power: Power) -> TurnCells:
    """The cells of a turn in which dice of a roll may be rolled again.

    In the room are what each list of set-asides and what is given are worth with one use less, then
    the same with as many, and then what may be rolled again of the dice of a column.
    """
    columns, number = cells.columns, len(lists.starts)
    rolls = next(_of_rolls(cells, lists, np.ones(number), np.empty((0, columns))))
    given = np.arange(cells.given.start, cells.given.stop)
    each, size = [], number + len(given)
    for shift in (0, 1):
        for part in (
            rolls._replace(cells=np.arange(number)),
            _singles(given, cells=number + np.arange(len(given))),
        ):
            options = part.options + (1 - shift) * cells.layer
            each.append(part._replace(cells=part.cells + shift * size, options=options))
    powered = [_cells(0, each)]
    for column, rerolls in enumerate(find_rerolls(shape_of(thrown), power)):
        first, end = lists.first_list[column : column + 2]
        own = lists.lists[column]
        of_rolls = np.where(own < end - first, first, number - (end - first)) + own
        nodes = [*_nodes(rerolls, thrown, of_rolls, size)]
        if nodes:
            powered.append(_cells(2 * size, nodes))
        falls = np.flatnonzero(chance := roll_chances(thrown, column + 1))
        options = np.where(rerolls.offered < 0, -1, 2 * size + rerolls.offered)
        # what is decided is so before the badge can act
        options[of_rolls >= number + power.after_farkle] = -1
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
        powered.append(_cells(cells.room + columns + column, [part]))
    return replace(cells, powered=(*powered, cells.plain[-1]))


def _nodes(rerolls: Rerolls, thrown: DiceSet, of_rolls: Ints, size: int) -> Iterator[_Lists]:
    """Lists of the nodes of a column: outcomes that are worth the same list are one.

    of_rolls : the list of each roll, or of what is given
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

    Cells behind those of the remaining dice are the same with a use, a farkle that is taken as it
    is, and a win. Of `MIGHT` they are what rolls with the die that is added offer once it is.
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
    worth, offsets, ends = worth_of(rules, points), [], []
    columns, every = thrown.whole, not rules.more_is_better
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
        fates = [decided(rules, faces) for faces in (shown, *changed)]
        reached = [
            targets_of_shown(rules, thrown, dice, faces, worth, every=every)[0]
            for faces in (shown, *changed)
        ]
        for leads_to, fate in zip(reached, fates, strict=True):
            leads_to[fate >= 0] = -1
        if adds:
            # rolls with one die may lead to more than those with another
            most = max(places.shape[1] for places in reached)
            wide = (
                np.pad(places + 1, ((0, 0), (0, most - places.shape[1]))) for places in reached[1:]
            )
            offsets.append(np.vstack([*wide]) - 1)
            ends.append(np.concatenate(fates[1:]).clip(0))
        else:
            turned = np.hstack(reached[1:]) if every else np.max(reached[1:], axis=0)
            offsets.append(_either(columns, reached[0], turned, fates, power.after_farkle))
            ends.append(fates[0].clip(0))
    return gathered(rules, columns if adds else 2 * columns + 2, offsets, ends, [])


def _either(columns: int, best: Ints, turned: Ints, fates: list[Ints], after_farkle: bool) -> Ints:
    """Where rolls lead to as they are, and by a use with one die turned or another.

    fates : of rolls as they are, then of those with each of the dice turned
    """
    wins = np.any(np.array(fates[1:]) == _WINS, axis=0)
    farkles = ~np.any(best >= 0, axis=1)
    closed = fates[0] > 0 if after_farkle else farkles
    turned[closed], wins[closed] = -1, False
    as_it_is = farkles & (np.any(turned >= 0, axis=1) | wins)
    width = 2 * columns + 2
    plain, use = (
        np.where(places >= 0, places // columns * width + places % columns + behind, -1)
        for places, behind in ((best, 0), (turned, columns))
    )
    ends = (np.where(rolls, 2 * columns + k, -1) for k, rolls in enumerate((as_it_is, wins)))
    return np.hstack((plain, use, np.stack([*ends], axis=1)))
