"""Drives of joints, in newtons, metres and radians: USD counts angles in degrees."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

from pxr import UsdPhysics

from ligament.convert.usd.reading.freedoms import ANGULAR, LINEAR, axis_of
from ligament.convert.usd.reading.stage import Stage, instances
from ligament.extensions.declarations import Drive

_DEGREE = math.pi / 180


def drives(stage: Stage, prim: Any) -> Iterator[Drive]:
    """Yield the drives of a joint, in the order in which they are applied."""
    for name in instances(prim, "PhysicsDriveAPI"):
        target = _target(stage, prim, name)
        if target is None:
            reason = "the joint has no such degree of freedom"
            stage.lose(prim, f"a drive of {name}", reason, "it has no effect")
            continue
        drive = _drive(stage, prim, name, *target)
        if drive.stiffness or drive.damping:
            yield drive
        elif drive.position_target or drive.velocity_target:
            reason = "it has neither stiffness nor damping"
            stage.lose(prim, f"a drive of {name}", reason, "none on any motion")


def _target(stage: Stage, prim: Any, name: str) -> tuple[Literal["linear", "angular"], int] | None:
    """Return what a drive acts on; joints with one axis call it by its kind."""
    if name in LINEAR:
        return "linear", LINEAR[name]
    if name in ANGULAR:
        return "angular", ANGULAR[name]
    if name == "angular" and prim.IsA(UsdPhysics.RevoluteJoint):
        return "angular", axis_of(stage, prim)
    if name == "linear" and prim.IsA(UsdPhysics.PrismaticJoint):
        return "linear", axis_of(stage, prim)
    return None


def _drive(
    stage: Stage, prim: Any, name: str, kind: Literal["linear", "angular"], axis: int
) -> Drive:
    mode = _mode(stage, prim, name)
    units = stage.units
    step, force = units.length, units.force
    if kind == "angular":
        step, force = _DEGREE, units.force * units.length

    def number(member: str, default: float = 0.0, *, least: float | None = None) -> float:
        path, is_force = f"drive:{name}:physics:{member}", member == "maxForce"
        return stage.attributes.number(prim, path, default, least=least, infinite=is_force)

    # An acceleration acts on whatever mass there is: its gains know time alone.
    gain = force / step if mode == "force" else (1 / _DEGREE if kind == "angular" else 1.0)
    return Drive(
        type=kind,
        mode=mode,
        axis=axis,
        max_force=number("maxForce", math.inf, least=0) * force,
        position_target=number("targetPosition") * step,
        velocity_target=number("targetVelocity") * step,
        stiffness=number("stiffness", least=0) * gain,
        damping=number("damping", least=0) * gain,
    )


def _mode(stage: Stage, prim: Any, name: str) -> Literal["force", "acceleration"]:
    modes = ("force", "acceleration")
    given = stage.attributes.token(prim, f"drive:{name}:physics:type", "force", modes)
    return "acceleration" if given == "acceleration" else "force"
