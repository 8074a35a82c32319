"""Friction under a body that slides over several tiles, the same as on one slab.

The engine has one friction constraint for each pair of shapes. It computes the impulse that stops
the slide at that place, and limits it to what friction allows. Away from the centre of mass that
impulse is not parallel to the slide, since it must stop a rotation as well: a crate of 24 cm on
tiles of 9 cm drifted 7 % of its path sideways and went 3 % too far. So surfaces get a velocity
across the slide that gives the impulse the direction that it would have below the centre. It is as
large as the slide that friction leaves after the step: what stops is not moved aside, and what
creeps down a slope as steep as friction allows is held as on one slab.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import rapier3d as rp

from ligament.physics.engines import Vector
from ligament.physics.engines.poses import add, cross, dot, multiply, rotate, subtract


class Sliding:
    """Corrects friction under bodies, and caches how they move.

    `step` [s] is the engine's time step, `gravity` [m/s²] what pulls on the bodies.
    """

    def __init__(self, step: float) -> None:
        self._step = step
        self.gravity: Vector = (0.0, 0.0, 0.0)
        self._known: dict[int, Motion] = {}

    def before_step(self) -> None:
        """Forget how bodies moved in the last step."""
        self._known.clear()

    def moves(self, context: rp.ContactModificationContext, mover: rp.RigidBodyHandle) -> Motion:
        """Return how a body moves, which all of its pairs in one step share."""
        found = self._known.get(mover.index)
        if found is None:
            found = self._known[mover.index] = Motion.of(context.bodies[mover])
        return found

    def correct(
        self,
        context: rp.ContactModificationContext,
        mover: rp.RigidBodyHandle,
        ground: rp.RigidBodyHandle | None,
        sign: float,
        points: Sequence[Vector] | None = None,
    ) -> None:
        """Make friction act on a slide over the ground as it would below the centre of mass.

        `sign` is 1 if the ground comes first in the pair; `ground` is None if it is at rest;
        `points` are those of the contacts on it, read from the context if None.
        """
        if points is None:
            contacts = context.solver_contacts
            points = [(each.point if sign > 0 else each.point2).to_tuple() for each in contacts]
        if not points:
            return
        if len(points) == 1:
            x, y, z = points[0]
        else:
            part = 1 / len(points)
            x, y, z = (part * sum(each) for each in zip(*points, strict=True))
        own = self.moves(context, mover)
        arm = subtract((x, y, z), own.center)
        slide = add(own.velocity, cross(own.spin, arm))
        if ground is not None:
            carried = context.bodies[ground].velocity_at_point((x, y, z)).to_tuple()
            slide = subtract(slide, carried)
        x, y, z = context.normal.to_tuple()
        normal = sign * x, sign * y, sign * z
        slide = self._remaining(slide, normal, own.gravity_factor, context.friction)
        square = dot(slide, slide)
        if square <= 0:
            return
        impulse = _stopping(own.resists, arm, slide, normal)
        gained = _across(own.resists.gained(arm, impulse), normal)
        along = dot(gained, slide)
        if along > 0:
            size = square / along
            a, b, c = (sign * (s - size * g) for g, s in zip(gained, slide, strict=True))
            context.set_tangent_velocity((a, b, c))

    def _remaining(
        self, velocity: Vector, normal: Vector, factor: float, friction: float
    ) -> Vector:
        """Return the slide [m/s] that friction leaves of a velocity after the step."""
        x, y, z = self.gravity
        gain = factor * self._step
        pull = gain * x, gain * y, gain * z
        slide = _across(add(velocity, pull), normal)
        speed = math.sqrt(dot(slide, slide))
        left = speed - friction * max(-dot(pull, normal), 0.0)
        return _scaled(slide, left / speed) if left > 0 else (0.0, 0.0, 0.0)


class Motion(NamedTuple):
    """The centre of mass of a body [m], its velocities [m/s, rad/s], and what resists a change."""

    center: Vector
    velocity: Vector
    spin: Vector
    gravity_factor: float
    resists: _Resistance

    @classmethod
    def of(cls, body: rp.RigidBody) -> Motion:
        """Return the motion of a body."""
        return cls(
            body.center_of_mass.to_tuple(),
            body.linvel.to_tuple(),
            body.angvel.to_tuple(),
            body.gravity_scale,
            _Resistance.of(body),
        )


class _Resistance(NamedTuple):
    """The inverse of a mass [kg], and the six components of that of an inertia [kg m²]."""

    mass: float
    xx: float
    yy: float
    zz: float
    xy: float
    yz: float
    zx: float

    @classmethod
    def of(cls, body: rp.RigidBody) -> _Resistance:
        mass = body.mass_properties
        frame = multiply(body.rotation.to_tuple(), mass.principal_inertia_local_frame.to_tuple())
        axes = [rotate(frame, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
        weights = [_inverse(moment) for moment in mass.principal_inertia.to_tuple()]

        def sums(i: int, j: int) -> float:
            return sum(w * axis[i] * axis[j] for w, axis in zip(weights, axes, strict=True))

        inertia = sums(0, 0), sums(1, 1), sums(2, 2), sums(0, 1), sums(1, 2), sums(2, 0)
        return cls(_inverse(mass.mass), *inertia)

    def gained(self, arm: Vector, impulse: Vector) -> Vector:
        """Return the velocity [m/s] that an impulse [N s] at an arm [m] gives to that point."""
        mass, xx, yy, zz, xy, yz, zx = self
        x, y, z = cross(arm, impulse)
        turn = xx * x + xy * y + zx * z, xy * x + yy * y + yz * z, zx * x + yz * y + zz * z
        x, y, z = cross(turn, arm)
        return mass * impulse[0] + x, mass * impulse[1] + y, mass * impulse[2] + z


def _scaled(direction: Vector, by: float) -> Vector:
    return direction[0] * by, direction[1] * by, direction[2] * by


def _inverse(value: float) -> float:
    """Return the inverse of a mass or moment; zero stands for infinity."""
    return 1 / value if value > 0 else 0.0


def _stopping(resists: _Resistance, arm: Vector, slide: Vector, normal: Vector) -> Vector:
    """Return the impulse, of any size, that would stop a slide below the centre of mass."""
    along = dot(arm, normal)
    below = along * normal[0], along * normal[1], along * normal[2]
    aside = cross(normal, slide)
    size, beside = (
        dot(resists.gained(below, aside), aside),
        dot(resists.gained(below, slide), aside),
    )
    x, y, z = (size * s - beside * a for s, a in zip(slide, aside, strict=True))
    return x, y, z


def _across(direction: Vector, normal: Vector) -> Vector:
    along = dot(direction, normal)
    return (
        direction[0] - along * normal[0],
        direction[1] - along * normal[1],
        direction[2] - along * normal[2],
    )
