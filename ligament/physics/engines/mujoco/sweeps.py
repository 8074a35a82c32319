"""Sweeps: free bodies too fast for their size, which would pass through walls between two steps.

MuJoCo finds contacts where bodies are at the start of a step, and a contact takes steps to stop
what it stops: at 300 m/s, 40 cm. A ray from the centre of mass of a fast body along the path of the
next step finds what it hits. The body is put there, and an impact with the restitution and the
friction of the file changes the velocities of both before the step.
"""

from __future__ import annotations

from typing import Any, Final

import mujoco
import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.engines.mujoco.arena import forward
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.engines.mujoco.impacts import Impact, relative_jacobian
from ligament.physics.engines.mujoco.touching import SOLID_GROUPS
from ligament.physics.filters import Masks, compile_filters
from ligament.physics.materials import combine
from ligament.physics.scene import Scene
from ligament.physics.shapes import extents

FAST: Final = 5.0
"""Speed [m/s] below which bodies of any size are left to MuJoCo."""

MOVED: Final = 0.5
"""Displacement in a step, relative to the smallest half extent, above which a body is swept."""

_BEYOND: Final = 1e-6
_MOST_HITS: Final = 8
"""Geoms on the path of one body in one step that it may pass, as filters say."""


class Sweeps:
    """The bodies of a scene that can be swept, and which of them are fast in this frame."""

    def __init__(self, scene: Scene, compiled: Compiled, data: Any) -> None:
        self._scene, self._compiled, self._data = scene, compiled, data
        sizes: dict[int, float] = {}
        for collider in scene.colliders:
            if not collider.is_sensor:
                half = float(min(extents(collider.shape))) / 2
                sizes[collider.body] = min(half, sizes.get(collider.body, np.inf))
        self._bodies = [i for i in compiled.alone if i in sizes]
        speeds = [MOVED * sizes[i] / compiled.step for i in self._bodies]
        self._least = np.maximum(speeds, FAST) ** 2
        starts = np.array([compiled.free[i] for i in self._bodies], np.intp)
        self._dofs: Ints = starts[:, None] + np.arange(3)
        self._masks: Masks | None = None
        self.fast: list[int] = []

    def choose(self) -> None:
        """Find the fast bodies for the steps until this is called again."""
        if self._bodies:
            squares = (self._data.qvel[self._dofs] ** 2).sum(axis=1)
            self.fast = [self._bodies[i] for i in np.flatnonzero(squares > self._least)]

    def before_step(self) -> None:
        """Let fast bodies hit what is on their path in the next step."""
        for body in self.fast:
            address = self._compiled.free[body]
            velocity = self._data.qvel[address : address + 3].copy()
            if (speed := float(np.linalg.norm(velocity))) > FAST:
                self._sweep(body, velocity / speed, speed * self._compiled.step)

    def _sweep(self, body: int, along: Floats, length: float) -> None:
        model, data, compiled = self._compiled.model, self._data, self._compiled
        mujoco.mj_kinematics(model, data)
        index = int(compiled.bodies[body])
        start = data.xipos[index].copy()
        front, own = self._front(index, start, along)
        passed, geom, normal = 0.0, np.full(1, -1, np.int32), np.zeros(3)
        for _ in range(_MOST_HITS):
            distance = mujoco.mj_ray(
                model, data, start + passed * along, along, SOLID_GROUPS, True, index, geom, normal
            )
            passed += distance
            if distance < 0 or passed > length + front:
                return
            other = int(compiled.colliders[geom[0]])
            if normal @ along < 0 and self._meet(own, other):
                address = int(model.jnt_qposadr[model.dof_jntid[compiled.free[body]]])
                data.qpos[address : address + 3] += (passed - front) * along
                forward(model, data)
                point = start + passed * along
                self._impact(index, int(model.geom_bodyid[geom[0]]), point, normal, (own, other))
                return
            passed += _BEYOND

    def _front(self, index: int, start: Floats, along: Floats) -> tuple[float, int]:
        """Return how far a body reaches from its centre along a direction, and its collider."""
        model, data = self._compiled.model, self._data
        best = (0.0, -1)
        for geom in np.flatnonzero(model.geom_bodyid == index).tolist():
            collider = int(self._compiled.colliders[geom])
            if collider >= 0 and not self._scene.colliders[collider].is_sensor:
                arm = data.geom_xpos[geom] - start
                reach = float(model.geom_aabb[geom, 3:].min() + arm @ along)
                kind = int(model.geom_type[geom])
                if kind != mujoco.mjtGeom.mjGEOM_MESH:
                    place, size = data.geom_xpos[geom], model.geom_size[geom]
                    exact = mujoco.mju_rayGeom(
                        place, data.geom_xmat[geom], size, start, along, kind
                    )
                    reach = exact if exact >= 0 else reach
                best = max(best, (reach, collider))
        return best

    def _meet(self, own: int, other: int) -> bool:
        colliders = self._scene.colliders
        if self._masks is None:
            self._masks = compile_filters([each.filter for each in colliders])
        return other >= 0 and self._masks.meet(own, other)

    def _impact(
        self, body: int, other: int, point: Floats, normal: Floats, pair: tuple[int, int]
    ) -> None:
        """Change the velocities of two bodies as an impact at a point does."""
        model, data = self._compiled.model, self._data
        jacobian = relative_jacobian(model, data, body, other, point)
        surface = combine(*(self._scene.colliders[each].material for each in pair))
        Impact(model, data, normal, jacobian, surface).apply(data)
