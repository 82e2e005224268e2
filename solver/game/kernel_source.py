"""One turn's equations of a rule set as straight-line Python source for numba, kept in a folder.

Straight-line code over a constant number of lanes is what LLVM turns into full-width vector
instructions: every load is `lane + constant` from one array, the results go to a separate small
array and are copied back after the loop.
"""

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from solver.errors import SolveError
from solver.folders import is_ours, make_private, one_at_a_time
from solver.turn.scoring import TurnPlan

LANES = 16
"""States that are solved side by side; two AVX-512 registers of float64."""


def shared_maxima(
    lists: list[tuple[int, ...]],
) -> tuple[list[tuple[int, int]], list[int]]:
    """Compute the maximum of every list with few binary maxima.

    Again and again the pair of values that occurs together in most lists becomes a value of its
    own. Returns the pairs, the k-th of which makes value ``1 + max(members) + k``, and for each
    list the value that is its maximum.
    """
    remaining = [set(members) for members in lists]
    following = 1 + max(max(members) for members in lists)
    pairs: list[tuple[int, int]] = []
    while together := Counter(
        pair for members in remaining for pair in combinations(sorted(members), 2)
    ):
        pair = min(together, key=lambda pair: (-together[pair], pair))
        for members in remaining:
            if members.issuperset(pair):
                members.difference_update(pair)
                members.add(following)
        pairs.append(pair)
        following += 1
    return pairs, [members.pop() for members in remaining]


def turn_source(plan: TurnPlan) -> str:
    """Source of ``turn(values, hot, bank, farkle, lost, out, steps)``, a pass over turn totals.

    values : float64, rows of dice * LANES; row t holds W(t, n) of the dice 1.. in turn. Rows from
        `steps` on are read, the others are written.
    hot : float64, rows like those of values; row t holds in its last LANES W of hot dice that were
        reached with t points, bonus aside. It may be a part of `values`.
    bank, farkle : float64, rows of LANES, the values of banking at t, 0 where it is not allowed,
        and of a farkle.
    lost : float64, LANES, the value of a roll that loses everything.
    out : float64, dice * LANES, scratch.
    """
    dice = plan.columns
    row = dice * LANES
    pairs, maxima = shared_maxima(plan.lists())
    first_pair = len(plan.targets)
    body: list[str] = []
    ends = zip(plan.win_chances, plan.lose_chances, plan.farkle_chances, strict=True)
    for n, (wins, loses, farkles) in enumerate(ends):
        terms = [f"{float(farkles)!r} * f[i]"]
        terms += [f"{float(loses)!r} * lost[i]"] if loses else []
        terms += [f"{float(wins)!r}"] if wins else []
        body.append(f"r{n} = {' + '.join(terms)}")
    named: set[int] = set()

    def name(value: int) -> str:
        """Emit what `value` needs just before its first use: short lives, few spilled registers."""
        if value not in named:
            named.add(value)
            if value < first_pair:
                target = int(plan.targets[value])
                array = "h" if plan.is_hot[value] else "v"
                body.append(f"x{value} = {array}[{target * LANES} + i]")
            else:
                one, other = (name(part) for part in pairs[value - first_pair])
                body.append(f"x{value} = max({one}, {other})")
        return f"x{value}"

    for index, value in enumerate(maxima):
        maximum = name(value)
        n = int(np.argmax(plan.chances[:, index]))
        body.append(f"r{n} += {float(plan.chances[n, index])!r} * {maximum}")
    banked = dice - 1 if plan.must_roll_hot else dice
    body += [f"out[{n * LANES} + i] = max(b[i], r{n})" for n in range(banked)]
    body += [f"out[{n * LANES} + i] = r{n}" for n in range(banked, dice)]
    lines = [
        '"""Made by solver/game/kernel_source.py; safe to delete."""',
        "import numba",
        "",
        "@numba.njit('void(f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[::1], intp)',",
        "            cache=True, nogil=True, error_model='numpy',",
        "            fastmath={'contract', 'nnan', 'ninf', 'nsz'})",
        "def turn(values, hot, bank, farkle, lost, out, steps):",
        "    for t in range(steps - 1, -1, -1):",
        f"        v = values[t * {row}:]",
        f"        h = hot[t * {row}:]",
        f"        b = bank[t * {LANES}:]",
        f"        f = farkle[t * {LANES}:]",
        f"        for i in range({LANES}):",
        *(f"            {line}" for line in body),
        f"        for k in range({row}):",
        "            v[k] = out[k]",
    ]
    return "\n".join(lines) + "\n"


def spread_source(plan: TurnPlan) -> str:
    """Source of ``spread(values, hot, rolled, arrivals)``: where best play goes from a turn total.

    It is `turn` backwards. The chance of a list goes to the greatest of its values, through the
    same maxima: on to the greater one of each pair, of equal ones to that with more points.

    values, hot : float64, solved rows as for `turn`, from the row of the turn total on
    rolled : float64, dice * LANES, the chance to roll with the dice 1.. in turn
    arrivals : float64, targets * LANES, set to the chance to come to each target
    """
    pairs, maxima = shared_maxima(plan.lists())
    first_pair = len(plan.targets)
    body = [f"m{n} = rolled[{n * LANES} + i]" for n in range(plan.columns)]
    for value, target in enumerate(plan.targets):
        array = "hot" if plan.is_hot[value] else "values"
        body.append(f"x{value} = {array}[{int(target) * LANES} + i]")
    highest = list(range(first_pair))
    for value, (one, other) in enumerate(pairs, first_pair):
        body.append(f"x{value} = max(x{one}, x{other})")
        highest.append(max(highest[one], highest[other]))
    parts: list[list[str]] = [[] for _ in highest]
    for index, value in enumerate(maxima):
        n = int(np.argmax(plan.chances[:, index]))
        parts[value].append(f"{float(plan.chances[n, index])!r} * m{n}")
    for value in range(len(highest) - 1, first_pair - 1, -1):
        one, other = sorted(pairs[value - first_pair], key=lambda part: highest[part])
        body += [
            f"a{value} = {' + '.join(parts[value])}",
            f"s{value} = a{value} if x{one} > x{other} else 0.0",
        ]
        parts[one].append(f"s{value}")
        parts[other].append(f"(a{value} - s{value})")
    body += [
        f"arrivals[{value * LANES} + i] = {' + '.join(parts[value])}" for value in range(first_pair)
    ]
    lines = [
        '"""Made by solver/game/kernel_source.py; safe to delete."""',
        "import numba",
        "",
        "@numba.njit('void(f8[::1], f8[::1], f8[::1], f8[::1])',",
        "            cache=True, nogil=True, error_model='numpy',",
        "            fastmath={'contract', 'nnan', 'ninf', 'nsz'})",
        "def spread(values, hot, rolled, arrivals):",
        f"    for i in range({LANES}):",
        *(f"        {line}" for line in body),
    ]
    return "\n".join(lines) + "\n"


def load_turn(plan: TurnPlan, folder: Path) -> Callable[..., Any]:
    """The turn function of a plan, from a module in `folder` beside which numba keeps its code.

    Raises OSError where `folder` cannot be written, SolveError where others can write to it.
    """
    return load_function(turn_source(plan), "turn", folder)


def load_spread(plan: TurnPlan, folder: Path) -> Callable[..., Any]:
    """The function of `spread_source`, likewise."""
    return load_function(spread_source(plan), "spread", folder)


def load_function(source: str, function: str, folder: Path) -> Callable[..., Any]:
    """A function of some source, from a module in `folder`, as for `load_turn`."""
    make_private(folder)
    if not is_ours(folder):
        # whoever can write there could have this program run anything
        raise SolveError.say(
            "{folder}: compiled code is loaded only from a folder that is one's own and that"
            " nobody else can write to",
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
