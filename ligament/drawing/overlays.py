"""Overlays: physics and rig of a file, which no mesh shows, as geometry on its nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.drawing.geometry import BONE_SHAPE, arrow, bars, outline
from ligament.drawing.instances import (
    ARM,
    Instances,
    Links,
    Part,
    bare_nodes,
    collider_attachment,
    collider_instances,
    is_mobile,
    joint_instances,
    limit_instances,
    mass_instances,
    stroke,
)
from ligament.drawing.palette import BONE, CONSTRAINT, CONTACT, SPRING, SPRING_COLLIDER
from ligament.drawing.poses import Attachments, NodePoses, rest_poses
from ligament.errors import LigamentError
from ligament.extensions.humanoid.bones import nearest_parent
from ligament.extensions.spring_bones import Collider as SpringCollider
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.options.names import LAYERS, Layer
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Capsule, Plane, Shape, Sphere
from ligament.rig.constraints import NodeConstraints
from ligament.rig.humanoid.skeleton import find_dialect
from ligament.rig.motion.gltf_skeleton import bone_map_of
from ligament.rig.springs import SpringBones

PLATE = 0.3
"""Side [m] of the square drawn for a plane that spring bones collide with."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Overlays:
    """Overlays of a scene of `size` [m] whose typical moving collider has a `grain` [m].

    `instances` are fixed to nodes, `links` are laid from one node to another.
    """

    instances: tuple[Instances, ...]
    links: tuple[Links, ...]
    size: float
    grain: float

    @property
    def longest_force(self) -> float:
        """Length [m] of the arrow of the strongest contact."""
        return min(ARM * self.size, 0.6 * self.grain)

    @property
    def contact(self) -> Part:
        """The arrow of a contact, of length 1 along Y, and as wide as `contact_width`."""
        return Part(arrow(), CONTACT)

    @property
    def contact_width(self) -> float:
        """Width [m] of the arrows of contacts."""
        return 0.11 * self.longest_force


def draw_overlays(
    document: Document,
    scene: Scene,
    *,
    unscaled: Mapping[int, Shape] | None = None,
    layers: Collection[Layer] = LAYERS,
) -> Overlays:
    """Draw the layers of a document whose physics is `scene`.

    `unscaled` are the shapes of colliders, by index, that take the current scale of their node.
    """
    tree = NodeTree(document)
    poses = rest_poses(tree)
    size, grain = _sizes(scene, poses)
    meshes = [i for i, node in enumerate(document.array("nodes")) if "mesh" in node]
    bare = bare_nodes(scene, tree, meshes)
    drawn = [
        *collider_instances(scene, size, bare, unscaled or {}),
        *joint_instances(scene, size),
        *limit_instances(scene, size),
        *mass_instances(scene, size, grain),
    ]
    if Layer.SPRINGS in layers:
        drawn += _springs(document, tree, poses, size)
    links = [*_constraints(document, size), *_skeleton(document)]
    return Overlays(
        instances=tuple(d for d in drawn if d.layer in layers and len(d.nodes) and d.parts),
        links=tuple(link for link in links if link.layer in layers),
        size=size,
        grain=grain,
    )


# --- sizes ---


def _sizes(scene: Scene, poses: NodePoses) -> tuple[float, float]:
    """Return the extent [m] of moving parts, and that of a typical moving collider."""
    moving = [c for c in scene.colliders if is_mobile(scene.bodies[c.body])]
    points = [_points(scene, c, poses) for c in moving or scene.colliders]
    points = [each for each in points if len(each)]
    whole = np.concatenate(points) if points else poses.translation[:-1]
    size = _extent(whole) or _extent(poses.translation[:-1]) or 1.0
    extents = [_extent(each) for each in points] if moving else []
    return size, min(size, float(np.median(extents))) if extents else size


def _extent(points: Floats) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0


def _points(scene: Scene, collider: Collider, poses: NodePoses) -> Floats:
    """Return points of a collider (P, 3) [m]; of a plane, which may be infinite, none."""
    if isinstance(collider.shape, Plane):
        return np.zeros((0, 3))
    position, rotation = Attachments.of([collider_attachment(scene, collider)]).world(poses)
    points = outline(collider.shape).reshape(-1, 3)
    return np.asarray(tf.rotate(rotation, points) + position)


# --- arrows and bones ---


def _constraints(document: Document, size: float) -> Iterator[Links]:
    found = NodeConstraints(document, strict=False).constraints
    if found:
        pairs = _pairs((c.source, c.destination) for c in found)
        yield Links(
            layer=Layer.CONSTRAINTS,
            part=Part(arrow(), CONSTRAINT),
            pairs=pairs,
            nodes=pairs[:, 1],
            width=0.08 * ARM * size,
        )


def _skeleton(document: Document) -> Iterator[Links]:
    """Draw the bones of a humanoid, declared or found among the joints of its skins."""
    is_declared = find_dialect(document) is not None
    if not is_declared and not document.array("skins"):
        return
    try:
        bones = bone_map_of(document).bones
    except LigamentError as fault:
        if is_declared:  # other skins may not be humanoid
            document.warn(f"the skeleton is not shown: {fault.message}", fault.pointer or "")
        return
    parents = {bone: nearest_parent(bone, bones) for bone in bones}
    pairs = _pairs((bones[parent], bones[bone]) for bone, parent in parents.items() if parent)
    if len(pairs):
        part = Part(BONE_SHAPE, BONE)
        yield Links(layer=Layer.SKELETON, part=part, pairs=pairs, nodes=pairs[:, 0])


def _pairs(pairs: Iterable[tuple[int, int]]) -> Ints:
    return np.array(list(pairs), np.int64).reshape(-1, 2)


# --- spring bones ---


def _springs(
    document: Document, tree: NodeTree, poses: NodePoses, size: float
) -> Iterator[Instances]:
    """Draw every swinging bone, the ball at its tail, and its colliders."""
    springs = SpringBones(document, tree)
    world = np.asarray(tree.world_matrices())
    for bone in springs.bones:
        tail = _metric(world, poses, bone.node, bone.tail)
        lines = [np.stack([np.zeros(3), tail])[None]]
        if bone.joint.hit_radius > 0:
            lines.append(outline(Sphere(bone.joint.hit_radius)) + tail)
        yield _on_node(bone.node, np.concatenate(lines), SPRING, size)
    used = sorted({index for bone in springs.bones for index in bone.colliders})
    for collider in (springs.colliders[index] for index in used):
        lines_of = _collider_lines(collider, world, poses)
        yield _on_node(collider.node, lines_of, SPRING_COLLIDER, size)


def _on_node(node: int, lines: Floats, colour: tuple[int, int, int], size: float) -> Instances:
    return Instances(
        layer=Layer.SPRINGS,
        parts=(Part(bars(lines, stroke(lines, size)), colour),),
        attached=Attachments.at([node]),
        nodes=np.array([node], np.int64),
    )


def _metric(world: Floats, poses: NodePoses, node: int, vector: Iterable[float]) -> Floats:
    """Return a vector of a node's space, which may be scaled, along its axes [m]."""
    seen = world[node, :3, :3] @ np.asarray(list(vector), np.float64)
    return np.asarray(tf.rotate(tf.conjugate(poses.rotation[node]), seen))


def _collider_lines(collider: SpringCollider, world: Floats, poses: NodePoses) -> Floats:
    offset = _metric(world, poses, collider.node, collider.offset)
    if collider.kind == "sphere":
        return outline(Sphere(collider.radius)) + offset
    if collider.kind == "capsule":
        segment = _metric(world, poses, collider.node, collider.tail) - offset
        shape: Shape = Capsule(float(np.linalg.norm(segment)), collider.radius, collider.radius)
        offset, up = offset + segment / 2, segment
    else:
        shape, up = Plane(PLATE, PLATE), np.asarray(collider.normal, np.float64)
    size = float(np.linalg.norm(up))
    axis = up / size if size > 0 else np.array([0.0, 1.0, 0.0])
    rotation = tf.between(np.array([0.0, 1.0, 0.0]), axis)
    return np.asarray(tf.rotate(rotation, outline(shape)) + offset)
