"""The skin of an avatar, split by segments, and shapes fitted to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.author.ragdoll.anatomy import Anatomy, Part
from ligament.author.ragdoll.anthropometry import Form
from ligament.author.ragdoll.segment_shapes import THICKEST, Solid, axis_of, capsule, proportioned
from ligament.errors import LigamentError
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.mesh import read_mesh
from ligament.gltf.skinning import SKIN_ATTRIBUTES, read_posed_mesh, skin_matrices
from ligament.gltf.tree import NodeTree

MIN_VERTICES = 12
"""Least number of vertices for measuring the skin of a segment."""

USUAL_WIDTHS = 0.5, 2.0
"""Widths outside these multiples of the usual ones are clothes, hair or a stylised body."""

OWN_BONES_ONLY = ("head", "thorax", "abdomen", "pelvis")
"""Segments for which only their own bones count: other joints move hair, wings and skirts."""


def skin_points(document: Document, anatomy: Anatomy) -> dict[str, Floats]:
    """Return the vertices (V, 3) [m] of every part at rest, in the world.

    A vertex belongs to the joint of its largest weight, or to the node of its mesh. Unreadable
    meshes are left out, with a warning.
    """
    tree = NodeTree(document)
    world = np.asarray(tree.world_matrices())
    owners = _owners(anatomy, tree)
    found: dict[str, list[Floats]] = {}
    for node, mesh, skin in _meshes(document):
        try:
            pieces = list(_vertices(document, mesh, skin, node, world))
        except LigamentError as fault:
            document.warn(
                f"the mesh is ignored for the ragdoll: {fault.message}", f"/meshes/{mesh}"
            )
            continue
        for points, movers in pieces:
            for mover in np.unique(movers):
                if (name := owners.get(int(mover))) is not None:
                    found.setdefault(name, []).append(points[movers == mover])
    return {name: np.concatenate(points) for name, points in found.items()}


def fitted(anatomy: Anatomy, part: Part, points: Floats | None) -> Solid:
    """Make the shape of a part from its skin, or from bone lengths if it has too few points."""
    usual = proportioned(anatomy, part)
    if points is None or len(points) < MIN_VERTICES:
        return usual
    if usual.form is Form.CAPSULE and part.segment.name != "head":
        return _fitted_limb(anatomy, part, points, usual)
    return _enclosing(points, usual)


def _fitted_limb(anatomy: Anatomy, part: Part, points: Floats, usual: Solid) -> Solid:
    """Give a limb the radius that encloses three quarters of its skin."""
    start, span = anatomy.place[part.bone], axis_of(anatomy, part)
    if part.segment.name.endswith("hand"):
        span = span * _reach(start, span, points)
    length = float(np.linalg.norm(span))
    offsets = points - start
    along = offsets @ span / length**2
    across = np.linalg.norm(offsets - along[:, None] * span, axis=1)
    middle = across[(along > 0.1) & (along < 0.9)]
    if len(middle) < MIN_VERTICES:
        return usual
    width = np.clip(
        np.percentile(middle, 75), *(factor * usual.size[0] / 2 for factor in USUAL_WIDTHS)
    )
    return capsule(start, span, min(float(width), THICKEST * length))


def _reach(start: Floats, span: Floats, points: Floats) -> float:
    """Return the length of a hand measured on its skin, relative to that of its bones."""
    along = (points - start) @ span / (span @ span)
    return float(np.clip(np.percentile(along, 98), 0.6, 1.6))


def _enclosing(points: Floats, usual: Solid) -> Solid:
    """Fit a box, or the capsule of a head, to the extents of the skin in the segment's axes."""
    local = np.asarray(tf.rotate(tf.conjugate(usual.rotation), points - usual.center))
    low, high = np.percentile(local, 3, axis=0), np.percentile(local, 97, axis=0)
    size = np.clip(high - low, USUAL_WIDTHS[0] * usual.size, USUAL_WIDTHS[1] * usual.size)
    if usual.form is Form.CAPSULE:
        width = min(float((size[0] + size[2]) / 2), 2 * THICKEST * float(size[1]))
        size = np.array([width, size[1], width])
    center = usual.center + tf.rotate(usual.rotation, (low + high) / 2)
    return Solid(usual.form, np.asarray(center), usual.rotation, size)


def _owners(anatomy: Anatomy, tree: NodeTree) -> dict[int, str]:
    """Return node → part for all nodes whose vertices count for a part."""
    bones = dict(zip(anatomy.humanoid.nodes.tolist(), anatomy.humanoid.bones, strict=True))
    owners: dict[int, str] = {}
    for level in tree.levels:
        for node in level.tolist():
            bone = bones.get(node)
            above = owners.get(int(tree.parents[node]))
            name = above if bone is None else anatomy.carrier(bone)
            if name is not None and (
                bone is not None or name not in OWN_BONES_ONLY or _has_mesh(node, anatomy)
            ):
                owners[node] = name
    return owners


def _has_mesh(node: int, anatomy: Anatomy) -> bool:
    """Tell whether a node has a rigid mesh, as in an avatar made of rigid pieces."""
    raw = anatomy.humanoid.document.array("nodes")[node]
    return "mesh" in raw and "skin" not in raw


def _meshes(document: Document) -> Iterator[tuple[int, int, int | None]]:
    for index, node in enumerate(document.views("nodes", objects.Node)):
        if node.mesh is not None:
            yield index, node.mesh, node.skin


def _vertices(
    document: Document, mesh: int, skin: int | None, node: int, world: Floats
) -> Iterator[tuple[Floats, Ints]]:
    """Yield the points (V, 3) of primitives in the world, and the node (V,) that moves each."""
    joints = None if skin is None else skin_matrices(document, skin, world)
    names = np.array([] if skin is None else document.element("skins", skin, objects.Skin).joints)
    posed = read_posed_mesh(document, mesh, place=world[node], joints=joints)
    plain = read_mesh(document, mesh, attributes=SKIN_ATTRIBUTES)
    for placed, raw in zip(posed, plain, strict=True):
        used = np.unique(raw.corners)
        movers = np.full(len(placed.points), node)
        if joints is not None and {"JOINTS_0", "WEIGHTS_0"} <= raw.attributes.keys():
            heaviest = np.argmax(raw.attributes["WEIGHTS_0"], axis=1)
            movers = names[
                np.take_along_axis(raw.attributes["JOINTS_0"], heaviest[:, None], 1)[:, 0]
            ]
        yield placed.points[used], np.asarray(movers[used], np.int64)
