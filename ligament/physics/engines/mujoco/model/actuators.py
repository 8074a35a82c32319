"""Drives of joints as actuators, controlled by their targets."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ligament import transforms as tf
from ligament.extensions.rigid_bodies import Drive
from ligament.physics.engines.mujoco.model.damping import (
    LEAST,
    RESOLVED,
    is_about_frame,
    joint_compliance,
    moved_link,
)
from ligament.physics.engines.mujoco.model.elements import Element, Value
from ligament.physics.engines.mujoco.model.limits import Limiter
from ligament.physics.engines.mujoco.model.links import Dof
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint
from ligament.physics.freedom import AXES, Key


def write_drives(limiter: Limiter, mapped: MappedJoint, actuators: Element) -> list[float]:
    """Add the drives of a joint; return their targets.

    The control of an actuator with stiffness is a position, of one without a velocity.
    """
    brakes = [drive for drive in mapped.freedom.drives if is_about_frame(mapped, drive)]
    sites = _sites(limiter, mapped) if brakes else {}
    if brakes:
        _report_axes(limiter, mapped)
    targets = []
    for drive in mapped.freedom.drives:
        is_brake = drive in brakes
        compliance = _compliance(limiter, mapped, drive)
        scaled = _in_newtons(limiter, drive, compliance)
        if math.isfinite(drive.max_force) and not limiter.slips:
            scaled = _stabilized(limiter, scaled, compliance)
        kp, kv = scaled.stiffness, scaled.damping
        has_position = kp > 0
        values: dict[str, Value | None] = {
            "name": limiter.names.give("actuator", mapped.name, "drive"),
            **(sites | {"gear": _gear(drive)} if is_brake else {"joint": _dof(mapped, drive).name}),
            "gaintype": "fixed",
            "biastype": "affine",
            "gainprm": kp if has_position else kv,
            "biasprm": (kv * drive.velocity_target if has_position else 0.0, -kp, -kv),
        }
        if math.isfinite(drive.max_force):
            values["forcerange"] = (-drive.max_force, drive.max_force)
        actuators.add("general", values)
        targets.append(drive.position_target if has_position else drive.velocity_target)
    return targets


def _sites(limiter: Limiter, mapped: MappedJoint) -> dict[str, Value]:
    """Add sites on both frames; an actuator acts on the first in the axes of the second."""
    return {
        "site": limiter.site(mapped.name, mapped.b, mapped.frame_b),
        "refsite": limiter.site(mapped.name, mapped.a, mapped.frame_a),
    }


def _report_axes(limiter: Limiter, mapped: MappedJoint) -> None:
    """Report that drives act about the axes of frame A, not about those halfway to frame B."""
    subject = limiter.subject
    subject.lose(
        subject.joint_pointer(subject.scene.joints[mapped.index].node),
        "velocity drives about an axis of a free rotation",
        "MuJoCo's torques are about axes of one body",
        "they act about the axis of the first frame, off by half the angle to the second",
    )


def _gear(drive: Drive) -> tuple[float, ...]:
    """Return the unit force or torque (6,) of a drive in the axes of the frame."""
    return tuple(float(place == len(AXES) + drive.axis) for place in range(2 * len(AXES)))


def _dof(mapped: MappedJoint, drive: Drive) -> Dof:
    return next(dof for dof in mapped.dofs if dof.key == Key(drive.type, drive.axis))


def _compliance(limiter: Limiter, mapped: MappedJoint, drive: Drive) -> float:
    """Return the acceleration per unit force [1/kg] or torque [1/(kg m²)] of a drive."""
    dynamics = limiter.bodies
    if is_about_frame(mapped, drive):
        axis = np.asarray(tf.to_matrix(mapped.frame_a.rotation)).T[drive.axis]
        return max(dynamics.compliance_about(mapped.a, mapped.b, axis), LEAST)
    dof = _dof(mapped, drive)
    return max(joint_compliance(dynamics, mapped, dof, moved_link(mapped, dof)), LEAST)


def _in_newtons(limiter: Limiter, drive: Drive, compliance: float) -> Drive:
    """Convert gains of accelerations to gains of forces."""
    if drive.mode == "force":
        return drive
    mass = 1 / compliance
    effect = f"the gains are multiplied by the {mass:.6g} kg or kg m² of the start"
    reason = "MuJoCo's actuators make forces"
    limiter.subject.lose(drive.pointer, "a drive in acceleration mode", reason, effect)
    return dataclasses.replace(
        drive, stiffness=drive.stiffness * mass, damping=drive.damping * mass
    )


def _stabilized(limiter: Limiter, drive: Drive, compliance: float) -> Drive:
    """Limit the stiffness of a drive to what is stable; damping is integrated implicitly."""
    most = RESOLVED / compliance / limiter.step**2
    if drive.stiffness <= most:
        return drive
    reason = f"steps of {limiter.step:g} s are too long for {drive.stiffness:g}"
    limiter.subject.lose(drive.pointer, "a very stiff drive", reason, f"its stiffness is {most:g}")
    return dataclasses.replace(drive, stiffness=most)
