"""Masses around a joint at the start: what hangs on it, where it holds, and how that turns."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ligament.arrays import Floats
from ligament.physics.scene import Body, Frame, Joint, Scene
from ligament.transforms import multiply, rotate, to_matrix


@dataclasses.dataclass(frozen=True, eq=False)
class Load:
    """What hangs on a joint: mass [kg], its moments about the origin, and its own inertia."""

    mass: float
    first: Floats
    second: float

    @classmethod
    def of(cls, body: Body) -> Load:
        """Return a body as a load; what is infinite needs nothing to hold it."""
        mass, center = finite(body.mass.mass), center_of(body)
        inertia = max(finite(moment) for moment in body.mass.inertia)
        return cls(mass, mass * center, mass * float(center @ center) + inertia)

    def __add__(self, other: Load) -> Load:
        return Load(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def moment(self, pivot: Floats) -> float:
        """Return the moment of inertia [kg m²] about a point, as if it were all across."""
        about = self.second - 2 * float(pivot @ self.first) + self.mass * float(pivot @ pivot)
        return max(about, 0.0)


def full_moment(body: Body, pivot: Floats) -> float:
    """Return the moment of inertia [kg m²] of a body about a point, as if it were all across."""
    return float(Load.of(body).moment(pivot))


def least_moment(body: Body, pivot: Floats) -> float:
    """Return the moment of inertia [kg m²] of a body about its easiest axis through a point."""
    turn = np.asarray(to_matrix(multiply(body.pose.rotation, body.mass.orientation)))
    own = (turn * [finite(moment) for moment in body.mass.inertia]) @ turn.T
    arm = center_of(body) - pivot
    aside = float(arm @ arm) * np.eye(3) - np.outer(arm, arm)
    about = own + finite(body.mass.mass) * aside
    return float(np.linalg.eigvalsh(about)[0]) if np.isfinite(about).all() else math.inf


def moved(joint: Joint, scene: Scene) -> list[int]:
    """Return the bodies of a joint that forces move."""
    return [i for i in (joint.a.body, joint.b.body) if scene.bodies[i].is_free]


def _frame(joint: Joint, body: int) -> Frame:
    return joint.a if joint.a.body == body else joint.b


def pivot_of(joint: Joint, body: int, scene: Scene) -> Floats:
    """Return where a joint holds a body at the start, in the world."""
    pose = scene.bodies[body].pose
    return np.asarray(
        pose.translation + rotate(pose.rotation, _frame(joint, body).pose.translation)
    )


def center_of(body: Body) -> Floats:
    """Return the centre of mass of a body at the start, in the world."""
    return np.asarray(body.pose.translation + rotate(body.pose.rotation, body.mass.center))


def finite(value: float) -> float:
    """Return a mass or moment; 0 for one that is infinite, which needs nothing to hold it."""
    return 0.0 if math.isinf(value) else value


def gyration(body: Body) -> float:
    """Return the largest radius of gyration [m] of a body, at least a millimetre."""
    moments = [finite(moment) for moment in body.mass.inertia]
    mass = finite(body.mass.mass)
    return max(math.sqrt(max(moments) / mass) if mass > 0 else 1.0, 1e-3)
