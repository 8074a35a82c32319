"""A plain simulation of spring bones to compare with, which shares no code with the library.

One joint of one frame at a time, by the text of VRMC_springBone 1.0, on 4 × 4 matrices that are
computed whenever they are needed. Joints are taken in the order that they are given in.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def product(a: Any, b: Any) -> Any:
    (x, y, z, w), v = a, np.asarray(b)[:3]
    axis = np.array([x, y, z])
    return np.append(w * v + b[3] * axis + np.cross(axis, v), w * b[3] - axis @ v)


def matrix(rotation: Any) -> Any:
    x, y, z, w = rotation
    axis = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * axis + 2 * axis @ axis


def shortest(u: Any, v: Any) -> Any:
    turn = np.append(np.cross(u, v), 1 + u @ v)
    return turn / np.linalg.norm(turn)


class LiteralSprings:
    """The springs of a document, whose nodes have translations and rotations at rest alone."""

    def __init__(self, json: dict[str, Any], order: list[int]) -> None:
        extension = json["extensions"]["VRMC_springBone"]
        self.nodes = json["nodes"]
        self.parents = dict.fromkeys(range(len(self.nodes)), -1)
        for parent, node in enumerate(self.nodes):
            self.parents |= dict.fromkeys(node.get("children", []), parent)
        self.rest = [np.array(n.get("rotation", [0, 0, 0, 1.0]), float) for n in self.nodes]
        self.colliders = extension.get("colliders", [])
        groups = extension.get("colliderGroups", [])
        self.joints = {}
        for spring in extension["springs"]:
            chosen = [c for g in spring.get("colliderGroups", []) for c in groups[g]["colliders"]]
            for head, tail in zip(spring["joints"], spring["joints"][1:], strict=False):
                self.joints[head["node"]] = (head, tail["node"], chosen, spring.get("center"))
        self.order = order
        self.state: dict[int, Any] = {}

    def world(self, node: int) -> Any:
        if node < 0:
            return np.eye(4)
        local = np.eye(4)
        local[:3, :3] = matrix(self.rotation[node])
        local[:3, 3] = self.translation[node]
        return self.world(self.parents[node]) @ local

    def center(self, node: int) -> Any:
        center = self.joints[node][3]
        return np.eye(4) if center is None else self.world(center)

    def run(self, rotation: Any, translation: Any, dt: float) -> Any:
        """Return the local rotations (frames, nodes, 4)."""
        result = []
        for frame in range(len(rotation)):
            kept = self.rest if not frame else self.rotation
            self.rotation = [
                kept[i] if i in self.joints else rotation[frame, i] for i in range(len(self.nodes))
            ]
            self.translation = translation[frame]
            for node in self.order:
                if frame:
                    self.update(node, dt)
            for node in self.order:
                if not frame:
                    self.reset(node)
            result.append(np.array(self.rotation))
        return np.array(result)

    def reset(self, node: int) -> None:
        tail, head = self.world(self.joints[node][1])[:3, 3], self.world(node)
        local = np.linalg.solve(head, np.append(tail, 1))[:3]
        size = np.linalg.norm(local)
        point = np.linalg.solve(self.center(node), np.append(tail, 1))
        self.state[node] = [point, point, local / size, size]

    def update(self, node: int, dt: float) -> None:
        joint, _, chosen, _ = self.joints[node]
        current, previous, axis, length = self.state[node]
        center = self.center(node)
        parent = self.world(self.parents[node])
        local = np.eye(4)
        local[:3, 3] = self.translation[node]
        local[:3, :3] = matrix(self.rest[node])
        head = (parent @ local)[:3, 3]
        now, before = (center @ current)[:3], (center @ previous)[:3]
        pull = joint.get("stiffness", 1.0) * (parent @ local)[:3, :3] @ axis
        fall = joint.get("gravityPower", 0.0) * np.array(joint.get("gravityDir", [0, -1, 0]))
        tail = now + (now - before) * (1 - joint.get("dragForce", 0.5)) + dt * (pull + fall)
        tail = head + length * (tail - head) / np.linalg.norm(tail - head)
        for index in chosen:
            tail = self.pushed(
                self.colliders[index], joint.get("hitRadius", 0.0), tail, head, length
            )
        self.state[node][:2] = np.linalg.solve(center, np.append(tail, 1)), current
        seen = np.linalg.solve(parent @ local, np.append(tail, 1))[:3]
        turn = shortest(axis, seen / np.linalg.norm(seen))
        self.rotation[node] = product(self.rest[node], turn)

    def pushed(self, collider: Any, radius: float, tail: Any, head: Any, length: float) -> Any:
        world = self.world(collider["node"])
        ((kind, shape),) = collider["shape"].items()
        start = (world @ [*shape.get("offset", [0, 0, 0]), 1])[:3]
        offset = tail - start
        if kind == "capsule":
            way = (world @ [*shape["tail"], 1])[:3] - start
            offset = offset - way * np.clip(offset @ way / (way @ way), 0, 1)
        size = np.linalg.norm(offset)
        depth = size - shape["radius"] - radius
        if depth >= 0:
            return tail
        tail = tail - depth * offset / size
        return head + length * (tail - head) / np.linalg.norm(tail - head)
