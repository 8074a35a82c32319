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
from ligament.convert.normalize.frames import IDENTITY, Frames, near, shear, turned_scale
from ligament.gltf import jsontext, objects, pointers
from ligament.gltf.accessors import ARRAY_BUFFER, append_accessor, read_accessor
from ligament.gltf.animation import COMPONENTS
from ligament.gltf.document import Document

_TURNED = ("POSITION", "NORMAL", "TANGENT")
_POINTER = re.compile(r"/nodes/(\d{1,15})/(translation|rotation|scale)")


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
    turner = _MeshTurner(document, original)
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


class _MeshTurner:
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


# --- keyframes ---


def turn_animations(document: Document, frames: Frames, original: Document) -> None:
    """Rewrite all channels that move nodes, where their frames say so."""
    turner = _ClipTurner(document, frames, original)
    for index in range(len(document.array("animations"))):
        turner.turn(index)


class _ClipTurner:
    """Turns animations; key values that channels share stay shared where they turn alike."""

    def __init__(self, document: Document, frames: Frames, original: Document) -> None:
        self.document, self.frames, self.original = document, frames, original
        self._turned: dict[tuple[Any, ...], int] = {}

    def turn(self, index: int) -> None:
        """Turn one animation."""
        animation = self.document.view("animations", index, objects.Animation)
        raw = self.document.array("animations")[index]
        uses = Counter(channel.sampler for channel in animation.channels)
        for i, channel in enumerate(animation.channels):
            node, path = _target(channel.target)
            if node >= len(self.frames.own) or channel.sampler >= len(animation.samplers):
                raise self.document.error(
                    "names what is not there", f"/animations/{index}/channels/{i}", "mend the index"
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
        is_own = self.frames.is_turned(node)
        return {"translation": is_above, "scale": is_own}.get(path, is_above or is_own)

    def _accessor(self, index: int, node: int, path: str, pointer: str) -> int:
        above, own = self.frames.above[node], self.frames.own[node]
        key = (index, path, above.tobytes(), own.tobytes())
        if key not in self._turned:
            values = np.asarray(read_accessor(self.original, index), float)
            if values.ndim != 2 or values.shape[1] != COMPONENTS[path]:
                raise self.document.error(
                    f"is no {path}", pointer, f"keys must have {COMPONENTS[path]} numbers"
                )
            turned = self._values(values, node, path, pointer)
            same = turned is values
            self._turned[key] = index if same else append_accessor(self.document, turned)
        return self._turned[key]

    def _values(self, values: Floats, node: int, path: str, pointer: str) -> Floats:
        above, own = self.frames.above[node], self.frames.own[node]
        turned: Floats | None
        if path == "translation":
            turned = tf.rotate(above, values)
        elif path == "rotation":
            turned = tf.multiply(tf.multiply(above, values), tf.conjugate(own))
        else:
            turned = turned_scale(own, values)
        if turned is None:
            raise shear(self.document, self.frames.tree, node, pointer)
        return turned


def _target(target: objects.Target) -> tuple[int, str]:
    """Return the node that a channel moves and how, -1 for none; through a JSON pointer too."""
    if target.path == "pointer":
        text = pointers.find(target.extensions, "/KHR_animation_pointer/pointer")
        match = _POINTER.fullmatch(text) if isinstance(text, str) else None
        return (int(match[1]), match[2]) if match else (-1, "")
    is_moved = target.node is not None and target.path in COMPONENTS
    return (target.node or 0, target.path) if is_moved else (-1, "")
