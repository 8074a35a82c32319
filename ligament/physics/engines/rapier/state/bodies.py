"""States of bodies, read in bulk from the bytes that the engine serializes.

The engine hands out poses and velocities one body and one vector at a time. The bytes in which a
body saves itself hold all of it, and take less time than two of its four attributes; those of the
whole set take 0.2 µs a body, where bodies one by one take 0.5 µs. Readers of the same bodies
between two steps share the result, and only bodies that may have moved are read.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.arrays import Indices

Rows: TypeAlias = npt.NDArray[np.float32]

SIZES: Final = (3, 4, 3, 3)
"""Numbers in translation, rotation and the two velocities: a body's state is a row of 13."""


class Layout(NamedTuple):
    """Position of a state in a body's bytes: from first to last, and the columns of numbers."""

    first: int
    last: int
    columns: tuple[int, ...]


def find_layout() -> Layout | None:
    """Find the position of a body's state, by saving one with unique values.

    None if that is ambiguous, as it may be in another version of the engine.
    """
    sought = ((1.25, 2.5, 5.125), (0.5, -0.5, -0.5, 0.5), (7.75, 8.5, 9.25), (11.5, 12.25, 13.5))
    position, rotation, linear, angular = sought
    body = rp.RigidBody.dynamic().position((position, rotation)).linvel(linear).angvel(angular)
    data = body.build().to_bytes()
    starts = [data.find(struct.pack(f"<{len(part)}f", *part)) for part in sought]
    if any(start < 0 or start % 4 for start in starts):
        return None
    first = min(starts)
    columns = [(s - first) // 4 + np.arange(n) for s, n in zip(starts, SIZES, strict=True)]
    return Layout(first, max(starts) + 16, tuple(np.concatenate(columns).tolist()))


LAYOUT: Final = find_layout()

_SINGLE: Final = np.dtype("<f4")


def read_rows(bodies: Sequence[rp.RigidBody], layout: Layout | None = LAYOUT) -> Rows:
    """Return the current state (n, 13) of n bodies, in the engine's single precision."""
    if layout is None:
        return np.array([_row(body) for body in bodies], np.float32).reshape(-1, sum(SIZES))
    first, last, _ = layout
    data = b"".join([body.to_bytes()[first:last] for body in bodies])
    return np.frombuffer(data, _SINGLE).take(_columns(layout, len(bodies)))


@lru_cache(maxsize=64)
def _columns(layout: Layout, count: int) -> npt.NDArray[np.intp]:
    """Return the positions (n, 13) of the numbers of n bodies, whose bytes follow one another."""
    first, last, columns = layout
    starts = np.arange(count)[:, None] * ((last - first) // 4)
    return np.asarray(starts + np.array(columns))


def _row(body: rp.RigidBody) -> tuple[float, ...]:
    return (
        *body.translation.to_tuple(),
        *body.rotation.to_tuple(),
        *body.linvel.to_tuple(),
        *body.angvel.to_tuple(),
    )


_PART: Final = 0.4
"""Fraction of all bodies above which reading the whole set is faster."""

_FEW: Final = 8
"""Number of bodies up to which they are read one by one."""

_LARGER: Final = 16
"""Multiple of a block's size that an allocation must have for the allocator to keep blocks."""


Selection: TypeAlias = Indices | slice
"""Bodies by their indices; those that stand side by side are read without a copy."""


def select(which: Sequence[int]) -> Selection:
    """Return bodies in the form that is fastest to read."""
    if len(which) and list(which) == list(range(which[0], which[0] + len(which))):
        return slice(which[0], which[0] + len(which))
    return np.array(which, np.intp)


class BodySource:
    """States of the bodies of a world, by their index in the scene.

    `version` tells states apart between which bodies may have changed.
    """

    def __init__(self, handles: Sequence[rp.RigidBodyHandle]) -> None:
        self._handles = handles
        self.version = 0

    def bind(self, world: rp.PhysicsWorld) -> None:
        """Read from a world, new or restored, from now on."""
        self.bodies: list[rp.RigidBody] = [world.rigid_bodies[h] for h in self._handles]
        self._whole = WholeSet(world, self.bodies) if len(self.bodies) > _FEW else None
        self.forget()

    def forget(self) -> None:
        """Note that bodies may have changed."""
        self.version += 1
        self._rows: Rows | None = None

    def read(self, which: Selection) -> Rows:
        """Return the current state (n, 13) of some bodies, in the engine's single precision."""
        if self._rows is None and self._whole is not None and count(which) > self._many:
            self._rows = self._whole.read()
        if isinstance(which, slice):
            return read_rows(self.bodies[which]) if self._rows is None else self._rows[which]
        if self._rows is not None:
            return self._rows.take(which, 0)
        return read_rows([self.bodies[i] for i in which.tolist()])

    @property
    def _many(self) -> float:
        return max(_PART * len(self.bodies), _FEW)


def count(which: Selection) -> int:
    """Return the number of selected bodies."""
    return which.stop - which.start if isinstance(which, slice) else len(which)


class WholeSet:
    """All bodies of a world, read from the bytes of their set."""

    def __init__(
        self,
        world: rp.PhysicsWorld,
        bodies: Sequence[rp.RigidBody],
        layout: Layout | None = LAYOUT,
    ) -> None:
        self._set, self._bodies, self._layout = world.rigid_bodies, bodies, layout
        self._places: npt.NDArray[np.intp] | None = None

    def read(self) -> Rows | None:
        """Return the current state (B, 13) of all bodies; None if it cannot be found."""
        if self._layout is None:
            return None
        data = self._set.to_bytes()
        if self._places is None or not self._is_last_in_place(data, self._layout):
            self._places = self._find(data, self._layout)
        if self._places is None:
            self._layout = None
            return None
        rows: Rows = np.frombuffer(data, np.uint8).take(self._places).view("<f4")
        return rows

    def _is_last_in_place(self, data: bytes, layout: Layout) -> bool:
        """Tell whether bodies are where they were found: if one had grown, the last had moved."""
        first, last, _ = layout
        return data.startswith(self._bodies[-1].to_bytes()[first:last], self._end)

    def _find(self, data: bytes, layout: Layout) -> npt.NDArray[np.intp] | None:
        """Find the numbers (B, 52) of all bodies, which stand in the order of the scene."""
        _retain_freed_memory(len(data))
        first, last, columns = layout
        starts, after = [], 0
        for body in self._bodies:
            start = data.find(body.to_bytes()[first:last], after)
            if start < 0:
                return None
            starts.append(start)
            after = start + last - first
        self._end = starts[-1]
        numbers = np.array(starts, np.intp)[:, None] + 4 * np.array(columns)
        places: npt.NDArray[np.intp] = (numbers[:, :, None] + np.arange(4)).reshape(len(starts), -1)
        return places


def _retain_freed_memory(size: int) -> None:
    """Make the allocator keep freed blocks of a size [bytes].

    glibc returns large ones to the system each time, and reading then takes twice as long for the
    sake of fresh pages, until something larger was freed once. Nothing is written.
    """
    np.empty(_LARGER * size, np.uint8)
