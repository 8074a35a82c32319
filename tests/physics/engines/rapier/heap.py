"""A heap of all shapes, and the bits of its state."""

from __future__ import annotations

import hashlib

import numpy as np

from ligament.extensions.rigid_bodies import Material
from ligament.physics.engines import Overlap
from ligament.physics.engines.rapier import RapierEngine
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
    box_mass,
)


def everything() -> RapierEngine:
    """A heap of all shapes on a turntable, with hooks, a sensor, and something that is led."""
    maker = Maker()
    maker.body(Cylinder(1, 4, 4), (0, -0.5, 0), kind=KINEMATIC, spin=(0, 0.4, 0))
    maker.body(Box((3, 1, 3)), (0, 1, 0), kind=STATIC, sensor=True)
    maker.body(Sphere(0.3), (-3, 0.3, 0), driven=True)
    shapes = [
        Box((0.4, 0.3, 0.5)),
        Sphere(0.2),
        Capsule(0.3, 0.2, 0.1),
        Cylinder(0.4, 0.2, 0.2),
        Cylinder(0.4, 0.2, 0.1),
        Hull(CUBE * 0.4),
        Mesh(CUBE * 0.4, CUBE_TRIANGLES),
    ]
    for i in range(21):
        maker.body(
            shapes[i % len(shapes)],
            ((i % 3) * 0.5 - 0.5, 0.5 + 0.5 * (i // 3), (i % 2) * 0.4),
            turned=about((1, i, 3), i),
            weight=box_mass(1, (0.4, 0.4, 0.4)),
            material=Material(0.7, 0.5, 0.2),
        )
    return maker.start(contacts=True)


DRIVEN = 2


def advance(engine: RapierEngine, steps: range) -> list[Overlap]:
    reported: list[Overlap] = []
    for step in steps:
        engine.drive_body(DRIVEN, np.array([-3 + 0.02 * step, 0.3, 0]), np.array(UPRIGHT))
        if step % 10 == 3:
            engine.apply_force(5, np.array([0, 30.0, 3.0]))
        engine.step()
        reported += engine.overlaps()
    return reported


def bits(engine: RapierEngine) -> bytes:
    return b"".join(np.ascontiguousarray(part).tobytes() for part in engine.state())


def digest() -> str:
    engine = everything()
    reported = advance(engine, range(150))
    return hashlib.sha256(bits(engine) + repr(reported).encode()).hexdigest()
