"""Straight-line arithmetic over lanes as LLVM's own vector instructions.

numba would infer the type of every name and LLVM find out that a loop over lanes is a vector's
instructions, which takes most of the time to compile a turn. Here a body of assignments is
translated as it stands, a vector for each value, so that it is compiled in a small part of that
and never keeps in memory what fits into registers.
"""

import ast
import inspect
import sys
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from solver.game.lanes import LANES

_DOUBLE, _INDEX = ir.DoubleType(), ir.IntType(64)
_FLAGS = ("contract", "nnan", "ninf", "nsz")
"""Fast mathematics: no value is infinite or NaN, and a product may be added without rounding it."""

VERSION = sha256(inspect.getsource(sys.modules[__name__]).encode()).hexdigest()[:16]
"""A digest of this file, on which code depends; taken when it is loaded, as the file may change."""


def _width() -> int:
    """The number of lanes in a vector register of this processor, or in two smaller registers."""
    try:
        features = llvmlite.binding.get_host_cpu_features()
    except RuntimeError:  # an unknown processor
        return 4
    return 8 if features.get("avx512f") else 4


def lane_code(body: str, arrays: tuple[str, ...]) -> Callable[..., Any]:
    """A function for numba of five one-dimensional float64 arrays, which runs `body` for all lanes.

    It returns whether `found` was above 0 in any lane; False where `body` does not assign it.

    body : assignments of sums, differences, products, `max` of two and ``x if y >= z else w``, of
        numbers, names and ``array[number]``, which is the vector of LANES values from there on.
        Statements see what earlier ones have assigned to an array.
    arrays : the names of the five arrays in `body`, in the order of the arguments
    """
    statements = ast.parse(body).body

    @intrinsic
    def run(_context, first, second, third, fourth, fifth):  # type: ignore[no-untyped-def]
        signature = types.boolean(first, second, third, fourth, fifth)

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            data = [
                context.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args, arguments, strict=True)
            ]
            return _Lanes(builder, dict(zip(arrays, data, strict=True))).loop(statements)

        return signature, generate

    return run


class _Lanes:
    """Translates a body for as many lanes at a time as a register has."""

    def __init__(self, builder: Any, arrays: dict[str, Any]) -> None:
        self._builder = builder
        self._arrays = arrays
        self._width = _width()
        self._vector = ir.VectorType(_DOUBLE, self._width)
        self._values: dict[str, Any] = {}
        self._lane: Any = None

    def loop(self, statements: list[ast.stmt]) -> Any:
        """Emit the loop over all lanes; returns the flag whether `found` was above 0."""
        builder = self._builder
        before = builder.block
        block = builder.append_basic_block("lanes")
        after = builder.append_basic_block("all_lanes")
        builder.branch(block)
        builder.position_at_end(block)
        self._lane = lane = builder.phi(_INDEX)
        so_far = builder.phi(ir.IntType(1))
        lane.add_incoming(ir.Constant(_INDEX, 0), before)
        so_far.add_incoming(ir.Constant(ir.IntType(1), 0), before)
        for statement in statements:
            self._run(statement)
        any_found = so_far
        if "found" in self._values:
            above = builder.fcmp_ordered(">", self._values["found"], self._number(0.0))
            bits = builder.bitcast(above, ir.IntType(self._width))
            in_these = builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))
            any_found = builder.or_(so_far, in_these)
        following = builder.add(lane, ir.Constant(_INDEX, self._width))
        lane.add_incoming(following, block)
        so_far.add_incoming(any_found, block)
        is_done = builder.icmp_unsigned("==", following, ir.Constant(_INDEX, LANES))
        builder.cbranch(is_done, after, block)
        builder.position_at_end(after)
        return any_found

    def _run(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._values[name] = self._value(value)
            case ast.Assign(targets=[ast.Subscript() as target], value=value):
                self._builder.store(self._value(value), self._address(target)).align = 8
            case _:
                raise NotImplementedError(ast.unparse(statement))

    def _value(self, node: ast.expr) -> Any:
        builder = self._builder
        match node:
            case ast.Constant(value=float() | int() as number):
                value = self._number(number)
            case ast.Name(id=name):
                value = self._values[name]
            case ast.Subscript():
                value = builder.load(self._address(node))
                value.align = 8
            case ast.BinOp(op=ast.Add()):
                value = builder.fadd(*self._operands(node), flags=_FLAGS)
            case ast.BinOp(op=ast.Sub()):
                value = builder.fsub(*self._operands(node), flags=_FLAGS)
            case ast.BinOp(op=ast.Mult()):
                value = builder.fmul(*self._operands(node), flags=_FLAGS)
            case ast.Call(func=ast.Name(id="max"), args=[left, right]):
                first, second = self._value(left), self._value(right)
                is_more = builder.fcmp_ordered(">", first, second, flags=_FLAGS)
                value = builder.select(is_more, first, second, flags=_FLAGS)
            case ast.IfExp(test=ast.Compare(left=left, ops=[ast.GtE()], comparators=[right])):
                first, second = self._value(left), self._value(right)
                holds = builder.fcmp_ordered(">=", first, second, flags=_FLAGS)
                value = builder.select(holds, self._value(node.body), self._value(node.orelse))
            case _:
                raise NotImplementedError(ast.unparse(node))
        return value

    def _operands(self, node: ast.BinOp) -> tuple[Any, Any]:
        return self._value(node.left), self._value(node.right)

    def _number(self, number: float) -> Any:
        return ir.Constant(self._vector, [float(number)] * self._width)

    def _address(self, node: ast.expr) -> Any:
        match node:
            case ast.Subscript(value=ast.Name(id=array), slice=ast.Constant(value=int() as place)):
                number = self._builder.add(self._lane, ir.Constant(_INDEX, place))
                address = self._builder.gep(self._arrays[array], [number])
                return self._builder.bitcast(address, self._vector.as_pointer())
        raise NotImplementedError(ast.unparse(node))
