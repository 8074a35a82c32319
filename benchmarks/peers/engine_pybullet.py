"""Plays a world in PyBullet at its default settings, without joints; see engine_loop.py."""

import math

import pybullet as pb
from engine_loop import DENSITY, FRICTION, GRAVITY, STEP, Floats, Json, main

Z_TO_Y = (-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # capsules lie along Z there


class Bullet:
    """A world in PyBullet, which has one at a time."""

    def __init__(self, content: Json, request: Json) -> None:
        if pb.isConnected():
            pb.disconnect()
        pb.connect(pb.DIRECT)
        pb.setGravity(*GRAVITY)
        pb.setTimeStep(STEP)
        self.moving = []
        for body in content["bodies"]:
            number = self._add(body)
            if not body["is_static"]:
                self.moving.append(number)

    def _add(self, body: Json) -> int:
        mass = 0.0 if body["is_static"] else DENSITY * sum(map(volume, body["parts"]))
        number = pb.createMultiBody(
            mass, collision_shape(body["parts"]), -1, body["position"], body["rotation"]
        )
        pb.changeDynamics(
            number, -1, lateralFriction=FRICTION, linearDamping=0.0, angularDamping=0.0
        )
        return int(number)

    def step(self) -> None:
        pb.stepSimulation()

    def read(self, poses: Floats) -> None:
        for row, number in zip(poses, self.moving, strict=True):
            row[:3], row[3:] = pb.getBasePositionAndOrientation(number)

    def remarks(self) -> Json:
        return {}


def volume(part: Json) -> float:
    """Volume [m³] of a part."""
    match part["kind"]:
        case "Box":
            return math.prod(part["size"])
        case "Sphere":
            return 4 / 3 * math.pi * part["radius"] ** 3
    radius = part["radius_top"]
    return math.pi * radius**2 * (part["height"] + 4 / 3 * radius)


def collision_shape(parts: list[Json]) -> int:
    """One shape of all parts."""
    kinds, radii, extents, lengths = zip(*map(sizes, parts), strict=True)
    return int(
        pb.createCollisionShapeArray(
            shapeTypes=kinds,
            radii=radii,
            halfExtents=extents,
            lengths=lengths,
            collisionFramePositions=[part["position"] for part in parts],
            collisionFrameOrientations=[Z_TO_Y] * len(parts),
        )
    )


def sizes(part: Json) -> tuple[int, float, list[float], float]:
    """Type, radius, half extents in the turned frame, and length [m] of a part."""
    match part["kind"]:
        case "Box":
            x, y, z = part["size"]
            return pb.GEOM_BOX, 0.0, [x / 2, z / 2, y / 2], 0.0
        case "Sphere":
            return pb.GEOM_SPHERE, part["radius"], [0.0] * 3, 0.0
    return pb.GEOM_CAPSULE, part["radius_top"], [0.0] * 3, part["height"]


if __name__ == "__main__":
    main(Bullet)
