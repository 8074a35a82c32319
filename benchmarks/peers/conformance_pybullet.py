"""Plays a case of the conformance suite in PyBullet at its default settings, one step per frame.

Usage: python conformance_pybullet.py INPUT OUTPUT SECONDS RATE

A thin adapter, as loaders write it: each member of KHR_physics_rigid_bodies goes to the member of
PyBullet that is nearest to it. PyBullet's constraints between bodies have no limits and no motors,
so cases with joints are not for it; nor are triggers and animations.
"""

import base64
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pybullet as pb

KHR = "KHR_physics_rigid_bodies"
ONE = (0.0, 0.0, 0.0, 1.0)
Z_TO_Y = (-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # capsules and cylinders lie along Z there
WIDE = 2000.0  # [m]: planes are a box of this size
DENSITY = 1000.0
DEFAULT_FRICTION, DEFAULT_RESTITUTION = 0.6, 0.0
CONCAVE = pb.GEOM_FORCE_CONCAVE_TRIMESH

Json = dict[str, Any]


class Document:
    """A glTF document: the physics of its nodes, and their poses at rest."""

    def __init__(self, path: Path) -> None:
        self.content = json.loads(path.read_bytes())
        self.nodes = self.content["nodes"]
        self.physics = [node.get("extensions", {}).get(KHR, {}) for node in self.nodes]
        extensions = self.content.get("extensions", {})
        self.root = extensions.get(KHR, {})
        shapes = extensions.get("KHR_implicit_shapes") or extensions.get("KHR_collision_shapes", {})
        self.shapes = shapes.get("shapes", [])
        self.parents = {c: i for i, n in enumerate(self.nodes) for c in n.get("children", ())}

    def pose(self, index: int) -> tuple[Any, Any, Any]:
        """Position [m], rotation xyzw and scale of a node in the world."""
        node = self.nodes[index]
        place, turn = node.get("translation", (0, 0, 0)), node.get("rotation", ONE)
        scale = np.array(node.get("scale", (1, 1, 1)), float)
        if index not in self.parents:
            return np.array(place, float), turn, scale
        origin, above, size = self.pose(self.parents[index])
        return *pb.multiplyTransforms(origin, above, size * place, turn), size * scale

    def owner(self, index: int) -> int | None:
        """The node with the motion that a node belongs to."""
        while not self.physics[index].get("motion"):
            if index not in self.parents:
                return None
            index = self.parents[index]
        return index

    def array(self, accessor: int) -> Any:
        """The numbers of an accessor, as rows."""
        found = self.content["accessors"][accessor]
        view = self.content["bufferViews"][found["bufferView"]]
        data = base64.b64decode(self.content["buffers"][view["buffer"]]["uri"].split(",")[1])
        start = view.get("byteOffset", 0) + found.get("byteOffset", 0)
        kind = {5126: "<f4", 5123: "<u2", 5125: "<u4", 5121: "u1"}[found["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[found["type"]]
        rows = np.frombuffer(data, kind, found["count"] * width, start)
        return rows.reshape(-1, width)

    def surface(self, collider: Json) -> tuple[float, float]:
        """Roots of friction and restitution: PyBullet multiplies those of both sides."""
        number = collider.get("physicsMaterial")
        material = {} if number is None else self.root["physicsMaterials"][number]
        friction = material.get("dynamicFriction", DEFAULT_FRICTION)
        return math.sqrt(friction), math.sqrt(material.get("restitution", DEFAULT_RESTITUTION))


def part(document: Document, geometry: Json, scale: Any) -> tuple[Json, Any, float]:
    """One shape as arguments of createCollisionShape, its rotation, and its volume [m³]."""
    if "mesh" in geometry:
        primitive = document.content["meshes"][geometry["mesh"]]["primitives"][0]
        points = document.array(primitive["attributes"]["POSITION"]) * scale
        mesh: Json = {"shapeType": pb.GEOM_MESH, "vertices": points.tolist()}
        if not geometry.get("convexHull"):
            indices = document.array(primitive["indices"]).ravel().tolist()
            mesh |= {"indices": indices, "flags": CONCAVE}
        return mesh, ONE, float(np.prod(np.ptp(points, axis=0)))
    shape = document.shapes[geometry["shape"]]
    members = shape.get(shape["type"], {})
    size = np.abs(scale)
    if shape["type"] == "box":
        extents = np.array(members.get("size", (1, 1, 1))) * size
        return box(extents), ONE, float(np.prod(extents))
    if shape["type"] == "sphere":
        radius = members.get("radius", 0.5) * float(size.max())
        return {"shapeType": pb.GEOM_SPHERE, "radius": radius}, ONE, 4 / 3 * math.pi * radius**3
    if shape["type"] == "plane":
        x, z = members.get("sizeX", WIDE), members.get("sizeZ", WIDE)
        return box(np.array([x, 1.0, z])) | {"below": 0.5}, ONE, 1.0
    radius = max(members.get("radiusBottom", 0.25), members.get("radiusTop", 0.25)) * size[0]
    height = members.get("height", 0.5) * size[1]
    kind = pb.GEOM_CAPSULE if shape["type"] == "capsule" else pb.GEOM_CYLINDER
    volume = math.pi * radius**2 * (height + (4 / 3 * radius if kind == pb.GEOM_CAPSULE else 0.0))
    return {"shapeType": kind, "radius": radius, "height": height}, Z_TO_Y, volume


def box(extents: Any) -> Json:
    """A box as arguments of createCollisionShape."""
    return {"shapeType": pb.GEOM_BOX, "halfExtents": (extents / 2).tolist()}


class Body:
    """A body of PyBullet: its colliders are bodies of one shape, or one of several shapes."""

    def __init__(self, document: Document, index: int) -> None:
        place, self.turn, scale = document.pose(index)
        self.place = np.array(place)
        self.motion = document.physics[index].get("motion", {"isKinematic": True})
        self.is_static = "motion" not in document.physics[index]
        colliders = [
            i
            for i, each in enumerate(document.physics)
            if each.get("collider") and (i == index or document.owner(i) == index)
        ]
        shape, volume, surface = self._shape(document, colliders)
        mass = 0.0 if self.motion.get("isKinematic") else self.motion.get("mass", volume * DENSITY)
        centre = np.array(self.motion.get("centerOfMass", (0, 0, 0))) * scale
        self.mass, self.centre = mass, centre
        self.axes = self.motion.get("inertiaOrientation", ONE)
        self.number = pb.createMultiBody(
            mass, shape, -1, self.place.tolist(), self.turn, centre.tolist(), self.axes
        )
        options: Json = {"linearDamping": 0.0, "angularDamping": 0.0}
        if surface is not None:
            options |= {"lateralFriction": surface[0], "restitution": surface[1]}
        if "inertiaDiagonal" in self.motion and mass:
            options["localInertiaDiagonal"] = self.motion["inertiaDiagonal"]
        pb.changeDynamics(self.number, -1, **options)
        self.linear = self._in_world("linearVelocity")
        self.angular = self._in_world("angularVelocity")
        if not self.is_static:
            pb.resetBaseVelocity(self.number, self.linear.tolist(), self.angular.tolist())

    def _in_world(self, member: str) -> Any:
        return np.array(pb.rotateVector(self.turn, self.motion.get(member, (0, 0, 0))))

    def _shape(self, document: Document, colliders: list[int]) -> tuple[int, float, Any]:
        """One collision shape of all colliders, their volume, and the surface of the first."""
        if not colliders:
            return -1, 0.001, None
        back = pb.invertTransform(self.place.tolist(), self.turn)
        parts, volume = [], 0.0
        for index in colliders:
            place, turn, scale = document.pose(index)
            members, own, size = part(
                document, document.physics[index]["collider"]["geometry"], scale
            )
            down = (0.0, -members.pop("below", 0.0), 0.0)
            at = pb.multiplyTransforms(*back, *pb.multiplyTransforms(place, turn, down, own))
            parts.append((members, at))
            volume += size
        surface = document.surface(document.physics[colliders[0]]["collider"])
        if len(parts) == 1:
            members, (place, turn) = parts[0]
            options = {"collisionFramePosition": place, "collisionFrameOrientation": turn}
            return pb.createCollisionShape(**members, **options), volume, surface
        return array(parts), volume, surface

    def move(self) -> None:
        """Apply what acts on the body during a step: another gravity, or its own velocity."""
        factor = self.motion.get("gravityFactor", 1.0)
        if self.mass and factor != 1.0:
            place, _ = pb.getBasePositionAndOrientation(self.number)
            pull = (0.0, -9.81 * (factor - 1.0) * self.mass, 0.0)
            pb.applyExternalForce(self.number, -1, pull, place, pb.WORLD_FRAME)
        elif not self.mass and not self.is_static:
            pb.resetBaseVelocity(self.number, self.linear.tolist(), self.angular.tolist())

    def read(self) -> tuple[Any, Any]:
        """Position and rotation of the node; PyBullet has those of the centre of mass."""
        back = pb.invertTransform(self.centre.tolist(), self.axes)
        found: tuple[Any, Any] = pb.multiplyTransforms(
            *pb.getBasePositionAndOrientation(self.number), *back
        )
        return found


def array(parts: list[Any]) -> int:
    """One shape of several; PyBullet's arrays have no concave meshes."""
    members = [each for each, _ in parts]
    return int(
        pb.createCollisionShapeArray(
            shapeTypes=[each["shapeType"] for each in members],
            radii=[each.get("radius", 0.0) for each in members],
            halfExtents=[each.get("halfExtents", [0.0] * 3) for each in members],
            lengths=[each.get("height", 0.0) for each in members],
            collisionFramePositions=[place for _, (place, _) in parts],
            collisionFrameOrientations=[turn for _, (_, turn) in parts],
        )
    )


def main(source: str, output: str, seconds: str, rate: str) -> None:
    """Play a file and write its recording."""
    document, step = Document(Path(source)), 1 / float(rate)
    pb.connect(pb.DIRECT)
    pb.setGravity(0.0, -9.81, 0.0)
    pb.setTimeStep(step)
    bodies = {
        index: Body(document, index)
        for index, each in enumerate(document.physics)
        if each.get("motion") or (each.get("collider") and document.owner(index) is None)
    }
    moving = {index: body for index, body in bodies.items() if not body.is_static}
    recording: Json = {"times": [], "nodes": [*moving], "events": []}
    recording |= {"translation": [], "rotation": []}
    for frame in range(round(float(seconds) * float(rate)) + 1):
        if frame:
            for body in moving.values():
                body.move()
            pb.stepSimulation()
        poses = [body.read() for body in moving.values()]
        recording["times"].append(frame * step)
        recording["translation"].append([list(place) for place, _ in poses])
        recording["rotation"].append([list(turn) for _, turn in poses])
    Path(output).write_text(json.dumps(recording))


if __name__ == "__main__":
    main(*sys.argv[1:])
