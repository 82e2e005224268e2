"""One turn's equations of a rule set as straight-line source for numba, kept in a folder.

What is done in all lanes is a body for solver.game.lane_code, which makes it full-width vector
instructions.
"""

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solver.errors import SolveError
from solver.folders import is_ours, make_private, one_at_a_time
from solver.game.lane_code import VERSION
from solver.game.lanes import LANES
from solver.game.layout import DUE
from solver.game.list_kernels import turn_by_seat, turn_of_lists
from solver.game.standings import FEW_SCORES
from solver.turn.equations import EVEN, TurnPlan

PARTS = 4
"""Parts in which a sum is added up side by side, as an addition waits for the one before."""


class Weighed(NamedTuple):
    """What a turn function weighs; it stops where something else may be best."""

    rolled: int | None = None
    """Columns that are worth a roll, the last so many; None for all."""
    hot_best: bool = False
    """Whether hot dice are worth as much as any others with no more points."""


class Turns(NamedTuple):
    """Turn functions of a rule set, see `turn_source`. Where one stops the one before goes on."""

    whole: Callable[..., Any]
    """Weighs everything."""
    hot_best: Callable[..., Any]
    """Goes on as far as hot dice are best, where they may be banked."""
    three: Callable[..., Any]
    """Goes on as far as, besides, only the three largest numbers of dice are worth a roll."""
    all_dice: Callable[..., Any]
    """Goes on as far as, besides, only all dice are worth a roll."""


LISTED = Turns(*[turn_of_lists] * len(Turns._fields))
"""Turn functions of turns whose lists are gone through, see `bounds.slacks_of`."""

EVERYTHING = Weighed()


def turn_source(
    plan: TurnPlan, weighed: Weighed = EVERYTHING, planes: int = 1, *, reverse: bool = False
) -> str:
    """Source of ``turn(values, hot, bank, farkle, lost, lists, steps)``, a pass over turn totals.

    It returns the least turn total that it solved; what it wrote below that is of no use.

    weighed : if not everything, the pass ends before the first turn total at which a roll of other
        columns is worth more than to bank, or other dice more than hot ones; what it solved is what
        the pass that weighs everything finds, but for rounding. Banks and farkles in the rows must
        not fall.
    planes : values of a state: the mover's, then those of as many players after it. The mover takes
        the option with the greatest own value, and what it is worth to the others comes with it; of
        options that are even for the mover the first in the order of solver.turn.equations.
    reverse : whether options that are even are taken in the opposite order

    values : float64, rows of dice * planes * LANES; row t holds W(t, n) of the dice 1.. in turn.
        Rows from `steps` on are read, the others are written.
    hot : float64, rows like those of values; row t holds in its last planes W of hot dice that were
        reached with t points, bonus aside. It may be a part of `values`.
    bank, farkle : float64, rows of planes * LANES, the values of banking at t, the mover's being
        NOT_ALLOWED where it is not, and of a farkle; just one row where that is the same at any t.
    lost : float64, planes * LANES, the value of a roll that loses everything.
    lists : those of the plan, which the source has in itself; `list_kernels.turn_of_lists` and
        `turn_by_seat`, whose arguments are these, go through them
    """
    row, cell = plan.columns * planes * LANES, planes * LANES
    body, rolls = _rolled(plan, weighed, planes, reverse=reverse)
    body += _decided(plan, weighed, rolls, reverse=reverse)
    lines = [
        '"""Made by solver/game/kernel_source.py; safe to delete."""',
        "from solver.game.kernels import TURN_SIGNATURE, entry",
        "from solver.game.lane_code import lane_code",
        f"# lane_code {VERSION}",
        'roll = lane_code("""',
        *body,
        '""", ("v", "h", "b", "f", "lost"))',
        "",
        "@entry(TURN_SIGNATURE)",
        "def turn(values, hot, bank, farkle, lost, lists, steps):",
        f"    stride = {cell} if len(farkle) > {cell} else 0",
        "    for t in range(steps - 1, -1, -1):",
        f"        v, h = values[t * {row}:], hot[t * {row}:]",
        f"        b, f = bank[t * {cell}:], farkle[t * stride:]",
        "        if roll(v, h, b, f, lost):",
        "            return t + 1",
        "    return 0",
    ]
    return "\n".join(lines) + "\n"


def _rolled(
    plan: TurnPlan, weighed: Weighed, planes: int, *, reverse: bool
) -> tuple[list[str], list[list[str]]]:
    """What finds the worth of rolling each column, and the names of it in each plane."""
    dice = plan.columns
    body: list[str] = []
    named: dict[tuple[int, ...], list[str]] = {}

    def best(places: tuple[int, ...]) -> list[str]:
        """Emit the best of some places just before its first use: short lives, few registers.

        Lists that begin alike share the best of their beginnings.
        """
        if places not in named:
            *before, last = places
            array = "h" if last % plan.width == plan.width - 1 else "v"  # hot dice or not
            values = _planes(array, last * planes * LANES, planes)
            if before:
                # targets ascend by points and then by the dice left
                pair = best((last,)), best(tuple(before))
                values = _better(*(reversed(pair) if reverse else pair))
            names = [f"x{len(named)}_{p}" for p in range(planes)]
            body.extend(f"{name} = {value}" for name, value in zip(names, values, strict=True))
            named[places] = names
        return named[places]

    sums = [_ended(plan, n, planes) for n in range(dice)]
    added = [0] * dice
    for n, chance, lists in rolled_terms(plan, weighed):
        part, bests = added[n] % PARTS, [best(places) for places in lists]
        for p, parts in enumerate(sums[n]):
            name = f"s{n}_{added[n]}_{p}"
            so_far = f"{parts[part]} + " if part < len(parts) else ""
            values = " + ".join(by_plane[p] for by_plane in bests)
            body.append(f"{name} = {so_far}{chance!r} * ({values})")
            parts[part : part + 1] = [name]
        added[n] += 1
    rolls = []
    for n in range(dice):
        rolls.append([f"r{n}_{p}" for p in range(planes)])
        body += [f"r{n}_{p} = {' + '.join(parts)}" for p, parts in enumerate(sums[n])]
    return body, rolls


def _decided(
    plan: TurnPlan, weighed: Weighed, rolls: list[list[str]], *, reverse: bool
) -> list[str]:
    """What writes the worth of each column, rolls being worth so much, and says when to stop."""
    dice, planes, banked = plan.columns, len(rolls[0]), _banked(plan, weighed)
    bank = _planes("b", 0, planes)
    body: list[str] = []
    ends = [[f"w{n}_{p}" for p in range(planes)] for n in range(dice)]
    for n in range(dice):
        worth = rolls[n]
        if n < banked:
            worth = bank
        elif plan.must_bank[n]:
            worth = _better(bank, rolls[n], DUE)
        elif plan.may_bank[n]:
            worth = _better(rolls[n], bank) if reverse else _better(bank, rolls[n])
        body += [f"{name} = {value}" for name, value in zip(ends[n], worth, strict=True)]
    # once everything is read
    for n in range(dice):
        places = _planes("v", n * planes * LANES, planes)
        body += [f"{place} = {name}" for place, name in zip(places, ends[n], strict=True)]
    excess = []
    if banked:
        excess.append(f"{_greatest([rolls[n][0] for n in range(banked)])} - b[0]")
    if weighed.hot_best and banked < dice - 1:
        others = _greatest([ends[n][0] for n in range(banked, dice - 1)])
        excess.append(f"{others} - h[{(dice - 1) * LANES}]")
    if excess:
        body.append(f"found = {_greatest(excess)}")
    return body


def _planes(array: str, place: int, planes: int) -> list[str]:
    """The values from a place of an array on."""
    return [f"{array}[{place + p * LANES}]" for p in range(planes)]


def _better(one: list[str], other: list[str], even: float = EVEN) -> list[str]:
    """What is better for the mover, whose value is the first; `one` where they are even."""
    if len(one) == 1 and even == EVEN:
        return [f"max({one[0]}, {other[0]})"]
    stays = f"{one[0]} + {even!r} >= {other[0]}"
    return [f"{value} if {stays} else {instead}" for value, instead in zip(one, other, strict=True)]


def _greatest(terms: list[str]) -> str:
    """The maximum of some terms, found in few steps one after the other."""
    while len(terms) > 1:
        pairs = [terms[k : k + 2] for k in range(0, len(terms), 2)]
        terms = [f"max({', '.join(pair)})" if len(pair) > 1 else pair[0] for pair in pairs]
    return terms[0]


def _ended(plan: TurnPlan, n: int, planes: int) -> list[list[str]]:
    """What rolls of column n that end the turn are worth in each plane, as the first part of it."""
    farkles, loses, wins = (
        float(chances[n]) for chances in (plan.counted_farkles, plan.other_ends, plan.win_chances)
    )
    sums = []
    for p in range(planes):
        terms = [f"{farkles!r} * f[{p * LANES}]"]
        terms += [f"{loses!r} * lost[{p * LANES}]"] if loses else []
        terms += [f"{wins!r}"] if wins and p == 0 else []
        sums.append([" + ".join(terms)])
    return sums


def summands(plan: TurnPlan, weighed: Weighed) -> list[list[list[tuple[float, int]]]]:
    """The sum of each column of a turn function, part after part: chances and of how many values.

    Values of one chance are added up in their order before they are multiplied. In the end parts
    are added up from the first one on.
    """
    columns = [
        [[(float(end), 1) for end in ends if end], *([] for _ in range(PARTS - 1))]
        for ends in zip(plan.counted_farkles, plan.other_ends, plan.win_chances, strict=True)
    ]
    added = [0] * plan.columns
    for n, chance, lists in rolled_terms(plan, weighed):
        columns[n][added[n] % PARTS].append((chance, len(lists)))
        added[n] += 1
    return columns


def turns_weigh(plan: TurnPlan) -> list[Weighed]:
    """What the turn functions of a plan weigh, see `Turns`. The first one weighs everything."""
    # with few dice it is not known whether they may be banked, nor which are best in other layers
    if plan.must_roll_others or len(plan.memories) > 1:
        return [EVERYTHING]
    hot_best = not plan.must_roll_hot
    fewer = [Weighed(rolled, hot_best) for rolled in (None, 3, 1) if (rolled or 0) < plan.columns]
    return list(dict.fromkeys([EVERYTHING, *fewer]))


def _banked(plan: TurnPlan, weighed: Weighed) -> int:
    return plan.columns - (weighed.rolled or plan.columns)


def rolled_lists(plan: TurnPlan, weighed: Weighed) -> dict[tuple[int, tuple[int, ...]], float]:
    """Chance of each list by its column and the places it leads to, in the order of its sums.

    Dice of columns that are not rolled are banked, so that only points count with them: most points
    are best, and no better than dice that may be rolled with as many points, or banked. That they
    are not worth a roll has to be known and not by how much. Hot dice that are best leave only what
    comes with more points.
    """
    banked, whole = _banked(plan, weighed), plan.columns - 1
    parts: dict[tuple[int, tuple[int, ...]], list[float]] = {}
    lists = [[divmod(int(plan.targets[k]), plan.columns) for k in moves] for moves in plan.lists()]
    for index, members in enumerate(lists):
        n = int(np.argmax(plan.chances[:, index]))
        rolls = [(points, left) for points, left in members if left >= banked]
        places = {points * plan.columns + left for points, left in rolls}
        most = max((points for points, left in members if left < banked), default=-1)
        free = [p for p, left in rolls if left < whole or not plan.must_roll_hot]
        if most > max(free, default=-1):
            places.add(most * plan.columns)
        if weighed.hot_best:
            hot = max((points for points, left in rolls if left == whole), default=-1)
            best = hot * plan.columns + whole
            places = {place for place in places if place == best or place // plan.columns > hot}
        parts.setdefault((n, tuple(sorted(places))), []).append(float(plan.chances[n, index]))
    order = list(parts)
    if banked:
        # what was solved last comes last: the rest need not wait for it
        order.sort(key=lambda rolled: rolled[1][0] // plan.columns, reverse=True)
    return {rolled: fsum(parts[rolled]) for rolled in order}


def rolled_terms(
    plan: TurnPlan, weighed: Weighed
) -> list[tuple[int, float, list[tuple[int, ...]]]]:
    """Column, chance and lists of each product in a sum: lists that are as likely share one."""
    terms: dict[tuple[int, float], list[tuple[int, ...]]] = {}
    for (n, places), chance in rolled_lists(plan, weighed).items():
        terms.setdefault((n, chance), []).append(places)
    return [(n, chance, lists) for (n, chance), lists in terms.items()]


def load_turn(
    plan: TurnPlan, folder: Path, planes: int = 1, *, reverse: bool = False
) -> Callable[..., Any]:
    """The turn function of a plan, from a module in `folder` beside which numba keeps its code.

    planes, reverse : as for `turn_source`

    Raises OSError where `folder` cannot be written, SolveError where others can write to it.
    """
    if plan.by_lists:
        return turn_by_seat(planes)
    return load_function(turn_source(plan, planes=planes, reverse=reverse), folder)


def load_turns(plan: TurnPlan, folder: Path, scores: int | None = None) -> Turns:
    """The turn functions of a plan, likewise.

    scores : of a game; where they are few all functions are the whole one, as it takes longer to
        load the others than they save
    Where some would weigh the same they are not there twice: the first ones are the whole one.
    """
    if plan.by_lists:
        return LISTED
    weigh = turns_weigh(plan)[: 1 if scores is not None and scores < FEW_SCORES else None]
    turns = [load_function(turn_source(plan, weighed), folder) for weighed in weigh]
    return Turns(*turns[:1] * (len(Turns._fields) - len(turns)), *turns)


def load_function(source: str, folder: Path) -> Callable[..., Any]:
    """The turn function of some source, from a module in `folder`, as for `load_turn`."""
    make_private(folder)
    if not is_ours(folder):
        # whoever can write there could have this program run anything
        raise SolveError.say(
            "{folder}: compiled code is loaded only from a folder that is yours and that nobody"
            " else can write to",
            folder=folder,
        )
    name = f"farkle_turn_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, _keep(folder, f"{name}.py", source))
    assert spec is not None  # noqa: S101 - the suffix is known
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba's cached code looks its module up by name
    with one_at_a_time(folder):  # the others find it compiled
        spec.loader.exec_module(module)
    loaded: Callable[..., Any] = module.turn
    return loaded


def _keep(folder: Path, name: str, source: str) -> Path:
    """Write `source` unless it is already there: numba's cache goes by the file's time."""
    path = folder / name
    if path.is_file() and path.read_text(encoding="utf-8") == source:
        return path
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(source)
    Path(temporary).replace(path)
    return path
