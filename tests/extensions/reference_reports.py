"""Reports of the reference validator for files of KHR_physics_rigid_bodies."""

from __future__ import annotations

import json
from pathlib import Path

ROOT, SEED_SHAPES = "/extensions/KHR_physics_rigid_bodies", "KHR_collision_shapes"

POINTERS_THAT_DIFFER = {
    # The validator names places that are not in the file; these are.
    f"/extensions/{SEED_SHAPES}/shapes/0/mesh": f"/extensions/{SEED_SHAPES}/shapes/0/{{}}/mesh",
    f"{ROOT}/physicsJoints/0/limits/1/0": f"{ROOT}/physicsJoints/0/limits/1/angularAxes/0",
    # It names an axis of -1 twice: as an index and as an axis.
    f"{ROOT}/physicsJoints/0/limits/0/0": None,
}

NOT_COMPARED = {"UNUSED_OBJECT", "NODE_EMPTY"}


def expected(report: Path) -> list[tuple[str, str]]:
    """Errors and warnings of the reference report, at the places that the file has."""
    messages = json.loads(report.read_text())["issues"]["messages"]
    kind = report.name.partition("_")[0]
    found = []
    for message in messages:
        place = POINTERS_THAT_DIFFER.get(message["pointer"], message["pointer"])
        if message["severity"] <= 1 and message["code"] not in NOT_COMPARED and place is not None:
            found.append((message["code"], place.format(kind)))
    return sorted(found)
