"""Array expressions in tasks: arithmetic, comparisons and a few functions, not Python."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from ligament.errors import ContentError

LONGEST: Final = 1000
"""Most characters of an expression."""

DEEPEST: Final = 60
"""Deepest nesting of operations."""

Evaluate: TypeAlias = Callable[[Mapping[str, Any]], Any]
"""An expression as a function of named arrays."""

FUNCTIONS: Final[Mapping[str, tuple[Callable[..., Any], int]]] = {
    "abs": (np.abs, 1),
    "sign": (np.sign, 1),
    "floor": (np.floor, 1),
    "sqrt": (np.sqrt, 1),
    "exp": (np.exp, 1),
    "log": (np.log, 1),
    "sin": (np.sin, 1),
    "cos": (np.cos, 1),
    "tan": (np.tan, 1),
    "asin": (np.arcsin, 1),
    "acos": (np.arccos, 1),
    "atan": (np.arctan, 1),
    "atan2": (np.arctan2, 2),
    "min": (np.minimum, 2),
    "max": (np.maximum, 2),
    "clip": (np.clip, 3),
    "where": (np.where, 3),
    "norm": (lambda a: np.sqrt(np.square(a).sum(axis=-1)), 1),
    "sum": (lambda a: np.sum(a, axis=-1), 1),
    "any": (lambda a: np.any(a, axis=-1), 1),
    "all": (lambda a: np.all(a, axis=-1), 1),
    "dot": (lambda a, b: np.sum(a * b, axis=-1), 2),
}
"""Functions by name, with their number of arguments; the last five reduce components."""

_OPERATORS: Final[Mapping[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: np.logical_not,
    ast.And: np.logical_and,
    ast.Or: np.logical_or,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def parse(
    text: str, names: Collection[str], *, file: str | None = None, place: str = ""
) -> Evaluate:
    """Return an expression as a function; ContentError with the position if it is invalid.

    >>> parse("1 - abs(angle)", ["angle"])({"angle": np.array([0.25])})
    array([0.75])
    """
    reader = _Reader(text, names, file, place)
    if len(text) > LONGEST:
        raise reader.error(
            None, f"the expression has {len(text)} characters", f"use at most {LONGEST}"
        )
    try:
        return reader.read(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError as fault:
        found = f"found {text[:60]!r} ({fault.msg})"
        raise reader.error(None, found, "write one expression") from None
    except (ValueError, OverflowError, RecursionError, MemoryError):
        found = f"found {text[:60]!r}"
        raise reader.error(None, found, "write one short expression") from None


class _Reader:
    """Turns the nodes of a syntax tree into functions, allowing only those listed."""

    def __init__(self, text: str, names: Collection[str], file: str | None, place: str) -> None:
        self.text, self.names, self.file, self.place = text.strip(), names, file, place
        self._depth = 0

    def error(self, node: ast.expr | None, message: str, remedy: str) -> ContentError:
        place = self.place if node is None else f"{self.place}[{node.col_offset}]"
        return ContentError(message, file=self.file, pointer=place, remedy=remedy)

    def read(self, node: ast.expr) -> Evaluate:
        """Return a part of the expression, limiting its depth."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(node, "an expression that is nested too deeply", "nest it less")
        part = self._read(node)
        self._depth -= 1
        return part

    def _read(self, node: ast.expr) -> Evaluate:
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                number = np.float64(value) if not isinstance(value, bool) else np.bool_(value)
                return lambda _: number
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _call(_OPERATORS[type(op)], self.read(left), self.read(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
                return _call(_OPERATORS[type(op)], self.read(operand))
            case ast.BoolOp(op=op, values=values):
                return self._chain(_OPERATORS[type(op)], [self.read(each) for each in values])
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compare(node, left, ops, others)
            case ast.IfExp(test=test, body=body, orelse=other):
                return _call(np.where, self.read(test), self.read(body), self.read(other))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._function(node, name, arguments)
            case ast.Subscript(value=value, slice=index):
                return self._component(self.read(value), index)
        written = ast.get_source_segment(self.text, node) or self.text
        raise self.error(
            node, f"found {written[:60]!r}", "use numbers, names, operators and functions"
        )

    def _name(self, node: ast.expr, name: str) -> Evaluate:
        if name not in self.names:
            listed = ", ".join(sorted(self.names))
            raise self.error(node, f"there is no {name!r}", f"the names are {listed}")
        if name == "pi":
            return lambda _: np.float64(math.pi)
        return lambda values: values[name]

    def _compare(
        self, node: ast.expr, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]
    ) -> Evaluate:
        sides = [self.read(each) for each in (left, *others)]
        pairs = []
        for op, a, b in zip(ops, sides, sides[1:], strict=False):
            if type(op) not in _OPERATORS:
                raise self.error(node, f"found {self.text[:60]!r}", "compare with < <= > >= == !=")
            pairs.append(_call(_OPERATORS[type(op)], a, b))
        return self._chain(np.logical_and, pairs)

    @staticmethod
    def _chain(combine: Callable[..., Any], parts: list[Evaluate]) -> Evaluate:
        whole = parts[0]
        for part in parts[1:]:
            whole = _call(combine, whole, part)
        return whole

    def _function(self, node: ast.expr, name: str, arguments: list[ast.expr]) -> Evaluate:
        if name not in FUNCTIONS:
            listed = ", ".join(FUNCTIONS)
            raise self.error(node, f"unknown function {name!r}", f"the functions are {listed}")
        function, count = FUNCTIONS[name]
        if len(arguments) != count:
            found = f"{name} of {len(arguments)} arguments"
            raise self.error(node, found, f"give {count}")
        return _call(function, *(self.read(each) for each in arguments))

    def _component(self, value: Evaluate, index: ast.expr) -> Evaluate:
        match index:
            case ast.Constant(value=int() as place) if not isinstance(place, bool):
                return lambda values: np.asarray(value(values))[..., place]
        raise self.error(index, "found an index that is not a whole number", "use 0, 1, 2, …")


def _call(function: Callable[..., Any], *parts: Evaluate) -> Evaluate:
    return lambda values: function(*(part(values) for part in parts))
