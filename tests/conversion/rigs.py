"""Rigs made at random, and what is seen of a document: every vertex in the world, over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.errors import CycleError
from ligament.gltf import pointers
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.animation import Clip, Track, append_clip, read_clip, sample, sample_pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig import NodeConstraints

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
TIMES = np.linspace(0.0, 2.0, 9)

WEIGHTS = [[1.0, 0, 0, 0], [0.75, 0.25, 0, 0], [0.5, 0.25, 0.25, 0], [0.5, 0.25, 0.125, 0.125]]

KINDS = ("roll", "aim", "rotation")
AIM_AXES = [f"{sign}{letter}" for letter in "XYZ" for sign in ("Positive", "Negative")]


def rotation(rng: np.random.Generator, style: str) -> np.ndarray:
    """A rotation: "any", a "quarter" turn about the axes, "none", or one of these at random."""
    if style == "mixed":
        style = str(rng.choice(["any", "quarter", "none"]))
    if style == "none":
        return IDENTITY
    if style == "any":
        return tf.normalize(rng.standard_normal(4))
    turns = tf.from_axis_angle(np.eye(3), np.pi / 2 * rng.integers(4, size=3))
    return tf.normalize(tf.multiply(tf.multiply(turns[0], turns[1]), turns[2]))


class Rig:
    """Builds a document node by node."""

    def __init__(self, rng: np.random.Generator, *, style: str = "any") -> None:
        self.rng, self.style = rng, style
        self.document = Document()
        self.json = self.document.json
        self.json |= {"nodes": [], "scenes": [{"nodes": []}], "scene": 0}
        self.nodes: list[dict[str, Any]] = self.json["nodes"]

    def node(self, parent: int | None = None, turn: Any = None, **members: Any) -> int:
        """Add a node at a random place, below another or as a root."""
        turn = rotation(self.rng, self.style) if turn is None else turn
        place = self.rng.uniform(-1, 1, 3)
        node = {"name": f"n{len(self.nodes)}", "translation": place.tolist(), **members}
        if "matrix" not in node:
            node["rotation"] = np.asarray(turn, float).tolist()
        self.nodes.append(node)
        index = len(self.nodes) - 1
        siblings = self.json["scenes"][0]["nodes"]
        if parent is not None:
            siblings = self.nodes[parent].setdefault("children", [])
        siblings.append(index)
        return index

    def tree(self, count: int, *, roots: bool = True) -> None:
        """Add nodes below one another at random; some have a scale, some a matrix."""
        for i in range(count):
            parent = int(self.rng.integers(-1 if roots else 0, i)) if i else -1
            members: dict[str, Any] = {}
            if self.rng.random() < 0.3:
                members["scale"] = [float(self.rng.choice([0.5, 2.0, -1.0]))] * 3
            node = self.node(None if parent < 0 else parent, **members)
            if self.rng.random() < 0.2:
                self.use_matrix(node)

    def use_matrix(self, node: int) -> None:
        """Write the transform of a node as a matrix."""
        raw = self.nodes[node]
        parts = (raw.pop("translation"), raw.pop("rotation"), raw.pop("scale", [1, 1, 1]))
        raw["matrix"] = tf.compose(*map(np.array, parts)).T.reshape(-1).tolist()

    def mesh(self, *, morphs: int = 0) -> int:
        """Add a mesh of loose triangles with normals and tangents."""
        attributes = {"POSITION": self.vectors(6, bounds=True), "NORMAL": self.units(6)}
        units = np.asarray(read_accessor(self.document, attributes["NORMAL"]))
        side = np.cross(units, self.rng.standard_normal((6, 3)))
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        signs = self.rng.choice([-1.0, 1.0], size=(6, 1))
        attributes["TANGENT"] = append_accessor(
            self.document, np.concatenate([side, signs], axis=1)
        )
        primitive: dict[str, Any] = {"attributes": attributes}
        mesh: dict[str, Any] = {"primitives": [primitive]}
        if morphs:
            primitive["targets"] = [
                {"POSITION": self.vectors(6, bounds=True), "NORMAL": self.vectors(6)}
                for _ in range(morphs)
            ]
            mesh["weights"] = self.rng.random(morphs).tolist()
        return self.append("meshes", mesh)

    def skin(self, joints: list[int], *, bound: bool = True) -> tuple[int, int]:
        """Add a mesh and the skin that binds it to joints; returns both."""
        mesh = self.mesh(morphs=1)
        attributes = self.json["meshes"][mesh]["primitives"][0]["attributes"]
        shares = WEIGHTS[min(4, len(joints)) - 1]
        places = np.zeros((6, 4), np.uint8)
        for vertex in range(6):
            places[vertex, : np.count_nonzero(shares)] = self.rng.permutation(len(joints))[:4]
        attributes["JOINTS_0"] = append_accessor(self.document, places)
        attributes["WEIGHTS_0"] = append_accessor(self.document, np.array([shares] * 6))
        skin: dict[str, Any] = {"joints": joints}
        if bound:
            world = NodeTree(self.document).world_matrices()[joints]
            skin["inverseBindMatrices"] = append_accessor(self.document, np.linalg.inv(world))
        return mesh, self.append("skins", skin)

    def constrain(self, node: int, source: int, kind: str, **members: Any) -> bool:
        """Let a node follow another; returns whether that makes no circle."""
        axes = {
            "roll": {"rollAxis": str(self.rng.choice(list("XYZ")))},
            "aim": {"aimAxis": str(self.rng.choice(AIM_AXES))},
            "rotation": {},
        }
        weight = float(self.rng.choice([1.0, 0.5, 0.25]))
        content = {"source": source, "weight": weight, **axes[kind], **members}
        extension = {"specVersion": "1.0", "constraint": {kind: content}}
        self.nodes[node].setdefault("extensions", {})["VRMC_node_constraint"] = extension
        self.document.use_extension("VRMC_node_constraint")
        try:
            NodeConstraints(self.document)
        except CycleError:
            del self.nodes[node]["extensions"]
            return False
        return True

    def animate(self, nodes: list[int]) -> None:
        """Add an animation of nodes at random, of every interpolation; samplers may be shared."""
        tracks = []
        for node in nodes:
            tracks += self.tracks(node)
        append_clip(self.document, Clip("Move", tuple(tracks)))
        samplers = self.json["animations"][0]["samplers"]
        channels = self.json["animations"][0]["channels"]
        first = next(c for c in channels if c["target"]["path"] == "rotation")
        for channel in channels:
            if channel["target"]["path"] == "rotation" and self.rng.random() < 0.3:
                channel["sampler"] = first["sampler"]
        used = sorted({channel["sampler"] for channel in channels})
        for channel in channels:
            channel["sampler"] = used.index(channel["sampler"])
        samplers[:] = [samplers[index] for index in used]

    def tracks(self, node: int) -> Iterator[Track]:
        """Yield random tracks of a node."""
        times = np.array([0.0, 0.7, 1.3, 2.0])
        for path, size in (("rotation", 4), ("translation", 3)):
            interpolation = str(self.rng.choice(["STEP", "LINEAR", "CUBICSPLINE"]))
            values = self.rng.standard_normal((4, size))
            if path == "rotation":
                values = tf.normalize(values)
            if interpolation == "CUBICSPLINE":
                slopes = self.rng.standard_normal((2, 4, size))
                values = np.stack([slopes[0], values, slopes[1]], axis=1)
            yield Track(node, path, times, values, interpolation)  # type: ignore[arg-type]

    def vectors(self, count: int, *, bounds: bool = False) -> int:
        """Add vectors."""
        return append_accessor(self.document, self.rng.uniform(-1, 1, (count, 3)), bounds=bounds)

    def units(self, count: int) -> int:
        """Add vectors of length one."""
        vectors = self.rng.standard_normal((count, 3))
        return append_accessor(
            self.document, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        )

    def append(self, array: str, item: dict[str, Any]) -> int:
        """Add an object to a top-level array."""
        items = self.document.growing_array(array)
        items.append(item)
        return len(items) - 1


class Seen:
    """The world of a document over time: matrices (F, N, 4, 4), and vertices by node.

    Vertices count for the node that they belonged to: a node that was added for the content of
    another one stands for that (`nodes` is how many there were at first).
    """

    def __init__(self, document: Document, *, nodes: int, times: np.ndarray = TIMES) -> None:
        self.document, self.times = document, times
        self.tree = NodeTree(document)
        self.count = nodes
        animations = range(len(document.json.get("animations", [])))
        self.clips = [read_clip(document, index) for index in animations]
        pose = sample_pose(self.tree, self.clips, times)
        local = NodeConstraints(document).solve(pose.rotation, pose.translation, pose.scale)
        self.rotations = self.tree.world_rotations(local)
        self.worlds = self.tree.world_matrices(pose.translation, local, pose.scale)
        self.places = self.worlds[:, :nodes, :3, 3]
        self.points: dict[int, np.ndarray] = {}
        self.normals: dict[int, np.ndarray] = {}
        self.tangents: dict[int, np.ndarray] = {}
        for node, raw in enumerate(document.json["nodes"]):
            if "mesh" in raw:
                self._see(node, raw)

    def _see(self, node: int, raw: dict[str, Any]) -> None:
        mesh = self.document.json["meshes"][raw["mesh"]]
        weights = self._weights(node, raw.get("weights", mesh.get("weights", [])))
        for primitive in mesh["primitives"]:
            matrices = self._matrices(node, raw, primitive["attributes"])
            linear = matrices[..., :3, :3]
            key = owner(self.tree, self.count, node)
            points = self._morphed(primitive, "POSITION", weights)
            self.points[key] = np.einsum("fvij,fvj->fvi", linear, points) + matrices[..., :3, 3]
            columns = [linear[..., index] for index in range(3)]
            crossed = [np.cross(columns[i - 2], columns[i - 1]) for i in range(3)]
            cofactors = np.stack(crossed, axis=-1)  # the inverse transpose, of singular ones too
            normals = self._morphed(primitive, "NORMAL", weights)
            self.normals[key] = np.einsum("fvij,fvj->fvi", cofactors, normals)
            tangents = self._read(primitive["attributes"]["TANGENT"])
            along = np.einsum("fvij,vj->fvi", linear, tangents[:, :3])
            signs = np.broadcast_to(tangents[:, 3:], (*along.shape[:-1], 1))
            self.tangents[key] = np.concatenate([along, signs], axis=-1)

    def _weights(self, node: int, weights: list[float]) -> np.ndarray:
        moved = np.repeat(np.array(weights)[None], len(self.times), axis=0)
        for track in (track for clip in self.clips for track in clip.tracks):
            if track.node == node and track.path == "weights":
                moved = sample(track, self.times)
        return moved

    def _morphed(self, primitive: dict[str, Any], name: str, weights: np.ndarray) -> np.ndarray:
        base = self._read(primitive["attributes"][name])[None]
        targets = [self._read(target[name]) for target in primitive.get("targets", [])]
        return base + sum(
            (w[:, None, None] * t for w, t in zip(weights.T, targets, strict=True)), 0
        )

    def _matrices(self, node: int, raw: dict[str, Any], attributes: dict[str, int]) -> np.ndarray:
        """Matrices (F, V, 4, 4) of the vertices."""
        count = len(self._read(attributes["POSITION"]))
        if "skin" not in raw:
            return np.repeat(self.worlds[:, node, None], count, axis=1)
        skin = self.document.json["skins"][raw["skin"]]
        bind: Any = np.eye(4)
        if "inverseBindMatrices" in skin:
            bind = self._read(skin["inverseBindMatrices"])
        joints = self.worlds[:, skin["joints"]] @ bind
        chosen = joints[:, np.asarray(read_accessor(self.document, attributes["JOINTS_0"]), int)]
        return np.einsum("fvkij,vk->fvij", chosen, self._read(attributes["WEIGHTS_0"]))

    def _read(self, accessor: int) -> np.ndarray:
        return np.asarray(read_accessor(self.document, accessor), float)


def owner(tree: NodeTree, count: int, node: int) -> int:
    """Return the node that stands for one that was added to a document of `count` nodes."""
    while node >= count:
        node = int(tree.parents[node])
    return node


def holder(document: Document, count: int, node: int, pointer: str) -> int:
    """Return the node that has what stood at a pointer in a node of the original."""
    tree = NodeTree(document)
    (found,) = [
        index
        for index, raw in enumerate(document.json["nodes"])
        if pointers.find(raw, pointer) is not None and owner(tree, count, index) == node
    ]
    return found
