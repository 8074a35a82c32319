"""Posed meshes: morph targets, then skinning by the joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import ContentError, LigamentError
from ligament.gltf import objects
from ligament.gltf.accessors import read_accessor
from ligament.gltf.document import Document
from ligament.gltf.mesh import Geometry, read_mesh

SKIN_ATTRIBUTES = ("JOINTS_", "WEIGHTS_")


def read_posed_mesh(
    document: Document,
    index: int,
    *,
    weights: Sequence[float] | None = None,
    place: npt.ArrayLike | None = None,
    joints: Floats | None = None,
) -> list[Geometry]:
    """Read every primitive of a mesh where its morph targets and joints put it.

    `weights` of the morph targets are the mesh's own where none are given. `joints` (J, 4, 4), from
    `skin_matrices`, move what has joints; `place` (4, 4) moves the rest. Triangles stay
    counter-clockwise from outside where the matrices mirror (glTF 2.0, 3.7.4). Points that run out
    of the range of numbers are not finite.
    """
    mesh = document.element("meshes", index, objects.Mesh)
    mix = (mesh.weights or ()) if weights is None else weights
    rigid = np.eye(4) if place is None else np.asarray(place, np.float64)
    wanted = () if joints is None else SKIN_ATTRIBUTES
    result = []
    for i, geometry in enumerate(read_mesh(document, index, attributes=wanted)):
        pointer = f"/meshes/{index}/primitives/{i}"
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                morphed = _morphed(document, geometry, mesh.primitives[i].targets, mix, pointer)
                result.append(_placed(morphed, rigid, joints, pointer))
        except LigamentError as fault:
            raise fault.located(document.path) from fault.__cause__
    return result


def mesh_weights(document: Document, node: int) -> Sequence[float]:
    """Return the weights of the morph targets that a node's mesh has at rest."""
    declared = document.element("nodes", node, objects.Node)
    if declared.weights is not None or declared.mesh is None:
        return declared.weights or ()
    mesh = document.element("meshes", declared.mesh, objects.Mesh)
    targets = max((len(primitive.targets) for primitive in mesh.primitives), default=0)
    return mesh.weights or (0.0,) * targets


def skin_matrices(document: Document, index: int, world: Floats) -> Floats:
    """Return (J, 4, 4) matrices from a skinned mesh's own space to the world.

    `world` (N, 4, 4) are the world matrices of all nodes.
    """
    skin = document.element("skins", index, objects.Skin)
    pointer = f"/skins/{index}"
    for i, node in enumerate(skin.joints):
        if node >= len(world):
            message, remedy = f"there is no node {node}", f"the document has {len(world)} nodes"
            raise document.error(message, f"{pointer}/joints/{i}", remedy)
    if not skin.joints:
        raise document.error("has no joints", f"{pointer}/joints", "name at least one node")
    joints = world[skin.joints]
    if skin.inverse_bind_matrices is None:
        return joints
    binds = read_accessor(document, skin.inverse_bind_matrices)
    if binds.ndim != 3 or binds.shape[1:] != (4, 4) or len(binds) < len(joints):
        raise document.error(
            f"an array of shape {binds.shape} for {len(joints)} joints",
            f"{pointer}/inverseBindMatrices",
            "it must hold one MAT4 for every joint",
        )
    return np.asarray(joints @ binds[: len(joints)].astype(np.float64))


def _morphed(
    document: Document,
    geometry: Geometry,
    targets: Sequence[Mapping[str, int]],
    weights: Sequence[float],
    pointer: str,
) -> Geometry:
    if not targets or not weights:
        return geometry
    if len(weights) != len(targets):
        raise ContentError(
            f"{len(weights)} weights for {len(targets)} morph targets",
            pointer=f"{pointer}/targets",
            remedy="give each target one weight",
        )
    points = geometry.points.copy()
    for i, (target, weight) in enumerate(zip(targets, weights, strict=True)):
        if weight == 0 or "POSITION" not in target:
            continue
        offsets = read_accessor(document, target["POSITION"])
        if offsets.shape != points.shape:
            raise ContentError(
                f"an array of shape {offsets.shape} for {len(points)} vertices",
                pointer=f"{pointer}/targets/{i}/POSITION",
                remedy="it must hold one VEC3 for every vertex",
            )
        points += weight * offsets.astype(np.float64)
    return geometry._replace(points=points)


def _placed(geometry: Geometry, place: Floats, joints: Floats | None, pointer: str) -> Geometry:
    if joints is None or "JOINTS_0" not in geometry.attributes:
        return _moved(geometry, place, is_mirrored=_is_mirrored(place[None]))
    blended = _blended(geometry.attributes, joints, f"{pointer}/attributes")
    return _moved(geometry, blended, is_mirrored=_is_mirrored(joints))


def _moved(geometry: Geometry, matrices: Floats, *, is_mirrored: bool) -> Geometry:
    points = np.asarray(tf.apply_matrix(matrices, geometry.points))
    triangles = geometry.triangles[:, ::-1] if is_mirrored else geometry.triangles
    return geometry._replace(points=points, triangles=triangles)


def _is_mirrored(matrices: Floats) -> bool:
    """Return whether most matrices (M, 4, 4) mirror."""
    return bool(np.sign(tf.determinant(matrices[:, :3, :3])).sum() < 0)


def _blended(attributes: Mapping[str, Any], joints: Floats, pointer: str) -> Floats:
    """Mix the matrices of the joints for every vertex: (V, 4, 4)."""
    sets = [name.removeprefix("JOINTS_") for name in attributes if name.startswith("JOINTS_")]
    numbers, shares = [], []
    for n in sets:
        number, share = attributes[f"JOINTS_{n}"], attributes.get(f"WEIGHTS_{n}")
        if share is None or number.ndim != 2 or share.shape != number.shape:
            message = f"JOINTS_{n} has no WEIGHTS_{n} of its shape"
            raise ContentError(message, pointer=pointer, remedy="joints and weights go in pairs")
        if number.dtype.kind not in "iu" or number.min() < 0 or number.max() >= len(joints):
            remedy = f"it must hold whole numbers below the {len(joints)} joints of the skin"
            raise ContentError(
                "refers to a joint beyond the skin", pointer=f"{pointer}/JOINTS_{n}", remedy=remedy
            )
        numbers.append(np.asarray(number, np.int64))
        shares.append(np.asarray(share, np.float64))
    number, share = np.concatenate(numbers, axis=1), np.concatenate(shares, axis=1)
    total = share.sum(axis=1, keepdims=True)
    # Weights add up to 1 except for rounding; a vertex without any follows its first joint.
    share[:, :1] += total == 0
    share /= np.where(total == 0, 1.0, total)
    matrices = np.zeros((len(share), 4, 4))
    for column in range(share.shape[1]):
        matrices += share[:, column, None, None] * joints[number[:, column]]
    return matrices
