"""The table of codes: severity, meaning, clause and remedy of each.

Codes never change. Those known to the glTF validators have the same name and severity as there.
"""

from __future__ import annotations

from ligament.errors import shortened
from ligament.findings.avatars import HUMANOIDS, MOTION_FILES, NODE_CONSTRAINTS
from ligament.findings.finding import Code, Finding
from ligament.findings.gltf import GLTF
from ligament.findings.physics import MEANING, OMI, RIGID_BODIES
from ligament.findings.practice import PORTABILITY, PRACTICE
from ligament.findings.springs import SPRING_BONES

FAMILIES: dict[str, dict[str, Code]] = {
    "glTF": GLTF,
    "Node constraints": NODE_CONSTRAINTS,
    "Humanoids": HUMANOIDS,
    "Motion files": MOTION_FILES,
    "Spring bones": SPRING_BONES,
    "Rigid bodies: structure": RIGID_BODIES,
    "OMI physics": OMI,
    "Rigid bodies: meaning": MEANING,
    "Rigid bodies: practice": PRACTICE,
    "Rigid bodies: other programs": PORTABILITY,
}
"""The codes by subject."""

CODES: dict[str, Code] = {
    code: entry for family in FAMILIES.values() for code, entry in family.items()
}

NOT_PLAYED = frozenset(
    {
        "ANIMATION_NOT_PLAYED",
        "ANIMATION_OVERRIDDEN",
        "EXTENSION_NOT_PLAYED",
        "PHYSICS_DAMPING_ALONE",
        "PHYSICS_DRIVE_WITHOUT_GAIN",
        "PHYSICS_LIMIT_WITHOUT_GAIN",
        "PHYSICS_SHAPE_DISABLED",
    }
)
"""Codes that are not faults of a file, but say that something in it is not played."""


def finding(code: str, pointer: str, message: str, remedy: str) -> Finding:
    """Return a finding with the severity of its code."""
    return Finding(code, CODES[code].severity, pointer, shortened(message), shortened(remedy))
