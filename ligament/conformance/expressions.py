"""Closed forms: expressions of numbers, vectors and rotations, evaluated from their text.

A derivation is text in the syntax of Python with the names of its values, `t` for the time [s] and
the functions below, so that readers of a case can recompute its expected value. Texts that contain
only numbers and + - * / are evaluated in exact rationals.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import numpy as np

from ligament.conformance import rotations
from ligament.errors import ContentError

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": np.arctan2,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
    "where": np.where,
    "unit": lambda v: np.asarray(v, float) / np.linalg.norm(v),
    "cross": np.cross,
    "dot": np.dot,
    "product": rotations.product,
    "inverse": rotations.inverse,
    "rotate": rotations.rotate,
    "about": rotations.about,
    "slerp": rotations.slerp,
    "from_to": rotations.from_to,
    "rotation_vector": rotations.log,
    "rotation_of": rotations.exp,
}
"""Functions that an expression may call; quaternions are xyzw, angles in radians."""

CONSTANTS: Final = {"pi": math.pi, "g": 9.81}

_OPERATORS: Final[dict[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
}


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """Return the value of an expression: a float, or an array of floats."""
    body = ast.parse(text, mode="eval").body
    if is_rational(text, values):
        exact = {name: Fraction(str(value)) for name, value in values.items()}
        return float(_value(body, {**exact, "g": Fraction("9.81")}, Fraction))
    found = _value(body, {**CONSTANTS, **values}, float)
    return np.asarray(found, float) if np.ndim(found) else float(found)


def is_rational(text: str, values: Mapping[str, Any]) -> bool:
    """Tell whether an expression contains only numbers and the four operations."""
    kinds = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Name, ast.Load)
    operations = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)
    nodes = list(ast.walk(ast.parse(text, mode="eval")))
    return (
        all(isinstance(node, kinds + operations) for node in nodes)
        and all(isinstance(value, int | float) for value in values.values())
        and not {node.id for node in nodes if isinstance(node, ast.Name)} & {"pi", "t"}
    )


def uses(text: str, name: str) -> bool:
    """Tell whether an expression contains a name."""
    nodes = ast.walk(ast.parse(text, mode="eval"))
    return any(isinstance(node, ast.Name) and node.id == name for node in nodes)


def _value(node: ast.AST, names: Mapping[str, Any], number: Callable[[str], Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            return number(str(value))
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return np.array([_value(item, names, number) for item in items], float)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_array(_value(operand, names, number)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            sides = (_array(_value(side, names, number)) for side in (left, right))
            return _OPERATORS[type(op)](*sides)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
            sides = (_array(_value(side, names, number)) for side in (left, right))
            return _OPERATORS[type(op)](*sides)
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(item, names, number) for item in arguments))
    raise ContentError(f"{ast.unparse(node)!r} is not allowed in a derivation")


def _array(value: Any) -> Any:
    return np.asarray(value, float) if isinstance(value, list | tuple) else value
