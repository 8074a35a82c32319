"""Retargeted motion as separate files: arrays, VRMA, or the avatar without other animations."""

from __future__ import annotations

import contextlib
import os

from ligament.baking.motion import SPRING_RATE, save_arrays
from ligament.baking.root_motion import posed
from ligament.baking.vrma import to_vrma
from ligament.errors import LigamentError
from ligament.gltf import save
from ligament.gltf.document import Document
from ligament.gltf.reindex.prune import prune
from ligament.options.names import HipsRule
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
    *,
    rate: float | None = None,
    hips: HipsRule = "delta",
    root_motion: bool = False,
    keep_contacts: bool = False,
    springs: Mode | None = None,
) -> None:
    """Retarget a motion and write it as .npz."""
    rate = SPRING_RATE if rate is None and springs is not None else rate
    pose, root = posed(
        motion, avatar, rate, hips, root_motion=root_motion, keep_contacts=keep_contacts
    )
    save_arrays(pose, path, document=avatar.document, springs=springs, root=root)


def write_motion_file(
    avatar: Humanoid,
    motion: Motion,
    path: str | os.PathLike[str],
    *,
    rate: float | None = None,
    hips: HipsRule = "delta",
    keep_contacts: bool = False,
) -> None:
    """Retarget a motion and write it as .vrma, sampled at a rate [Hz] or with its own keys."""
    if keep_contacts:
        pose, _ = posed(motion, avatar, rate, hips, keep_contacts=True)
        motion = contacts.motion_of_pose(pose, avatar, motion)
    elif rate is not None:
        motion = at_rate(motion, rate)
    save(to_vrma(avatar, motion, hips=hips), path)
