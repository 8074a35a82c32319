"""The picture of a document: each geometry once, with all nodes that use it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.drawing import Framing, Overlays, draw_overlays, frame_of
from ligament.drawing.geometry import outline
from ligament.drawing.instances import collider_attachment, is_mobile
from ligament.drawing.poses import WORLD, Attachments, NodePoses, rest_poses
from ligament.errors import LigamentError
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.skinning import skin_matrices
from ligament.gltf.tree import nearest
from ligament.physics.scene import Scene
from ligament.physics.shapes import Plane
from ligament.play import Simulation
from ligament.viewer.drawing.limbs import limbs, textured
from ligament.viewer.drawing.meshes import Piece, SkinnedPart, cut_mesh, skinned_parts


class InstancedMesh(NamedTuple):
    """One primitive of a mesh on all nodes (K,) that have it."""

    piece: Piece
    nodes: Ints


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """Everything drawn, the initial framing, and the height of the lowest point [m]."""

    meshes: tuple[InstancedMesh, ...]
    skins: tuple[SkinnedPart, ...]
    overlays: Overlays
    framing: Framing
    floor: float


def draw(sim: Simulation, poses: Sequence[NodePoses] = ()) -> Picture:
    """Make the picture of a document at the start of its simulation.

    The camera covers the given poses, those of the first seconds for example.
    """
    document, scene = sim.document, sim.scene
    meshes, skins = _meshes(document, sim)
    framing = frame_of(document, scene=scene, poses=poses)
    return Picture(
        meshes=meshes,
        skins=skins,
        overlays=draw_overlays(document, scene, unscaled=sim.unscaled_shapes()),
        framing=framing,
        floor=_ground(scene, meshes, rest_poses(sim.stage.tree), framing),
    )


# --- meshes ---


def _meshes(
    document: Document, sim: Simulation
) -> tuple[tuple[InstancedMesh, ...], tuple[SkinnedPart, ...]]:
    """Cut every mesh once, however many nodes use it; a skinned one once per node."""
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
        with _skip_unreadable(document, index):
            world = np.asarray(sim.stage.tree.world_matrices())
            if _moves(document, node.skin, sim):
                cut = textured(document, node.mesh)
                skins += skinned_parts(document, node.mesh, node.skin, world, without=cut)
                cuts = limbs(document, node, cut)
                batches += [InstancedMesh(piece, np.array([joint])) for joint, piece in cuts]
            else:
                joints = skin_matrices(document, node.skin, world)
                whole = cut_mesh(document, node.mesh, weights=node.weights, joints=joints)
                batches += [InstancedMesh(piece, np.array([WORLD])) for piece in whole]
    for (mesh, weights), nodes in shared.items():
        with _skip_unreadable(document, nodes[0]):
            pieces = cut_mesh(document, mesh, weights=weights)
            batches += [InstancedMesh(piece, np.array(nodes)) for piece in pieces]
    return tuple(batches), tuple(skins)


@contextlib.contextmanager
def _skip_unreadable(document: Document, node: int) -> Iterator[None]:
    """Skip a mesh that cannot be read, with a warning."""
    try:
        yield
    except LigamentError as fault:
        document.warn(f"a mesh is not shown: {fault.message}", f"/nodes/{node}/mesh")


def _moves(document: Document, skin: int, sim: Simulation) -> bool:
    """Tell whether any joint of a skin, or an ancestor of one, moves."""
    moving = {body.node for body in sim.scene.bodies if is_mobile(body)}
    moved = nearest(sim.stage.tree, sorted(moving | sim.stage.changed))
    joints = document.element("skins", skin, objects.Skin).joints
    return bool((moved[[joint for joint in joints if joint < len(moved)]] >= 0).any())


# --- the ground ---


def _ground(
    scene: Scene, meshes: Sequence[InstancedMesh], poses: NodePoses, framing: Framing
) -> float:
    """Return the height [m] of the lowest point of all that is drawn."""
    heights = [_mesh_corners(batch, poses)[..., 1].min() for batch in meshes if len(batch.nodes)]
    for collider in scene.colliders:
        lines = outline(collider.shape).reshape(-1, 3)
        points = np.zeros((1, 3)) if isinstance(collider.shape, Plane) else lines
        if len(points):
            at = Attachments.of([collider_attachment(scene, collider)]).world(poses)
            heights.append((tf.rotate(at[1], points) + at[0])[:, 1].min())
    bottom = float(framing.center[1] - framing.half_size[1])
    return min(float(min(heights)), bottom) if heights else bottom


def _mesh_corners(mesh: InstancedMesh, poses: NodePoses) -> Floats:
    """Return the corners (K, 8, 3) of a mesh on all its nodes."""
    ends = zip(mesh.piece.low, mesh.piece.high, strict=True)
    corners = np.array(list(product(*ends)))
    position, rotation, scale = (values[mesh.nodes, None] for values in poses)
    return np.asarray(tf.rotate(rotation, corners * scale) + position)
