"""Drives of joints as actuators, controlled by their targets."""

from __future__ import annotations

import dataclasses
import math
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.extensions.rigid_bodies import Drive
from ligament.physics.engines.mujoco.model.carriers import joint_compliance
from ligament.physics.engines.mujoco.model.elements import Element, Value
from ligament.physics.engines.mujoco.model.limits import STIFFEST, Limiter
from ligament.physics.engines.mujoco.model.links import Dof, Link
from ligament.physics.engines.mujoco.model.skeleton import MappedJoint
from ligament.physics.freedom import AXES, Key

DAMPED: Final = 3.0
"""Largest stable c A h of a damper c on a carrier of compliance A; 5 held, 16 did not."""

_LEAST: Final = 1e-12
"""Smallest compliance [1/kg or 1/(kg m²)]; less counts as fixed."""


def write_drives(
    limiter: Limiter, mapped: MappedJoint, link: Link, actuators: Element
) -> list[float]:
    """Add the drives of a joint whose degrees of freedom belong to a link; return their targets.

    The control of an actuator with stiffness is a position, of one without a velocity.
    """
    brakes = [drive for drive in mapped.freedom.drives if _is_about_frame(mapped, drive)]
    sites = _sites(limiter, mapped) if brakes else {}
    if brakes:
        _report_axes(limiter, mapped)
    targets = []
    for drive in mapped.freedom.drives:
        is_brake = drive in brakes
        compliance = _compliance(limiter, mapped, link, drive)
        scaled = _stabilized(limiter, _in_newtons(limiter, drive, compliance), compliance)
        if mapped.carrier is not None and not is_brake:
            scaled = _carried(limiter, mapped, mapped.carrier, scaled)
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


def _is_about_frame(mapped: MappedJoint, drive: Drive) -> bool:
    """Tell whether a drive only targets the velocity about an axis of a free rotation.

    The hinges of such a joint do not stay on the axes of its frame, and a ball has no axes.
    """
    is_free = len(mapped.freedom.free("angular")) == len(AXES)
    return is_free and drive.type == "angular" and drive.stiffness <= 0


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


def _compliance(limiter: Limiter, mapped: MappedJoint, link: Link, drive: Drive) -> float:
    """Return the acceleration per unit force [1/kg] or torque [1/(kg m²)] of a drive."""
    dynamics = limiter.dynamics
    if _is_about_frame(mapped, drive):
        axis = np.asarray(tf.to_matrix(mapped.frame_a.rotation)).T[drive.axis]
        return max(dynamics.compliance_about(mapped.a, mapped.b, axis), _LEAST)
    return max(joint_compliance(dynamics, mapped, _dof(mapped, drive), link), _LEAST)


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


def _carried(limiter: Limiter, mapped: MappedJoint, carrier: Link, drive: Drive) -> Drive:
    """Limit the gains of a drive to what is stable on the carrier of a loop."""
    compliance = limiter.dynamics.compliance(_dof(mapped, drive), carrier)
    most = DAMPED / compliance / limiter.step
    if drive.damping <= most:
        return drive
    reason = f"steps of {limiter.step:g} s are too long for {drive.damping:g} in a loop"
    limiter.subject.lose(drive.pointer, "a strong damper", reason, f"its damping is {most:g}")
    return dataclasses.replace(drive, damping=most)


def _stabilized(limiter: Limiter, drive: Drive, compliance: float) -> Drive:
    """Limit the stiffness of a drive to what is stable; damping is integrated implicitly."""
    most = STIFFEST / compliance / limiter.step**2
    if drive.stiffness <= most:
        return drive
    reason = f"steps of {limiter.step:g} s are too long for {drive.stiffness:g}"
    limiter.subject.lose(drive.pointer, "a very stiff drive", reason, f"its stiffness is {most:g}")
    return dataclasses.replace(drive, stiffness=most)
