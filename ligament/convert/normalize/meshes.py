"""Meshes turned as data, and skins whose joints have turned.

Numbers are read from the original: a buffer that has grown must be joined before it can be read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.normalize.skeleton import IDENTITY, Frames, near
from ligament.gltf import jsontext, objects
from ligament.gltf.accessors import ARRAY_BUFFER, append_accessor, read_accessor
from ligament.gltf.document import Document

_TURNED = ("POSITION", "NORMAL", "TANGENT")


def turn_skins(document: Document, frames: Frames, original: Document) -> None:
    """Turn inverse bind matrices with their joints: own·IBM, since world becomes world·own⁻¹."""
    for index, raw in enumerate(document.array("skins")):
        skin = document.view("skins", index, objects.Skin)
        own = frames.own[skin.joints]
        if near(own, IDENTITY).all():
            continue
        bind = np.repeat(np.eye(4)[None], len(own), axis=0)
        if skin.inverse_bind_matrices is not None:
            bind = np.asarray(read_accessor(original, skin.inverse_bind_matrices), float)
        if bind.shape[1:] != (4, 4) or len(bind) < len(own):
            raise document.error(
                f"{len(bind)} inverse bind matrices for {len(own)} joints",
                f"/skins/{index}/inverseBindMatrices",
                "there must be a 4x4 matrix for every joint",
            )
        turned = tf.compose(np.zeros(3), own) @ bind[: len(own)]
        raw["inverseBindMatrices"] = append_accessor(document, turned)


def turn_meshes(document: Document, frames: Frames, original: Document) -> None:
    """Turn the meshes of nodes as data; nodes with different frames get copies of their own."""
    nodes = document.array("nodes")
    users: dict[int, list[int]] = {}
    for node, raw in enumerate(nodes):
        if "mesh" in raw:
            users.setdefault(raw["mesh"], []).append(node)
    turner = _Turner(document, original)
    for mesh, group in users.items():
        skinned = ["skin" in nodes[node] for node in group]
        own = np.array([frames.frame(node) for node in group])
        alike = list(_alike(np.where(np.array(skinned)[:, None], IDENTITY, own)))
        for frame, places in alike[1:]:
            copy = turner.copy(mesh, frame)
            for place in places:
                nodes[group[place]]["mesh"] = copy
        turner.turn(mesh, alike[0][0])


def _alike(frames: Floats) -> Iterator[tuple[Floats, list[int]]]:
    """Group equal frames (K, 4), first those that turn nothing; yield each with its places."""
    left = np.argsort(~near(frames, IDENTITY), kind="stable")
    while len(left):
        frame = frames[left[0]]
        same = near(frames[left], frame)
        yield frame, left[same].tolist()
        left = left[~same]


class _Turner:
    """Turns meshes; attributes that primitives share stay shared."""

    def __init__(self, document: Document, original: Document) -> None:
        self.document, self.original = document, original
        self._turned: dict[tuple[int, bytes, str], int] = {}

    def copy(self, mesh: int, frame: Floats) -> int:
        """Append a turned copy of a mesh; returns its index."""
        meshes = self.document.array("meshes")
        meshes.append(jsontext.clone(meshes[mesh]))
        self.turn(len(meshes) - 1, frame)
        return len(meshes) - 1

    def turn(self, mesh: int, frame: Floats) -> None:
        """Turn a mesh in place."""
        if near(frame, IDENTITY):
            return
        for primitive in self.document.array("meshes")[mesh]["primitives"]:
            for attributes in [primitive["attributes"], *primitive.get("targets", [])]:
                for name in _TURNED:
                    if name in attributes:
                        attributes[name] = self._accessor(attributes[name], frame, name)

    def _accessor(self, index: int, frame: Floats, name: str) -> int:
        key = (index, frame.tobytes(), name)
        if key not in self._turned:
            values = np.array(read_accessor(self.original, index), float)
            if values.ndim != 2 or values.shape[1] not in (3, 4):
                raise self.document.error(
                    f"is no accessor of {name}", f"/accessors/{index}", "it must hold vectors"
                )
            values[:, :3] = tf.rotate(frame, values[:, :3])
            self._turned[key] = append_accessor(
                self.document, values, target=ARRAY_BUFFER, bounds=name == "POSITION"
            )
        return self._turned[key]
