"""Elements of a MuJoCo model, independent of any file format, and their input."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.arrays import Floats
from ligament.physics.scene import Body, Scene

Value: TypeAlias = str | float | npt.ArrayLike

_LONGEST: Final = 80
_RESERVED: Final = frozenset({"world"})


class Subject(Protocol):
    """A scene to be modelled: names for its parts, and a record of what MuJoCo cannot express.

    Pointers are places in whatever the scene was read from, and are only handed to `lose`.
    """

    @property
    def scene(self) -> Scene:
        """The scene, in the axes of the model."""

    @property
    def gravity(self) -> Floats:
        """Gravity (3,) [m/s²] in the axes of the scene."""

    def name_of(self, node: int) -> str | None:
        """Return the name of a node, None where it has none."""

    def body_pointer(self, body: Body) -> str:
        """Return the place of a body."""

    def collider_pointer(self, node: int) -> str:
        """Return the place of a collider or sensor."""

    def joint_pointer(self, node: int) -> str:
        """Return the place of a joint."""

    def lose(self, pointer: str, what: str, reason: str, effect: str) -> None:
        """Record something that the model does not express, or only approximates."""


@dataclasses.dataclass(eq=False)
class Element:
    """An element of MJCF with its attributes and children."""

    tag: str
    attributes: dict[str, Value] = dataclasses.field(default_factory=dict)
    children: list[Element] = dataclasses.field(default_factory=list)

    def add(self, tag: str, attributes: Mapping[str, Value | None]) -> Element:
        """Append an element and return it; attributes of None are left out."""
        given = {name: value for name, value in attributes.items() if value is not None}
        self.children.append(Element(tag, given))
        return self.children[-1]


class Names:
    """Gives names: those of the scene as far as XML can hold them, each unique within its kind."""

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
    """Replace characters that XML forbids or that are invisible by underscores."""
    seen = "".join(c if c.isprintable() and c not in "\ufffe\uffff" else "_" for c in name)
    return seen[:_LONGEST].strip()


def quaternion(rotation: npt.ArrayLike) -> list[float]:
    """Return a quaternion xyzw in MuJoCo's order wxyz."""
    x, y, z, w = np.asarray(rotation, np.float64).tolist()
    return [w, x, y, z]
