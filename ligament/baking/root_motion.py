"""Root motion and kept contacts: avatar poses, and their path over the ground as tracks."""

from __future__ import annotations

import dataclasses

import numpy as np

from ligament import transforms as tf
from ligament.gltf.animation import Track
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.options.motions import Applying, Writing
from ligament.recording import frame_times
from ligament.rig import Humanoid, Motion, Pose, contacts, retarget
from ligament.rig.humanoid.skeleton import TURNED
from ligament.rig.motion.edits import RootMotion, resampled, split_root
from ligament.rig.springs.spring_bones import Mode

SPRING_RATE = 60.0
"""Default frame rate [Hz] of a motion with springs."""


def posed(
    motion: Motion, avatar: Humanoid, how: Writing, springs: Mode | None = None
) -> tuple[Pose, RootMotion | None]:
    """Retarget a motion, and separate its path over the ground if that is to be written.

    The path is returned as positions [m] at the avatar's scale.
    """
    rate = how.rate or (None if springs is None else SPRING_RATE)
    times = motion.times if rate is None else frame_times(motion.duration, rate)
    if not how.root_motion:
        return retarget(motion, avatar, times, **how.part(Applying)), None
    kept, root = split_root(resampled(motion, times))
    pose = retarget(kept, avatar, times, hips=how.hips)
    if how.keep_contacts:
        whole = retarget(motion, avatar, times, hips=how.hips)
        pose = _rooted(contacts.keep_contacts(whole, motion, avatar), pose, whole)
    ratio = avatar.hips_height / motion.hips_height if motion.hips is not None else 1.0
    facing = TURNED if avatar.faces_back else np.ones(3)
    return pose, root._replace(position=root.position * ratio * facing)


def _rooted(steady: Pose, rooted: Pose, whole: Pose) -> Pose:
    """Take legs from one pose, the hips from another; sinking is the same in both."""
    rotation = np.array(steady.rotation)
    rotation[:, rooted.bones.index("hips")] = rooted.rotation[:, rooted.bones.index("hips")]
    sunk = np.asarray(steady.hips_translation) - np.asarray(whole.hips_translation)
    place = np.asarray(rooted.hips_translation) + sunk
    return dataclasses.replace(steady, rotation=rotation, hips_translation=place)


def with_root(document: Document, avatar: Humanoid) -> Document:
    """Return the document, or a copy with a node added above hips that have no parent."""
    hips = int(avatar.nodes[0])
    if avatar.tree.parents[hips] >= 0:
        return document
    copy = document.copy()
    copy.json["nodes"].append({"name": "Root", "children": [hips]})
    for scene in copy.array("scenes"):
        roots = [len(copy.json["nodes"]) - 1 if n == hips else n for n in scene.get("nodes", [])]
        scene["nodes"] = roots
    return copy


def root_tracks(document: Document, avatar: Humanoid, root: RootMotion | None) -> list[Track]:
    """Animate the topmost node above the hips along the path over the ground."""
    if root is None:
        return []
    tree = NodeTree(document)
    top = list(tree.ancestors(int(avatar.nodes[0])))[-1]
    turn, to_root = avatar.root.rotation, avatar.root.from_scene
    turned = tf.multiply(tf.multiply(turn, root.rotation), tf.conjugate(turn))
    start = tf.apply_matrix(to_root, tree.translation[top])
    place = root.position + tf.rotate(root.rotation, start)
    return [
        Track(top, "rotation", root.times, np.asarray(tf.multiply(turned, tree.rotation[top]))),
        Track(top, "translation", root.times, tf.apply_matrix(np.linalg.inv(to_root), place)),
    ]
