"""One turn of a game of several players as straight-line Python source for numba.

As in solver.game.kernel_source, but a value is that of every player: whoever moves takes the option
with the greatest own value, and what it is worth to the others comes with it.

Of options that are equal for the mover the first is taken, in the order of solver.turn.equations.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from solver.game.kernel_source import load_function
from solver.game.lanes import LANES
from solver.turn.equations import EVEN
from solver.turn.scoring import TurnPlan


def in_order(plan: TurnPlan, *, reverse: bool = False) -> list[tuple[int, ...]]:
    """The lists of a plan as tuples of indices into its targets, of equal ones the first first."""
    # targets ascend by points and then by the dice left
    return [tuple(sorted(one, reverse=not reverse)) for one in plan.lists()]


def shared_choices(
    lists: list[tuple[int, ...]],
) -> tuple[list[tuple[int, int]], list[int]]:
    """Choose the best of every list with few choices between two, without a change of order.

    Again and again the neighbours that stand in most lists become a value of their own. Returns
    these pairs, the k-th of which makes value ``1 + max(members) + k``, and for each list the value
    that is its best.
    """
    remaining = [list(members) for members in lists]
    following = 1 + max(max(members) for members in lists)
    pairs: list[tuple[int, int]] = []
    while together := Counter(pair for members in remaining for pair in pairwise(members)):
        pair = min(together, key=lambda pair: (-together[pair], pair))
        remaining = [_joined(members, pair, following) for members in remaining]
        pairs.append(pair)
        following += 1
    return pairs, [members[0] for members in remaining]


def _joined(members: list[int], pair: tuple[int, int], value: int) -> list[int]:
    """The members with `value` wherever the pair stands."""
    found: list[int] = []
    rest = iter(members)
    for member in rest:
        if found and (found[-1], member) == pair:
            found[-1] = value
        else:
            found.append(member)
    return found


def turn_source(plan: TurnPlan, planes: int, *, reverse: bool = False) -> str:
    """Source of ``many(values, hot, bank, farkle, lost, lists, out, steps)``, a pass over turns.

    All arrays are float64 and flat. A state has `planes` values: the mover's, then those of players
    after it; the last player's follows from them.

    values, hot : rows of dice * planes * LANES, as in `kernel_source.turn_source` otherwise
    bank, farkle : rows of planes * LANES; the mover's value of a bank that is not allowed is -1
    lost : planes * LANES
    lists : those of the plan, which the source has in itself; `list_kernels.turn_by_seat`, whose
        arguments are these, goes through them
    out : dice * planes * LANES, scratch, which ends as the first row
    reverse : options that are equal for the mover are taken in the opposite order
    """
    row = plan.columns * LANES
    body = [*_ended(plan, planes), *_rolled(plan, planes, reverse=reverse)]
    body += _decided(plan, planes, reverse=reverse)
    return "\n".join(
        [
            *_HEAD,
            "def many(values, hot, bank, farkle, lost, lists, out, steps):",
            "    for t in range(steps - 1, -1, -1):",
            f"        v = values[t * {planes * row}:]",
            f"        h = hot[t * {planes * row}:]",
            f"        b = bank[t * {planes * LANES}:]",
            f"        f = farkle[t * {planes * LANES}:]",
            f"        for i in range({LANES}):",
            *(f"            {line}" for line in body),
            f"        for k in range({planes * row}):",
            "            v[k] = out[k]",
            "",
        ]
    )


# a conditional would be a branch, and the loop over lanes then no vector instructions
_HEAD = """\
\"\"\"Made by solver/game/many_source.py; safe to delete.\"\"\"
import numba
from numba.core import types
from numba.extending import intrinsic
from solver.game.many_kernels import SEATED_SIGNATURE

@intrinsic
def choose(context, condition, one, other):
    def codegen(context, builder, signature, arguments):
        return builder.select(*arguments)
    return types.float64(types.boolean, types.float64, types.float64), codegen

@numba.njit(SEATED_SIGNATURE, cache=True, nogil=True, error_model='numpy',
            fastmath={'contract', 'nnan', 'ninf', 'nsz'})""".splitlines()


def _ended(plan: TurnPlan, planes: int) -> Iterator[str]:
    """What rolls are worth that end the turn, with each number of dice and for each plane."""
    ends = zip(plan.win_chances, plan.lose_chances, plan.farkle_chances, strict=True)
    for n, (wins, loses, farkles) in enumerate(ends):
        for p in range(planes):
            terms = [f"{float(farkles)!r} * f[{p * LANES} + i]"]
            terms += [f"{float(loses)!r} * lost[{p * LANES} + i]"] if loses else []
            terms += [f"{float(wins)!r}"] if wins and p == 0 else []
            yield f"r{n}_{p} = {' + '.join(terms)}"


def _rolled(plan: TurnPlan, planes: int, *, reverse: bool) -> list[str]:
    """Then with all rolls that score, each with its best option."""
    dice = plan.columns
    pairs, best = shared_choices(in_order(plan, reverse=reverse))
    first_pair = len(plan.targets)
    body: list[str] = []
    named: set[int] = set()

    def name(value: int) -> None:
        """Emit what `value` needs just before its first use: short lives, few spilled registers."""
        if value in named:
            return
        named.add(value)
        if value < first_pair:
            total, left = divmod(int(plan.targets[value]), dice)
            array = "h" if plan.is_hot[value] else "v"
            for p in range(planes):
                place = ((total * dice + left) * planes + p) * LANES
                body.append(f"x{value}_{p} = {array}[{place} + i]")
            return
        one, other = pairs[value - first_pair]
        name(one)
        name(other)
        body.append(f"c{value} = x{other}_0 > x{one}_0 + {EVEN!r}")
        body.extend(
            f"x{value}_{p} = choose(c{value}, x{other}_{p}, x{one}_{p})" for p in range(planes)
        )

    for index, value in enumerate(best):
        name(value)
        n = int(np.argmax(plan.chances[:, index]))
        chance = float(plan.chances[n, index])
        body += [f"r{n}_{p} += {chance!r} * x{value}_{p}" for p in range(planes)]
    return body


def _decided(plan: TurnPlan, planes: int, *, reverse: bool) -> Iterator[str]:
    """What is left once the mover may bank instead."""
    dice = plan.columns
    for n in range(dice):
        may_bank = n < dice - 1 or not plan.must_roll_hot
        if may_bank:
            rolls = f">= b[i] - {EVEN!r}" if reverse else f"> b[i] + {EVEN!r}"
            yield f"c = r{n}_0 {rolls}"
        for p in range(planes):
            best = f"choose(c, r{n}_{p}, b[{p * LANES} + i])" if may_bank else f"r{n}_{p}"
            yield f"out[{(n * planes + p) * LANES} + i] = {best}"


def load_turn(
    plan: TurnPlan, planes: int, folder: Path, *, reverse: bool = False
) -> Callable[..., Any]:
    """The turn function of a plan, from a module in `folder` beside which numba keeps its code.

    Raises OSError where `folder` cannot be written, SolveError where others can write to it.
    """
    return load_function(turn_source(plan, planes, reverse=reverse), "many", folder)
