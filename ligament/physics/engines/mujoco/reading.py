"""States of all bodies from MuJoCo's data, in few array operations.

If each part of each body is read separately, a door takes longer to read than to step. So all
values are copied into one row of numbers, and the indices into it are computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.scene import Scene

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


class StateReader:
    """Reads states (B, 13): position, rotation xyzw, linear and angular velocity of each body."""

    def __init__(self, scene: Scene, compiled: Compiled, data: Any) -> None:
        model, self._model, self._data = compiled.model, compiled.model, data
        bodies, roots = compiled.bodies, model.body_rootid[compiled.bodies]
        fixed = [scene.bodies[i].pose for i in compiled.fixed]
        constant = [(*pose.translation, *pose.rotation, *(0.0,) * 6) for pose in fixed]
        parts = (data.xpos, data.xquat, data.cvel, data.xipos, data.subtree_com)
        self._parts = [part.reshape(-1) for part in parts]
        count = sum(part.size for part in parts)
        self._numbers = np.concatenate([*self._parts, np.ravel(constant)])
        self._moving = self._numbers[:count]
        position, quaternion, velocity, center, tree_center = _places(parts)
        rotation = np.roll(quaternion[bodies], -1, axis=1)
        linear, angular = velocity[bodies, 3:], velocity[bodies, :3]
        self._rows: Ints = np.concatenate([position[bodies], rotation, linear, angular], axis=1)
        self._rows[compiled.fixed] = count + np.arange(len(fixed) * 13).reshape(-1, 13)
        # The velocity of a body that is a tree by itself is already at its own centre of mass.
        sizes = np.bincount(model.body_rootid, minlength=model.nbody)
        linked = np.flatnonzero((sizes[roots] > 1) & (bodies > 0))
        self._linear: Ints = linked[:, None] * 13 + np.arange(7, 10)
        arms = center[bodies[linked]], tree_center[roots[linked]]
        # Both terms of a cross product at a time: y z, z x, x y, then z y, x z, y x.
        self._angular = np.array([angular[linked][:, shift] for shift in (_NEXT, _LAST)])
        self._arms = np.array([[end[:, shift] for shift in (_LAST, _NEXT)] for end in arms])

    def read(self) -> Floats:
        """Return the present states (B, 13) in a new array."""
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)
        np.concatenate(self._parts, out=self._moving)
        rows: Floats = self._numbers[self._rows]
        if len(self._linear):
            end, start = self._numbers[self._arms]
            first, second = self._numbers[self._angular] * (end - start)
            rows.reshape(-1)[self._linear] += first - second
        return rows


def _places(parts: Sequence[Floats]) -> list[Ints]:
    """Return consecutive indices for all numbers of some arrays, in the shapes of these."""
    ends = np.cumsum([0, *(part.size for part in parts)])
    return [
        np.arange(start, start + part.size).reshape(part.shape)
        for start, part in zip(ends, parts, strict=False)
    ]
