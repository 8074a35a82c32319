"""A scale of -0.0 becomes 0.0: it disables as much, and mirrors nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ligament.repair import objects
from ligament.repair.changes import Change


def drop_signs_of_zero(root: dict[str, Any]) -> Iterator[Change]:
    """Repair the scales of nodes."""
    for pointer, node in objects.nodes(root):
        scale = node.get("scale")
        for axis, value in enumerate(scale if isinstance(scale, list) else ()):
            if isinstance(value, float) and value == 0 and math.copysign(1, value) < 0:
                node["scale"][axis] = 0.0
                yield Change(f"{pointer}/scale/{axis}", "-0.0 is now 0.0")
