"""Free flight: corrections of MuJoCo's first-order steps for parabolas and tumbling.

A step moves a body by its new velocity, which is g h²/2 too far in every step of h: 10 cm after 5 s
with steps of 1/240 s. For a step, gyroscopic torques keep the direction that they had at its start,
which dissipates energy: 16 % in 5 s in one case. Bodies in contact, and those on joints, are left
to the solver.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Bools, Floats, Ints
from ligament.physics.engines.mujoco.compile import Compiled
from ligament.physics.engines.mujoco.sliding import Sliding
from ligament.physics.scene import Scene

SLOW: Final = 1e-3
"""Rotation [rad] in a step below which gyroscopic torques need no correction."""


class Flight:
    """The free bodies of a scene, with the data that exact steps need."""

    def __init__(self, scene: Scene, compiled: Compiled, data: Any) -> None:
        model, self._model, self._step = compiled.model, compiled.model, compiled.step
        self._positions, self._velocities, self._forces = data.qpos, data.qvel, data.xfrc_applied
        self._data, self._reactions = data, data.qfrc_constraint
        self._sliding = Sliding(compiled, data)
        bodies = [i for i in compiled.alone if math.isfinite(scene.bodies[i].mass.mass)]
        self.is_empty = not bodies
        self._bodies = compiled.bodies[bodies]
        self._dofs = np.array([compiled.free[i] for i in bodies], np.intp)[:, None] + np.arange(6)
        # A test along gravity finds resting bodies, at a tenth of the cost of all six axes.
        self._supports = self._dofs[:, np.abs(model.opt.gravity).argmax()].copy()
        joints = model.dof_jntid[self._dofs[:, 0]]
        self._places = model.jnt_qposadr[joints][:, None] + np.arange(7)
        axes = tf.to_matrix(np.roll(model.body_iquat[self._bodies], -1, axis=1))
        moments = model.body_inertia[self._bodies]
        self._inertia = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
        self._inverse = np.einsum("nij,nj,nkj->nik", axes, 1 / np.maximum(moments, 1e-30), axes)
        spread = moments.max(axis=1, initial=0.0) - moments.min(axis=1, initial=np.inf)
        self._is_round = spread <= 1e-9 * moments.max(axis=1, initial=0.0)
        self._can_tumble = not self._is_round.all()
        self._factor = 1.0 - model.body_gravcomp[self._bodies, None]
        self._mass = model.body_mass[self._bodies, None]
        self._before = np.zeros_like(data.qvel)
        self._owners, self._marks = model.geom_bodyid.copy(), np.zeros(model.nbody, bool)

    def step(self, count: int, *, corrects: bool = True) -> None:
        """Take some steps of MuJoCo, and correct the bodies in free flight after each."""
        if self.is_empty or not corrects:
            self._sliding.step(count)
            return
        pick, supports = self._reactions.take, self._supports
        for _ in range(count):
            if self._can_tumble:
                self._before[...] = self._velocities
            self._sliding.step()
            if not all(pick(supports).tolist()):  # faster than array operations for few bodies
                self._correct(np.flatnonzero(~self._touched()))

    def _touched(self) -> Bools:
        """Return which bodies are in contact, as found at the start of the step."""
        self._marks.fill(False)
        if self._data.ncon:
            contact = self._data.contact
            self._marks[self._owners[contact.geom[contact.dist <= 0]]] = True
        return np.asarray(self._marks[self._bodies])

    def _correct(self, rows: Ints) -> None:
        """Move and rotate flying bodies exactly over the last step."""
        if not len(rows):
            return
        pull = self._model.opt.gravity * self._factor[rows]
        pull += self._forces[self._bodies[rows], :3] / self._mass[rows]
        self._positions[self._places[rows, :3]] -= 0.5 * self._step**2 * pull
        if not self._can_tumble:
            return
        angular = self._before[self._dofs[rows, 3:]]
        is_tumbling = np.abs(angular).max(axis=1) * self._step > SLOW
        is_tumbling &= ~self._is_round[rows]
        if is_tumbling.any():
            self._tumble(rows[is_tumbling], angular[is_tumbling])

    def _tumble(self, rows: Ints, before: Floats) -> None:
        """Rotate bodies by Euler's equations from the angular velocities before the step."""
        inertia, inverse = self._inertia[rows], self._inverse[rows]
        places, spins = self._places[rows, 3:], self._dofs[rows, 3:]
        rotation = np.roll(self._positions[places], -1, axis=1)
        torque = tf.rotate(tf.conjugate(rotation), self._forces[self._bodies[rows], 3:])
        pushed = self._step * np.einsum("nij,nj->ni", inverse, np.asarray(torque))
        after = _tumbled(before, inertia, inverse, self._step) + pushed
        # MuJoCo rotated by the new velocity; the mean of old and new is one order more accurate.
        change = 0.5 * self._step * (before + after) - self._step * self._velocities[spins]
        rotation = np.asarray(tf.multiply(rotation, tf.exp(change)))
        self._positions[places] = np.roll(rotation, 1, axis=1)
        self._velocities[spins] = after


def _acceleration(angular: Floats, inertia: Floats, inverse: Floats) -> Floats:
    """Return the torque-free angular accelerations (n, 3) [rad/s²] of bodies."""
    momentum = np.einsum("nij,nj->ni", inertia, angular)
    return np.asarray(-np.einsum("nij,nj->ni", inverse, np.cross(angular, momentum)))


def _tumbled(angular: Floats, inertia: Floats, inverse: Floats, step: float) -> Floats:
    """Return angular velocities (n, 3) after a step [s] of Euler's equations, to fourth order."""
    a = _acceleration(angular, inertia, inverse)
    b = _acceleration(angular + 0.5 * step * a, inertia, inverse)
    c = _acceleration(angular + 0.5 * step * b, inertia, inverse)
    d = _acceleration(angular + step * c, inertia, inverse)
    return np.asarray(angular + step / 6 * (a + 2 * b + 2 * c + d))
