"""Bodies of a running world that get another mass, or are moved by forces from now on, or not."""

from __future__ import annotations

import rapier3d as rp

from ligament.extensions.declarations import MotionKind
from ligament.physics.engines.constant_motion import ConstantMotion, shifted_velocity
from ligament.physics.engines.poses import as_pose, vector
from ligament.physics.engines.rapier.state.driven import DrivenBodies
from ligament.physics.engines.rapier.world.build import engine_mass, set_free
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body


def set_mass(
    body: rp.RigidBody, colliders: rp.ColliderSet, before: MassProperties, mass: MassProperties
) -> None:
    """Change the mass of a body; it moves on as a whole, about its new centre."""
    body.set_additional_mass_properties(engine_mass(mass))
    body.recompute_mass_properties_from_colliders(colliders)
    centers = vector(before.center), vector(mass.center)
    if centers[0] != centers[1]:
        linear, angular = body.linvel.to_tuple(), body.angvel.to_tuple()
        moved = shifted_velocity(linear, angular, body.rotation.to_tuple(), *centers)
        body.linvel = rp.Vec3(*moved)


def set_kind(body: rp.RigidBody, index: int, value: Body, driven: DrivenBodies, now: int) -> None:
    """Have a body keep its velocity, whatever it meets, or let forces move it again.

    `now` is the number of steps so far.
    """
    if value.kind is MotionKind.KINEMATIC:
        pose = as_pose(body.translation.to_tuple(), body.rotation.to_tuple())
        velocities = body.linvel.to_tuple(), body.angvel.to_tuple()
        body.body_type = rp.RigidBodyType.KINEMATIC_POSITION_BASED
        center = vector(value.mass.center)
        driven.start(index, ConstantMotion(pose, center, *velocities, now))
        return
    motion = driven.release(index)
    set_free(body)
    if motion is not None:
        body.linvel = rp.Vec3(*motion.linear_velocity)
        body.angvel = rp.Vec3(*motion.angular_velocity)
