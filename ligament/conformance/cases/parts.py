"""Parts that files of several families share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from ligament.conformance.assets import Asset
from ligament.conformance.signals import X, Y, Z

AXES: Final = {"x": X, "y": Y, "z": Z}
QUARTER: Final = math.pi / 2
CUBE: Final = (
    [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)],
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ],
)  # fmt: skip
"""Corners and outward triangles of a cube of 1 m."""


def an(kind: str) -> str:
    """Return the kind of a limit or drive, linear or angular, with its article."""
    return f"{'an' if kind == 'angular' else 'a'} {kind}"


def floating(**members: Any) -> dict[str, Any]:
    """Return a motion of 1 kg that gravity does not pull."""
    return {"mass": 1.0, "inertiaDiagonal": [0.1, 0.1, 0.1], "gravityFactor": 0.0, **members}


def ball(a: Asset, place: Sequence[float], radius: float = 0.25, **motion: Any) -> int:
    """Add a ball of 1 kg."""
    geometry = a.sphere(radius)
    members = {"mass": 1.0, **motion}
    return a.node("ball", place, motion=members, collider={"geometry": geometry})


def scaled(axis: Sequence[float], factor: float) -> list[float]:
    """Return a vector along an axis."""
    return [factor * part for part in axis]
