"""Bounces of spheres: impacts in place of the springs that MuJoCo's contacts are.

A spring takes steps to throw a body back, in which it sinks in and rolls around what it hit: two
billiard balls of 5 cm left each other 5° off at 2 m/s, and a cradle lost a tenth of its swing. A
sphere touches another shape at one point, where its impact has a closed form. It happens before the
step in which both would meet; where bodies touch in rows, one after the other. Slow contacts, and
those of other shapes, remain springs.
"""

from __future__ import annotations

import math
from typing import Any, Final

import mujoco
import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.engines.mujoco.impacts import Impact, relative_jacobian
from ligament.physics.materials import Surface, combine
from ligament.physics.scene import Scene

REACH: Final = 20.0
"""Speed of approach [m/s] up to which bounces are foreseen."""

SLOW: Final = 2.0
"""Speed of approach, in steps of free fall, below which contacts are left to MuJoCo."""

_ROUNDS: Final = 8
"""Impacts in a step, per contact: a row of n balls needs n."""

_SPHERE: Final = int(mujoco.mjtGeom.mjGEOM_SPHERE)


class Bounces:
    """The pairs of geoms that bounce at a point."""

    def __init__(self, scene: Scene, compiled: Compiled, data: Any) -> None:
        self._compiled, self._model, self._data = compiled, compiled.model, data
        self._surfaces: dict[tuple[int, int], Surface] = {}
        self._early = np.zeros(compiled.model.nv)
        model = self._model
        for pair in range(model.npair):
            geoms = int(model.pair_geom1[pair]), int(model.pair_geom2[pair])
            surface = combine(*(scene.colliders[compiled.colliders[g]].material for g in geoms))
            if surface.restitution > 0 and _SPHERE in model.geom_type[list(geoms)]:
                model.pair_gap[pair] = REACH * compiled.step
                self._surfaces[min(geoms), max(geoms)] = surface

    @property
    def is_empty(self) -> bool:
        """Whether nothing bounces at a point."""
        return not self._surfaces

    def before_step(self) -> None:
        """Let spheres bounce that would meet something within the next step."""
        if self.is_empty:
            return
        model, data, step = self._model, self._data, self._compiled.step
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        contact, slow = data.contact, SLOW * float(np.linalg.norm(model.opt.gravity)) * step + 1e-9
        can_bounce, sides = None, self._sides()
        for _ in range(_ROUNDS * data.ncon):
            speeds = self._speeds(sides)
            meets = (speeds < -slow) & (contact.dist + step * speeds < 0)
            if can_bounce is None and meets.any():
                keys = [(min(pair), max(pair)) for pair in contact.geom.tolist()]
                can_bounce = np.array([key in self._surfaces for key in keys])
                mujoco.mj_makeM(model, data)
                mujoco.mj_factorM(model, data)
            if can_bounce is None or not (meets := meets & can_bounce).any():
                return
            row = int(np.where(meets, speeds, 0.0).argmin())
            if not self._apply(*self._impact(contact[row], self._surfaces[keys[row]])):
                can_bounce[row] = False

    def after_step(self) -> None:
        """Move what bounced as if it had done so when it touched, not at the start of the step."""
        if self._early.any():
            mujoco.mj_integratePos(self._model, self._data.qpos, self._early, 1.0)
            self._early[:] = 0.0

    def _sides(self) -> list[tuple[Ints, Floats]]:
        """Return the bodies of both sides of each contact, and what their velocities (6,) count."""
        model, data, contact = self._model, self._data, self._data.contact
        normals, sides = contact.frame[:, :3], []
        for side, sign in ((0, -1.0), (1, 1.0)):
            bodies = model.geom_bodyid[contact.geom[:, side]]
            arms = contact.pos - data.subtree_com[model.body_rootid[bodies]]
            rows = np.concatenate([np.cross(arms, normals), normals], axis=1)
            sides.append((bodies, sign * rows))
        return sides

    def _speeds(self, sides: list[tuple[Ints, Floats]]) -> Floats:
        """Return the speed [m/s] at which each contact parts, negative where it closes."""
        mujoco.mj_comVel(self._model, self._data)
        (first, near), (second, far) = sides
        velocities = self._data.cvel
        return np.asarray((near * velocities[first] + far * velocities[second]).sum(axis=1))

    def _apply(self, impact: Impact, until: float) -> bool:
        """Let two bodies bounce that touch after a time [s]; return whether they do."""
        data = self._data
        if until > self._compiled.step or impact.speed(data) >= 0:
            return False
        before = data.qvel.copy()
        impact.apply(data)
        self._early += until * (before - data.qvel)
        return True

    def _impact(self, contact: Any, surface: Surface) -> tuple[Impact, float]:
        """Return the impact of a contact, and the time [s] until both touch."""
        model, data, normal = self._model, self._data, contact.frame[:3].copy()
        geoms = contact.geom
        first, second = (int(each) for each in model.geom_bodyid[geoms])
        jacobian = relative_jacobian(model, data, second, first, contact.pos)
        # As if it had always moved as it does after the bounces of this step so far.
        velocity, moved = jacobian @ data.qvel, jacobian @ self._early
        gap = max(float(contact.dist + normal @ moved), 0.0)
        until = gap / max(-float(normal @ velocity), 1e-12)
        if (model.geom_type[geoms] == _SPHERE).all():
            radii = float(model.geom_size[geoms, 0].sum())
            offset = (radii + float(contact.dist)) * normal + moved
            until = _time_to_touch(offset, velocity, radii)
            touch = offset + min(until, self._compiled.step) * velocity
            normal = touch / np.linalg.norm(touch)
            arms = np.outer(model.geom_size[geoms, 0] * [1, -1], normal)
            near, far = data.geom_xpos[geoms] + arms
            jacobian = relative_jacobian(model, data, second, first, far, near)
        return Impact(model, data, normal, jacobian, surface), until


def _time_to_touch(offset: Floats, velocity: Floats, radii: float) -> float:
    """Return the time [s] until two spheres touch, 0 if they do, infinite if they never will."""
    a, b, c = velocity @ velocity, offset @ velocity, offset @ offset - radii**2
    if c <= 0:
        return 0.0
    if b >= 0 or b * b < a * c:
        return math.inf
    return float(c / (-b + math.sqrt(b * b - a * c)))
