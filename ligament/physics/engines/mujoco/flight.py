"""Free flight: what MuJoCo's first-order steps lose of parabolas and of tumbling.

A step moves a body by its new velocity, which is g h²/2 too far in every step of h: 10 cm after 5 s
with steps of 1/240 s. Gyroscopic torques keep for a step the direction that they had at its start,
which takes energy: 16 % in 5 s were seen. Bodies in contact, and those on joints, are left
to the solver.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Ints
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.scene import Scene

SLOW: Final = 1e-3
"""Rotation [rad] in a step below which a gyroscopic torque may keep its direction."""


class Flight:
    """The free bodies of a scene, with what their steps need to be exact."""

    def __init__(self, scene: Scene, compiled: Compiled) -> None:
        model, self._model, self._step = compiled.model, compiled.model, compiled.step
        bodies = [i for i in compiled.alone if math.isfinite(scene.bodies[i].mass.mass)]
        self.is_empty = not bodies
        self._bodies = compiled.bodies[bodies]
        self._dofs = np.array([compiled.free[i] for i in bodies], np.intp)[:, None] + np.arange(6)
        joints = model.dof_jntid[self._dofs[:, 0]]
        self._places = model.jnt_qposadr[joints][:, None] + np.arange(7)
        axes = tf.to_matrix(np.roll(model.body_iquat[self._bodies], -1, axis=1))
        moments = model.body_inertia[self._bodies]
        self._inertia = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
        self._inverse = np.einsum("nij,nj,nkj->nik", axes, 1 / np.maximum(moments, 1e-30), axes)
        spread = moments.max(axis=1, initial=0.0) - moments.min(axis=1, initial=np.inf)
        self._is_round = spread <= 1e-9 * moments.max(axis=1, initial=0.0)
        self._owners, self._marks = model.geom_bodyid.copy(), np.zeros(model.nbody, bool)
        self._factor = 1.0 - model.body_gravcomp[self._bodies]

    def after_step(self, data: Any, before: Floats) -> None:
        """Correct what nothing touched in a step; `before` (nv,) are the velocities at its start.

        Contacts are those that the step has found at its start.
        """
        touched = self._touched(data)
        if touched.all():
            return
        rows = np.flatnonzero(~touched)
        pull = self._model.opt.gravity * self._factor[rows, None]
        mass = self._model.body_mass[self._bodies[rows], None]
        pull = pull + data.xfrc_applied[self._bodies[rows], :3] / mass
        data.qpos[self._places[rows, :3]] -= 0.5 * self._step**2 * pull
        angular = before[self._dofs[rows, 3:]]
        is_tumbling = np.abs(angular).max(axis=1) * self._step > SLOW
        is_tumbling &= ~self._is_round[rows]
        if is_tumbling.any():
            self._tumble(data, rows[is_tumbling], angular[is_tumbling])

    def _tumble(self, data: Any, rows: Ints, before: Floats) -> None:
        """Rotate bodies by Euler's equations from the angular velocities before the step."""
        inertia, inverse, places = self._inertia[rows], self._inverse[rows], self._places[rows, 3:]
        rotation = np.roll(data.qpos[places], -1, axis=1)
        torque = tf.rotate(tf.conjugate(rotation), data.xfrc_applied[self._bodies[rows], 3:])
        pushed = self._step * np.einsum("nij,nj->ni", inverse, np.asarray(torque))
        after = _tumbled(before, inertia, inverse, self._step) + pushed
        # The step has rotated by its new velocity; the mean of both is a whole order better.
        change = 0.5 * self._step * (before + after) - self._step * data.qvel[self._dofs[rows, 3:]]
        rotation = np.asarray(tf.multiply(rotation, tf.exp(change)))
        data.qpos[places] = np.roll(rotation, 1, axis=1)
        data.qvel[self._dofs[rows, 3:]] = after

    def _touched(self, data: Any) -> Bools:
        self._marks.fill(False)
        if data.ncon:
            self._marks[self._owners[data.contact.geom]] = True
        return np.asarray(self._marks[self._bodies])


def _acceleration(angular: Floats, inertia: Floats, inverse: Floats) -> Floats:
    """Return the angular accelerations (n, 3) [rad/s²] of bodies that no torque acts on."""
    momentum = np.einsum("nij,nj->ni", inertia, angular)
    return np.asarray(-np.einsum("nij,nj->ni", inverse, np.cross(angular, momentum)))


def _tumbled(angular: Floats, inertia: Floats, inverse: Floats, step: float) -> Floats:
    """Return angular velocities (n, 3) after a step [s] of Euler's equations, to fourth order."""
    a = _acceleration(angular, inertia, inverse)
    b = _acceleration(angular + 0.5 * step * a, inertia, inverse)
    c = _acceleration(angular + 0.5 * step * b, inertia, inverse)
    d = _acceleration(angular + step * c, inertia, inverse)
    return np.asarray(angular + step / 6 * (a + 2 * b + 2 * c + d))
