"""The best of each of many lists of values, weighed and added up, for 16 states side by side.

Where lists are too many for straight-line code, or are to be weighed apart from it, a loop goes
through them (`turn_of_lists`). numba would keep the vector of the greatest values so far in memory,
which takes ten times as long; what stands here is made of LLVM's own instructions, so that it stays
in registers. Where values are the mover's alone the largest is the best; else those of the others
come with it.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from solver.game.kernels import TURN_SIGNATURE, entry, kernel
from solver.game.lanes import LANES
from solver.game.layout import DUE
from solver.turn.equations import EVEN

SUMMED = 32
"""Lists that are added up before their sum is added to others, so that little is rounded away."""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INDEX = ir.IntType(64)


def _load(builder, address):
    """A vector from anywhere in memory."""
    vector = builder.load(builder.bitcast(address, _VECTOR.as_pointer()))
    vector.align = 8
    return vector


def _all_lanes(builder, value):
    """A vector that has one value in all lanes."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, zeros)


def _adder(planes: int) -> Callable[..., Any]:
    """What generates the code of `add_choices` for so many planes."""

    def generate(context, builder, signature, arguments):
        def memory(number):
            array = context.make_array(signature.args[number])
            return array(context, builder, arguments[number]).data

        def plane(address, number):
            return builder.gep(address, [ir.Constant(_INDEX, number * LANES)])

        def phis():
            return [builder.phi(_VECTOR) for _ in range(planes)]

        def values_of(number, *, may_be_hot):
            offset = builder.load(builder.gep(places_at, [number]))
            address = builder.gep(here, [offset])
            if may_be_hot:
                is_hot = builder.icmp_signed("<", offset, ir.Constant(_INDEX, 0))
                hot_address = builder.gep(hot_here, [builder.not_(offset)])
                address = builder.select(is_hot, hot_address, address)
            return [_load(builder, plane(address, p)) for p in range(planes)]

        def come_from(targets, sources, block):
            for target, source in zip(targets, sources, strict=True):
                target.add_incoming(source, block)

        unit, shared = ir.Constant(_INDEX, 1), planes > 1
        even = _all_lanes(builder, ir.Constant(ir.DoubleType(), EVEN))
        here, hot_here = (builder.gep(memory(number), [arguments[2]]) for number in (0, 1))
        places_at, starts_at, chances_at = memory(3), memory(4), memory(5)
        sum_at = memory(8)
        before = builder.block
        blocks = ("lists", "list", "options", "option", "listed", "done")
        lists, begin, options, option, listed, done = (
            builder.append_basic_block(name) for name in blocks
        )
        totals = [_load(builder, plane(sum_at, p)) for p in range(planes)]
        builder.branch(lists)

        builder.position_at_end(lists)
        number, added = builder.phi(_INDEX), phis()
        come_from([number, *added], [arguments[6], *totals], before)
        builder.cbranch(builder.icmp_signed("<", number, arguments[7]), begin, done)

        builder.position_at_end(begin)
        following = builder.add(number, unit)
        start = builder.load(builder.gep(starts_at, [number]))
        stop = builder.load(builder.gep(starts_at, [following]))
        # of even options the last one is taken, which has to come first then
        first = builder.sub(stop, unit) if shared else start
        step = builder.sub if shared else builder.add
        first_values, second = values_of(first, may_be_hot=True), step(first, unit)
        builder.branch(options)

        builder.position_at_end(options)
        which, best = builder.phi(_INDEX), phis()
        come_from([which, *best], [second, *first_values], begin)
        is_left = (">=", which, start) if shared else ("<", which, stop)
        builder.cbranch(builder.icmp_signed(*is_left), option, listed)

        builder.position_at_end(option)
        values = values_of(which, may_be_hot=shared)
        least = builder.fadd(best[0], even) if shared else best[0]
        is_better = builder.fcmp_ordered(">", values[0], least, flags=["nnan", "nsz"])
        chosen = [builder.select(is_better, *pair) for pair in zip(values, best, strict=True)]
        come_from([which, *best], [step(which, unit), *chosen], option)
        builder.branch(options)

        builder.position_at_end(listed)
        if signature.args[5].ndim == 1:
            chance = _all_lanes(builder, builder.load(builder.gep(chances_at, [number])))
        else:
            lanes = builder.mul(number, ir.Constant(_INDEX, LANES))
            chance = _load(builder, builder.gep(chances_at, [lanes]))
        sums = [
            builder.fadd(total, builder.fmul(chance, value, flags=["contract"]), flags=["contract"])
            for total, value in zip(added, best, strict=True)
        ]
        come_from([number, *added], [following, *sums], listed)
        builder.branch(lists)

        builder.position_at_end(done)
        for p in range(planes):
            address = builder.bitcast(plane(sum_at, p), _VECTOR.as_pointer())
            builder.store(added[p], address).align = 8
        return context.get_dummy_value()

    return generate


@intrinsic
def add_choices(_context, values, hot, row, places, starts, chances, first, end, out, planes):
    """Add the lists first .. end - 1 to ``out[:LANES]`` and the planes behind that.

    Each adds its chance times the best of its options: a value of LANES for each plane, one behind
    the other from ``values[row + its place]`` on, of hot dice from ``hot[row + ~its place]`` on.
    That one is best whose first plane is greatest; of those that are equal to within EVEN the last
    one. Of one plane only the first option may be hot dice, and the greatest is best.

    planes : a tuple of as many numbers as there are planes, whatever they are
    """
    given = values, hot, row, places, starts, chances, first, end, out, planes
    return types.void(*given), _adder(len(planes))


@kernel
def add_column(values, hot, row, n, lists, part, out, planes):
    """Add the lists of a column to `out`, of which `part` is room for as much.

    values, hot, row, planes : as of `add_choices`
    """
    end = lists.first_list[n + 1]
    for first in range(lists.first_list[n], end, SUMMED):
        part[:] = 0.0
        add_choices(  # type: ignore[call-arg] # numba gives it the context by itself
            values,
            hot,
            row,
            lists.places,
            lists.starts,
            lists.chances,
            first,
            min(first + SUMMED, end),
            part,
            planes,
        )
        for k in range(len(part)):
            out[k] += part[k]


def _turn(name: str, planes: int) -> Callable[..., Any]:
    """What solves a turn as a function of `kernel_source.turn_source` does, list after list.

    name : that of the function, which no other has
    """
    each, even = (0,) * planes, EVEN if planes > 1 else 0.0
    cell = planes * LANES

    def turn(values, hot, bank, farkle, lost, lists, steps):
        columns = len(lists.farkles)
        stride = cell if len(farkle) > cell else 0
        out, part = np.empty(cell), np.empty(cell)
        for t in range(steps - 1, -1, -1):
            b, f, row = bank[t * cell :], farkle[t * stride :], t * lists.stride
            for n in range(columns):
                for k in range(cell):
                    ended = (lists.wins[n] if k < LANES else 0.0) + lists.loses[n] * lost[k]
                    out[k] = ended + lists.farkles[n] * f[k]
                add_column(values, hot, row, n, lists, part, out, each)
                if lists.may_bank[n]:
                    due = DUE * (lists.may_bank[n] - 1) + even
                    for lane in range(LANES):
                        if out[lane] <= b[lane] + due:
                            for k in range(lane, cell, LANES):
                                out[k] = b[k]
                here = values[row + lists.cells[n] :]
                for k in range(cell):
                    here[k] = out[k]
        return 0

    # numba numbers functions in each process anew: of two with one name that different processes
    # have compiled one would be called for both where they are loaded together
    turn.__qualname__ = name
    return turn


@lru_cache
def turn_by_seat(planes: int) -> Callable[..., Any]:
    """Return a turn function that goes through the lists, for values by seat or, of one, alone."""
    compiled: Callable[..., Any] = entry(TURN_SIGNATURE)(_turn(f"turn_by_seat_{planes}", planes))
    return compiled


turn_of_lists = turn_by_seat(1)
"""The turn by the mover's value alone."""

turn_of_sets = entry(_turn("turn_of_sets", 1))
"""Where each lane has chances of its own: many sets side by side."""
