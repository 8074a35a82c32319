"""Angular momentum of free bodies while their joints close.

The engine closes an open joint by moving its bodies without giving them velocity, and its impulses
act on points that are still apart. Two bodies that were drawn together from 0.8 m to 0.2 m lost
43 % of their angular momentum. What a group that nothing else touches lost in a step, beyond what
gravity and applied forces gave it, is given back as a rotation of the whole about its centre of
mass, which moves nothing relative to its joints.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import rapier3d as rp

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines import CLOSING_SPEED
from ligament.physics.engines.poses import RigidPose
from ligament.physics.engines.rapier.effort.joints import joined_groups
from ligament.physics.engines.rapier.stage import Memory, Stage
from ligament.physics.engines.rapier.state.bodies import BodySource, select
from ligament.physics.scene import Scene

_STILL: Final = 0.1
"""Fraction of the closing speed, beyond velocities, below which a group has closed."""


class _Motion(NamedTuple):
    """Centres of mass (n, 3), rotations (n, 4) and velocities (n, 3) of bodies in the world."""

    center: Floats
    rotation: Floats
    linear: Floats
    angular: Floats


class ClosingGroups(Stage):
    """Groups of joined bodies that nothing else holds, until they have closed."""

    def __init__(self, scene: Scene, step: float) -> None:
        self._step = step
        self.rebuild(scene)

    def rebuild(self, scene: Scene) -> None:
        """Adopt other masses, kinds of bodies or joints."""
        self._groups = [_Group(scene, bodies) for bodies in _floating(scene)]
        self.is_open = np.ones(len(self._groups), dtype=bool)
        self._before: dict[int, tuple[_Motion, Floats]] = {}

    @property
    def arrays(self) -> list[Memory]:
        """Which groups are open."""
        return [self.is_open]

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._world, self._source = world, source
        self._before.clear()

    def before_step(self, now: int) -> None:
        """Record where the bodies of open groups are, and the torques on them."""
        self._before.clear()
        for i in np.flatnonzero(self.is_open).tolist():
            motion = self._groups[i].read(self._source)
            torque = self._groups[i].torque(self._source, motion, self._gravity)
            self._before[i] = motion, torque

    def after_step(self, now: int) -> list[int]:
        """Give back what open groups lost; return their bodies, whose velocities have changed."""
        changed: list[int] = []
        for i, (before, torque) in self._before.items():
            group = self._groups[i]
            after = group.read(self._source)
            if not group.is_closing(before, after, self._step):
                self.is_open[i] = False
            elif not self._is_touched(group):
                lost = group.momentum(before) + self._step * torque - group.momentum(after)
                rotation = np.asarray(np.linalg.solve(group.inertia(after), lost))
                group.rotate(self._source, after, rotation)
                changed += group.bodies
        return changed

    def _is_touched(self, group: _Group) -> bool:
        """Tell whether anything outside of a group touches it."""
        own = {handle for i in group.bodies for handle in self._source.bodies[i].colliders}
        return any(
            pair.has_any_active_contact and not own.issuperset((pair.collider1, pair.collider2))
            for handle in own
            for pair in self._world.narrow_phase.contact_pairs_with(handle)
        )

    @property
    def _gravity(self) -> Floats:
        return np.array(self._world.gravity.to_tuple())

    def teleport(self, body: int, pose: RigidPose, now: int) -> None:
        """Note that a body was teleported, which may have opened its joints."""
        for i, group in enumerate(self._groups):
            self.is_open[i] |= body in group.bodies


class _Group:
    def __init__(self, scene: Scene, bodies: list[int]) -> None:
        masses = [scene.bodies[i].mass for i in bodies]
        self.bodies, self._selection = bodies, select(bodies)
        self._mass = np.array([mass.mass for mass in masses])
        self._center = np.array([mass.center for mass in masses])
        axes = tf.to_matrix(np.array([mass.orientation for mass in masses]))
        moments = np.array([mass.inertia for mass in masses])
        self._inertia = axes * moments[:, None, :] @ np.swapaxes(axes, -1, -2)

    def read(self, source: BodySource) -> _Motion:
        """Return the motion of the bodies, positions and velocities about the centre of mass."""
        rows = source.read(self._selection).astype(np.float64)
        rotation = rows[:, 3:7]
        center = rows[:, :3] + tf.rotate(rotation, self._center)
        return _Motion(
            self._relative(center), rotation, self._relative(rows[:, 7:10]), rows[:, 10:]
        )

    def _relative(self, vectors: Floats) -> Floats:
        return np.asarray(vectors - self._mass @ vectors / self._mass.sum())

    def is_closing(self, before: _Motion, after: _Motion, step: float) -> bool:
        """Tell whether a step has moved bodies beyond their velocities."""
        turn = tf.log(tf.multiply(after.rotation, tf.conjugate(before.rotation)))
        moved = after.center - before.center - step * after.linear
        turned = turn - step * after.angular
        fastest = max(np.abs(moved).max(), np.abs(turned).max()) / step
        return bool(fastest > _STILL * CLOSING_SPEED)

    def momentum(self, motion: _Motion) -> Floats:
        """Return the angular momentum (3,) about the centre of mass [kg m²/s]."""
        spins = np.einsum("nij,nj->i", self._inertias(motion), motion.angular)
        return np.asarray(spins + self._mass @ np.cross(motion.center, motion.linear))

    def inertia(self, motion: _Motion) -> Floats:
        """Return the inertia (3, 3) of the whole about its centre of mass."""
        arm = motion.center
        square = np.sum(arm * arm, axis=1)[:, None, None] * np.eye(3)
        whole = square - arm[:, :, None] * arm[:, None, :]
        return np.asarray(
            np.sum(self._inertias(motion) + self._mass[:, None, None] * whole, axis=0)
        )

    def _inertias(self, motion: _Motion) -> Floats:
        axes = tf.to_matrix(motion.rotation)
        return np.asarray(axes @ self._inertia @ np.swapaxes(axes, -1, -2))

    def torque(self, source: BodySource, motion: _Motion, gravity: Floats) -> Floats:
        """Return the torque (3,) of gravity and of applied forces about the centre of mass."""
        bodies = [source.bodies[i] for i in self.bodies]
        factors = np.array([body.gravity_scale for body in bodies])
        forces = np.array([body.user_force.to_tuple() for body in bodies])
        torques = np.array([body.user_torque.to_tuple() for body in bodies])
        forces += np.outer(self._mass * factors, gravity)
        return np.asarray((np.cross(motion.center, forces) + torques).sum(axis=0))

    def rotate(self, source: BodySource, motion: _Motion, rotation: Floats) -> None:
        """Add an angular velocity (3,) of the whole to all bodies."""
        linear = np.cross(rotation, motion.center)
        for index, added in zip(self.bodies, linear.tolist(), strict=True):
            body = source.bodies[index]
            velocity, spin = body.linvel.to_tuple(), body.angvel.to_tuple()
            body.linvel = rp.Vec3(*(a + b for a, b in zip(velocity, added, strict=True)))
            body.angvel = rp.Vec3(*(a + b for a, b in zip(spin, rotation.tolist(), strict=True)))


def _floating(scene: Scene) -> list[list[int]]:
    """Return groups of joined bodies without a joint to anything that forces cannot rotate."""
    free = {i for i, body in enumerate(scene.bodies) if body.is_free}
    joints = [j for j in scene.joints if j.a.body != j.b.body and free & {j.a.body, j.b.body}]
    found = []
    for members in joined_groups(joints, scene):
        bodies = sorted({body for joint in members for body in (joint.a.body, joint.b.body)})
        masses = [scene.bodies[i].mass for i in bodies]
        is_finite = all(np.isfinite([m.mass, *m.inertia]).all() for m in masses)
        if is_finite and free.issuperset(bodies):
            found.append(bodies)
    return found
