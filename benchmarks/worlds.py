"""Worlds of rigid bodies without joints: piles, balls, sleepers, compounds."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from benchmarks.world import Body, Part, Quaternion, World
from ligament.extensions.shapes import Box, Sphere
from ligament.transforms import from_axis_angle

Floats = npt.NDArray[np.float64]


def pile(count: int) -> World:
    """Unit boxes in a loose, slightly turned block that falls on a floor."""
    box = (Part(Box((1.0, 1.0, 1.0))),)
    return World(f"pile of {count:,} boxes", (*_loose(count, box, spacing=1.25), floor()))


def balls(count: int) -> World:
    """Balls of 1 m in a loose block that falls into a tray."""
    ball = (Part(Sphere(0.5)),)
    side = 1.15 * _side(count) + 1.0
    wall_x, wall_z = Box((1.0, 4.0, side + 2.0)), Box((side + 2.0, 4.0, 1.0))
    off = side / 2 + 0.5
    tray = [
        Body((sign * x, 2.0, sign * z), (Part(wall),), is_static=True)
        for wall, x, z in ((wall_x, off, 0.0), (wall_z, 0.0, off))
        for sign in (1.0, -1.0)
    ]
    return World(f"{count:,} balls", (*_loose(count, ball, spacing=1.15), floor(), *tray))


def resting(count: int) -> World:
    """Unit boxes that lie beside each other on a floor, where they fall asleep."""
    box = (Part(Box((1.0, 1.0, 1.0))),)
    columns = math.ceil(math.sqrt(count))
    middle = (columns - 1) / 2
    places = (divmod(index, columns) for index in range(count))
    boxes = (Body((1.5 * (x - middle), 0.5, 1.5 * (z - middle)), box) for x, z in places)
    return World(f"{count:,} sleeping boxes", (*boxes, floor()))


def compounds(count: int) -> World:
    """Bodies of eight boxes at the corners of a cube, with gaps that others catch in."""
    corners = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3)]
    parts = tuple(Part(Box((0.4, 0.4, 0.4)), corner) for corner in corners)
    name = f"{count:,} bodies of {len(parts)} boxes"
    return World(name, (*_loose(count, parts, spacing=1.25), floor()))


def floor() -> Body:
    """A box whose upper side is the plane y = 0."""
    return Body((0.0, -0.5, 0.0), (Part(Box((400.0, 1.0, 400.0))),), is_static=True)


def _side(count: int) -> int:
    """How many fit along the side of a block that is about as high as wide."""
    return max(1, round(count ** (1 / 3)))


def _loose(count: int, parts: tuple[Part, ...], *, spacing: float) -> list[Body]:
    """Bodies in a block above the floor, each shifted and turned a little."""
    rng = np.random.default_rng(3)
    side = _side(count)
    shift = rng.uniform(-0.02, 0.02, (count, 3))
    bodies = []
    for index in range(count):
        layer, place = divmod(index, side * side)
        row, column = divmod(place, side)
        grid = np.array([row - (side - 1) / 2, layer, column - (side - 1) / 2])
        x, y, z = (spacing * grid + shift[index] + [0.0, 1.0, 0.0]).tolist()
        bodies.append(Body((x, y, z), parts, slight_turn(rng, 0.05)))
    return bodies


def slight_turn(rng: np.random.Generator, angle: float) -> Quaternion:
    """A turn by up to `angle` [rad] about any axis."""
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    return quaternion(from_axis_angle(axis, rng.uniform(0.0, angle)))


def quaternion(values: Floats) -> Quaternion:
    x, y, z, w = values.tolist()
    return x, y, z, w
