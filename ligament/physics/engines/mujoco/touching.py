"""Contacts of a running model: for callers, and as events."""

from __future__ import annotations

from typing import Any, Final

import mujoco
import numpy as np

from ligament.arrays import Floats
from ligament.physics.engines import Contacts, Overlap, RayHit
from ligament.physics.engines.mujoco.compile import Compiled

SOLID_GROUPS: Final = np.array([1, 1, 0, 1, 0, 1], np.uint8)
"""Groups of geoms that rays hit: neither visual ones nor sensors."""


def read_contacts(model: Any, data: Any) -> Contacts:
    """Return the contacts of the last step."""
    points, normals, forces, force = [], [], [], np.zeros(6)
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force)
        if force[0] > 0:
            contact = data.contact[i]
            points.append(contact.pos.copy())
            normals.append(contact.frame[:3].copy())
            forces.append(float(force[0]))
    return Contacts(
        np.array(points, np.float64).reshape(-1, 3),
        np.array(normals, np.float64).reshape(-1, 3),
        np.array(forces, np.float64),
    )


def hit_by_ray(
    compiled: Compiled, data: Any, origin: Floats, direction: Floats, reach: float
) -> RayHit | None:
    """Return the nearest solid collider within `reach` [m] along a unit direction."""
    start, along = np.array(origin, np.float64), np.array(direction, np.float64)
    geom, normal = np.full(1, -1, np.int32), np.zeros(3)
    distance = mujoco.mj_ray(
        compiled.model, data, start, along, SOLID_GROUPS, True, -1, geom, normal
    )
    if distance < 0 or distance > reach:
        return None
    collider = int(compiled.colliders[geom[0]])
    return RayHit(collider, float(distance), start + distance * along, normal)


class Touching:
    """Pairs of colliders that touch, and the changes that nobody has taken yet."""

    def __init__(self) -> None:
        self._pairs: frozenset[tuple[int, int]] = frozenset()
        self._pending: list[Overlap] = []

    def update(self, compiled: Compiled, data: Any, steps: int) -> None:
        """Record which colliders began to touch, and which no longer do."""
        contact = data.contact
        pairs = compiled.colliders[contact.geom[contact.dist <= 0]]
        now = frozenset((a, b) for a, b in np.sort(pairs, axis=1).tolist())
        for started, changed in ((True, now - self._pairs), (False, self._pairs - now)):
            self._pending += [Overlap(a, b, started, steps) for a, b in sorted(changed)]
        self._pairs = now

    def take(self) -> list[Overlap]:
        """Return the changes since the last call."""
        pending, self._pending = self._pending, []
        return pending

    def state(self) -> tuple[frozenset[tuple[int, int]], list[Overlap]]:
        """Return the state for `restore`."""
        return self._pairs, list(self._pending)

    def restore(self, state: tuple[frozenset[tuple[int, int]], list[Overlap]]) -> None:
        """Return to a state."""
        self._pairs, self._pending = state[0], list(state[1])
