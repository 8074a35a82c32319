"""Changes between two documents, and the tolerance of their comparison."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from ligament.errors import counted
from ligament.options.names import DIFFERENCE
from ligament.text import Answer, Line, plain

What: TypeAlias = Literal["added", "removed", "changed"]
Part: TypeAlias = Literal[
    "scene",
    "node",
    "mesh",
    "material",
    "skin",
    "camera",
    "animation",
    "constraint",
    "humanoid",
    "body",
    "collider",
    "trigger",
    "joint",
    "extension",
]

LONGEST = 120
"""Maximum number of characters shown of a value."""


class Change(msgspec.Struct, frozen=True):
    """One change of a part, or of one of its properties.

    `name` identifies the part among those of its kind: the path of a node, the name of a bone.
    `detail` is the property that changed, None where the whole part was added or removed; `before`
    and `after` are its values as in JSON, None where there is none.
    """

    change: What
    part: Part
    name: str
    detail: str | None = None
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        """Describe the change in one line."""
        line = f"{self.change:<7} {self.part} {self.name}"
        if self.change != "changed":
            described = self.after if self.change == "added" else self.before
            return line if described is None else f"{line}: {shown(described)}"
        values = f"{shown(self.before)} → {shown(self.after)}"
        return f"{line}: {self.detail} {values}" if self.detail else f"{line}: {values}"


class Differences(Answer, msgspec.Struct, frozen=True):
    """All changes from one document to another; empty if they are equal in meaning."""

    changes: tuple[Change, ...]

    @property
    def equal(self) -> bool:
        """Whether both documents are equal in meaning."""
        return not self.changes

    @property
    def counts(self) -> dict[What, int]:
        """The numbers of added, removed and changed parts."""
        found = Counter(change.change for change in self.changes)
        return {"added": found["added"], "removed": found["removed"], "changed": found["changed"]}

    @property
    def verdict(self) -> str:
        """The result in one line."""
        if self.equal:
            return "no difference in meaning"
        counts = ", ".join(f"{count} {what}" for what, count in self.counts.items() if count)
        return f"{counted(len(self), 'difference')}: {counts}"

    def lines(self) -> Iterator[Line]:
        """Yield what `ligament diff` prints."""
        yield from map(plain, self)
        yield self.verdict

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)


def shown(value: Any, levels: int = LONGEST) -> str:
    """Format a value for people, up to a number of nested levels."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "unbounded" if math.isinf(value) else f"{value:.6g}"
    if not levels:
        return "…"
    if isinstance(value, list | tuple):
        text = "(" + ", ".join(shown(item, levels - 1) for item in value) + ")"
    elif isinstance(value, dict):
        text = ", ".join(f"{key} {shown(item, levels - 1)}" for key, item in value.items())
    else:
        text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


class Tolerance(NamedTuple):
    """Largest difference between equal numbers: absolute up to 1, relative to size above."""

    value: float = DIFFERENCE

    def same(self, a: float, b: float) -> bool:
        """Tell whether two numbers are equal; infinities are equal to themselves."""
        if math.isinf(a) or math.isinf(b):
            return a == b
        return abs(a - b) <= self.value * max(1.0, abs(a), abs(b))

    def alike(self, a: npt.ArrayLike, b: npt.ArrayLike) -> bool:
        """Tell whether two arrays are equal, relative to their largest number."""
        one, other = np.asarray(a, float), np.asarray(b, float)
        if one.shape != other.shape:
            return False
        if not one.size:
            return True
        finite = np.isfinite(one) & np.isfinite(other)
        if not np.array_equal(one[~finite], other[~finite]):
            return False
        scale = max(1.0, *(float(np.abs(x[finite]).max(initial=0.0)) for x in (one, other)))
        return bool((np.abs(one[finite] - other[finite]) <= self.value * scale).all())

    def rotations_alike(self, a: npt.ArrayLike, b: npt.ArrayLike) -> bool:
        """Tell whether rotations (…, 4) are equal; q and -q are the same."""
        one, other = np.asarray(a, float), np.asarray(b, float)
        if one.shape != other.shape:
            return False
        distance = np.minimum(
            np.linalg.norm(one - other, axis=-1), np.linalg.norm(one + other, axis=-1)
        )
        return bool((distance <= self.value).all())

    def same_json(self, a: Any, b: Any) -> bool:
        """Tell whether two JSON values are equal."""
        return _equal(a, b, self)

    def json(self, a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
        """Yield (where, before, after) for every difference between two JSON values."""
        yield from _differing(a, b, self)


def _differing(a: Any, b: Any, tolerance: Tolerance) -> Iterator[tuple[str, Any, Any]]:
    pending = [("", a, b)]
    while pending:
        where, a, b = pending.pop()
        below: list[tuple[str, Any, Any]] = []
        if all(isinstance(x, dict) or (x is None and y) for x, y in ((a, b), (b, a))):
            a, b = a or {}, b or {}
            for key in dict.fromkeys([*a, *b]):
                below.append((f"{where}.{key}" if where else key, a.get(key), b.get(key)))
        elif _are_objects(a) and _are_objects(b) and len(a) == len(b):
            pairs = enumerate(zip(a, b, strict=True))
            below = [(f"{where}[{index}]", one, other) for index, (one, other) in pairs]
        elif not _equal(a, b, tolerance):
            yield where, a, b
        pending.extend(reversed(below))


def _equal(a: Any, b: Any, tolerance: Tolerance) -> bool:
    if _is_number(a) and _is_number(b):
        return tolerance.same(float(a), float(b))
    if isinstance(a, list) and isinstance(b, list):
        # At least one list has no nested values or the lengths differ, so the recursion is shallow.
        return len(a) == len(b) and all(
            not any(True for _ in _differing(x, y, tolerance)) for x, y in zip(a, b, strict=True)
        )
    return bool(a == b)


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)


def _is_number(value: Any) -> bool:
    """Tell whether JSON is a number that a double can hold."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and not sys.float_info.max < abs(value) < math.inf


def rounded(values: npt.ArrayLike) -> list[float]:
    """Return numbers for display: six digits, no negative zero."""
    flat: Sequence[float] = np.asarray(values, float).reshape(-1).tolist()
    return [float(f"{value:.6g}") + 0.0 for value in flat]
