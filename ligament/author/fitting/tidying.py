"""Fitted shapes without what is rounding alone: needless rotations, offsets and digits."""

from __future__ import annotations

import dataclasses
import math
from typing import Final

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.fitting.result import Fit, FittedShape
from ligament.physics.shapes import Box, Capsule, Cylinder, Hull, Mesh, Sphere

STRAIGHT: Final = 1e-5
"""How far [rad] the axes of a shape may be from those of its node to count as them."""

CENTRED: Final = 1e-5
"""How far a shape may lie off its node, as a part of the extent, and count as on it."""

UNTURNED: Final = (0.0, 0.0, 0.0, 1.0)


def straightened(found: Fit, extent: float) -> Fit:
    """Drop rotations that change nothing about a shape, and offsets that nobody sees."""
    shape, turn = found.shape, found.rotation
    place = np.where(np.abs(found.translation) > CENTRED * extent, found.translation, 0.0)
    match shape:
        case Sphere():
            turn = np.array(UNTURNED)
        case Box(size):
            shape, turn = _reordered(np.array(size), turn)
        case Capsule() | Cylinder():
            turn = _upright(turn)
        case Hull() | Mesh():
            return found
    return dataclasses.replace(found, shape=shape, translation=np.asarray(place), rotation=turn)


def shortened(shape: FittedShape) -> FittedShape:
    """Round the sizes of a shape to what single precision holds, in which files keep points."""
    match shape:
        case Sphere(radius):
            return Sphere(short(radius))
        case Box((x, y, z)):
            return Box((short(x), short(y), short(z)))
        case Capsule(height, bottom, top):
            return Capsule(short(height), short(bottom), short(top))
        case Cylinder(height, bottom, top):
            return Cylinder(short(height), short(bottom), short(top))
    return shape


def short(value: float) -> float:
    """Round a number to seven digits."""
    return float(f"{value:.7g}")


def _reordered(size: Floats, turn: Floats) -> tuple[Box, Floats]:
    """Turn a box back whose axes are, in another order, those of its node."""
    axes = np.abs(np.asarray(tf.to_matrix(turn)))
    order = axes.argmax(axis=1)
    off = axes - np.eye(3)[order]
    if len(set(order.tolist())) == 3 and np.abs(off).max() < STRAIGHT:
        size, turn = size[order], np.array(UNTURNED)
    x, y, z = size.tolist()
    return Box((x, y, z)), turn


def _upright(turn: Floats) -> Floats:
    """Return the least rotation that leads Y where a rotation does: what is round needs no more."""
    up = np.array([0.0, 1.0, 0.0])
    along = np.asarray(tf.rotate(turn, up))
    if along[1] > 0 and math.hypot(along[0], along[2]) < STRAIGHT:
        return np.array(UNTURNED)
    return np.asarray(tf.between(up, along))
