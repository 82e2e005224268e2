"""The best of each of many lists of values, weighed and added up, for 16 states side by side.

Where lists are too many for straight-line code, or are to be weighed apart from it, a loop goes
through them (`turn_of_lists`). numba would keep the vector of the greatest values so far in memory,
which takes ten times as long; what stands here is made of LLVM's own instructions, so that it stays
in registers. Of two players the largest value is the best, `add_lists`; of more the values of the
others come with it, `add_choices`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from solver.game.kernels import TURN_SIGNATURE
from solver.game.lanes import LANES
from solver.turn.equations import EVEN

SUMMED = 32
"""Lists that are added up before their sum is added to others, so that little is rounded away."""

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INDEX = ir.IntType(64)


def _load(builder, address):
    """A vector from anywhere in memory."""
    found = builder.load(builder.bitcast(address, _VECTOR.as_pointer()))
    found.align = 8
    return found


def _all_lanes(builder, value):
    """A vector that has one value in all lanes."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, zeros)


@intrinsic
def add_lists(_context, values, hot, row, places, starts, chances, first, end, out, place):
    """Add the lists first .. end - 1 to ``out[place:][:LANES]``, lane by lane.

    Each adds its chance times the maximum over its options of ``values[row + its place:][:LANES]``.
    The first option of a list may be hot dice, at ``hot[row + ~its place:][:LANES]``.
    """
    signature = types.void(
        values, hot, types.intp, places, starts, chances, types.intp, types.intp, out, types.intp
    )

    def generate(context, builder, signature, arguments):
        def memory(number):
            array = context.make_array(signature.args[number])
            return array(context, builder, arguments[number]).data

        one = ir.Constant(_INDEX, 1)
        here, hot_here = (builder.gep(memory(number), [arguments[2]]) for number in (0, 1))
        places_at, starts_at, chances_at = memory(3), memory(4), memory(5)
        sum_at = builder.gep(memory(8), [arguments[9]])
        before = builder.block
        blocks = ("lists", "list", "options", "option", "listed", "done")
        lists, begin, options, option, listed, done = (
            builder.append_basic_block(name) for name in blocks
        )

        def first_of(number):
            offset = builder.load(builder.gep(places_at, [number]))
            is_hot = builder.icmp_signed("<", offset, ir.Constant(_INDEX, 0))
            hot_address = builder.gep(hot_here, [builder.not_(offset)])
            address = builder.select(is_hot, hot_address, builder.gep(here, [offset]))
            return _load(builder, address)

        def value_of(number):
            offset = builder.load(builder.gep(places_at, [number]))
            return _load(builder, builder.gep(here, [offset]))

        total = _load(builder, sum_at)
        builder.branch(lists)

        builder.position_at_end(lists)
        number, added = builder.phi(_INDEX), builder.phi(_VECTOR)
        number.add_incoming(arguments[6], before)
        added.add_incoming(total, before)
        builder.cbranch(builder.icmp_signed("<", number, arguments[7]), begin, done)

        builder.position_at_end(begin)
        following = builder.add(number, one)
        start = builder.load(builder.gep(starts_at, [number]))
        stop = builder.load(builder.gep(starts_at, [following]))
        first_value, second = first_of(start), builder.add(start, one)
        builder.branch(options)

        builder.position_at_end(options)
        which, most = builder.phi(_INDEX), builder.phi(_VECTOR)
        which.add_incoming(second, begin)
        most.add_incoming(first_value, begin)
        builder.cbranch(builder.icmp_signed("<", which, stop), option, listed)

        builder.position_at_end(option)
        value = value_of(which)
        is_more = builder.fcmp_ordered(">", value, most, flags=["nnan", "nsz"])
        which.add_incoming(builder.add(which, one), option)
        most.add_incoming(builder.select(is_more, value, most), option)
        builder.branch(options)

        builder.position_at_end(listed)
        if chances.ndim == 1:
            chance = _all_lanes(builder, builder.load(builder.gep(chances_at, [number])))
        else:
            lanes = builder.mul(number, ir.Constant(_INDEX, LANES))
            chance = _load(builder, builder.gep(chances_at, [lanes]))
        product = builder.fmul(chance, most, flags=["contract"])
        number.add_incoming(following, listed)
        added.add_incoming(builder.fadd(added, product, flags=["contract"]), listed)
        builder.branch(lists)

        builder.position_at_end(done)
        stored = builder.store(added, builder.bitcast(sum_at, _VECTOR.as_pointer()))
        stored.align = 8
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_choices(
    _context, values, hot, row, places, starts, chances, first, end, out, place, planes
):
    """Add the lists first .. end - 1 to ``out[place:][:LANES]`` and the planes behind that.

    Each adds its chance times the best of its options: a value of LANES for each plane, one behind
    the other from ``values[row + its place]`` on, of hot dice from ``hot[row + ~its place]`` on.
    That one is best whose first plane is greatest; of those that are equal to within EVEN the last
    one.

    planes : a tuple of as many numbers as there are planes, whatever they are
    """
    signature = types.void(
        values,
        hot,
        types.intp,
        places,
        starts,
        chances,
        types.intp,
        types.intp,
        out,
        types.intp,
        planes,
    )
    count = len(planes)

    def generate(context, builder, signature, arguments):
        def memory(number):
            array = context.make_array(signature.args[number])
            return array(context, builder, arguments[number]).data

        def plane(address, number):
            return builder.gep(address, [ir.Constant(_INDEX, number * LANES)])

        def phis():
            return [builder.phi(_VECTOR) for _ in range(count)]

        def value_of(number):
            offset = builder.load(builder.gep(places_at, [number]))
            is_hot = builder.icmp_signed("<", offset, ir.Constant(_INDEX, 0))
            hot_address = builder.gep(hot_here, [builder.not_(offset)])
            address = builder.select(is_hot, hot_address, builder.gep(here, [offset]))
            return [_load(builder, plane(address, p)) for p in range(count)]

        def come_from(targets, sources, block):
            for target, source in zip(targets, sources, strict=True):
                target.add_incoming(source, block)

        one = ir.Constant(_INDEX, 1)
        even = _all_lanes(builder, ir.Constant(ir.DoubleType(), EVEN))
        here, hot_here = (builder.gep(memory(number), [arguments[2]]) for number in (0, 1))
        places_at, starts_at, chances_at = memory(3), memory(4), memory(5)
        sum_at = builder.gep(memory(8), [arguments[9]])
        before = builder.block
        blocks = ("lists", "list", "options", "option", "listed", "done")
        lists, begin, options, option, listed, done = (
            builder.append_basic_block(name) for name in blocks
        )
        totals = [_load(builder, plane(sum_at, p)) for p in range(count)]
        builder.branch(lists)

        builder.position_at_end(lists)
        number, added = builder.phi(_INDEX), phis()
        come_from([number, *added], [arguments[6], *totals], before)
        builder.cbranch(builder.icmp_signed("<", number, arguments[7]), begin, done)

        builder.position_at_end(begin)
        following = builder.add(number, one)
        start = builder.load(builder.gep(starts_at, [number]))
        last = builder.sub(builder.load(builder.gep(starts_at, [following])), one)
        last_values, second = value_of(last), builder.sub(last, one)
        builder.branch(options)

        builder.position_at_end(options)
        which, best = builder.phi(_INDEX), phis()
        come_from([which, *best], [second, *last_values], begin)
        builder.cbranch(builder.icmp_signed(">=", which, start), option, listed)

        builder.position_at_end(option)
        found = value_of(which)
        is_better = builder.fcmp_ordered(">", found[0], builder.fadd(best[0], even))
        chosen = [builder.select(is_better, *pair) for pair in zip(found, best, strict=True)]
        come_from([which, *best], [builder.sub(which, one), *chosen], option)
        builder.branch(options)

        builder.position_at_end(listed)
        chance = _all_lanes(builder, builder.load(builder.gep(chances_at, [number])))
        sums = [
            builder.fadd(total, builder.fmul(chance, value, flags=["contract"]), flags=["contract"])
            for total, value in zip(added, best, strict=True)
        ]
        come_from([number, *added], [following, *sums], listed)
        builder.branch(lists)

        builder.position_at_end(done)
        for p in range(count):
            address = builder.bitcast(plane(sum_at, p), _VECTOR.as_pointer())
            builder.store(added[p], address).align = 8
        return context.get_dummy_value()

    return signature, generate


@njit(TURN_SIGNATURE, cache=True, nogil=True, error_model="numpy")
def turn_of_lists(values, hot, bank, farkle, lost, lists, steps):
    """Solve a turn as a function of `kernel_source.turn_source` does, list after list."""
    columns = len(lists.farkles)
    size = columns * LANES
    stride = LANES if len(farkle) > LANES else 0
    out, part = np.empty(size), np.empty(LANES)
    for t in range(steps - 1, -1, -1):
        for n in range(columns):
            place = n * LANES
            for lane in range(LANES):
                ended = lists.wins[n] + lists.loses[n] * lost[lane]
                out[place + lane] = ended + lists.farkles[n] * farkle[t * stride + lane]
            end = lists.first_list[n + 1]
            for first in range(lists.first_list[n], end, SUMMED):
                part[:] = 0.0
                add_lists(  # type: ignore[call-arg] # numba gives it the context by itself
                    values,
                    hot,
                    t * size,
                    lists.places,
                    lists.starts,
                    lists.chances,
                    first,
                    min(first + SUMMED, end),
                    part,
                    0,
                )
                for lane in range(LANES):
                    out[place + lane] += part[lane]
            if n < lists.banked:
                for lane in range(LANES):
                    out[place + lane] = max(bank[t * LANES + lane], out[place + lane])
        here = values[t * size :]
        for k in range(size):
            here[k] = out[k]
    return 0


turn_of_sets = njit(cache=True, nogil=True, error_model="numpy")(turn_of_lists.py_func)
"""Where each lane has chances of its own: many sets side by side."""


@lru_cache
def turn_by_seat(planes: int) -> Callable[..., Any]:
    """Return what solves a turn as a function of `kernel_source.turn_source` does, list by list."""
    each = (0,) * planes
    cell = planes * LANES

    @njit(TURN_SIGNATURE, cache=True, nogil=True, error_model="numpy")
    def turn(values, hot, bank, farkle, lost, lists, steps):
        columns = len(lists.farkles)
        size = columns * cell
        out = np.empty(size)
        for t in range(steps - 1, -1, -1):
            b, f = bank[t * cell :], farkle[t * cell :]
            # a turn begins with all dice
            for n in range(0 if t else columns - 1, columns):
                place = n * cell
                farkles, loses = lists.farkles[n], lists.loses[n]
                for k in range(cell):
                    out[place + k] = farkles * f[k] + loses * lost[k]
                for k in range(LANES):
                    out[place + k] += lists.wins[n]
                add_choices(  # type: ignore[call-arg] # numba gives it the context by itself
                    values,
                    hot,
                    t * size,
                    lists.places,
                    lists.starts,
                    lists.chances,
                    lists.first_list[n],
                    lists.first_list[n + 1],
                    out,
                    place,
                    each,
                )
                if n < lists.banked:
                    for lane in range(LANES):
                        if out[place + lane] <= b[lane] + EVEN:
                            for p in range(planes):
                                out[place + p * LANES + lane] = b[p * LANES + lane]
            here = values[t * size :]
            for k in range(size):
                here[k] = out[k]
        return 0

    return turn
