"""Drives of joints as actuators; their controls are the targets."""

from __future__ import annotations

import dataclasses
import math
from xml.etree.ElementTree import Element

from ligament.convert.freedom import Key
from ligament.convert.mjcf.limits import STIFFEST, Limiter
from ligament.convert.mjcf.links import Dof, Link
from ligament.convert.mjcf.markup import Value, add
from ligament.convert.mjcf.skeleton import Hold
from ligament.extensions.declarations import Drive


def write_drives(limiter: Limiter, hold: Hold, link: Link, actuators: Element) -> list[float]:
    """Write the drives of a joint whose degrees of freedom a link has; returns their targets.

    An actuator with stiffness takes the position as its control, one without takes the velocity.
    """
    by_key = {dof.key: dof for dof in hold.dofs}
    targets = []
    for drive in hold.freedom.drives:
        dof = by_key[Key(drive.type, drive.axis)]
        scaled = _bearable(limiter, _in_newtons(limiter, drive, dof, link), dof, link)
        kp, kv = scaled.stiffness, scaled.damping
        has_position = kp > 0
        values: dict[str, Value | None] = {
            "name": limiter.names.give("actuator", hold.name, "drive"),
            "joint": dof.name,
            "gaintype": "fixed",
            "biastype": "affine",
            "gainprm": kp if has_position else kv,
            "biasprm": (kv * drive.velocity_target if has_position else 0.0, -kp, -kv),
        }
        if math.isfinite(drive.max_force):
            values["forcerange"] = (-drive.max_force, drive.max_force)
        add(actuators, "general", values)
        targets.append(drive.position_target if has_position else drive.velocity_target)
    return targets


def _in_newtons(limiter: Limiter, drive: Drive, dof: Dof, link: Link) -> Drive:
    """Return a drive whose gains are forces, not accelerations."""
    if drive.mode == "force":
        return drive
    mass = 1 / limiter.dynamics.compliance(dof, link)
    effect = f"the gains are multiplied by the {mass:.6g} kg or kg m² of the start"
    reason = "MuJoCo's actuators make forces"
    limiter.source.lose(drive.pointer, "a drive in acceleration mode", reason, effect)
    return dataclasses.replace(
        drive, stiffness=drive.stiffness * mass, damping=drive.damping * mass
    )


def _bearable(limiter: Limiter, drive: Drive, dof: Dof, link: Link) -> Drive:
    """Return a drive whose stiffness the steps can carry; damping is integrated implicitly."""
    most = STIFFEST / limiter.dynamics.compliance(dof, link) / limiter.step**2
    if drive.stiffness <= most:
        return drive
    reason = f"steps of {limiter.step:g} s cannot carry {drive.stiffness:g}"
    limiter.source.lose(drive.pointer, "a very stiff drive", reason, f"its stiffness is {most:g}")
    return dataclasses.replace(drive, stiffness=most)
