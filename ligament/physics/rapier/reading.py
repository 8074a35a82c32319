"""Reading poses and velocities of many bodies, which the engine hands out one at a time.

The bytes in which a body saves itself hold all of it, and take less time than two of its four
attributes. Bodies that cannot have moved since the last reading are not asked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.physics.engine import State

Floats: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.float32]


SIZES: Final = (3, 4, 3, 3)
"""Numbers in translation, rotation, velocity and spin: a row of 13 is the state of a body."""


class Layout(NamedTuple):
    """Where a body's bytes hold its state: between two of them, and in which single numbers."""

    first: int
    last: int
    columns: npt.NDArray[np.intp]


def find_layout() -> Layout | None:
    """Find out where a body keeps its state, by saving one with values that nothing else has.

    None where that is not clear, as it may be in another version of the engine.
    """
    sought = ((1.25, 2.5, 5.125), (0.5, -0.5, -0.5, 0.5), (7.75, 8.5, 9.25), (11.5, 12.25, 13.5))
    position, rotation, velocity, spin = sought
    body = rp.RigidBody.dynamic().position((position, rotation)).linvel(velocity).angvel(spin)
    data = body.build().to_bytes()
    starts = [data.find(struct.pack(f"<{len(part)}f", *part)) for part in sought]
    if any(start < 0 or start % 4 for start in starts):
        return None
    first = min(starts)
    columns = [(s - first) // 4 + np.arange(n) for s, n in zip(starts, SIZES, strict=True)]
    return Layout(first, max(starts) + 16, np.concatenate(columns))


LAYOUT: Final = find_layout()


def read_rows(bodies: Sequence[rp.RigidBody], layout: Layout | None = LAYOUT) -> Rows:
    """Return the present state (n, 13) of n bodies, in the engine's single precision."""
    if layout is None:
        return np.array([_row(body) for body in bodies], np.float32).reshape(-1, sum(SIZES))
    first, last, columns = layout
    data = b"".join([body.to_bytes()[first:last] for body in bodies])
    numbers = np.frombuffer(data, "<f4").reshape(len(bodies), -1)
    return numbers.take(columns, axis=1)


def _row(body: rp.RigidBody) -> tuple[float, ...]:
    return (
        *body.translation.to_tuple(),
        *body.rotation.to_tuple(),
        *body.linvel.to_tuple(),
        *body.angvel.to_tuple(),
    )


def as_state(rows: Floats) -> State:
    """Return the parts of rows (B, 13), without copying them."""
    return State(rows[:, :3], rows[:, 3:7], rows[:, 7:10], rows[:, 10:])


class StateReader:
    """Keeps the state of all bodies, and renews what may have changed since it was last read.

    `state` is that of the start, `moving` the bodies that the engine may move.
    """

    def __init__(self, state: State, moving: Iterable[int]) -> None:
        self.rows: Floats = np.concatenate(state, axis=1)
        self.state = as_state(self.rows)
        self._candidates = tuple(moving)
        self._awake: frozenset[int] | None = None  # of which None means all
        self._stale: frozenset[int] | None = None

    def bind(
        self,
        world: rp.PhysicsWorld,
        bodies: Sequence[rp.RigidBody],
        *,
        frozen: Iterable[int] = (),
    ) -> None:
        """Read from the bodies of a world from now on, all but the frozen ones the next time."""
        self._world, self._islands, self._bodies = world, world.islands, bodies
        self._awake = self._stale = None
        left_out = set(frozen)
        self._select([i for i in self._candidates if i not in left_out])

    def _select(self, moving: list[int]) -> None:
        self._moving = moving
        self._everything = np.array(moving, np.intp)
        self._sources = [self._bodies[i] for i in moving]

    def freeze(self, body: int) -> None:
        """Leave a body where it was last seen, at rest, and never read it again."""
        self._select([i for i in self._moving if i != body])
        self.state.velocity[body] = self.state.spin[body] = 0

    def note_step(self) -> None:
        """Note which bodies a step may have moved; those awake before it may sleep now."""
        if len(self._islands) >= len(self._moving):
            self._awake = self._stale = None
            return
        self._awake = frozenset([handle.index for handle in self._world.active_bodies()])
        if self._stale is not None:
            self._stale |= self._awake

    def note(self, body: int) -> None:
        """Note that a body was changed from outside."""
        if self._stale is not None:
            self._stale |= {body}

    def read(self) -> None:
        """Bring `rows` up to date."""
        if self._stale is None:
            self._store(self._everything, self._sources)
        elif self._stale:
            some = [i for i in self._moving if i in self._stale]
            self._store(np.array(some, np.intp), [self._bodies[i] for i in some])
        self._stale = self._awake

    def _store(self, where: npt.NDArray[np.intp], sources: list[rp.RigidBody]) -> None:
        if sources:
            self.rows[where] = read_rows(sources)
