"""Joint state: relative pose and velocity of both frames, and measured values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Array, Floats
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics import metrics
from ligament.physics.engines import State
from ligament.physics.scene import Frame, Joint, Scene


class JointValues(NamedTuple):
    """Values of all joints: `limits` (…, L), `positions` and `velocities` (…, D) of the drives.

    All are measured as in a recording, in m or rad (and m/s or rad/s); an angle lies in (−π, π].
    """

    limits: Array
    positions: Array
    velocities: Array


class JointState(NamedTuple):
    """Frame B in frame A: position [m], rotation xyzw, velocities [m/s, rad/s]; (…, 3 or 4)."""

    position: Floats
    rotation: Floats
    linear_velocity: Floats
    angular_velocity: Floats

    @property
    def angles(self) -> Floats:
        """Rotation about each axis (…, 3) [rad], as drives and limits about one axis measure it."""
        return np.stack([metrics.twist(self.rotation, axis) for axis in range(3)], axis=-1)

    def limit_value(self, limit: Limit) -> Floats:
        """Return the value (…,) of a limit [m or rad]."""
        return metrics.measure(limit, self.position, self.rotation)

    def drive_position(self, drive: Drive) -> Floats:
        """Return the position (…,) that a drive measures [m or rad]."""
        if drive.type == "linear":
            return np.asarray(self.position[..., drive.axis])
        return metrics.twist(self.rotation, drive.axis)

    def drive_velocity(self, drive: Drive) -> Floats:
        """Return the velocity (…,) that a drive measures [m/s or rad/s]."""
        rates = self.linear_velocity if drive.type == "linear" else self.angular_velocity
        return np.asarray(rates[..., drive.axis])


def joint_state(scene: Scene, joint: Joint, state: State) -> JointState:
    """Return the state of a joint in a state (…, bodies, 3 or 4) of all bodies of the scene."""
    a, b = (_placed(scene, frame, state) for frame in (joint.a, joint.b))
    between = metrics.relative(a[0], a[1], b[0], b[1])
    rates = metrics.relative_rates(a[1], b[0] - a[0], metrics.Rates(*a[2:]), metrics.Rates(*b[2:]))
    return JointState(*between, *rates)


def _placed(scene: Scene, frame: Frame, state: State) -> tuple[Floats, Floats, Floats, Floats]:
    """Return pose and velocities (…, 3 or 4) of a frame in the world."""
    body, mass = frame.body, scene.bodies[frame.body].mass
    rotation, angular = state.rotation[..., body, :], state.angular_velocity[..., body, :]
    arm = np.asarray(tf.rotate(rotation, frame.pose.translation))
    center = np.asarray(tf.rotate(rotation, mass.center))
    return (
        state.translation[..., body, :] + arm,
        np.asarray(tf.multiply(rotation, frame.pose.rotation)),
        state.linear_velocity[..., body, :] + np.cross(angular, arm - center),
        angular,
    )
