"""Impulses from animated surfaces of dynamic bodies.

Such a collider cannot have its own driven body: what it pushes must push its body back. The engine
has no velocity of a collider in its body, and would only separate the two where they overlap. So
before the step, both bodies get the impulses that make them separate as fast as the surface moves;
the contacts of the step then have nothing left to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines import Vector
from ligament.physics.engines.poses import vector
from ligament.physics.mass import MassProperties

_SWEEPS: Final = 8
"""Sweeps over all contacts of a step, which solve one contact after the other."""


class End(NamedTuple):
    """One of two touching bodies; `mass` is None if no force moves it.

    `gain` [m/s] is the velocity that gravity adds to it during the step.
    """

    body: rp.RigidBody
    mass: MassProperties | None
    gain: Vector = (0.0, 0.0, 0.0)

    def velocity(self, point: Vector, normal: Vector) -> float:
        """Return the velocity [m/s] of a point of the body along a normal."""
        return _along(self.body.velocity_at_point(point).to_tuple(), normal)

    def mobility(self, point: Floats, normal: Floats) -> float:
        """Return the velocity [m/s] that an impulse of 1 N s gives to a point along a normal."""
        if self.mass is None:
            return 0.0
        rotation = np.array(self.body.rotation.to_tuple())
        arm = point - np.array(self.body.translation.to_tuple())
        arm = arm - tf.rotate(rotation, self.mass.center)
        axes = tf.to_matrix(tf.multiply(rotation, self.mass.orientation))
        moment = np.cross(arm, normal) @ axes
        return float(1 / self.mass.mass + (moment**2 / self.mass.inertia).sum())

    def push(self, impulse: float, point: Vector, normal: Vector) -> None:
        """Apply an impulse [N s] along a normal."""
        if self.mass is not None:
            x, y, z = (impulse * part for part in normal)
            self.body.apply_impulse_at_point((x, y, z), point)


class Push(NamedTuple):
    """A surface of `own` that moves towards `other` by a distance [m] along a normal.

    `gap` [m] is their distance at the start of the previous step.
    """

    own: End
    other: End
    point: Floats
    normal: Floats
    distance: float
    gap: float


def push(pushes: Sequence[Push], step: float) -> None:
    """Apply impulses so that no body gets in the way of a moving surface.

    `step` [s] is the duration of a step.
    """
    rows = []
    for each in pushes:
        point, normal, ends = vector(each.point), vector(each.normal), (each.own, each.other)
        mobility = sum(end.mobility(each.point, each.normal) for end in ends)
        parting = each.other.velocity(point, normal) - each.own.velocity(point, normal)
        shift = each.distance - max(0.0, each.gap + parting * step)
        if mobility > 0 and shift > 0:
            gain = _along(each.other.gain, normal) - _along(each.own.gain, normal)
            rows.append((each, point, normal, mobility, shift / step - gain))
    given = [0.0] * len(rows)
    for _ in range(_SWEEPS):
        for i, (each, point, normal, mobility, speed) in enumerate(rows):
            parting = each.other.velocity(point, normal) - each.own.velocity(point, normal)
            total = max(0.0, given[i] + (speed - parting) / mobility)
            each.other.push(total - given[i], point, normal)
            each.own.push(given[i] - total, point, normal)
            given[i] = total


def _along(vector: Vector, normal: Vector) -> float:
    return vector[0] * normal[0] + vector[1] * normal[1] + vector[2] * normal[2]
