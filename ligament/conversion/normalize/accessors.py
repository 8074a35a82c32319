"""Accessor data in the new frames: meshes, skins and keyframes.

Numbers are read from the original: a buffer that has grown must be joined before it can be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.normalize.frames import IDENTITY, Frames, near, rotated_scale, shear
from ligament.gltf import jsontext, objects, pointers
from ligament.gltf.accessors import ARRAY_BUFFER, append_accessor, read_accessor
from ligament.gltf.animation import COMPONENTS
from ligament.gltf.document import Document

_ROTATED = ("POSITION", "NORMAL", "TANGENT")
_POINTER = re.compile(r"/nodes/(\d{1,15})/(translation|rotation|scale)")


def rotate_skins(document: Document, frames: Frames, original: Document) -> None:
    """Rotate inverse bind matrices with their joints: own·IBM, as world becomes world·own⁻¹."""
    for index, raw in enumerate(document.array("skins")):
        skin = document.element("skins", index, objects.Skin)
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
        rotated = tf.compose(np.zeros(3), own) @ bind[: len(own)]
        raw["inverseBindMatrices"] = append_accessor(document, rotated)


def rotate_meshes(document: Document, frames: Frames, original: Document) -> None:
    """Rotate the meshes of nodes as data; nodes with different frames get separate copies."""
    nodes = document.array("nodes")
    users: dict[int, list[int]] = {}
    for node, raw in enumerate(nodes):
        if "mesh" in raw:
            users.setdefault(raw["mesh"], []).append(node)
    rotator = _MeshRotator(document, original)
    for mesh, group in users.items():
        skinned = ["skin" in nodes[node] for node in group]
        own = np.array([frames.frame(node) for node in group])
        alike = list(_alike(np.where(np.array(skinned)[:, None], IDENTITY, own)))
        for frame, places in alike[1:]:
            copy = rotator.copy(mesh, frame)
            for place in places:
                nodes[group[place]]["mesh"] = copy
        rotator.rotate(mesh, alike[0][0])


def _alike(frames: Floats) -> Iterator[tuple[Floats, list[int]]]:
    """Group equal frames (K, 4), identities first; yield each with its indices."""
    left = np.argsort(~near(frames, IDENTITY), kind="stable")
    while len(left):
        frame = frames[left[0]]
        same = near(frames[left], frame)
        yield frame, left[same].tolist()
        left = left[~same]


class _MeshRotator:
    """Rotates meshes; attributes that primitives share stay shared."""

    def __init__(self, document: Document, original: Document) -> None:
        self.document, self.original = document, original
        self._rotated: dict[tuple[int, bytes, str], int] = {}

    def copy(self, mesh: int, frame: Floats) -> int:
        """Append a rotated copy of a mesh; return its index."""
        meshes = self.document.array("meshes")
        meshes.append(jsontext.clone(meshes[mesh]))
        self.rotate(len(meshes) - 1, frame)
        return len(meshes) - 1

    def rotate(self, mesh: int, frame: Floats) -> None:
        """Rotate a mesh in place."""
        if near(frame, IDENTITY):
            return
        for primitive in self.document.array("meshes")[mesh]["primitives"]:
            for attributes in [primitive["attributes"], *primitive.get("targets", [])]:
                for name in _ROTATED:
                    if name in attributes:
                        attributes[name] = self._accessor(attributes[name], frame, name)

    def _accessor(self, index: int, frame: Floats, name: str) -> int:
        key = (index, frame.tobytes(), name)
        if key not in self._rotated:
            values = np.array(read_accessor(self.original, index), float)
            if values.ndim != 2 or values.shape[1] not in (3, 4):
                raise self.document.error(
                    f"is not an accessor of {name}", f"/accessors/{index}", "it must hold vectors"
                )
            values[:, :3] = tf.rotate(frame, values[:, :3])
            self._rotated[key] = append_accessor(
                self.document, values, target=ARRAY_BUFFER, bounds=name == "POSITION"
            )
        return self._rotated[key]


# --- keyframes ---


def rotate_animations(document: Document, frames: Frames, original: Document) -> None:
    """Rewrite the channels that move nodes whose frames change their values.

    above·q·own⁻¹ and above·t are linear, so that tangents follow.
    """
    rotator = _ClipRotator(document, frames, original)
    for index in range(len(document.array("animations"))):
        rotator.rotate(index)


class _ClipRotator:
    """Rotates animations; key values that channels share stay shared where they rotate alike."""

    def __init__(self, document: Document, frames: Frames, original: Document) -> None:
        self.document, self.frames, self.original = document, frames, original
        self._rotated: dict[tuple[Any, ...], int] = {}

    def rotate(self, index: int) -> None:
        """Rotate one animation."""
        animation = self.document.element("animations", index, objects.Animation)
        raw = self.document.array("animations")[index]
        uses = Counter(channel.sampler for channel in animation.channels)
        for i, channel in enumerate(animation.channels):
            node, path = _target(channel.target)
            if node >= len(self.frames.own) or channel.sampler >= len(animation.samplers):
                raise self.document.error(
                    "refers to a missing element",
                    f"/animations/{index}/channels/{i}",
                    "fix the index",
                )
            if node < 0 or not self._moves(node, path):
                continue
            sampler = raw["samplers"][channel.sampler]
            place = f"/animations/{index}/samplers/{channel.sampler}/output"
            output = self._accessor(sampler["output"], node, path, place)
            if uses[channel.sampler] == 1:
                sampler["output"] = output
            else:
                raw["channels"][i]["sampler"] = len(raw["samplers"])
                raw["samplers"].append({**sampler, "output": output})

    def _moves(self, node: int, path: str) -> bool:
        """Tell whether the frames of a node change the values of a path."""
        is_above = not near(self.frames.above[node], IDENTITY)
        is_own = self.frames.is_rotated(node)
        return {"translation": is_above, "scale": is_own}.get(path, is_above or is_own)

    def _accessor(self, index: int, node: int, path: str, pointer: str) -> int:
        above, own = self.frames.above[node], self.frames.own[node]
        key = (index, path, above.tobytes(), own.tobytes())
        if key not in self._rotated:
            values = np.asarray(read_accessor(self.original, index), float)
            if values.ndim != 2 or values.shape[1] != COMPONENTS[path]:
                raise self.document.error(
                    f"is not a {path}", pointer, f"keys must have {COMPONENTS[path]} numbers"
                )
            rotated = self._values(values, node, path, pointer)
            same = rotated is values
            self._rotated[key] = index if same else append_accessor(self.document, rotated)
        return self._rotated[key]

    def _values(self, values: Floats, node: int, path: str, pointer: str) -> Floats:
        above, own = self.frames.above[node], self.frames.own[node]
        rotated: Floats | None
        if path == "translation":
            rotated = tf.rotate(above, values)
        elif path == "rotation":
            rotated = tf.multiply(tf.multiply(above, values), tf.conjugate(own))
        else:
            rotated = rotated_scale(own, values)
        if rotated is None:
            raise shear(self.document, self.frames.tree, node, pointer)
        return rotated


def _target(target: objects.Target) -> tuple[int, str]:
    """Return the node that a channel moves and how, -1 for none; through a JSON pointer too."""
    if target.path == "pointer":
        text = pointers.find(target.extensions, "/KHR_animation_pointer/pointer")
        match = _POINTER.fullmatch(text) if isinstance(text, str) else None
        return (int(match[1]), match[2]) if match else (-1, "")
    is_moved = target.node is not None and target.path in COMPONENTS
    return (target.node or 0, target.path) if is_moved else (-1, "")
