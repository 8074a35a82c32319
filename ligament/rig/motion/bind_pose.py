"""Bind poses of skins: the world matrices of joints that inverse bind matrices undo."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.gltf import objects
from ligament.gltf.accessors import read_accessor
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree

IN_LINE = 1e-4
"""Relative extent across a row of joints below which they are in line."""


def skins_of(document: Document) -> list[objects.Skin]:
    """Return the skins of a document."""
    return document.views("skins", objects.Skin)


def bind_matrices(document: Document, tree: NodeTree) -> dict[int, Floats]:
    """Return world matrices (4, 4) of joints in the bind pose, in the space of the largest skin."""
    skins = sorted(enumerate(skins_of(document)), key=lambda each: -len(each[1].joints))
    found: dict[int, Floats] = {}
    for index, skin in skins:
        if skin.inverse_bind_matrices is None:
            continue
        matrices = np.asarray(read_accessor(document, skin.inverse_bind_matrices), float)
        if matrices.shape[1:] != (4, 4):
            raise document.error(
                f"an array of shape {matrices.shape}",
                f"/skins/{index}/inverseBindMatrices",
                "it must hold one MAT4 for every joint",
            )
        own: dict[int, Floats] = {}
        for joint, matrix in zip(skin.joints, matrices, strict=False):
            if joint < len(tree) and abs(np.linalg.det(matrix[:3, :3])) > 1e-30:
                own[joint] = np.linalg.inv(matrix)
        shared = next((joint for joint in own if joint in found), None)
        if found and shared is None:
            continue
        change = np.eye(4) if shared is None else found[shared] @ np.linalg.inv(own[shared])
        found = {joint: change @ matrix for joint, matrix in own.items()} | found
    return found


def completed(tree: NodeTree, bind: Mapping[int, Floats]) -> dict[int, Floats]:
    """Add nodes that no skin binds, relative to parents or children as at rest."""
    matrices = dict(bind)
    order = [node for level in tree.levels for node in level.tolist()]
    local = tf.compose(tree.translation, tree.rotation, tree.scale)
    bound: dict[int, list[int]] = {}
    for node in reversed(order):
        if node not in matrices and node in bound:
            matrices[node] = _bearing(bound[node], matrices, local)
        if node in matrices and tree.parents[node] >= 0 and tree.scale[node].all():
            bound.setdefault(int(tree.parents[node]), []).append(node)
    for node in order:
        parent = int(tree.parents[node])
        if node not in matrices and parent in matrices:
            matrices[node] = matrices[parent] @ local[node]
    return matrices


def _bearing(children: list[int], matrices: Mapping[int, Floats], local: Floats) -> Floats:
    """Return the bind matrix (4, 4) of a node from those of its children.

    Three or more that are not in line show it by their places; of fewer, the first counts, as it is
    at rest.
    """
    matrix: Floats = matrices[children[0]] @ np.linalg.inv(local[children[0]])
    ends = np.stack([matrices[child][:3, 3] for child in children])
    starts = local[children, :3, 3] @ matrix[:3, :3].T
    middles = ends.mean(axis=0), starts.mean(axis=0)
    u, sizes, v = np.linalg.svd((starts - middles[1]).T @ (ends - middles[0]))
    if not sizes[1] > IN_LINE * sizes[0]:
        return matrix
    turn = v.T @ np.diag([1.0, 1.0, np.linalg.det(v.T @ u.T)]) @ u.T
    result = np.eye(4)
    result[:3, :3] = turn @ matrix[:3, :3]
    result[:3, 3] = middles[0] - turn @ middles[1]
    return result
