"""Reading poses and velocities of many bodies, which the engine hands out one at a time.

The bytes in which a body saves itself hold all of it, and take less time than two of its four
attributes. Bodies that cannot have moved since the last reading are not asked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import rapier3d as rp

from ligament.physics.engine import State
from ligament.physics.rapier.placements import Placement


class Layout(NamedTuple):
    """Where the parts of a State begin in the bytes of a body."""

    translation: int
    rotation: int
    velocity: int
    spin: int


def find_layout() -> Layout | None:
    """Find out where a body keeps its state, by saving one with values that nothing else has.

    None where that is not clear, as it may be in another version of the engine.
    """
    sought = ((1.25, 2.5, 5.125), (0.5, -0.5, -0.5, 0.5), (7.75, 8.5, 9.25), (11.5, 12.25, 13.5))
    position, rotation, velocity, spin = sought
    body = rp.RigidBody.dynamic().position((position, rotation)).linvel(velocity).angvel(spin)
    data = body.build().to_bytes()
    found = Layout(*(data.find(struct.pack(f"<{len(part)}f", *part)) for part in sought))
    return None if min(found) < 0 else found


LAYOUT: Final = find_layout()


def read_bodies(bodies: Iterable[rp.RigidBody], layout: Layout | None = LAYOUT) -> State:
    """Return the present state of n bodies, in the engine's single precision."""
    return _from_attributes(bodies) if layout is None else _from_bytes(bodies, layout)


def _from_bytes(bodies: Iterable[rp.RigidBody], layout: Layout) -> State:
    first, last = min(layout), max(layout) + 16
    data = b"".join([body.to_bytes()[first:last] for body in bodies])
    rows = np.frombuffer(data, np.uint8).reshape(-1, last - first)
    t, r, v, s = (offset - first for offset in layout)
    return State(
        _singles(rows[:, t : t + 12]),
        _singles(rows[:, r : r + 16]),
        _singles(rows[:, v : v + 12]),
        _singles(rows[:, s : s + 12]),
    )


def _singles(columns: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(columns).view("<f4").astype(np.float64)


def _from_attributes(bodies: Iterable[rp.RigidBody]) -> State:
    bodies = list(bodies)
    return State(
        np.array([b.translation.to_tuple() for b in bodies]).reshape(-1, 3),
        np.array([b.rotation.to_tuple() for b in bodies]).reshape(-1, 4),
        np.array([b.linvel.to_tuple() for b in bodies]).reshape(-1, 3),
        np.array([b.angvel.to_tuple() for b in bodies]).reshape(-1, 3),
    )


class StateReader:
    """Keeps the state of all bodies, and renews what may have changed since it was last read."""

    def __init__(self, state: State, moving: Sequence[int]) -> None:
        self._state = state
        self._candidates = tuple(moving)
        self._moving = list(moving)
        self._awake: frozenset[int] | None = None  # of which None means all
        self._stale: frozenset[int] | None = None

    def bind(self, world: rp.PhysicsWorld, bodies: Sequence[rp.RigidBody]) -> None:
        """Read from the bodies of a world from now on, all of them the next time."""
        self._world, self._islands, self._bodies = world, world.islands, bodies
        self._awake = self._stale = None
        self._select()

    def note_step(self) -> None:
        """Note which bodies a step may have moved; those awake before it may sleep now."""
        awake = len(self._islands)
        if awake >= len(self._moving):
            self._awake = self._stale = None
            return
        self._awake = frozenset(handle.index for handle in self._world.active_bodies())
        if self._stale is not None:
            self._stale |= self._awake

    def note(self, body: int) -> None:
        """Note that a body was changed from outside."""
        if self._stale is not None:
            self._stale |= {body}

    def freeze(self, body: int) -> None:
        """Leave a body as it was last seen, at rest, and never read it again."""
        if body in self._moving:
            self._moving.remove(body)
            self._select()
        self._state.velocity[body] = self._state.spin[body] = 0

    def put(self, body: int, pose: Placement) -> None:
        """Note that a body was moved from outside."""
        self._state.translation[body], self._state.rotation[body] = pose
        self.note(body)

    def save(self) -> tuple[bytes, ...]:
        """Return what is kept of all bodies, to go back to with `load`."""
        return tuple(array.tobytes() for array in self.read())

    def load(self, saved: Sequence[bytes], *, without: Iterable[int]) -> None:
        """Go back to what was kept, when some bodies were frozen; `bind` comes next."""
        for array, data in zip(self._state, saved, strict=True):
            array[:] = np.frombuffer(data, np.float64).reshape(array.shape)
        frozen = set(without)
        self._moving = [i for i in self._candidates if i not in frozen]

    def _select(self) -> None:
        self._everything = np.array(self._moving, np.intp)
        self._sources = [self._bodies[i] for i in self._moving]

    def read(self) -> State:
        """Return the state of all bodies; the arrays are renewed in place by the next reading."""
        stale = self._stale
        if stale is None:
            self._store(self._everything, self._sources)
        else:
            some = [i for i in self._moving if i in stale] if stale else []
            self._store(np.array(some, np.intp), [self._bodies[i] for i in some])
        self._stale = self._awake
        return self._state

    def _store(self, where: npt.NDArray[np.intp], sources: list[rp.RigidBody]) -> None:
        if sources:
            for kept, read in zip(self._state, read_bodies(sources), strict=True):
                kept[where] = read
