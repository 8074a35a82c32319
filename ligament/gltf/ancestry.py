"""Questions about the node tree: who is the nearest above, how deep, what takes part."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from ligament.arrays import Ints
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.references import read_index
from ligament.gltf.tree import NodeTree


def nearest(tree: NodeTree, marked: Collection[int]) -> Ints:
    """Return, for every node, the nearest of itself and its ancestors that is marked, else -1."""
    chosen = np.zeros(len(tree), bool)
    chosen[list(marked)] = True
    found = np.full(len(tree) + 1, -1, np.int64)  # the last stands for the parent of roots
    for level in tree.levels:
        found[level] = np.where(chosen[level], level, found[tree.parents[level]])
    return found[:-1]


def depths(tree: NodeTree) -> Ints:
    """Return the number of ancestors of every node, with one more entry of -1 for no node."""
    depth = np.full(len(tree) + 1, -1, np.int64)
    for i, level in enumerate(tree.levels):
        depth[level] = i
    return depth


def below(tree: NodeTree, roots: Iterable[int]) -> npt.NDArray[np.bool_]:
    """Tell which nodes are at or below some roots."""
    return nearest(tree, list(roots)) >= 0


def scene_members(document: Document, tree: NodeTree, scene: int | None) -> frozenset[int]:
    """Return the nodes of a scene: the one asked for, the document's own, the first, or all."""
    scenes = document.array("scenes")
    named = document.json.get("scene", 0) if scene is None else scene
    if scene is None and not scenes:
        return frozenset(range(len(tree)))
    index = read_index(named)
    if index is None or index >= len(scenes):
        raise document.error(
            f"there is no scene {pointers.found(named)}",
            "/scenes",
            f"the file has {len(scenes)} scenes",
        )
    listed = scenes[index].get("nodes", []) if isinstance(scenes[index], dict) else []
    found = map(read_index, listed if isinstance(listed, list) else [])
    roots = [node for node in found if node is not None and node < len(tree)]
    return frozenset(np.flatnonzero(nearest(tree, roots) >= 0).tolist())
