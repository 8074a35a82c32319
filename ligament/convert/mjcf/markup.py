"""The words of the file: elements, numbers and names that no content can break."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias
from xml.etree.ElementTree import Element, SubElement

import numpy as np
import numpy.typing as npt

Value: TypeAlias = str | float | npt.ArrayLike

_LONGEST: Final = 80
_NOTHING: Final = 2e-15
_RESERVED: Final = frozenset({"world"})


class Names:
    """Gives names: those of the file as far as XML can hold them, each once for its kind."""

    def __init__(self) -> None:
        self._taken: dict[str, set[str]] = {}
        self._next: dict[tuple[str, str], int] = {}

    def give(self, kind: str, wanted: str | None, otherwise: str) -> str:
        """Return a new name for something of a kind ("body", "joint", …)."""
        taken = self._taken.setdefault(kind, set(_RESERVED))
        stem = _readable(wanted or "") or otherwise
        name, number = stem, self._next.get((kind, stem), 2)
        while name in taken:
            name, number = f"{stem}_{number}", number + 1
        self._next[kind, stem] = number
        taken.add(name)
        return name


def _readable(name: str) -> str:
    """Replace what XML forbids, or what nobody can see, by underscores."""
    seen = "".join(c if c.isprintable() and c not in "\ufffe\uffff" else "_" for c in name)
    return seen[:_LONGEST].strip()


def add(parent: Element, tag: str, attributes: Mapping[str, Value | None]) -> Element:
    """Append an element; attributes of None are left out."""
    given = {name: text(value) for name, value in attributes.items() if value is not None}
    return SubElement(parent, tag, given)


def text(value: Value) -> str:
    """Write a value: words as they are, numbers as short as they can be."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return number(float(value))
    return " ".join(number(float(item)) for item in _flat(value))


def number(value: float) -> str:
    """Write a finite number to 15 digits; what is left of sums that cancel is 0."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written")
    return "0" if abs(value) < _NOTHING else f"{value:.15g}"


def quaternion(rotation: npt.ArrayLike) -> list[float]:
    """Turn a quaternion xyzw into MuJoCo's order wxyz."""
    x, y, z, w = _flat(rotation)
    return [w, x, y, z]


def _flat(values: npt.ArrayLike) -> Iterable[float]:
    return [float(value) for value in np.asarray(values, np.float64).ravel()]
