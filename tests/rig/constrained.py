"""Random documents with node constraints, and a plain solver to compare with.

The solver shares no code with the library: one constraint of one frame at a time, textbook
formulas on 4-vectors and 4 × 4 matrices, and rotations looked up when they are needed.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from ligament.gltf.document import Document

NAME = "VRMC_node_constraint"
ROLL_AXES = ("X", "Y", "Z")
AIM_AXES = tuple(f"{sign}{axis}" for sign in ("Positive", "Negative") for axis in ROLL_AXES)


@dataclasses.dataclass
class Scene:
    """A document, and poses for it: local (frames, nodes, …)."""

    json: dict[str, Any]
    rotation: Any
    translation: Any
    scale: Any

    @property
    def document(self) -> Document:
        return Document(self.json)

    @property
    def destinations(self) -> list[int]:
        return [i for i, node in enumerate(self.json["nodes"]) if "extensions" in node]


def constrained(kind: str, source: int, *, version: str = "1.0", **members: Any) -> dict[str, Any]:
    """Return the `extensions` of a node with one constraint."""
    content = {"specVersion": version, "constraint": {kind: {"source": source, **members}}}
    return {NAME: content}


def document_of(*nodes: dict[str, Any]) -> Document:
    return Document({"asset": {"version": "2.0"}, "extensionsUsed": [NAME], "nodes": list(nodes)})


def random_rotation(rng: np.random.Generator, *shape: int) -> Any:
    q = rng.standard_normal((*shape, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def random_scene(
    rng: np.random.Generator, *, frames: int = 3, scales: str = "even", drafts: bool = True
) -> Scene:
    """Draw a tree of up to 14 nodes, most of them constrained, without cycles."""
    count = int(rng.integers(2, 15))
    nodes = _random_tree(rng, count, scales)
    for node in rng.permutation(count).tolist():
        if rng.random() < 0.7:
            source = int(rng.choice([i for i in range(count) if i != node]))
            nodes[node]["extensions"] = random_constraint(rng, source, drafts=drafts)
            if is_cyclic(nodes):
                del nodes[node]["extensions"]
    rest = {name: np.array([node[name] for node in nodes]) for name in ("translation", "scale")}
    return Scene(
        {"asset": {"version": "2.0"}, "extensionsUsed": [NAME], "nodes": nodes},
        random_rotation(rng, frames, count),
        rest["translation"] + rng.normal(0, 0.3, (frames, count, 3)),
        rest["scale"] * rng.uniform(0.5, 2, (frames, count, 1 if scales == "even" else 3)),
    )


def _random_tree(rng: np.random.Generator, count: int, scales: str) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for index in range(count):
        size = rng.uniform(0.5, 2, 1 if scales == "even" else 3)
        nodes.append(
            {
                "name": f"n{index}",
                "translation": rng.normal(0, 1, 3).tolist(),
                "rotation": random_rotation(rng).tolist(),
                "scale": np.broadcast_to(1 if scales == "none" else size, 3).tolist(),
                "children": [],
            }
        )
    # Parents come after their children in the file as often as before them.
    ranks = rng.permutation(count)
    for index in range(count):
        lower = np.flatnonzero(ranks < ranks[index])
        if len(lower) and rng.random() < 0.85:
            nodes[int(rng.choice(lower))]["children"].append(index)
    return nodes


def random_constraint(
    rng: np.random.Generator, source: int, *, drafts: bool = True
) -> dict[str, Any]:
    kind = str(
        rng.choice(["roll", "aim", "rotation", "draft"] if drafts else ["roll", "aim", "rotation"])
    )
    weight = float(rng.choice([0, 0.25, 0.5, 1, rng.random()]))
    if kind == "roll":
        return constrained(kind, source, rollAxis=str(rng.choice(ROLL_AXES)), weight=weight)
    if kind == "aim":
        return constrained(kind, source, aimAxis=str(rng.choice(AIM_AXES)), weight=weight)
    if kind == "rotation":
        return constrained(kind, source, weight=weight)
    freeze = [bool(flag) for flag in rng.integers(0, 2, 3)]
    return constrained("rotation", source, version="1.0-draft", freezeAxes=freeze, weight=weight)


def parameters(node: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return the kind and the members of a node's constraint."""
    if "extensions" not in node:
        return None
    return next(iter(node["extensions"][NAME]["constraint"].items()))


def parents_of(nodes: list[dict[str, Any]]) -> dict[int, int]:
    return {child: i for i, node in enumerate(nodes) for child in node.get("children", [])}


def ancestors_of(node: int, parents: dict[int, int]) -> list[int]:
    return [parents[node], *ancestors_of(parents[node], parents)] if node in parents else []


def is_cyclic(nodes: list[dict[str, Any]]) -> bool:
    """Say whether a constraint waits for itself, by following everything it reads."""
    parents = parents_of(nodes)

    def reads(node: int) -> set[int]:
        found = parameters(nodes[node])
        if found is None:
            return set()
        source = found[1]["source"]
        above = [*ancestors_of(source, parents), *ancestors_of(node, parents)]
        return {source, *(above if found[0] == "aim" else ())}

    for start in range(len(nodes)):
        reached, left = set[int](), reads(start)
        while left:
            reached |= left
            left = set().union(*(reads(node) for node in left)) - reached
        if start in reached:
            return True
    return False


class Plain:
    """One frame of a scene, solved on demand."""

    def __init__(self, nodes: list[dict[str, Any]], rotation: Any, translation: Any, scale: Any):
        self.nodes, self.parents = nodes, parents_of(nodes)
        self.rotation, self.translation, self.scale = rotation, translation, scale

    def local(self, node: int) -> Any:
        found = parameters(self.nodes[node])
        if found is None:
            return self.rotation[node]
        kind, members = found
        source, weight = members["source"], members.get("weight", 1.0)
        rest = np.array(self.nodes[node]["rotation"])
        if kind == "aim":
            return slerp(rest, self._aimed(node, source, rest, members["aimAxis"]), weight)
        rest_source, now = np.array(self.nodes[source]["rotation"]), self.local(source)
        if kind == "roll":
            delta = product(inverse(rest), product(now, inverse(rest_source)), rest)
            axis = axis_of(members["rollAxis"])
            swing = shortest(axis, turned(delta, axis))
            return slerp(rest, product(rest, inverse(swing), delta), weight)
        delta = product(inverse(rest_source), now)
        if "freezeAxes" in members:
            own = product(inverse(rest), self.rotation[node])
            mixed = np.where(members["freezeAxes"], weight * vector_of(delta), vector_of(own))
            return product(rest, quaternion_of(mixed))
        return slerp(rest, product(rest, delta), weight)

    def _aimed(self, node: int, source: int, rest: Any, axis: str) -> Any:
        above = np.array([0, 0, 0, 1.0])
        for parent in ancestors_of(node, self.parents):
            above = product(self.local(parent), above)
        forward = turned(product(above, rest), axis_of(axis))
        way = self.world(source)[:3, 3] - self.world(node)[:3, 3]
        turn = shortest(forward, way / np.linalg.norm(way))
        return product(inverse(above), turn, above, rest)

    def world(self, node: int) -> Any:
        matrix = np.eye(4)
        matrix[:3, 3] = self.translation[node]
        if node in self.parents:
            return self.frame(self.parents[node]) @ matrix
        return matrix

    def frame(self, node: int) -> Any:
        linear = np.eye(4)
        columns = [turned(self.local(node), axis) for axis in np.eye(3)]
        linear[:3, :3] = np.array(columns).T * self.scale[node]
        return self.world(node) @ linear


def plainly_solved(scene: Scene, *, scaled: bool = False) -> Any:
    """Return the local rotations (frames, nodes, 4) of a scene."""
    nodes = scene.json["nodes"]
    rest = np.array([node["scale"] for node in nodes])
    poses = zip(scene.rotation, scene.translation, scene.scale, strict=True)
    frames = [Plain(nodes, q, t, s if scaled else rest) for q, t, s in poses]
    return np.array([[frame.local(node) for node in range(len(nodes))] for frame in frames])


def product(*factors: Any) -> Any:
    first, *rest = factors
    if not rest:
        return first
    (x, y, z, w), (a, b, c, d) = first, product(*rest)
    return np.array(
        [
            w * a + x * d + y * c - z * b,
            w * b - x * c + y * d + z * a,
            w * c + x * b - y * a + z * d,
            w * d - x * a - y * b - z * c,
        ]
    )


def inverse(q: Any) -> Any:
    return np.array([-q[0], -q[1], -q[2], q[3]])


def turned(q: Any, v: Any) -> Any:
    return product(q, np.array([*v, 0.0]), inverse(q))[:3]


def axis_of(name: str) -> Any:
    return np.eye(3)["XYZ".index(name[-1])] * (-1 if name.startswith("Negative") else 1)


def shortest(u: Any, v: Any) -> Any:
    q = np.array([*np.cross(u, v), 1 + np.dot(u, v)])
    return q / np.linalg.norm(q)


def vector_of(q: Any) -> Any:
    q = q if q[3] >= 0 else -q
    sine = np.linalg.norm(q[:3])
    return np.zeros(3) if sine == 0 else q[:3] / sine * 2 * math.atan2(sine, q[3])


def quaternion_of(v: Any) -> Any:
    angle = np.linalg.norm(v)
    axis = np.zeros(3) if angle == 0 else v / angle
    return np.array([*(axis * math.sin(angle / 2)), math.cos(angle / 2)])


def slerp(a: Any, b: Any, t: float) -> Any:
    return product(a, quaternion_of(t * vector_of(product(inverse(a), b))))


def degrees_apart(a: Any, b: Any) -> Any:
    """Return the angle [°] between rotations by the chord, which keeps the digits of small ones."""
    near, far = np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1)
    return np.degrees(4 * np.arctan2(np.minimum(near, far), np.maximum(near, far)))
