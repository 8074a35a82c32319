"""Lines as thin bars, which many instances of one geometry can share."""

from __future__ import annotations

import math

import numpy as np

from ligament.arrays import Floats
from ligament.view.shapes import Surface

SIDES = 3
"""Sides of a bar: the fewest that look the same from everywhere."""


def bars(lines: Floats, radius: float) -> Surface:
    """Turn lines (S, 2, 3) into bars of a radius [m], open at their ends."""
    starts, ends = lines[:, 0], lines[:, 1]
    along = ends - starts
    length = np.linalg.norm(along, axis=1)
    kept = length > 0
    starts, ends = starts[kept], ends[kept]
    along = along[kept] / length[kept, None]
    # The axis that points least along the line is never parallel to it.
    least = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    u = np.cross(along, least)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    v = np.cross(along, u)
    angle = np.arange(SIDES) * (2 * math.pi / SIDES)
    around = radius * (np.cos(angle)[:, None] * u[:, None] + np.sin(angle)[:, None] * v[:, None])
    points = np.stack([starts[:, None] + around, ends[:, None] + around], axis=1)
    a = np.arange(SIDES)
    b = (a + 1) % SIDES
    sides = np.concatenate([np.stack([a, b, b + SIDES], 1), np.stack([a, b + SIDES, a + SIDES], 1)])
    first = 2 * SIDES * np.arange(len(starts))
    triangles = (first[:, None, None] + sides).reshape(-1, 3)
    return Surface(points.reshape(-1, 3), triangles)
