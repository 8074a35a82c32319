"""Key values in the new frames: above·q·own⁻¹ and above·t are linear, so that tangents follow."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.normalize.skeleton import IDENTITY, Frames, near, shear, turned_scale
from ligament.gltf import objects, pointers
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.animation import COMPONENTS
from ligament.gltf.document import Document

_POINTER = re.compile(r"/nodes/(\d{1,15})/(translation|rotation|scale)")


def turn_animations(document: Document, frames: Frames, original: Document) -> None:
    """Rewrite all channels that move nodes, where their frames say so."""
    turner = _Turner(document, frames, original)
    for index in range(len(document.array("animations"))):
        turner.turn(index)


class _Turner:
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
