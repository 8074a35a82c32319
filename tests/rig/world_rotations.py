"""Rotations of bones in the axes of the model's root, computed from all nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.gltf.animation import read_clip, sample_pose
from ligament.gltf.document import Document
from ligament.rig.humanoid.skeleton import Humanoid
from ligament.rig.retarget import Pose


def turns_in_the_model(document: Document, times: Any) -> tuple[dict[str, Any], Any]:
    """Rotations from rest in the model's axes by bone, and places of the hips, from all nodes."""
    source = Humanoid(document, complete=False)
    tree = source.tree
    pose = sample_pose(tree, [read_clip(document, 0)], times)
    now, rest = tree.world_rotations(tf.normalize(pose.rotation)), tree.world_rotations()
    turns = in_axes(tf.multiply(now, tf.conjugate(rest)), source)
    places = source.root.from_scene @ tree.world_matrices(
        pose.translation, tf.normalize(pose.rotation), pose.scale
    )
    named = {bone: turns[:, node] for bone, node in zip(source.bones, source.nodes, strict=True)}
    return named, places[:, source.nodes[0], :3, 3]


def in_axes(turns: Any, humanoid: Humanoid) -> Any:
    """Rotations in world axes as ones in the axes of a model's root."""
    axes = humanoid.root.rotation
    return tf.multiply(tf.multiply(tf.conjugate(axes), turns), axes)


def turns_of_pose(pose: Pose, avatar: Humanoid) -> tuple[dict[str, Any], Any]:
    """The same of a retargeted avatar, from all its nodes."""
    tree = avatar.tree
    rotation = np.repeat(tree.rotation[None], len(pose.times), axis=0)
    rotation[:, pose.nodes] = pose.rotation
    translation = np.repeat(tree.translation[None], len(pose.times), axis=0)
    translation[:, avatar.nodes[0]] = pose.hips_translation
    turns = tf.multiply(tree.world_rotations(rotation), tf.conjugate(tree.world_rotations()))
    turns = in_axes(turns, avatar)
    places = avatar.root.from_scene @ tree.world_matrices(translation, rotation)
    named = {bone: turns[:, node] for bone, node in zip(pose.bones, pose.nodes, strict=True)}
    return named, places[:, avatar.nodes[0], :3, 3]
