"""What differs between two documents, one change at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec

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


class Change(msgspec.Struct, frozen=True):
    """One change: what happened to which part, and where in it.

    `name` tells the part from others of its kind: the path of a node, the name of a bone.
    `detail` is the property that changed, None where the whole part came or went; `before` and
    `after` are its values as JSON has them, None where there is none.
    """

    change: What
    part: Part
    name: str
    detail: str | None = None
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        """Tell it in one line."""
        line = f"{self.change:<7} {self.part} {self.name}"
        if self.change != "changed":
            told = self.after if self.change == "added" else self.before
            return line if told is None else f"{line}: {shown(told)}"
        values = f"{shown(self.before)} → {shown(self.after)}"
        return f"{line}: {self.detail} {values}" if self.detail else f"{line}: {values}"


class Differences(msgspec.Struct, frozen=True):
    """All changes from one document to another; none where they mean the same."""

    changes: tuple[Change, ...]

    @property
    def equal(self) -> bool:
        """Whether both documents mean the same."""
        return not self.changes

    @property
    def counts(self) -> dict[What, int]:
        """How many parts were added, removed and changed."""
        found = Counter(change.change for change in self.changes)
        return {"added": found["added"], "removed": found["removed"], "changed": found["changed"]}

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)


LONGEST = 120
"""Characters of a value that a line shows."""


def shown(value: Any) -> str:
    """Write a value for a person."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "unbounded" if math.isinf(value) else f"{value:.6g}"
    if isinstance(value, list | tuple):
        text = "(" + ", ".join(shown(item) for item in value) + ")"
    elif isinstance(value, dict):
        text = ", ".join(f"{key} {shown(item)}" for key, item in value.items())
    else:
        text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
