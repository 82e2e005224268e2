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
from solver.game.standings import FEW_SCORES
from solver.turn.scoring import TurnPlan

PARTS = 4
"""In which a sum is added up side by side, as an addition waits for the one before."""


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
    """As far as hot dice are best, where they may be banked."""
    three: Callable[..., Any]
    """As far as, besides, only the three largest numbers of dice are worth a roll."""
    all_dice: Callable[..., Any]
    """As far as, besides, only all dice are."""


EVERYTHING = Weighed()


class Term(NamedTuple):
    """A product in what a roll of a column is worth."""

    column: int
    chance: float
    lists: list[tuple[int, ...]]
    """Of each list with that chance the places it leads to; their maxima are added up."""


def turn_source(plan: TurnPlan, weighed: Weighed = EVERYTHING) -> str:
    """Source of ``turn(values, hot, bank, farkle, lost, lists, steps)``, a pass over turn totals.

    It returns the least turn total that it solved; what it wrote below that is of no use.

    weighed : if not everything, the pass ends before the first turn total at which a roll of other
        columns is worth more than to bank, or other dice more than hot ones; what it solved is what
        the pass that weighs everything finds, but for rounding. Banks and farkles in the rows must
        not fall.

    values : float64, rows of dice * LANES; row t holds W(t, n) of the dice 1.. in turn. Rows from
        `steps` on are read, the others are written.
    hot : float64, rows like those of values; row t holds in its last LANES W of hot dice that were
        reached with t points, bonus aside. It may be a part of `values`.
    bank, farkle : float64, rows of LANES, the values of banking at t, 0 where it is not allowed,
        and of a farkle; just one row where that is the same at any t.
    lost : float64, LANES, the value of a roll that loses everything.
    lists : those of the plan, which the source has in itself; `list_kernels.turn_of_lists`, whose
        arguments are these, goes through them
    """
    dice = plan.columns
    row = dice * LANES
    banked = _banked(plan, weighed)
    body: list[str] = []
    names: dict[tuple[int, ...], str] = {}

    def most(places: tuple[int, ...]) -> str:
        """Emit the maximum of some places just before its first use: short lives, few registers.

        Lists that begin alike share the maximum of their beginnings.
        """
        if places not in names:
            *before, last = places
            if before:
                value = f"max({most(tuple(before))}, {most((last,))})"
            else:
                array = "h" if last % dice == dice - 1 else "v"  # hot dice or not
                value = f"{array}[{last * LANES}]"
            names[places] = f"x{len(names)}"
            body.append(f"{names[places]} = {value}")
        return names[places]

    sums = [_ended(plan, n) for n in range(dice)]
    added = [0] * dice
    for term in rolled_terms(plan, weighed):
        n, whole = term.column, most(term.lists[0])
        for k, places in enumerate(term.lists[1:]):
            body.append(f"a{n}_{added[n]}_{k} = {whole} + {most(places)}")
            whole = f"a{n}_{added[n]}_{k}"
        before, part = sums[n], added[n] % PARTS
        sum_so_far = f"{before[part]} + " if part < len(before) else ""
        body.append(f"s{n}_{added[n]} = {sum_so_far}{term.chance!r} * {whole}")
        before[part : part + 1] = [f"s{n}_{added[n]}"]
        added[n] += 1
    body += [f"r{n} = {' + '.join(parts)}" for n, parts in enumerate(sums)]
    free = dice - 1 if plan.must_roll_hot else dice
    body += [f"w{n} = b[0]" for n in range(banked)]
    body += [f"w{n} = max(b[0], r{n})" for n in range(banked, free)]
    body += [f"w{n} = r{n}" for n in range(free, dice)]
    body += [f"v[{n * LANES}] = w{n}" for n in range(dice)]
    excess = []
    if banked:
        excess.append(f"{_greatest([f'r{n}' for n in range(banked)])} - b[0]")
    if weighed.hot_best and banked < dice - 1:
        others = _greatest([f"w{n}" for n in range(banked, dice - 1)])
        excess.append(f"{others} - h[{(dice - 1) * LANES}]")
    if excess:
        body.append(f"found = {_greatest(excess)}")
    lines = [
        '"""Made by solver/game/kernel_source.py; safe to delete."""',
        "import numba",
        "from solver.game.kernels import TURN_SIGNATURE",
        "from solver.game.lane_code import lane_code",
        f"# lane_code {VERSION}",
        'roll = lane_code("""',
        *body,
        '""", ("v", "h", "b", "f", "lost"))',
        "",
        "@numba.njit(TURN_SIGNATURE, cache=True, nogil=True, error_model='numpy')",
        "def turn(values, hot, bank, farkle, lost, lists, steps):",
        f"    stride = {LANES} if len(farkle) > {LANES} else 0",
        "    for t in range(steps - 1, -1, -1):",
        f"        v, h = values[t * {row}:], hot[t * {row}:]",
        f"        b, f = bank[t * {LANES}:], farkle[t * stride:]",
        "        if roll(v, h, b, f, lost):",
        "            return t + 1",
        "    return 0",
    ]
    return "\n".join(lines) + "\n"


def _greatest(terms: list[str]) -> str:
    """The maximum of some terms, found in few steps one after the other."""
    while len(terms) > 1:
        pairs = [terms[k : k + 2] for k in range(0, len(terms), 2)]
        terms = [f"max({', '.join(pair)})" if len(pair) > 1 else pair[0] for pair in pairs]
    return terms[0]


def _ended(plan: TurnPlan, n: int) -> list[str]:
    """What rolls of column n that end the turn are worth, as source."""
    terms = [f"{float(plan.farkle_chances[n])!r} * f[0]"]
    terms += [f"{float(chance)!r} * lost[0]" for chance in plan.lose_chances[n : n + 1] if chance]
    terms += [f"{float(chance)!r}" for chance in plan.win_chances[n : n + 1] if chance]
    return [" + ".join(terms)]


def summands(plan: TurnPlan, weighed: Weighed) -> list[list[list[tuple[float, int]]]]:
    """The sum of each column of a turn function, part after part: chances and of how many values.

    Values with one chance are added up in their order before they are multiplied. In the end parts
    are added up from the first one on.
    """
    found = [
        [[(float(one), 1) for one in ends if one], *([] for _ in range(PARTS - 1))]
        for ends in zip(plan.farkle_chances, plan.lose_chances, plan.win_chances, strict=True)
    ]
    added = [0] * plan.columns
    for term in rolled_terms(plan, weighed):
        n = term.column
        found[n][added[n] % PARTS].append((term.chance, len(term.lists)))
        added[n] += 1
    return found


def rolled_terms(plan: TurnPlan, weighed: Weighed) -> list[Term]:
    """The sums of a turn function, in their order.

    Lists of one chance share its product, as chances take registers.
    """
    terms: dict[tuple[int, float], Term] = {}
    for (n, members), chance in rolled_lists(plan, weighed).items():
        terms.setdefault((n, chance), Term(n, chance, [])).lists.append(members)
    return list(terms.values())


def turns_weigh(plan: TurnPlan) -> list[Weighed]:
    """What the turn functions of a plan weigh, see `Turns`. The first one weighs everything."""
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
    lists = [[divmod(int(plan.targets[k]), plan.columns) for k in one] for one in plan.lists()]
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
            places = {one for one in places if one == best or one // plan.columns > hot}
        parts.setdefault((n, tuple(sorted(places))), []).append(float(plan.chances[n, index]))
    order = list(parts)
    if banked:
        # what was solved last comes last: the rest need not wait for it
        order.sort(key=lambda one: one[1][0] // plan.columns, reverse=True)
    return {one: fsum(parts[one]) for one in order}


def load_turn(plan: TurnPlan, folder: Path) -> Callable[..., Any]:
    """The turn function of a plan, from a module in `folder` beside which numba keeps its code.

    Raises OSError where `folder` cannot be written, SolveError where others can write to it.
    """
    return load_function(turn_source(plan), "turn", folder)


def load_turns(plan: TurnPlan, folder: Path, scores: int | None = None) -> Turns:
    """The turn functions of a plan, likewise.

    scores : of a game; where they are few all functions are the whole one, as it takes longer to
        load the others than they save
    Where some would weigh the same they are not there twice: the first ones are the whole one.
    """
    weigh = turns_weigh(plan)[: 1 if scores is not None and scores < FEW_SCORES else None]
    turns = [load_function(turn_source(plan, one), "turn", folder) for one in weigh]
    return Turns(*turns[:1] * (len(Turns._fields) - len(turns)), *turns)


def load_function(source: str, function: str, folder: Path) -> Callable[..., Any]:
    """A function of some source, from a module in `folder`, as for `load_turn`."""
    make_private(folder)
    if not is_ours(folder):
        # whoever can write there could have this program run anything
        raise SolveError.say(
            "{folder}: compiled code is loaded only from a folder that is yours and that nobody"
            " else can write to",
            folder=folder,
        )
    name = f"farkle_{function}_{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, _keep(folder, f"{name}.py", source))
    assert spec is not None  # noqa: S101 - the suffix is known
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # numba's cached code looks its module up by name
    with one_at_a_time(folder):  # the others find it compiled
        spec.loader.exec_module(module)
    loaded: Callable[..., Any] = getattr(module, function)
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
