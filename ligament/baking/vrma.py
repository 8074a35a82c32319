"""A motion as a VRM animation on the skeleton of an avatar."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament.arguments import checked
from ligament.baking.bone_tracks import (
    DISTANCE,
    Values,
    bone_keys,
    hips_keys,
    reduced,
    sample_times,
    track,
)
from ligament.extensions.humanoid import vrmc_vrm_animation
from ligament.extensions.humanoid.bones import GAZE_PRESETS, PRESETS
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.gltf.document import Document
from ligament.options.names import HipsRule
from ligament.rig import Humanoid, Motion, retarget
from ligament.rig.humanoid.skeleton import TURNED
from ligament.transforms.components import on_host

EYES = ("leftEye", "rightEye")
"""Bones that VRMC_vrm_animation forbids, since the gaze moves them."""


@checked
def to_vrma(avatar: Humanoid, motion: Motion, *, hips: HipsRule = "delta") -> Document:
    """Return a VRM animation: the motion on a skeleton with the avatar's proportions.

    The skeleton has no rest rotations, so its local rotations are the normalised ones and every
    player shows the same pose.
    """
    writer = _Writer(avatar, motion, hips)
    writer.add_bones()
    writer.add_expressions()
    writer.add_gaze()
    return writer.finished()


class _Writer:
    def __init__(self, avatar: Humanoid, motion: Motion, hips: HipsRule) -> None:
        self.motion, self.hips = motion, hips
        self.nodes: list[dict[str, Any]] = []
        self.extension: dict[str, Any] = {"specVersion": "1.0"}
        self.tracks: list[Track] = []
        self.roots: list[int] = []
        self.skeleton = _skeleton(avatar)

    def add_bones(self) -> None:
        """Add the bones with their rotations, and the translation of the hips."""
        skeleton, motion = self.skeleton, self.motion
        self.nodes = skeleton.document.json["nodes"]
        self.roots = list(skeleton.document.json["scenes"][0]["nodes"])
        places = dict(zip(skeleton.bones, skeleton.nodes.tolist(), strict=True))
        humans = {bone: {"node": node} for bone, node in places.items()}
        self.extension["humanoid"] = {"humanBones": humans}
        pose = retarget(motion, skeleton, sample_times(motion), hips=self.hips).on_host()
        plain = np.repeat(np.eye(4)[None], len(skeleton.bones), axis=0)
        for bone, keys in bone_keys(motion, skeleton, plain, pose).items():
            self.tracks.append(track(places[bone], "rotation", keys))
        keys_of_hips = hips_keys(motion, skeleton, self.hips, pose)
        if keys_of_hips is not None:
            self.tracks.append(track(places["hips"], "translation", keys_of_hips))

    def add_expressions(self) -> None:
        """Add a node per expression, whose translation along X is the weight."""
        for curves in self.motion.expressions:
            for name in curves.names:
                kind = "preset" if name in PRESETS else "custom"
                if name in GAZE_PRESETS:
                    continue
                node = self._node(f"expression {name}")
                self.extension.setdefault("expressions", {}).setdefault(kind, {})[name] = {
                    "node": node
                }
                keys = self._weights(name)
                values = np.zeros((*keys.values.shape[:-1], 3))
                values[..., 0] = keys.values[..., 0]
                self.tracks.append(
                    track(node, "translation", Values(keys.times, values, keys.interpolation))
                )

    def _weights(self, name: str) -> Values:
        """Keep the keys of a weight, unless clamping to [0, 1] bends the curve."""
        keys = self.motion.keys(name)
        values = on_host(keys.values).astype(float)
        if keys.interpolation != "CUBICSPLINE" and (values >= 0).all() and (values <= 1).all():
            return Values(keys.times, values, keys.interpolation)
        times = sample_times(self.motion)
        weight = on_host(self.motion.sample(times).expressions[name]).astype(float)
        return reduced(times, weight[:, None], DISTANCE)

    def add_gaze(self) -> None:
        """Add a node whose rotation is the gaze."""
        look_at = self.motion.look_at
        if look_at is None:
            return
        node = self._node("gaze")
        self.extension["lookAt"] = {"node": node}
        keys = look_at.keys(look_at.names[0])
        values = on_host(keys.values).astype(float)
        self.tracks.append(track(node, "rotation", Values(keys.times, values, keys.interpolation)))

    def finished(self) -> Document:
        document = self.skeleton.document
        document.json["scenes"][0]["nodes"] = self.roots
        document.json["extensionsUsed"] = [vrmc_vrm_animation.NAME]
        document.json["extensions"] = {vrmc_vrm_animation.NAME: self.extension}
        append_clip(document, Clip(self.motion.name, tuple(self.tracks)))
        return document

    def _node(self, name: str) -> int:
        self.nodes.append({"name": name})
        self.roots.append(len(self.nodes) - 1)
        return len(self.nodes) - 1


def _skeleton(avatar: Humanoid) -> Humanoid:
    """Build a skeleton without rest rotations, its bones where the avatar's are, facing +Z."""
    kept = [i for i, bone in enumerate(avatar.bones) if bone not in EYES]
    places = avatar.world_position * (TURNED if avatar.faces_back else 1.0)
    nodes: list[dict[str, Any]] = []
    for i in kept:
        parent = int(avatar.parents[i])
        origin = np.zeros(3) if parent < 0 else places[parent]
        nodes.append({"name": avatar.bones[i], "translation": (places[i] - origin).tolist()})
        if parent >= 0:
            nodes[kept.index(parent)].setdefault("children", []).append(len(nodes) - 1)
    json = {
        "asset": {"version": "2.0", "generator": "Ligament"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
    }
    bones = {avatar.bones[i]: node for node, i in enumerate(kept)}
    return Humanoid.from_bones(Document(json), bones)
