"""Retargeted motion as separate files: arrays, VRMA, or the avatar without other animations."""

from __future__ import annotations

import contextlib
import os

from ligament.baking.motion import save_arrays
from ligament.baking.root_motion import posed
from ligament.baking.vrma import to_vrma
from ligament.errors import LigamentError
from ligament.gltf import save
from ligament.gltf.document import Document
from ligament.gltf.reindex.prune import prune
from ligament.options.motions import Writing
from ligament.rig import Humanoid, Motion, contacts
from ligament.rig.motion.edits import at_rate
from ligament.rig.springs.spring_bones import Mode


def without_animations(document: Document) -> Document:
    """Return a copy of a document without animations, and without the bytes of their keys."""
    copy = document.copy()
    if copy.json.pop("animations", None) is not None:
        with contextlib.suppress(LigamentError):  # data that unknown extensions refer to stays
            prune(copy, ["accessors", "bufferViews", "buffers"])
    return copy


def write_arrays(
    avatar: Humanoid,
    motion: Motion,
    path: str | os.PathLike[str],
    how: Writing,
    *,
    springs: Mode | None = None,
) -> None:
    """Retarget a motion and write it as .npz."""
    pose, root = posed(motion, avatar, how, springs)
    save_arrays(pose, path, document=avatar.document, springs=springs, root=root)


def write_motion_file(
    avatar: Humanoid, motion: Motion, path: str | os.PathLike[str], how: Writing
) -> None:
    """Retarget a motion and write it as .vrma, sampled at a rate [Hz] or with its own keys."""
    if how.keep_contacts:
        pose, _ = posed(motion, avatar, how)
        motion = contacts.motion_of_pose(pose, avatar, motion)
    elif how.rate is not None:
        motion = at_rate(motion, how.rate)
    save(to_vrma(avatar, motion, hips=how.hips), path)
