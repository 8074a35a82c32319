"""Floors of one slab and of flush tiles, and things that slide over them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.extensions.rigid_bodies import Material
from ligament.options.names import Quality
from ligament.physics.engines import make_engine
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    KINEMATIC,
    STATIC,
    UPRIGHT,
    Box,
    Capsule,
    Cylinder,
    Hull,
    Maker,
    Mesh,
    Sphere,
    about,
    ball_mass,
    box_mass,
)

ROUGH = Material(static_friction=0.5, dynamic_friction=0.5)


def brick(x: float, y: float, z: float) -> Hull:
    return Hull(CUBE * [x, y, z])


def hexagon(width: float, height: float) -> Hull:
    angle = np.arange(6) * math.pi / 3 + math.pi / 6
    ring = np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1) * width / math.sqrt(3)
    half = np.array([0, height / 2, 0])
    return Hull(np.concatenate([ring - half, ring + half]))


def sheet(cells: int, size: float) -> Mesh:
    """Return a single layer of triangles in the XZ plane, facing up."""
    ticks = np.linspace(-size / 2, size / 2, cells + 1)
    points = np.array([[x, 0.0, z] for x in ticks for z in ticks])
    first = [i * (cells + 1) + j for i in range(cells) for j in range(cells)]
    n = cells + 1
    triangles = [t for a in first for t in ((a, a + 1, a + n + 1), (a, a + n + 1, a + n))]
    return Mesh(points, np.array(triangles))


def _tile(kind: str, size: float, thick: float, number: int) -> Any:
    match kind:
        case "boxes":
            return Box((size, thick, size))
        case "hulls":
            return brick(size, thick, size)
        case "hexagons":
            return hexagon(size, thick)
        case "meshes":
            return Mesh(CUBE * [size, thick, size], CUBE_TRIANGLES)
        case "sheets":
            top = sheet(1, size)
            return Mesh(top.points + np.array([0, thick / 2, 0]), top.triangles)
    return _tile(("boxes", "hulls", "meshes")[number % 3], size, thick, number)


class Floor(NamedTuple):
    """A floor whose top is the XZ plane, rotated: "slab", or a kind of tiles."""

    kind: str = "boxes"
    tile: float = 1.0
    thick: float = 0.2
    reach: float = 3.0
    turned: Any = UPRIGHT
    compound: bool = False
    velocity: Any = (0, 0, 0)

    def add_to(self, maker: Maker) -> None:
        kind = KINEMATIC if any(self.velocity) else STATIC
        options = {"kind": kind, "turned": self.turned, "velocity": self.velocity}
        body = maker.body(None, **options) if self.compound or self.kind == "slab" else None
        for number, (x, z) in enumerate(self._places()):
            wide = 2 * self.reach if self.kind == "slab" else self.tile
            thick = self.thick * (1 + number % 3) if self.kind == "mixed" else self.thick
            shape = _tile("boxes" if self.kind == "slab" else self.kind, wide, thick, number)
            at = np.array([x, -thick / 2, z])
            if body is None:
                place = tf.rotate(np.array(self.turned), at)
                maker.body(shape, place, material=ROUGH, **options)
            else:
                maker.collider(shape, body, at, material=ROUGH)

    def _places(self) -> list[tuple[float, float]]:
        if self.kind == "slab":
            return [(0.0, 0.0)]
        n, size = round(self.reach / self.tile), self.tile
        if self.kind == "hexagons":
            rows = math.sqrt(3) / 2 * size
            return [
                ((i + j % 2 / 2) * size, j * rows)
                for i in range(-n, n + 1)
                for j in range(-n, n + 1)
            ]
        return [((i + 0.5) * size, (j + 0.5) * size) for i in range(-n, n) for j in range(-n, n)]


class Slide(NamedTuple):
    """Where a thing came to: distance along its way [m], beside it, hop [m], rotation [rad]."""

    along: float
    aside: float
    hop: float
    rotation: float
    speed: float


def slide(
    floor: Floor,
    thing: str = "crate",
    size: float = 0.5,
    speed: float = 4.0,
    direction: float = 0.0,
    seconds: float = 1.2,
    start: tuple[float, float] = (-1.2, 0.13),
    quality: Quality = "exact",
) -> Slide:
    """Slide a thing over a floor; a ball rolls."""
    maker = Maker()
    floor.add_to(maker)
    turned = np.array(floor.turned)
    ahead, up = (
        tf.rotate(turned, [math.cos(direction), 0, math.sin(direction)]),
        tf.rotate(turned, [0, 1, 0]),
    )
    weight, spin = box_mass(1000 * size**3, (size, size, size)), np.zeros(3)
    pose = tf.multiply(turned, about((0, 1, 0), -direction))
    match thing:
        case "crate":
            shape: Any = Box((size, size, size))
        case "hull":
            shape = brick(size, size, size)
        case "cylinder":
            shape = Cylinder(size, size / 2, size / 2)
        case "capsule":
            shape, pose = (
                Capsule(size, size / 2, size / 2),
                tf.multiply(pose, about((0, 0, 1), math.pi / 2)),
            )
        case _:
            shape, weight = Sphere(size / 2), ball_mass(1000 * size**3, size / 2)
            spin = np.cross(up, ahead) * speed / (size / 2)
    at = tf.rotate(turned, [start[0], size / 2, start[1]])
    velocity = np.array(floor.velocity) + ahead * speed
    body = maker.body(
        shape, at, turned=pose, weight=weight, velocity=velocity, spin=spin, material=ROUGH
    )
    engine = make_engine(maker.scene(), quality=quality)
    hop = 0.0
    for _ in range(round(seconds * 60)):
        for _ in range(engine.substeps):
            engine.step()
        hop = max(hop, float(engine.state().translation[body] @ up) - size / 2)
    state = engine.state()
    way = state.translation[body] - at - np.array(floor.velocity) * seconds
    half = abs(float(state.rotation[body] @ pose))
    return Slide(
        float(way @ ahead),
        float(way @ np.cross(ahead, up)),
        hop,
        2 * math.acos(min(half, 1.0)),
        float(np.linalg.norm(state.linear_velocity[body])),
    )
