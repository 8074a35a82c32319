"""Bounds: the limits of a joint that its own degrees of freedom have, and their losses."""

from __future__ import annotations

import dataclasses
import math

from ligament import transforms as tf
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.engines.mujoco.model.elements import Subject
from ligament.physics.engines.mujoco.model.limits import STRAIGHT
from ligament.physics.engines.mujoco.model.links import Dof
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint
from ligament.physics.freedom import MISFIT, Key, Kind, tilt_loss


def assign(subject: Subject, mapped: MappedJoint) -> list[tuple[Dof | None, Limit]]:
    """Give the degrees of freedom of a joint their bounds and springs; return what is left.

    That is a second bound of a degree of freedom, distances, and cones.
    """
    by_key = {dof.key: dof for dof in mapped.dofs if dof.key is not None}
    rest: list[tuple[Dof | None, Limit]] = []
    for bound in mapped.freedom.bounds:
        axes = bound.linear_axes or bound.angular_axes
        kind: Kind = "linear" if bound.linear_axes else "angular"
        if len(axes) == 3 and bound.angular_axes:
            _bound_whole_angle(subject, mapped, bound)
        elif len(axes) == 1 or (
            is_spring_to_axis(bound) and Key("linear", 3 - sum(axes)) not in mapped.freedom.locks
        ):
            for axis in axes:
                single = in_hinge_angles(mapped, _alone(bound, axis))
                if (dof := by_key.get(Key(kind, axis))) is not None and not _take(dof, single):
                    rest.append((dof, single))
        else:
            rest.append((None, bound))
    if (tilt := mapped.freedom.tilt) is not None and mapped.freedom.hinge is None:
        subject.lose(tilt.pointer, *tilt_loss(tilt))
    _report_coupled_hinges(subject, mapped)
    _report_tilted_hinge(subject, mapped)
    return rest


def is_spring_to_axis(bound: Limit) -> bool:
    """Tell whether a limit is a spring towards an axis, which is one along each of the others."""
    return len(bound.linear_axes) == 2 and math.isfinite(bound.stiffness) and bound.maximum <= 0


def _alone(bound: Limit, axis: int) -> Limit:
    """Return a limit on one of its axes."""
    if bound.angular_axes:
        return dataclasses.replace(bound, angular_axes=(axis,))
    return dataclasses.replace(bound, linear_axes=(axis,))


def _take(dof: Dof, bound: Limit) -> bool:
    """Give a degree of freedom a bound if it has room for it; return whether it had."""
    if math.isfinite(bound.stiffness) and bound.minimum == bound.maximum and dof.spring is None:
        dof.spring = bound
    elif dof.bound is None:
        dof.bound = bound
    else:
        return False
    return True


def _bound_whole_angle(subject: Subject, mapped: MappedJoint, bound: Limit) -> None:
    """Add the angle of a whole rotation as the range of a ball."""
    ball = next((dof for dof in mapped.dofs if dof.kind == "ball"), None)
    turn = tf.multiply(tf.conjugate(mapped.frame_a.rotation), mapped.frame_b.rotation)
    off = float(tf.angle_between(turn, STRAIGHT))
    what, reason = "a limit on the total angle", ""
    if ball is None:
        reason, effect = "MuJoCo has it for ball joints only", "the angle is not bounded"
    elif bound.minimum > 0:
        reason, effect = "MuJoCo has no minimum angle", f"{bound.minimum:g} rad is left out"
    elif off > MISFIT:
        reason = "MuJoCo measures from the initial pose of a ball joint"
        effect = f"it is measured from a pose {off:g} rad off"
    if reason:
        subject.lose(bound.pointer, what, reason, effect)
    if ball is not None and math.isfinite(bound.stiffness) and bound.maximum <= 0:
        ball.spring = bound
    elif ball is not None and ball.bound is None and 0 < bound.maximum < math.pi:
        ball.bound = bound


def _report_coupled_hinges(subject: Subject, mapped: MappedJoint) -> None:
    """Report how far consecutive hinges deviate from rotation about the axes of the frame."""
    hinges = [dof for dof in mapped.dofs if dof.kind == "hinge"]
    if len(hinges) < 2:
        return
    reach = [_reach(dof) for dof in hinges[:2]]
    off = 2 * math.atan(math.prod(math.tan(angle / 2) for angle in reach))
    pointer = subject.joint_pointer(subject.scene.joints[mapped.index].node)
    subject.lose(
        pointer,
        f"free rotation about {len(hinges)} axes",
        "MuJoCo rotates about one axis after the other",
        f"where both have turned fully, the third axis differs by {off:.3g} rad",
    )


def _report_tilted_hinge(subject: Subject, mapped: MappedJoint) -> None:
    """Report forces about an axis next to angles that are locked at other values than 0."""
    if mapped.freedom.hinge is None or (stretch := mapped.freedom.hinge[1]) == 1:
        return
    soft = [each.pointer for each in mapped.freedom.bounds if math.isfinite(each.stiffness)]
    drives = [drive.pointer for drive in mapped.freedom.drives if drive.type == "angular"]
    for pointer in soft + drives:
        subject.lose(
            pointer,
            "a torque by an angle next to angles locked at other values than 0",
            "MuJoCo measures the rotation of the hinge",
            f"it is up to {stretch - 1:.2%} off",
        )


def in_hinge_angles(mapped: MappedJoint, bound: Limit) -> Limit:
    """Return bounds of a twist as those of MuJoCo's hinge."""
    if not bound.angular_axes:
        return bound
    low, high = map(mapped.freedom.hinge_angle, (bound.minimum, bound.maximum))
    return dataclasses.replace(bound, minimum=low, maximum=high)


def _reach(dof: Dof) -> float:
    """Return the largest angle [rad] of a hinge, a right angle where it has no bounds."""
    if dof.bound is None:
        return math.pi / 2
    return min(max(abs(dof.bound.minimum), abs(dof.bound.maximum)), math.pi / 2)
