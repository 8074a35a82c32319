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
from typing import Final, NamedTuple

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
        self._supports: dict[tuple[int, Vector], _Support] = {}

    def before_step(self) -> None:
        """Forget how bodies moved in the last step."""
        self._known.clear()
        self._supports.clear()

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
        a, b, c = context.normal.to_tuple()
        normal = sign * a, sign * b, sign * c
        if not any(normal):  # on a degenerate triangle
            return
        on = self._on(context, mover, normal)
        arm = subtract((x, y, z), self.moves(context, mover).center)
        velocity = None
        if ground is not None:
            velocity = context.bodies[ground].velocity_at_point((x, y, z)).to_tuple()
        pushed = on.pushed(arm, velocity, context.friction)
        if pushed is not None:
            a, b, c = pushed
            context.set_tangent_velocity((sign * a, sign * b, sign * c))

    def _on(
        self, context: rp.ContactModificationContext, mover: rp.RigidBodyHandle, normal: Vector
    ) -> _Support:
        """Return how a body moves on a surface, which its pairs with all tiles in a plane share."""
        key = mover.index, normal
        found = self._supports.get(key)
        if found is None:
            x, y, z = self.gravity
            own = self.moves(context, mover)
            gain = own.gravity_factor * self._step
            found = _Support.of(own, normal, (gain * x, gain * y, gain * z))
            self._supports[key] = found
        return found


class Motion(NamedTuple):
    """The centre of mass of a body [m], its velocities [m/s, rad/s], and what resists a change."""

    center: Vector
    velocity: Vector
    spin: Vector
    gravity_factor: float
    mass: float
    inertia: tuple[tuple[float, Vector], ...]

    @classmethod
    def of(cls, body: rp.RigidBody) -> Motion:
        """Return the motion of a body."""
        mass = body.mass_properties
        frame = multiply(body.rotation.to_tuple(), mass.principal_inertia_local_frame.to_tuple())
        moments = mass.principal_inertia.to_tuple()
        return cls(
            body.center_of_mass.to_tuple(),
            body.linvel.to_tuple(),
            body.angvel.to_tuple(),
            body.gravity_scale,
            _inverse(mass.mass),
            tuple(
                (_inverse(moment), rotate(frame, axis))
                for moment, axis in zip(moments, _AXES, strict=True)
            ),
        )


class _Support(NamedTuple):
    """The motion of a body in coordinates of a surface: two tangents, and the normal.

    `slide` [m/s] is its velocity after the step without friction, `load` [m/s] the velocity that
    the surface takes from it, `spin` [rad/s] its angular velocity, and `mass` and `inertia` (the
    components 11, 22, 33, 12, 23, 31) are inverse.
    """

    axes: tuple[Vector, Vector, Vector]
    slide: tuple[float, float]
    load: float
    spin: Vector
    mass: float
    inertia: tuple[float, float, float, float, float, float]

    @classmethod
    def of(cls, motion: Motion, normal: Vector, pull: Vector) -> _Support:
        """Return it for a body that gravity accelerates by `pull` [m/s] in a step."""
        x, y, z = normal
        side = (z, 0.0, -x) if abs(y) < _STEEP else (0.0, -z, y)
        size = math.sqrt(dot(side, side))
        first = side[0] / size, side[1] / size, side[2] / size
        axes = first, cross(normal, first), normal
        velocity, spin = add(motion.velocity, pull), motion.spin
        parts = [(w, [dot(axis, each) for each in axes]) for w, axis in motion.inertia]

        def sums(i: int, j: int) -> float:
            return sum(w * part[i] * part[j] for w, part in parts)

        return cls(
            axes,
            (dot(velocity, axes[0]), dot(velocity, axes[1])),
            max(-dot(pull, normal), 0.0),
            (dot(spin, axes[0]), dot(spin, axes[1]), dot(spin, axes[2])),
            motion.mass,
            (sums(0, 0), sums(1, 1), sums(2, 2), sums(0, 1), sums(1, 2), sums(2, 0)),
        )

    def pushed(self, arm: Vector, carried: Vector | None, friction: float) -> Vector | None:
        """Return the velocity [m/s] of the surface that corrects friction at an arm [m].

        `carried` [m/s] is the velocity of the ground there. None if friction stops the body.
        """
        (one, two, normal), (slide, aside), (p, q, r) = self.axes, self.slide, self.spin
        x, y, z = arm
        u = one[0] * x + one[1] * y + one[2] * z
        v = two[0] * x + two[1] * y + two[2] * z
        h = normal[0] * x + normal[1] * y + normal[2] * z
        slide += q * h - r * v
        aside += r * u - p * h
        if carried is not None:
            slide -= dot(carried, one)
            aside -= dot(carried, two)
        speed = math.sqrt(slide * slide + aside * aside)
        left = speed - friction * self.load
        if left <= 0:
            return None
        slide, aside = slide * left / speed, aside * left / speed
        m, (xx, yy, zz, xy, yz, zx) = self.mass, self.inertia
        # What an impulse in the plane changes, below the centre of mass and at the arm.
        xs, ys, cs = m + h * h * yy, m + h * h * xx, -h * h * xy
        i, j = ys * slide - cs * aside, xs * aside - cs * slide
        xs += v * v * zz - 2 * h * v * yz
        ys += u * u * zz - 2 * h * u * zx
        cs += h * u * yz + h * v * zx - u * v * zz
        i, j = xs * i + cs * j, cs * i + ys * j
        along = i * slide + j * aside
        if along <= 0:
            return None
        size = left * left / along
        a, b = slide - size * i, aside - size * j
        return (
            a * one[0] + b * two[0],
            a * one[1] + b * two[1],
            a * one[2] + b * two[2],
        )


_AXES: Final = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

_STEEP: Final = 0.7
"""Height of a unit normal up to which its first tangent is horizontal."""


def _inverse(value: float) -> float:
    """Return the inverse of a mass or moment; zero stands for infinity."""
    return 1 / value if value > 0 else 0.0
