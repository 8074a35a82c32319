"""Codes of findings that concern the OMI extensions alone."""

from __future__ import annotations

from ligament.extensions.fields import Fields
from ligament.findings import Finding, Severity
from ligament.gltf import pointers

SEVERITIES: dict[str, Severity] = {
    "OMI_PHYSICS_SHAPE_AMBIGUOUS_HEIGHT": "warning",
    "OMI_PHYSICS_BODY_PARTIAL_INERTIA": "warning",
    "OMI_PHYSICS_BODY_TRIGGER_NODES": "error",
    "OMI_PHYSICS_JOINT_NOT_A_BODY": "error",
    "OMI_PHYSICS_JOINT_TRIGGER": "error",
    "OMI_PHYSICS_JOINT_SAME_BODY": "error",
    "OMI_PHYSICS_JOINT_NOTHING_MOVES": "error",
    "OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC": "warning",
    "OMI_STIFFNESS_IS_BIAS": "warning",
}
"""Severity of every code of these extensions that no validator has given a name."""


def report(fields: Fields, code: str, message: str, remedy: str, *path: str | int) -> None:
    """Add a finding of one of `SEVERITIES` on an object, or on what stands at `path` below it."""
    place = pointers.join(fields.pointer, *path)
    fields.findings.append(Finding(code, SEVERITIES[code], place, message, remedy))
