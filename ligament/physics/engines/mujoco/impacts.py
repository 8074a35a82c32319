"""Impacts at a point: what restitution and dry friction make of the velocities of two bodies."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from ligament.arrays import Floats
from ligament.physics.materials import Surface


def relative_jacobian(
    model: Any, data: Any, body: int, other: int, point: Floats, other_point: Floats | None = None
) -> Floats:
    """Return the Jacobian (3, V) of the velocity of a point on a body, seen from one on another.

    Both are the same point [m] where they touch already.
    """
    own, held = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, own, None, point, body)
    mujoco.mj_jac(model, data, held, None, point if other_point is None else other_point, other)
    return own - held


class Impact:
    """A pair of bodies that can collide at a point, with a unit normal away from the second.

    `jacobian` (3, V) is that of `relative_jacobian`, for data with a factorized inertia.
    """

    def __init__(
        self, model: Any, data: Any, normal: Floats, jacobian: Floats, surface: Surface
    ) -> None:
        self._normal, self._jacobian, self._surface = normal, jacobian, surface
        self._answer = np.zeros_like(jacobian)
        mujoco.mj_solveM(model, data, self._answer, np.ascontiguousarray(jacobian))

    def speed(self, data: Any) -> float:
        """Return the speed [m/s] at which the bodies part, negative where they approach."""
        return float(self._normal @ (self._jacobian @ data.qvel))

    def apply(self, data: Any) -> None:
        """Change the velocities of all bodies as the impact does, if there is one."""
        velocity = self._jacobian @ data.qvel
        approach = float(self._normal @ velocity)
        mobility = self._jacobian @ self._answer.T
        compliance = float(self._normal @ mobility @ self._normal)
        if approach >= 0 or compliance <= 0:
            return
        push = -(1 + min(self._surface.restitution, 1.0)) * approach / compliance
        impulse = push * self._normal
        sliding = velocity + mobility @ impulse
        sliding -= (self._normal @ sliding) * self._normal
        if (speed := float(np.linalg.norm(sliding))) > 0:
            along = sliding / speed
            stick = speed / float(along @ mobility @ along)
            impulse -= min(stick, self._surface.friction(speed) * push) * along
        data.qvel += self._answer.T @ impulse
