"""Stick figures of skeletons without a mesh: bones in colour, other joints in grey."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.motion.bone_map import BoneMap
from ligament.rig.motion.bvh import Bvh

COLOURS = {"left": (0.1, 0.35, 0.8), "right": (0.8, 0.2, 0.15), "": (0.9, 0.7, 0.1)}
OTHER = (0.5, 0.5, 0.5)
THICKNESS = 0.12
"""Width of a stick relative to its length."""


def bvh_document(bvh: Bvh, *, name: str = "motion", unit: float = 1.0) -> Document:
    """Return the joints of a BVH file as animated nodes [m]."""
    document = Document()
    nodes: list[dict[str, Any]] = document.json.setdefault("nodes", [])
    times: Floats = np.arange(len(bvh.rotation), dtype=np.float64) * bvh.frame_time
    tracks = []
    for joint, label in enumerate(bvh.names):
        nodes.append({"name": label, "translation": (bvh.offsets[joint] * unit).tolist()})
        if bvh.parents[joint] >= 0:
            nodes[bvh.parents[joint]].setdefault("children", []).append(joint)
        tracks.append(Track(joint, "rotation", times, bvh.rotation[:, joint]))
        if joint in bvh.moved:
            tracks.append(Track(joint, "translation", times, bvh.places[:, joint] * unit))
    roots = np.flatnonzero(bvh.parents < 0).tolist()
    document.json |= {"scene": 0, "scenes": [{"nodes": roots}]}
    append_clip(document, Clip(name, tuple(tracks)))
    return document


def with_sticks(document: Document, bone_map: BoneMap) -> Document:
    """Return a copy with a stick from every joint to each of its children."""
    copy = document.copy()
    tree = NodeTree(copy)
    nodes = copy.json["nodes"]
    meshes = _Meshes(copy)
    bone_of = {joint: bone for bone, joint in bone_map.bones.items()}
    within = _within(tree, bone_map)
    for joint, parent in enumerate(tree.parents.tolist()):
        offset = tree.translation[joint]
        length = float(np.linalg.norm(offset))
        if parent < 0 or not length > 0 or parent not in within:
            continue
        bone = bone_of.get(parent)
        side = None if bone is None else next((s for s in ("left", "right") if bone[:5] in s), "")
        width = THICKNESS * length
        stick = {
            "mesh": meshes.coloured(OTHER if side is None else COLOURS[side]),
            "translation": (offset / 2).tolist(),
            "rotation": tf.between(np.array([0.0, 1.0, 0.0]), offset).tolist(),
            "scale": [width, length, width],
        }
        nodes.append(stick)
        nodes[parent].setdefault("children", []).append(len(nodes) - 1)
    return copy


def _within(tree: NodeTree, bone_map: BoneMap) -> set[int]:
    """Return the joints at and below the hips, or all without hips."""
    hips = bone_map.bones.get("hips")
    if hips is None:
        return set(range(len(tree)))
    found = {hips}
    for level in tree.levels:
        found |= {int(node) for node in level if int(tree.parents[node]) in found}
    return found


class _Meshes:
    """Box meshes of one size, one per colour."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.known: dict[tuple[float, float, float], int] = {}
        corners = np.array(
            [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)], np.float32
        )
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        triangles = [corner for a, b, c, d in faces for corner in (a, b, c, a, c, d)]
        self.positions = append_accessor(document, corners, bounds=True)
        self.indices = append_accessor(document, np.array(triangles, np.uint16))

    def coloured(self, colour: tuple[float, float, float]) -> int:
        """Return the mesh of a colour."""
        if colour not in self.known:
            json = self.document.json
            materials, meshes = json.setdefault("materials", []), json.setdefault("meshes", [])
            base = {"baseColorFactor": [*colour, 1.0], "metallicFactor": 0.0}
            materials.append({"pbrMetallicRoughness": base})
            shape = {"attributes": {"POSITION": self.positions}, "indices": self.indices}
            meshes.append({"primitives": [{**shape, "material": len(materials) - 1}]})
            self.known[colour] = len(meshes) - 1
        return self.known[colour]
