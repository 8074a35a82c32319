"""Tendons: limits on distances and on the angles of cones, and second limits of one axis."""

from __future__ import annotations

import dataclasses
import math
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.engines.mujoco.model.damping import moved_link
from ligament.physics.engines.mujoco.model.elements import Value
from ligament.physics.engines.mujoco.model.limits import STRAIGHT, UNREACHABLE, Limiter, ends
from ligament.physics.engines.mujoco.model.links import Dof
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint
from ligament.physics.freedom import Key
from ligament.physics.scene import Pose

ARM: Final = 1.0
"""Length [m] of the arms whose tips measure the angle of a cone about a shared pivot."""

LONG_ARM: Final = 1e4
"""The same where the pivots part: d apart, they change the angle by up to d / LONG_ARM."""

SEPARATION: Final = 1e-6
"""Least distance [m] between the ends of a tendon at the start."""

AXIS_ENDS: Final = 1000.0
"""Length [m, or in largest distances] of an axis on each side of its frame.

A tendon from end to end by way of a point at a distance r is r² / AXIS_ENDS longer than straight;
z along the axis, it is so by another (z / AXIS_ENDS)²."""

AXIS_ENDS_SINGLE: Final = 50.0
"""The same in single precision, which resolves no more."""


def write_tendon(limiter: Limiter, mapped: MappedJoint, dof: Dof | None, bound: Limit) -> None:
    """Add a limit of a joint that none of its degrees of freedom has."""
    if dof is not None:
        _write_second(limiter, mapped, dof, bound)
    elif bound.linear_axes:
        _write_distance(limiter, mapped, bound)
    else:
        _write_cone(limiter, mapped, bound)


def _write_second(limiter: Limiter, mapped: MappedJoint, dof: Dof, bound: Limit) -> None:
    """Add a second limit of a degree of freedom: on a tendon whose length is its position."""
    link = moved_link(mapped, dof)
    values: dict[str, Value] = {"name": limiter.names.give("tendon", mapped.name, "tendon")}
    compliance = limiter.dynamics.compliance(dof, link)
    if bound.minimum == bound.maximum:
        soft = limiter.stabilized(bound, compliance)
        length = soft.minimum if soft.minimum != -1 else math.nextafter(-1, 0)
        values |= {"stiffness": soft.stiffness, "damping": soft.damping}
        values["springlength"] = length
    else:
        values |= {"range": ends(bound), **limiter.solver(bound, compliance, link)}
    tendon = limiter.add_tendon("fixed", values, 1.0)
    tendon.add("joint", {"joint": dof.name, "coef": 1.0})


def _write_distance(limiter: Limiter, mapped: MappedJoint, bound: Limit) -> None:
    """Add a distance between the frames, or from an axis of the first."""
    along, lifted = Key("linear", 0), 0.0
    if len(bound.linear_axes) == 2:
        along = Key("linear", 3 - sum(bound.linear_axes))
        if along not in mapped.freedom.locks:
            _write_radius(limiter, mapped, bound, along.axis)
            return
        lifted = mapped.freedom.locks[along]
    offset = np.eye(3)[along.axis] * lifted
    start = mapped.frame_a.translation + tf.rotate(mapped.frame_a.rotation, offset)
    _write_span(limiter, mapped, bound, np.asarray(start), mapped.frame_b.translation, 1.0)


def _write_cone(limiter: Limiter, mapped: MappedJoint, bound: Limit) -> None:
    """Add the angle between two axes as the distance between the tips of arms along them.

    Where the pivots part, both arms are so long that this does not matter.
    """
    axis, frames = 3 - sum(bound.angular_axes), (mapped.frame_a, mapped.frame_b)
    is_shared = not mapped.freedom.free("linear")
    arm = ARM if is_shared else LONG_ARM
    tips = [
        (mapped.frame_b if is_shared else frame).translation
        + tf.rotate(frame.rotation, arm * np.eye(3)[axis])
        for frame in frames
    ]
    least, most = (_chord(arm, value) for value in (max(bound.minimum, 0.0), bound.maximum))
    chord = dataclasses.replace(bound, minimum=least, maximum=most)
    if math.isfinite(bound.stiffness):
        # At the bound, the force on the tips must have the torque of the file.
        slope = max(math.cos(min(bound.maximum, math.pi) / 2), 0.1) ** 2 * arm**2
        chord = dataclasses.replace(
            chord, stiffness=bound.stiffness / slope, damping=bound.damping / slope
        )
        effect = "the torque is right at the bound, and too small beyond it"
        reason = "MuJoCo applies forces at the tips of arms"
        limiter.subject.lose(bound.pointer, "a soft limit on the angle of a cone", reason, effect)
    _write_span(limiter, mapped, chord, np.asarray(tips[0]), np.asarray(tips[1]), arm)


def _chord(arm: float, angle: float) -> float:
    return 2 * arm * math.sin(min(angle, math.pi) / 2)


def _write_radius(limiter: Limiter, mapped: MappedJoint, bound: Limit, axis: int) -> None:
    """Add a distance from an axis that the second frame slides along.

    A tendon runs from a far point on the axis to the frame, and on to another far point.
    """
    reach = AXIS_ENDS_SINGLE if limiter.is_single else AXIS_ENDS
    most = bound.maximum if math.isfinite(bound.maximum) else max(bound.minimum, 1.0)
    half = reach * max(most, 1.0)
    toward = tf.rotate(mapped.frame_a.rotation, half * np.eye(3)[axis])
    length = [2 * math.hypot(half, max(r, 0.0)) for r in (bound.minimum, most)]
    unbounded = math.isinf(bound.maximum)
    radius = bound.minimum if bound.minimum > 0 else most
    slope = 2 * radius / math.hypot(half, radius)
    values: dict[str, Value] = {
        "name": limiter.names.give("tendon", mapped.name, "tendon"),
        "range": (length[0] if bound.minimum > 0 else 0.0, UNREACHABLE if unbounded else length[1]),
    }
    points = [
        (mapped.a, mapped.frame_a.translation - toward),
        (mapped.carrier or mapped.b, mapped.frame_b.translation),
        (mapped.a, mapped.frame_a.translation + toward),
    ]
    far = mapped.carrier or mapped.b
    soft = dataclasses.replace(
        bound, stiffness=bound.stiffness / slope**2, damping=bound.damping / slope**2
    )
    compliance = limiter.dynamics.compliance_along([(a, np.asarray(p)) for a, p in points])
    values |= limiter.solver(soft, compliance, far)
    tendon = limiter.add_tendon("spatial", values, slope)
    for link, point in points:
        tendon.add(
            "site", {"site": limiter.site(mapped.name, link, Pose(np.asarray(point), STRAIGHT))}
        )


def _write_span(
    limiter: Limiter, mapped: MappedJoint, bound: Limit, start: Floats, end: Floats, scale: float
) -> None:
    """Add a limit on the distance between two points, given in the world at the start."""
    far = mapped.carrier or mapped.b
    start = _separated(limiter, mapped, start, end)
    length = float(np.linalg.norm(end - start))
    least, most = max(bound.minimum, 0.0), min(bound.maximum, UNREACHABLE)
    name = limiter.names.give("tendon", mapped.name, "tendon")
    values: dict[str, Value] = {"name": name}
    compliance = limiter.dynamics.compliance_between(mapped.a, start, far, end)
    if not math.isfinite(bound.stiffness):
        if least < most:
            values |= {"range": (least, most), **limiter.hard(far)}
    elif least >= most:
        soft = limiter.stabilized(bound, compliance)
        values |= {"stiffness": soft.stiffness, "damping": soft.damping}
        values["springlength"] = most
    else:
        values |= {"range": (least, most), **limiter.solver(bound, compliance, far)}
    tendon = limiter.add_tendon("spatial", values, scale)
    for link, point in ((mapped.a, start), (far, end)):
        tendon.add("site", {"site": limiter.site(mapped.name, link, Pose(point, STRAIGHT))})
    if not math.isfinite(bound.stiffness) and least >= most:
        polynomial = (most - length, 0.0, 0.0, 0.0, 0.0)
        rod: dict[str, Value] = {"tendon1": name, "polycoef": polynomial}
        limiter.equalities.add("tendon", rod | limiter.tight(far, abs(most - length)))


def _separated(limiter: Limiter, mapped: MappedJoint, start: Floats, end: Floats) -> Floats:
    """Separate the ends of a tendon of zero length along its most compliant axis.

    MuJoCo would evaluate it along X. Without compliance in that direction, its solver becomes
    unstable as soon as the limit is reached.
    """
    if np.linalg.norm(end - start) >= SEPARATION:
        return start
    far, axes = mapped.carrier or mapped.b, np.asarray(tf.to_matrix(mapped.frame_a.rotation)).T
    places: list[Floats] = [end - SEPARATION * axis for axis in axes]
    between = limiter.dynamics.compliance_between
    stiff = [between(mapped.a, place, far, end) for place in places]
    return places[int(np.argmax([each if math.isfinite(each) else 0.0 for each in stiff]))]
