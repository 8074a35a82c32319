"""Capsules and cylinders that roll slowly, without being driven by stale contact points.

The engine keeps the points of a contact until one of the two bodies has rotated by a degree. Under
a rolling body they lag behind by half of that on average, so that its own weight accelerates it: by
0.05 m/s² on flat ground, whatever its size. Rotating a shape that is round about its axis changes
nothing visible; rotating it by more than a degree back and forth makes the engine recompute the
points in every step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.extensions.shapes import Capsule, Cylinder
from ligament.physics.engines.poses import Quaternion, RigidPose, as_pose, multiply
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.scene import Collider, Scene

RollingShape: TypeAlias = Capsule | Cylinder

_KEPT: Final = math.radians(1.1)
"""Rotation [rad] in a step above which the engine keeps no contacts."""

_TURN: Final[Quaternion] = (0.0, math.sin(_KEPT * 0.7), 0.0, math.cos(_KEPT * 0.7))
"""Rotation of shapes about their axes, by slightly more than that."""

_LEAST: Final = 0.01
"""Angular speed [rad/s] below which a body may as well come to rest."""

_ALONG: Final = 0.7
"""Smallest fraction of a rolling body's angular velocity that is about its axis."""


class Rolling(Stage):
    """The round colliders of a scene, by the `handles` of its colliders.

    Those of jointed bodies are left out: joints, not contacts, determine their rotation.
    """

    def __init__(
        self, scene: Scene, handles: Sequence[rp.ColliderHandle | None], step: float
    ) -> None:
        held = {frame.body for joint in scene.joints for frame in (joint.a, joint.b)}
        which = [
            i
            for i, collider in enumerate(scene.colliders)
            if handles[i] is not None and collider.body not in held and _can_roll(scene, collider)
        ]
        chosen = [scene.colliders[i] for i in which]
        self._handles = [handles[i] for i in which]
        self._bodies: Indices = np.array([collider.body for collider in chosen], np.intp)
        self._poses = [_both(collider) for collider in chosen]
        turns = np.array([c.pose.rotation for c in chosen], float).reshape(-1, 4)
        up = np.tile([0.0, 1.0, 0.0], (len(chosen), 1))
        self._axes: Floats = linalg.rotate(turns, up)
        self._fastest = _KEPT / step

    @property
    def is_needed(self) -> bool:
        """Whether anything may roll."""
        return bool(self._handles)

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the colliders and bodies of a world."""
        self._source = source
        self._colliders = [
            world.colliders[handle] for handle in self._handles if handle is not None
        ]

    def before_step(self, now: int) -> None:
        """Rotate the shapes of slowly rolling bodies, back and forth in alternate steps."""
        rows = self._source.read(self._bodies).astype(np.float64)
        velocity = rows[:, 10:]
        speed = linalg.length(velocity)
        is_slow = (speed > _LEAST) & (speed < self._fastest)
        if not is_slow.any():
            return
        along = np.abs(linalg.dot(linalg.rotate(rows[:, 3:7], self._axes), velocity))
        for i in linalg.indices(is_slow & (along > _ALONG * speed)).tolist():
            self._colliders[i].position_wrt_parent = self._poses[i][now % 2]


def _can_roll(scene: Scene, collider: Collider) -> bool:
    shape = collider.shape
    is_round = isinstance(shape, RollingShape) and shape.radius_bottom == shape.radius_top
    fixed = not (collider.is_sensor or collider.moves or collider.changes)
    return is_round and fixed and scene.bodies[collider.body].is_free


def _both(collider: Collider) -> tuple[RigidPose, RigidPose]:
    """Return the pose of a collider, and the same pose rotated about its axis."""
    place, turn = as_pose(collider.pose.translation, collider.pose.rotation)
    return (place, turn), (place, multiply(turn, _TURN))
