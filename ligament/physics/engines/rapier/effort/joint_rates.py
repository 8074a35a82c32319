"""Solver effort for one joint: substeps and iteration rates of its limits, springs and drives.

An angle pressed against its bound must be predicted, a bounce off a spring must last some steps,
and a motor that swings a body around loses speed in every iteration.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.scene import Body, Frame, Joint, Scene
from ligament.transforms import multiply, rotate, to_matrix


@dataclasses.dataclass(frozen=True, eq=False)
class Load:
    """The load on a joint: mass [kg], and its first and second moments about the origin."""

    mass: float
    first: Floats
    second: float

    @classmethod
    def of(cls, body: Body) -> Load:
        """Return a body as a load; an infinite mass needs no support."""
        mass, center = finite(body.mass.mass), body.center
        inertia = max(finite(moment) for moment in body.mass.inertia)
        return cls(mass, mass * center, mass * float(center @ center) + inertia)

    def __add__(self, other: Load) -> Load:
        return Load(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def moment(self, pivot: Floats) -> float:
        """Return the moment of inertia [kg m²] about a point, as an upper bound over all axes."""
        about = self.second - 2 * float(pivot @ self.first) + self.mass * float(pivot @ pivot)
        return max(about, 0.0)


def full_moment(body: Body, pivot: Floats) -> float:
    """Return the moment of inertia [kg m²] of a body about a point, an upper bound over axes."""
    return float(Load.of(body).moment(pivot))


def least_moment(body: Body, pivot: Floats) -> float:
    """Return the moment of inertia [kg m²] of a body about its easiest axis through a point."""
    turn = np.asarray(to_matrix(multiply(body.pose.rotation, body.mass.orientation)))
    own = (turn * [finite(moment) for moment in body.mass.inertia]) @ turn.T
    arm = body.center - pivot
    aside = float(arm @ arm) * np.eye(3) - np.outer(arm, arm)
    about = own + finite(body.mass.mass) * aside
    return float(np.linalg.eigvalsh(about)[0]) if np.isfinite(about).all() else math.inf


def moved(joint: Joint, scene: Scene) -> list[int]:
    """Return the dynamic bodies of a joint."""
    return [i for i in (joint.a.body, joint.b.body) if scene.bodies[i].is_free]


def _frame(joint: Joint, body: int) -> Frame:
    return joint.a if joint.a.body == body else joint.b


def pivot_of(joint: Joint, body: int, scene: Scene) -> Floats:
    """Return the initial world position at which a joint holds a body."""
    pose = scene.bodies[body].pose
    return np.asarray(
        pose.translation + rotate(pose.rotation, _frame(joint, body).pose.translation)
    )


def finite(value: float) -> float:
    """Return a mass or moment; 0 for an infinite one, which needs no support."""
    return 0.0 if math.isinf(value) else value


def gyration(body: Body) -> float:
    """Return the largest radius of gyration [m] of a body, at least a millimetre."""
    moments = [finite(moment) for moment in body.mass.inertia]
    mass = finite(body.mass.mass)
    return max(math.sqrt(max(moments) / mass) if mass > 0 else 1.0, 1e-3)


G: Final = 9.81
"""Gravity [m/s²] for estimating loads, whatever the scene's own is."""

MOST_STEPS: Final = 8
"""Most substeps of a step for the sake of limits."""

_LIMIT_LOAD: Final = 10.0
"""Force, in own weights, with which a body may press on a limit of its angle."""

_LIMIT_ERROR: Final = 4e-4
"""Error of an angle [rad] that such a load leaves; sliding along a bound adds to it."""

_TURN: Final = (0.1, 0.05)
"""Rotation [rad] that such a load may add in a step, on hinges and on other joints.

Bounds are predicted once per step, and except on a hinge their direction changes.
"""

_SOFT: Final = 0.1
"""h²k/m up to which a spring is accurate."""

_FIRM: Final = 0.5
"""h²k/m, about the easiest axis, above which a spring must follow the direction of a distance
or angle as a rod does."""

_CONTACT: Final = 10.0
"""Number of steps that a bounce off a soft limit should last."""

_MOTOR_SPEED_LOSS: Final = 5e-3
"""Fraction of its speed that a motor may lose."""

_LOADED: Final = 2.0
"""Multiple of its target speed that a motor may reach under load."""

_MOTOR_TIME: Final = 0.5
"""Cap [s] on the time that a motor takes to reach its speed."""

_STIFFEST: Final = 48
"""Most iterations in a step that are spent on a spring."""


def steps_for(joint: Joint, scene: Scene, step: float) -> int:
    """Return the substeps needed to meet angular bounds and bounces."""
    return max(_steps_for_bounds(joint, scene, step), _steps_for_bounces(joint, scene, step))


def own_rates(joint: Joint, body: int, scene: Scene, step: float) -> Iterable[float]:
    """Yield the iterations per second for the limits and springs of a joint that holds a body."""
    bounds = sum(map(_is_angular_range, joint.limits))  # which disturb each other
    yield math.sqrt(bounds * pressed_acceleration(scene.bodies[body]) / _LIMIT_ERROR)
    springs: tuple[Limit | Drive, ...] = (*joint.limits, *joint.drives)
    for spring in springs:
        frequency = math.sqrt(_square_frequency(spring, joint, scene))
        rate = frequency / math.sqrt(_SOFT)
        if rate * step <= _STIFFEST and not _is_too_fast(spring, frequency * step):
            yield rate
    for drive in joint.drives:
        yield min(_rate_of_turning(drive, joint, body, scene), _STIFFEST / step)


def pressed_acceleration(body: Body) -> float:
    """Return the worst-case angular acceleration [rad/s²] of a body under ten times its weight."""
    return _LIMIT_LOAD * G / (2 * gyration(body))


def has_stiffness(joint: Joint) -> bool:
    """Tell whether a joint has a spring: a soft limit or a drive with stiffness."""
    springs: tuple[Limit | Drive, ...] = (*joint.limits, *joint.drives)
    return any(0 < spring.stiffness < math.inf for spring in springs)


def locked_rotations(limits: Iterable[Limit]) -> int:
    """Return the number of axes about which rotation is locked."""
    return sum(
        len(limit.angular_axes)
        for limit in limits
        if math.isinf(limit.stiffness) and max(limit.minimum, 0.0) == limit.maximum
    )


def _is_angular_range(limit: Limit) -> bool:
    hard = math.isinf(limit.stiffness) and bool(limit.angular_axes)
    return hard and limit.minimum != limit.maximum and limit.maximum > 0


def _steps_for_bounds(joint: Joint, scene: Scene, step: float) -> int:
    if not any(_is_angular_range(limit) for limit in joint.limits):
        return 1
    bodies = [scene.bodies[body] for body in moved(joint, scene)]
    fastest = max(pressed_acceleration(body) for body in bodies)
    turn = _TURN[0] if locked_rotations(joint.limits) == 2 else _TURN[1]
    return min(math.ceil(step * math.sqrt(fastest / turn) - 0.1), MOST_STEPS)


def _steps_for_bounces(joint: Joint, scene: Scene, step: float) -> int:
    """Return the substeps for bounces off soft limits, and for swinging about their targets."""
    needed = 1
    for limit in joint.limits:
        if _has_bound(limit):
            bouncing = math.sqrt(_square_frequency(limit, joint, scene)) * step
            needed = max(needed, _steps_to_follow(bouncing))
        if _is_round(limit):
            swinging = math.sqrt(_square_frequency(limit, joint, scene, least_moment)) * step
            needed = max(needed, _steps_to_follow(swinging) if swinging**2 > _FIRM else 1)
    return needed


def _steps_to_follow(phase: float) -> int:
    """Return the substeps for an oscillation that advances by `phase` [rad] in a step.

    Beyond the stiffness that substeps can follow, half of them do as well.
    """
    steps = _CONTACT * phase / math.pi - 0.1
    return math.ceil(steps) if steps <= MOST_STEPS else MOST_STEPS // 2


def _is_too_fast(spring: Limit | Drive, phase: float) -> bool:
    """Tell whether substeps cannot follow a spring towards a distance or angle.

    Iterations would follow the spring, but not its direction, which is that of the step.
    """
    is_round = isinstance(spring, Limit) and _is_round(spring)
    return is_round and _CONTACT * phase / math.pi > MOST_STEPS


def _has_bound(limit: Limit) -> bool:
    return math.isfinite(limit.stiffness) and limit.minimum < limit.maximum


def _rate_of_turning(drive: Drive, joint: Joint, body: int, scene: Scene) -> float:
    """Return the iterations per second for a motor that swings a body around, fast or far.

    In each iteration of time h the engine loses ω²h²/2 of the speed ω of what is off the axis. A
    motor with damping c lets that be ω²hI/2c of it; one with a target arrives late.
    """
    pivot, held = pivot_of(joint, body, scene), scene.bodies[body]
    about = full_moment(held, pivot)
    if drive.type == "linear" or about <= 0:
        return 0.0
    off_axis = float(finite(held.mass.mass)) * float(np.sum((held.center - pivot) ** 2)) / about
    inertia = 1.0 if drive.mode == "acceleration" else about
    duration = min(inertia / drive.damping, _MOTOR_TIME) if drive.damping > 0 else 0.0
    speed, angle = _LOADED * drive.velocity_target, drive.position_target
    for_speed = speed * speed * duration / (2 * _MOTOR_SPEED_LOSS)
    # Towards a target far off at a frequency f it gets as fast as 0.37 f times the angle.
    for_angle = 1.5 * angle * angle * math.sqrt(drive.stiffness / inertia)
    return off_axis * max(for_speed, for_angle)


def _is_round(limit: Limit) -> bool:
    """Tell whether a limit keeps a distance or angle at which bodies may orbit."""
    if limit.angular_axes:
        return len(limit.angular_axes) > 1 and limit.maximum > 0
    return len(limit.linear_axes) > 1


def _square_frequency(
    spring: Limit | Drive,
    joint: Joint,
    scene: Scene,
    moment: Callable[[Body, Floats], float] = full_moment,
) -> float:
    """Return approximately k/m [1/s²] of a spring; 0 if it is none."""
    if not 0 < spring.stiffness < math.inf:
        return 0.0
    if isinstance(spring, Drive):
        if spring.mode == "acceleration":
            return spring.stiffness
        linear = spring.type == "linear"
    else:
        linear = bool(spring.linear_axes)
    mobility = 0.0
    for body in moved(joint, scene):
        held = scene.bodies[body]
        pivot = pivot_of(joint, body, scene)
        inertia = held.mass.mass if linear else moment(held, pivot)
        mobility += 1 / inertia if inertia > 0 else 0.0
    return spring.stiffness * mobility
