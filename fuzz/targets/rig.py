"""Node constraints, humanoids and their motion."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from fuzz.mutation import mutate_document as mutate
from fuzz.seeds import DEMO, demo_files, small_files
from fuzz.steps import attempt, load
from ligament.gltf.document import Document
from ligament.gltf.load import load as load_file
from ligament.gltf.tree import NodeTree
from ligament.rig import Humanoid, Motion, NodeConstraints, load_motion, retarget

__all__ = ["mutate", "run", "seeds"]


def seeds() -> Sequence[bytes]:
    """Return avatars, motions and constraints."""
    return (*demo_files(), *(d for d in small_files() if b"VRM" in d or b"vrm" in d))


def run(data: bytes) -> None:
    """Solve the constraints of a file, and take it as an avatar and as a motion."""
    document = load(data)
    attempt(_solve, document)
    attempt(_dress, document)
    attempt(_move, document)


@functools.cache
def honest_avatar() -> Humanoid:
    """Return the avatar that odd motions are moved to."""
    return Humanoid(load_file(DEMO / "avatar.vrm"))


@functools.cache
def honest_motion() -> Motion:
    """Return the motion that odd avatars are moved by."""
    return load_motion(DEMO / "wave.vrma")


def _solve(document: Document) -> None:
    tree = NodeTree(document)
    rest = (tree.rotation[None], tree.translation[None], tree.scale[None])
    NodeConstraints(document).solve(*rest)


def _dress(document: Document) -> None:
    avatar = Humanoid(document)
    avatar.to_normalized(np.asarray(NodeTree(document).rotation)[list(avatar.nodes)])
    retarget(honest_motion(), avatar)


def _move(document: Document) -> None:
    retarget(load_motion(document), honest_avatar())
