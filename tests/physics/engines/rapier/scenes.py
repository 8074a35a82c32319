"""Scenes built by hand, in few words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ligament.extensions.rigid_bodies import CollisionFilter, Material, MotionKind
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.engines.rapier import RapierEngine, RapierSettings
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Collider, Joint, Pose, Scene
from ligament.physics.shapes import Hull, Mesh, Shape

DYNAMIC, KINEMATIC, STATIC = MotionKind.DYNAMIC, MotionKind.KINEMATIC, MotionKind.STATIC
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
G = 9.81
STEP = 1 / 60


def pose(translation: Any = (0, 0, 0), rotation: Any = UPRIGHT) -> Pose:
    return Pose(np.array(translation, float), np.array(rotation, float))


def about(axis: Any, angle: float) -> np.ndarray:
    unit = np.array(axis, float) / np.linalg.norm(axis)
    return np.array([*unit * math.sin(angle / 2), math.cos(angle / 2)])


def mass(
    kilograms: float = 1.0,
    inertia: Any = (0.1, 0.1, 0.1),
    center: Any = (0, 0, 0),
    orientation: Any = UPRIGHT,
) -> MassProperties:
    return MassProperties(
        kilograms, np.array(center, float), np.array(inertia, float), np.array(orientation, float)
    )


def box_mass(kilograms: float, size: Any) -> MassProperties:
    x, y, z = np.square(np.array(size, float))
    return mass(kilograms, kilograms / 12 * np.array([y + z, x + z, x + y]))


def ball_mass(kilograms: float, radius: float) -> MassProperties:
    return mass(kilograms, np.full(3, 0.4 * kilograms * radius**2))


class Maker:
    """Collects bodies and colliders, and starts an engine with them."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.colliders: list[Collider] = []
        self.joints: list[Joint] = []

    def body(
        self,
        shape: Shape | None = None,
        at: Any = (0, 0, 0),
        *,
        kind: MotionKind = DYNAMIC,
        turned: Any = UPRIGHT,
        weight: MassProperties | None = None,
        velocity: Any = (0, 0, 0),
        spin: Any = (0, 0, 0),
        gravity: float = 1.0,
        driven: bool = False,
        **collider: Any,
    ) -> int:
        self.bodies.append(
            Body(
                node=len(self.bodies),
                kind=kind,
                pose=pose(at, turned),
                mass=mass() if weight is None else weight,
                linear_velocity=np.array(velocity, float),
                angular_velocity=np.array(spin, float),
                gravity_factor=gravity,
                is_driven=driven,
            )
        )
        if shape is not None:
            self.collider(shape, len(self.bodies) - 1, **collider)
        return len(self.bodies) - 1

    def collider(
        self,
        shape: Shape,
        body: int,
        at: Any = (0, 0, 0),
        *,
        turned: Any = UPRIGHT,
        material: Material | None = None,
        filter: CollisionFilter | None = None,  # noqa: A002
        sensor: bool = False,
        moves: bool = False,
        changes: bool = False,
    ) -> int:
        self.colliders.append(
            Collider(
                node=100 + len(self.colliders),
                body=body,
                shape=shape,
                pose=pose(at, turned),
                material=material or Material(),
                filter=filter,
                is_sensor=sensor,
                moves=moves,
                changes=changes,
            )
        )
        return len(self.colliders) - 1

    def ground(self, **options: Any) -> int:
        """Add a floor whose top is the XZ plane."""
        return self.body(Box((100, 2, 100)), (0, -1, 0), kind=STATIC, **options)

    def scene(self) -> Scene:
        return Scene(
            bodies=tuple(self.bodies), colliders=tuple(self.colliders), joints=tuple(self.joints)
        )

    def start(
        self, *, gravity: Any = (0, -G, 0), contacts: bool = False, **settings: Any
    ) -> RapierEngine:
        return RapierEngine(self.scene(), RapierSettings(**settings), gravity, contacts=contacts)


def run(engine: RapierEngine, seconds: float, step: float = STEP) -> None:
    for _ in range(round(seconds / step)):
        engine.step()


CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
CUBE_TRIANGLES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip

__all__ = [
    "CUBE",
    "CUBE_TRIANGLES",
    "DYNAMIC",
    "KINEMATIC",
    "STATIC",
    "STEP",
    "UPRIGHT",
    "Box",
    "Capsule",
    "Cylinder",
    "G",
    "Hull",
    "Maker",
    "Mesh",
    "Plane",
    "Sphere",
    "about",
    "ball_mass",
    "box_mass",
    "mass",
    "pose",
    "run",
]  # fmt: skip
