"""Parts that machines are built of: bars, pivots, slides, welds, and a crank that turns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from ligament.conformance.assets import Asset, Json
from ligament.conformance.case import Case, Source
from ligament.conformance.cases.joints import FIXED, hinge
from ligament.conformance.rotations import (
    IDENTITY,
    Numbers,
    about,
    from_to,
    inverse,
    product,
    rotate,
)
from ligament.conformance.signals import X, Z

Point: TypeAlias = Numbers

machine = partial(Case, family="machines")
mechanics = partial(Source, "Classical mechanics")

KINEMATICS: Final = mechanics("Kinematics of linkages")
STATICS: Final = mechanics("Equilibrium and virtual work")
OSCILLATIONS: Final = mechanics("Oscillations")
RIGID_BODY: Final = mechanics("Euler's equations of a rigid body")
FRICTION: Final = mechanics("Coulomb friction")
ROLLING: Final = mechanics("Rolling without slip")
IMPACTS: Final = mechanics("Impacts")

AXLE: Final = hinge(2)
"""Limits of a hinge about z."""
SLIDE: Final = (
    {"linearAxes": [1, 2], "min": 0.0, "max": 0.0},
    {"angularAxes": [0, 1, 2], "min": 0.0, "max": 0.0},
)
"""Limits of a slide along x."""
SLOT: Final = (SLIDE[0], {"angularAxes": [0, 1], "min": 0.0, "max": 0.0})
"""Limits of a pin about z that slides along x."""


def bar(a: Asset, name: str, start: Point, end: Point, mass: float = 1.0, **motion: Any) -> int:
    """Add a uniform bar between two points; its x axis runs along it."""
    first, last = (np.array([*point, 0][:3], float) for point in (start, end))
    span = last - first
    across = mass * float(span @ span) / 12
    turn = from_to(X, span) if span[2] else about(Z, math.atan2(span[1], span[0]))
    return a.node(
        name,
        np.round((first + last) / 2, 9),
        rotation=turn,
        motion={"mass": mass, "inertiaDiagonal": [across / 10, across, across], **motion},
    )


def block(mass: float, size: Point, **motion: Any) -> Json:
    """Return the motion of a solid box."""
    x, y, z = (side**2 for side in size)
    inertia = [mass / 12 * part for part in (y + z, z + x, x + y)]
    return {"mass": mass, "inertiaDiagonal": inertia, **motion}


def frame(a: Asset, body: int | None, place: Point, turn: Numbers = IDENTITY) -> int:
    """Add a frame at a place of the world, on a body or fixed; it has the rotation `turn` there."""
    if body is None:
        return a.node("mount", [*place, 0][:3], rotation=None if turn is IDENTITY else turn)
    node = a.nodes[body]
    back = inverse(node.get("rotation", IDENTITY))
    offset = np.subtract([*place, 0][:3], node.get("translation", (0, 0, 0)))
    local = np.round(product(back, turn), 9)
    return a.node("mount", np.round(rotate(back, offset), 9), rotation=local, parent=body)


def join(
    a: Asset,
    first: int | None,
    second: int,
    place: Point,
    limits: Sequence[Mapping[str, Any]] = AXLE,
    drives: Sequence[Mapping[str, Any]] = (),
    turn: Numbers = IDENTITY,
) -> tuple[int, int]:
    """Join a body, or the world, to another at a place of the world; return both frames.

    Angles and distances of the joint are zero as drawn.
    """
    ends = frame(a, first, place, turn), frame(a, second, place, turn)
    a.link(*ends, a.joint(limits, drives))
    return ends


def weld(a: Asset, first: int, second: int, place: Point) -> tuple[int, int]:
    """Join two bodies so that they move as one."""
    return join(a, first, second, place, FIXED)


def crank(a: Asset, rate: float, place: Point = (0, 0, 0), axis: Point = Z) -> int:
    """Add a body that turns at a constant rate [rad/s] about an axis, whatever pulls at it."""
    motion = {"isKinematic": True, "angularVelocity": [rate * part for part in axis]}
    return a.node("crank", place, motion=motion)


def meeting(first: Point, radius: float, second: Point, other: float) -> tuple[float, float]:
    """Return where two circles meet, left of the way from the first centre to the second."""
    (x, y), (u, v) = first[:2], second[:2]
    far = math.hypot(u - x, v - y)
    along = (radius**2 - other**2 + far**2) / (2 * far)
    aside = math.sqrt(radius**2 - along**2)
    dx, dy = (u - x) / far, (v - y) / far
    return x + along * dx - aside * dy, y + along * dy + aside * dx
