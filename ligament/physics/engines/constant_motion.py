"""Motion at constant velocity, evaluated from its start so that errors do not accumulate."""

from __future__ import annotations

import dataclasses
import math

from ligament.physics.engines import Vector
from ligament.physics.engines.poses import (
    Quaternion,
    RigidPose,
    add,
    as_pose,
    multiply,
    rotate,
    vector,
)
from ligament.physics.scene import Body


@dataclasses.dataclass(frozen=True, slots=True)
class ConstantMotion:
    """A body in uniform translation and rotation about its centre of mass.

    `start` is its pose at step `since`; `center` [m] lies in its frame; `linear_velocity` [m/s] is
    that of the centre, `angular_velocity` [rad/s] in the world.
    """

    start: RigidPose
    center: Vector
    linear_velocity: Vector
    angular_velocity: Vector
    since: int = 0

    @classmethod
    def of(cls, body: Body) -> ConstantMotion:
        """Return the motion of a body with constant velocity from the start."""
        return cls(
            as_pose(body.pose.translation, body.pose.rotation),
            vector(body.mass.center),
            vector(body.linear_velocity),
            vector(body.angular_velocity),
        )

    def at(self, time: float) -> RigidPose:
        """Return the pose of the body frame after a time [s] from the start."""
        rotation = multiply(_rotation(self.angular_velocity, time), self.start[1])
        middle = add(self.start[0], rotate(self.start[1], self.center))
        offset = rotate(rotation, self.center)
        x, y, z = (
            m + v * time - o for m, v, o in zip(middle, self.linear_velocity, offset, strict=True)
        )
        return (x, y, z), rotation


def _rotation(angular: Vector, time: float) -> Quaternion:
    """Return the rotation by an angular velocity [rad/s] over a time [s]."""
    rate = math.hypot(*angular)
    half = rate * time / 2
    scale = math.sin(half) / rate if rate else 0.0
    return angular[0] * scale, angular[1] * scale, angular[2] * scale, math.cos(half)


def shifted_velocity(
    linear: Vector, angular: Vector, rotation: Quaternion, center: Vector, other: Vector
) -> Vector:
    """Return the velocity [m/s] of a point of a body other than its centre, both in its frame."""
    arm = rotate(rotation, (other[0] - center[0], other[1] - center[1], other[2] - center[2]))
    wx, wy, wz = angular
    x, y, z = arm
    return add(linear, (wy * z - wz * y, wz * x - wx * z, wx * y - wy * x))
