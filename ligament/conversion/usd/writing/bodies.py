"""Rigid bodies: dynamic or kinematic, masses, initial velocities."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from pxr import UsdPhysics

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.source import Source
from ligament.conversion.usd.writing.values import short_quaternion, short_vector
from ligament.conversion.usd.writing.world import JOINTS, World, relationship
from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.freedom import placed
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Pose

HEAVY: Final = 1e6
"""Replacement of infinity, as a multiple of the heaviest body's mass."""

_ROUNDING: Final = 1e-6
_LEAST: Final = 1e-12
"""Smallest moment [kg m²]: 0 would mean that the engine computes it."""


class Bodies:
    """Makes bodies of prims; `is_dynamic` are those that forces move."""

    def __init__(self, world: World) -> None:
        self.world, self.source = world, world.source
        self.is_dynamic = [is_dynamic(body) for body in self.source.scene.bodies]
        self._infinity = _stand_in(self.source)

    def write(self) -> None:
        """Apply the schemas of bodies; static ones need none."""
        for index, body in enumerate(self.source.scene.bodies):
            if body.kind is not MotionKind.STATIC:
                self._body(body, is_dynamic=self.is_dynamic[index])

    def _body(self, body: Body, *, is_dynamic: bool) -> None:
        prim = self.world.bodies[body.node].prim
        api = UsdPhysics.RigidBodyAPI.Apply(prim)
        if not is_dynamic:
            api.CreateKinematicEnabledAttr(True)
        back = tf.conjugate(body.pose.rotation)
        for vector, create in (
            (body.linear_velocity, api.CreateVelocityAttr),
            (np.degrees(body.angular_velocity), api.CreateAngularVelocityAttr),
        ):
            if np.any(vector):
                create(short_vector(tf.rotate(back, vector)))
        if is_dynamic and math.isinf(body.mass.mass):
            self._hold(body)
        mass = self._mass(body) if is_dynamic else body.mass
        if np.isfinite([mass.mass, *mass.inertia]).all():
            self._write_mass(prim, mass, self.world.scale(body.node))
        self._report_losses(body, is_dynamic=is_dynamic)

    def _hold(self, body: Body) -> None:
        """Attach a body of infinite mass to the world by a ball joint at its centre of mass."""
        if np.any(body.linear_velocity):
            return
        name = self.source.tree.names[body.node]
        prim = self.world.define("PhysicsSphericalJoint", self.world.scope(JOINTS), name, "hold")
        relationship(prim, "physics:body1", [self.world.bodies[body.node].path])
        joint = UsdPhysics.Joint(prim)
        center = placed(body.pose, Pose(body.mass.center, body.mass.orientation))
        joint.CreateLocalPos0Attr(short_vector(center.translation))
        joint.CreateLocalRot0Attr(short_quaternion(body.pose.rotation))
        joint.CreateLocalPos1Attr(short_vector(body.mass.center / self.world.scale(body.node)))
        joint.CreateExcludeFromArticulationAttr(True)

    def _write_mass(self, prim: Any, mass: MassProperties, scale: float) -> None:
        api = UsdPhysics.MassAPI.Apply(prim)
        api.CreateMassAttr(mass.mass)
        api.CreateCenterOfMassAttr(short_vector(mass.center / scale))
        api.CreateDiagonalInertiaAttr(short_vector(_rounded(mass.inertia)))
        api.CreatePrincipalAxesAttr(short_quaternion(mass.orientation))

    def _mass(self, body: Body) -> MassProperties:
        """Return finite mass properties, and report what replaces infinite ones."""
        mass, pointer = body.mass, self.source.body_pointer(body)
        reason, stand_in = "0 means that UsdPhysics computes it", self._infinity
        if math.isinf(mass.mass):
            what = "a ball joint to the world keeps it in place"
            if np.any(body.linear_velocity):
                what = f"{stand_in:g} kg are used instead, which fall like any mass"
            self.source.lose(pointer, "an infinite mass", reason, what)
        if np.isinf(mass.inertia).any():
            effect = f"{stand_in:g} kg m² are used instead"
            self.source.lose(pointer, "an infinite inertia", reason, effect)
        weight = stand_in if math.isinf(mass.mass) else mass.mass
        inertia = np.where(np.isinf(mass.inertia), stand_in, mass.inertia)
        return MassProperties(weight, mass.center, inertia, mass.orientation)

    def _report_losses(self, body: Body, *, is_dynamic: bool) -> None:
        source, pointer = self.source, self.source.body_pointer(body)
        if is_dynamic and body.gravity_factor != 1:
            effect = f"it falls with a factor of 1, not {body.gravity_factor:g}"
            source.lose(pointer, "a gravity factor", "UsdPhysics has none", effect)
            self.world.remember(body.node, "gravityFactor", body.gravity_factor)
        if is_dynamic or body.is_driven:
            return
        if body.kind is MotionKind.DYNAMIC:
            reason = "UsdPhysics requires finite masses"
            effect = "it is kinematic, which no force moves either"
            source.lose(pointer, "an infinite mass and inertia", reason, effect)
        if np.any(body.linear_velocity) or np.any(body.angular_velocity):
            speed, turn = (
                float(np.linalg.norm(v)) for v in (body.linear_velocity, body.angular_velocity)
            )
            reason = "the kinematic bodies of UsdPhysics move as their transforms do"
            effect = f"it may stay still instead of moving at {speed:g} m/s and {turn:g} rad/s"
            source.lose(pointer, "the velocity of a kinematic body", reason, effect)


def is_dynamic(body: Body) -> bool:
    """Tell whether forces move a body at all."""
    if body.kind is not MotionKind.DYNAMIC:
        return False
    return bool(np.isfinite([body.mass.mass, *body.mass.inertia]).any())


def _rounded(inertia: Floats) -> Floats:
    """Return moments (3,) in single precision that are possible for a solid.

    The largest of a sheet equals the sum of the other two; rounding must not make it larger, since
    engines refuse such bodies.
    """
    moments = np.maximum(inertia, _LEAST).astype(np.float32).astype(np.float64)
    largest = int(moments.argmax())
    most = float(np.delete(moments, largest).sum())
    if most < moments[largest] <= most * (1 + _ROUNDING):
        below = np.float32(most)
        moments[largest] = below if float(below) <= most else np.nextafter(below, np.float32(0))
    return moments


def _stand_in(source: Source) -> float:
    """Return the mass [kg] or inertia [kg m²] that replaces infinity."""
    masses = [body.mass.mass for body in source.scene.bodies if is_dynamic(body)]
    return HEAVY * max((mass for mass in masses if math.isfinite(mass)), default=1.0)
