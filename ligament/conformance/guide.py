"""The README and the licence that go with the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ligament.conformance.case import Case

LICENCE: Final = """\
The files of this folder are dedicated to the public domain under CC0 1.0 Universal:
https://creativecommons.org/publicdomain/zero/1.0/

To the extent possible under law, the Ligament authors have waived all copyright and related or
neighboring rights to this data. You may copy, change and use it, also commercially, without asking.

SPDX-License-Identifier: CC0-1.0
"""

_TEMPLATE: Final = Path(__file__).parent / "guide.md"

_ABOUT: Final = {
    "bodies": "motion: velocities, gravity, nesting, kinematic and animated bodies",
    "mass": "mass, centre of mass, inertia; what is computed from shapes",
    "shapes": "implicit shapes, meshes and hulls, scale",
    "materials": "friction, restitution, combine modes",
    "filters": "collision systems",
    "triggers": "overlap events",
    "limits": "metrics of joint limits, linear and angular, hard and soft",
    "joints": "attachment frames, joints to the world, collision of joined bodies",
    "drives": "drives of joints",
    "omi": "OMI_physics_joint, OMI_physics_body, OMI_physics_shape, OMI_collider",
    "constraints": "VRMC_node_constraint 1.0",
    "draft_constraints": "VRMC_node_constraint 1.0-draft",
    "humanoid": "pose transfer between humanoids",
    "springs": "VRMC_springBone and its collider extension",
    "pointers": "animated members of physics (KHR_animation_pointer)",
    "mirrors": "bodies, colliders, triggers and joint frames below negative scales",
    "machines": "linkages, drives under load, oscillations, wheels, spinning bodies, stacks",
}


def guide(version: str, cases: Sequence[Case]) -> str:
    """Return the README of the data."""
    tiers = Counter(case.tier for case in cases)
    families = Counter(case.family for case in cases)
    values = {
        "VERSION": version,
        "COUNT": str(len(cases)),
        "TIERS": ", ".join(f"{tiers[tier]} {tier}" for tier in ("must", "should", "decision")),
        "FAMILIES": "\n".join(f"| {name} | {n} | {_ABOUT[name]} |" for name, n in families.items()),
    }
    page = _TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        page = page.replace(f"@{name}@", value)
    return page
