"""The picture of a document: each geometry once, with all nodes that it is attached to."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.errors import LigamentError
from ligament.extensions.declarations import MotionKind
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.skinning import skin_matrices
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.scene import Body, Collider, Pose, Scene
from ligament.physics.shapes import Plane
from ligament.play import Simulation
from ligament.rig.humanoid.skeleton import Humanoid, find_dialect
from ligament.view.drawing.geometry import outline
from ligament.view.drawing.instances import (
    InstancedSurface,
    bare_nodes,
    collider_attachment,
    collider_surfaces,
    limit_surfaces,
)
from ligament.view.drawing.meshes import Piece, SkinnedPart, cut_mesh, skinned_parts
from ligament.view.drawing.poses import WORLD, Attachments, NodePoses, attachment, rest_poses

FALL = 2.0
"""Reach of the view below moving bodies, relative to their extent, at most to the floor."""


class InstancedMesh(NamedTuple):
    """One primitive of a mesh on all nodes (K,) that have it."""

    piece: Piece
    nodes: Ints


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """All that is drawn, and its size.

    `low` and `high` (3,) [m] are the corners of what the camera should show at the start: whatever
    can move, if anything can. `floor` [m] is the height of the lowest point, `grain` [m] the extent
    of a typical moving collider.

    `frames` are the two frames of every joint, in pairs, and `frame_nodes` (2 J,) their joints;
    `centres` those of mass, and `centre_nodes` (M,) their bodies; `arrows` (C, 2) the source and
    the destination of every constraint; `bones` (B, 2) parent and child in a humanoid.
    """

    meshes: tuple[InstancedMesh, ...]
    skins: tuple[SkinnedPart, ...]
    surfaces: tuple[InstancedSurface, ...]
    frames: Attachments
    frame_nodes: Ints
    centres: Attachments
    centre_nodes: Ints
    arrows: Ints
    bones: Ints
    low: Floats
    high: Floats
    floor: float
    grain: float

    @property
    def size(self) -> float:
        """The extent of the scene [m]."""
        return _extent(self.low, self.high)


def draw(sim: Simulation) -> Picture:
    """Make the picture of a document at the start of its simulation."""
    document, scene, tree = sim.document, sim.scene, sim.stage.tree
    poses = rest_poses(tree)
    meshes, skins = _meshes(document, sim)
    extents = _extents(scene, tree, meshes, [skin.points for skin in skins], poses)
    size = _extent(extents.low, extents.high)
    with_mesh = [node for batch in meshes for node in batch.nodes.tolist() if node != WORLD]
    bare = bare_nodes(scene, tree, with_mesh)
    heavy = [body for body in scene.bodies if _has_mass(body)]
    return Picture(
        meshes=meshes,
        skins=skins,
        surfaces=(
            *collider_surfaces(scene, size, bare, sim.unscaled_shapes()),
            *limit_surfaces(scene, size),
        ),
        frames=Attachments.of(attachment(scene, f) for j in scene.joints for f in (j.a, j.b)),
        frame_nodes=np.repeat(np.array([j.node for j in scene.joints], np.int64), 2),
        centres=Attachments.of(_centre(body) for body in heavy),
        centre_nodes=np.array([body.node for body in heavy], np.int64),
        arrows=_pairs((c.source, c.destination) for c in sim.stage.constraints.constraints),
        bones=_bones(document),
        low=extents.low,
        high=extents.high,
        floor=extents.floor,
        grain=_grain(scene, size),
    )


def _extent(low: Floats, high: Floats) -> float:
    return float(np.linalg.norm(high - low)) or 1.0


def _pairs(pairs: Iterable[tuple[int, int]]) -> Ints:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


# --- meshes ---


def _meshes(
    document: Document, sim: Simulation
) -> tuple[tuple[InstancedMesh, ...], tuple[SkinnedPart, ...]]:
    """Cut every mesh once, however many nodes have it; a skinned one for each node."""
    shared: dict[tuple[int, tuple[float, ...] | None], list[int]] = {}
    batches: list[InstancedMesh] = []
    skins: list[SkinnedPart] = []
    for index, node in enumerate(document.views("nodes", objects.Node)):
        if node.mesh is None:
            continue
        if node.skin is None:
            weights = None if node.weights is None else tuple(node.weights)
            shared.setdefault((node.mesh, weights), []).append(index)
            continue
        with _excused(document, index):
            world = np.asarray(sim.stage.tree.world_matrices())
            if _moves(document, node.skin, sim):
                skins += skinned_parts(document, node.mesh, node.skin, world)
            else:
                joints = skin_matrices(document, node.skin, world)
                pieces = cut_mesh(document, node.mesh, weights=node.weights, joints=joints)
                batches += [InstancedMesh(piece, np.array([WORLD])) for piece in pieces]
    for (mesh, weights), nodes in shared.items():
        with _excused(document, nodes[0]):
            pieces = cut_mesh(document, mesh, weights=weights)
            batches += [InstancedMesh(piece, np.array(nodes)) for piece in pieces]
    return tuple(batches), tuple(skins)


@contextlib.contextmanager
def _excused(document: Document, node: int) -> Iterator[None]:
    """Skip a mesh that cannot be read, with a warning."""
    try:
        yield
    except LigamentError as fault:
        document.warn(f"a mesh is not shown: {fault.message}", f"/nodes/{node}/mesh")


def _moves(document: Document, skin: int, sim: Simulation) -> bool:
    """Tell whether any joint of a skin, or an ancestor of one, moves."""
    moving = {body.node for body in sim.scene.bodies if _has_mass(body)}
    moved = nearest(sim.stage.tree, sorted(moving | sim.stage.changed))
    joints = document.element("skins", skin, objects.Skin).joints
    return bool((moved[[joint for joint in joints if joint < len(moved)]] >= 0).any())


# --- bodies and bones ---


def _has_mass(body: Body) -> bool:
    return body.is_declared and body.kind is not MotionKind.STATIC


def _centre(body: Body) -> tuple[int, Pose]:
    return body.node, Pose(body.mass.center, np.array([0.0, 0.0, 0.0, 1.0]))


def _bones(document: Document) -> Ints:
    if find_dialect(document) is None:
        return _pairs(())
    try:
        humanoid = Humanoid(document, complete=False)
    except LigamentError as fault:
        document.warn(f"the skeleton is not shown: {fault.message}", fault.pointer or "")
        return _pairs(())
    nodes, parents = humanoid.nodes, humanoid.parents
    return np.stack([nodes[parents], nodes], axis=1)[parents >= 0]


# --- size ---


class _Extents(NamedTuple):
    """Corners (3,) [m] of what the camera shows at first, and the height of the lowest point."""

    low: Floats
    high: Floats
    floor: float


def _extents(
    scene: Scene,
    tree: NodeTree,
    meshes: Sequence[InstancedMesh],
    skins: Sequence[Floats],
    poses: NodePoses,
) -> _Extents:
    """Measure the scene at the start; where nothing moves, all of it is shown."""
    moving = [body.node for body in scene.bodies if _has_mass(body)]
    lively = np.append(nearest(tree, moving) >= 0, False)  # the last row is the world
    seen, other = [np.zeros((0, 3)), *skins], [np.zeros((0, 3))]
    for batch in meshes:
        corners, is_lively = _mesh_corners(batch, poses), lively[batch.nodes]
        seen.append(corners[is_lively].reshape(-1, 3))
        other.append(corners[~is_lively].reshape(-1, 3))
    for collider in scene.colliders:
        is_seen = collider.is_sensor or lively[scene.bodies[collider.body].node]
        (seen if is_seen else other).append(_collider_points(scene, collider, poses))
    whole = np.concatenate([*seen, *other])
    whole = whole if len(whole) else poses.translation
    shown = np.concatenate(seen)
    shown = shown if len(shown) and np.ptp(shown, axis=0).any() else whole
    low, high, floor = shown.min(axis=0), shown.max(axis=0), float(whole[:, 1].min())
    if moving and sum(map(len, other)) == 0:  # nothing supports them: they fall or swing
        floor -= _extent(low, high)
    low[1] = max(floor, low[1] - FALL * _extent(low, high))
    return _Extents(low, high, floor)


def _grain(scene: Scene, size: float) -> float:
    """Return the extent [m] of a typical moving collider, at most that of the scene."""
    lines = [outline(c.shape) for c in scene.colliders if _has_mass(scene.bodies[c.body])]
    extents = [np.linalg.norm(np.ptp(each.reshape(-1, 3), axis=0)) for each in lines]
    return min(size, float(np.median(extents))) if extents else size


def _collider_points(scene: Scene, collider: Collider, poses: NodePoses) -> Floats:
    """Return points of a collider (P, 3) [m]; of a plane, which may be infinite, its origin."""
    position, rotation = Attachments.of([collider_attachment(scene, collider)]).world(poses)
    is_plane = isinstance(collider.shape, Plane)
    points = np.zeros((1, 3)) if is_plane else outline(collider.shape).reshape(-1, 3)
    return np.asarray(tf.rotate(rotation, points) + position)


def _mesh_corners(mesh: InstancedMesh, poses: NodePoses) -> Floats:
    """Return the corners (K, 8, 3) of a mesh on all its nodes."""
    ends = zip(mesh.piece.low, mesh.piece.high, strict=True)
    corners = np.array(list(product(*ends)))
    position, rotation, scale = (values[mesh.nodes, None] for values in poses)
    return np.asarray(tf.rotate(rotation, corners * scale) + position)
