"""Argument checks: each returns the value, or raises EditError with a remedy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from ligament.errors import EditError, nearest
from ligament.extensions.fields import Quaternion, Vector
from ligament.extensions.tables.rows import (
    Choice,
    Flag,
    Integer,
    Number,
    Numbers,
    Rotation,
    Row,
    Words,
)
from ligament.gltf.tree import LARGEST

T = TypeVar("T", bound=str)

AXIS_NAMES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

UNIT_TOLERANCE = 1e-3
"""Largest deviation of a quaternion's length from 1; within it, the quaternion is normalised."""


def refused(what: str, value: object, valid: str) -> EditError:
    """Build the error for a value that cannot be used."""
    return EditError(f"{what} is {value!r}", remedy=valid)


def number(
    value: Any,
    what: str,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    infinite: bool = False,
) -> float:
    """Return a number above `above`, at least `least`; `infinite` allows `math.inf`."""
    bounds = f" above {above:g}" if above > -math.inf else ""
    bounds += f" of at least {least:g}" if least > -math.inf else ""
    valid = f"give a number{bounds}"
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        raise refused(what, value, valid)
    try:
        result = float(value)
    except (OverflowError, TypeError):
        raise refused(what, value, f"{valid}, at most {LARGEST:.3g}") from None
    if infinite and result == math.inf:
        return result
    if not abs(result) <= LARGEST:
        raise refused(what, result, f"{valid}, at most {LARGEST:.3g}")
    if not (result > above and result >= least):
        raise refused(what, result, valid)
    return result + 0.0  # turns -0 into 0


def numbers(value: Any, what: str, count: int, **bounds: Any) -> tuple[float, ...]:
    """Return `count` numbers."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise refused(what, value, f"give {count} numbers")
    if len(value) != count:
        raise EditError(f"{what} has {len(value)} elements", remedy=f"give {count} numbers")
    return tuple(number(element, f"an element of {what}", **bounds) for element in value)


def vector(value: Any, what: str, **bounds: Any) -> Vector:
    """Return three numbers."""
    x, y, z = numbers(value, what, 3, **bounds)
    return x, y, z


def rotation(value: Any, what: str) -> Quaternion:
    """Return a unit quaternion xyzw; its length must be 1 within UNIT_TOLERANCE."""
    components = numbers(value, what, 4)
    length = math.hypot(*components)
    if abs(length - 1) > UNIT_TOLERANCE:
        raise EditError(f"{what} has a length of {length:g}", remedy="give a unit quaternion xyzw")
    x, y, z, w = (component / length for component in components)
    return x, y, z, w


def direction(value: Any, what: str = "the axis") -> Vector:
    """Return a unit vector: three numbers of any length above 0, or "x", "-y" and so on."""
    if isinstance(value, str):
        sign, name = (-1.0, value[1:]) if value.startswith("-") else (1.0, value)
        if name.lower() not in AXIS_NAMES:
            raise refused(what, value, 'give three numbers, or "x", "y", "z", "-x", "-y", "-z"')
        x, y, z = (sign * part + 0.0 for part in AXIS_NAMES[name.lower()])
        return x, y, z
    given = vector(value, what)
    length = math.hypot(*given)
    if not length > 0:
        raise EditError(f"{what} has zero length", remedy="give a direction, such as (0, 1, 0)")
    x, y, z = (part / length + 0.0 for part in given)
    return x, y, z


def choice(value: Any, what: str, known: Sequence[T]) -> T:
    """Return one of a closed set of words."""
    for word in known:
        if isinstance(value, str) and value == word:
            return word
    raise refused(what, value, nearest(value, known))


def flag(value: Any, what: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool | np.bool_):
        raise refused(what, value, "give True or False")
    return bool(value)


def axes(value: Any, what: str) -> tuple[int, ...]:
    """Return distinct axes, sorted; there may be none."""
    given = [*value] if isinstance(value, Iterable) else [None]
    valid = [axis for axis in given if type(axis) is int and 0 <= axis <= 2]
    if len(valid) != len(given) or len(set(valid)) != len(valid):
        raise refused(what, value, "name one, two or three of 0, 1 and 2")
    return tuple(sorted(valid))


def of_row(row: Row, value: Any, what: str, *, is_positive: bool = False) -> Any:
    """Return a value that a row of a table allows; `is_positive`: numbers above 0 only.

    A row in which 0 means infinity takes `math.inf` instead.
    """
    bounds: dict[str, Any] = {}
    if isinstance(row, Number) and row.least is not None:
        above = is_positive or row.is_above or row.zero is not None
        bounds["above" if above else "least"] = row.least
        bounds["infinite"] = math.inf in (row.zero, row.overflow)
    match row:
        case Rotation():
            return rotation(value, what)
        case Numbers(count=int() as count):
            return numbers(value, what, count, **bounds)
        case Number():
            return number(value, what, **bounds)
        case Flag():
            return flag(value, what)
        case Choice():
            return choice(value, what, tuple(row.choices.values()))
        case Words():
            return frozenset(words(value, what))
        case Integer():
            return axes([value], what)[0]
    return axes(value, what)


def listed(value: Any, what: str) -> list[Any]:
    """Return the elements of an iterable that is not a string."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise refused(what, value, "give a list")
    return list(value)


def words(value: Any, what: str) -> list[str]:
    """Return the distinct strings of a non-empty list, sorted."""
    given = listed(value, what)
    for word in given:
        if not isinstance(word, str) or not word:
            raise refused(f"an element of {what}", word, "give names")
    if not given:
        raise EditError(f"{what} is empty", remedy="name at least one, or leave it out")
    return sorted(set(given))


def interval(value: Any, what: str) -> tuple[float, float]:
    """Return (lowest, highest); None in either place leaves that side open."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise refused(what, value, "give (lowest, highest)")
    if len(value) != 2:
        raise EditError(f"{what} has {len(value)} elements", remedy="give (lowest, highest)")
    low = -math.inf if _is_open(value[0], -math.inf) else number(value[0], f"the minimum of {what}")
    high = math.inf if _is_open(value[1], math.inf) else number(value[1], f"the maximum of {what}")
    if low > high:
        raise EditError(f"{what} is from {low:g} to {high:g}", remedy="swap the two")
    return low, high


def _is_open(value: Any, end: float) -> bool:
    return value is None or (isinstance(value, float) and value == end)
