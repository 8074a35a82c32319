"""Worlds for all engines: bodies and joints, independent of any of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ligament.extensions.rigid_bodies import Limit
from ligament.extensions.shapes import Box, Capsule, Sphere

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

Shape: TypeAlias = Box | Sphere | Capsule

UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)
DENSITY = 1000.0  # [kg/m³], what glTF assumes of a body that says nothing of its mass


@dataclass(frozen=True)
class Part:
    """A shape and where it lies in its body [m]."""

    shape: Shape
    position: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Body:
    """Parts that move as one piece, or never (`is_static`); their centre of mass is the origin."""

    position: Vector
    parts: tuple[Part, ...]
    rotation: Quaternion = UPRIGHT
    is_static: bool = False


@dataclass(frozen=True)
class Ball:
    """Holds a point and lets everything turn."""

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Meaning in glTF."""
        return (_locked(linear=(0, 1, 2)),)


@dataclass(frozen=True)
class ConeTwist:
    """Holds a point; the X axes stay within a cone, and the turn about them within ± `reach`.

    One angle [rad] for both, so that a limit of the whole angle to it lies within the two.
    """

    reach: float

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Meaning in glTF."""
        cone = Limit(angular_axes=(1, 2), minimum=0.0, maximum=self.reach)
        twist = Limit(angular_axes=(0,), minimum=-self.reach, maximum=self.reach)
        return _locked(linear=(0, 1, 2)), cone, twist


@dataclass(frozen=True)
class Hinge:
    """Turns about X alone, from `low` to `high` [rad]."""

    low: float
    high: float

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Meaning in glTF."""
        turn = Limit(angular_axes=(0,), minimum=self.low, maximum=self.high)
        return _locked(linear=(0, 1, 2)), _locked(angular=(1, 2)), turn


@dataclass(frozen=True)
class Spring:
    """Moves along Y alone, drawn back by `stiffness` [N/m] and `damping` [N s/m]."""

    stiffness: float
    damping: float

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Meaning in glTF."""
        soft = Limit(
            linear_axes=(1,),
            minimum=0.0,
            maximum=0.0,
            stiffness=self.stiffness,
            damping=self.damping,
        )
        return _locked(linear=(0, 2)), _locked(angular=(0, 1, 2)), soft


JointKind: TypeAlias = Ball | ConeTwist | Hinge | Spring


@dataclass(frozen=True)
class Joint:
    """How body `b` may move as seen from body `a` (None: the world).

    `position` and `rotation` are those of both frames at the start, in the world.
    """

    a: int | None
    b: int
    position: Vector
    rotation: Quaternion
    kind: JointKind


@dataclass(frozen=True)
class World:
    """A world to simulate. Bodies that move come before those that are static."""

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...] = ()

    @property
    def moving(self) -> tuple[Body, ...]:
        """The bodies whose poses are recorded."""
        return tuple(body for body in self.bodies if not body.is_static)


def _locked(*, linear: tuple[int, ...] = (), angular: tuple[int, ...] = ()) -> Limit:
    return Limit(linear_axes=linear, angular_axes=angular, minimum=0.0, maximum=0.0)
