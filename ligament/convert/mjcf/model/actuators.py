"""Drives of joints as actuators; their controls are the targets."""

from __future__ import annotations

import dataclasses
import math
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.convert.freedom import AXES, Key
from ligament.convert.mjcf.model.elements import Element, Value
from ligament.convert.mjcf.model.limits import STIFFEST, Limiter
from ligament.convert.mjcf.model.links import Dof, Link
from ligament.convert.mjcf.model.skeleton import Hold
from ligament.extensions.declarations import Drive

_LEAST: Final = 1e-12
"""What gives way less [1/kg or 1/(kg m²)] is as good as fixed."""


def write_drives(limiter: Limiter, hold: Hold, link: Link, actuators: Element) -> list[float]:
    """Write the drives of a joint whose degrees of freedom a link has; returns their targets.

    An actuator with stiffness takes the position as its control, one without takes the velocity.
    """
    brakes = [drive for drive in hold.freedom.drives if _is_about_frame(hold, drive)]
    sites = _sites(limiter, hold) if brakes else {}
    if brakes:
        _tell_axes(limiter, hold)
    targets = []
    for drive in hold.freedom.drives:
        is_brake = drive in brakes
        compliance = _compliance(limiter, hold, link, drive)
        scaled = _bearable(limiter, _in_newtons(limiter, drive, compliance), compliance)
        kp, kv = scaled.stiffness, scaled.damping
        has_position = kp > 0
        values: dict[str, Value | None] = {
            "name": limiter.names.give("actuator", hold.name, "drive"),
            **(sites | {"gear": _gear(drive)} if is_brake else {"joint": _dof(hold, drive).name}),
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


def _is_about_frame(hold: Hold, drive: Drive) -> bool:
    """Tell whether a drive asks for nothing but a speed about an axis of a free rotation.

    The hinges of such a joint leave the axes of its frame as they turn, and a ball has no axes.
    """
    is_free = len(hold.freedom.free("angular")) == len(AXES)
    return is_free and drive.type == "angular" and drive.stiffness <= 0


def _sites(limiter: Limiter, hold: Hold) -> dict[str, Value]:
    """Put sites on both frames; an actuator turns the first in the axes of the second."""
    far, pose = hold.b, hold.frame_b
    if hold.carrier is not None:
        far, pose = hold.carrier, hold.carrier.pose
    return {
        "site": limiter.site(hold.name, far, pose),
        "refsite": limiter.site(hold.name, hold.a, hold.frame_a),
    }


def _tell_axes(limiter: Limiter, hold: Hold) -> None:
    """Say that a drive which measures a twist pushes halfway between the frames in the file."""
    subject = limiter.subject
    subject.lose(
        subject.joint_pointer(subject.scene.joints[hold.index].node),
        "drives towards a speed about an axis of a free rotation",
        "MuJoCo's torques are about axes of one body",
        "they act about the axis of the first frame, off by half of the angle to the second",
    )


def _gear(drive: Drive) -> tuple[float, ...]:
    """Return forces along and torques about the axes of the frame."""
    return tuple(float(place == len(AXES) + drive.axis) for place in range(2 * len(AXES)))


def _dof(hold: Hold, drive: Drive) -> Dof:
    return next(dof for dof in hold.dofs if dof.key == Key(drive.type, drive.axis))


def _compliance(limiter: Limiter, hold: Hold, link: Link, drive: Drive) -> float:
    """Return the acceleration [1/kg or 1/(kg m²)] for a push of 1 of a drive."""
    if not _is_about_frame(hold, drive):
        return max(limiter.dynamics.compliance(_dof(hold, drive), link), _LEAST)
    axis = np.asarray(tf.to_matrix(hold.frame_a.rotation)).T[drive.axis]
    return max(limiter.dynamics.compliance_about(hold.a, hold.carrier or hold.b, axis), _LEAST)


def _in_newtons(limiter: Limiter, drive: Drive, compliance: float) -> Drive:
    """Return a drive whose gains are forces, not accelerations."""
    if drive.mode == "force":
        return drive
    mass = 1 / compliance
    effect = f"the gains are multiplied by the {mass:.6g} kg or kg m² of the start"
    reason = "MuJoCo's actuators make forces"
    limiter.subject.lose(drive.pointer, "a drive in acceleration mode", reason, effect)
    return dataclasses.replace(
        drive, stiffness=drive.stiffness * mass, damping=drive.damping * mass
    )


def _bearable(limiter: Limiter, drive: Drive, compliance: float) -> Drive:
    """Return a drive whose stiffness the steps can carry; damping is integrated implicitly."""
    most = STIFFEST / compliance / limiter.step**2
    if drive.stiffness <= most:
        return drive
    reason = f"steps of {limiter.step:g} s cannot carry {drive.stiffness:g}"
    limiter.subject.lose(drive.pointer, "a very stiff drive", reason, f"its stiffness is {most:g}")
    return dataclasses.replace(drive, stiffness=most)
