"""One table of all codes: how bad, what it means, the clause it stands on, what to do.

Codes are stable for ever. Those that the validators of glTF know carry the name and the severity
that they have there.
"""

from __future__ import annotations

from ligament.check.codes import (
    gltf,
    humanoid,
    motion,
    node_constraint,
    omi,
    physics,
    portability,
    practice,
    rigid_bodies,
)
from ligament.check.codes.entry import Code
from ligament.findings import Finding

__all__ = ["CODES", "FAMILIES", "Code", "finding"]

FAMILIES: dict[str, dict[str, Code]] = {
    "glTF": gltf.CODES,
    "Node constraints": node_constraint.CODES,
    "Humanoids": humanoid.CODES,
    "Motion files": motion.CODES,
    "Rigid bodies: structure": rigid_bodies.CODES,
    "OMI physics": omi.CODES,
    "Rigid bodies: meaning": physics.CODES,
    "Rigid bodies: practice": practice.CODES,
    "Rigid bodies: other programs": portability.CODES,
}
"""The codes by what they are about."""

CODES: dict[str, Code] = {
    code: entry for family in FAMILIES.values() for code, entry in family.items()
}


def finding(code: str, pointer: str, message: str, remedy: str) -> Finding:
    """Make a finding, with the severity that its code has."""
    return Finding(code, CODES[code].severity, pointer, message, remedy)
