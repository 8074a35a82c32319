"""A document during conversion: its declarations, node poses and losses."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import structs

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.dialects.leftovers import Leftovers
from ligament.errors import LigamentError
from ligament.extensions.registry import VRMC_NODE_CONSTRAINT
from ligament.extensions.rigid_bodies import Collider, Joint, Motion, Physics, Trigger
from ligament.gltf.animation import Animated, Pose
from ligament.gltf.document import Document
from ligament.gltf.references import Reference, references
from ligament.gltf.tree import NodeTree, nearest
from ligament.losses import Loss
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import MassProperties
from ligament.physics.placement import Placement, stretching
from ligament.physics.scene import Scene
from ligament.physics.scene_builder import build_scene
from ligament.rig.animator import Animator

SAME = 1e-6
"""Distance [m, rad] up to which two frames count as equal: rounding errors of files."""

_TRANSFORMS = ("translation", "rotation", "scale")

_ACROSS_X = np.diag([-1.0, 1.0, 1.0, 1.0])


class Draft:
    """Declarations of a document, to be changed until another dialect can express them.

    `motions`, `colliders`, `triggers` and `joints` are by node. `original` stays as it was;
    `document` is its copy, which new nodes and meshes are added to.
    """

    def __init__(self, original: Document, physics: Physics) -> None:
        self.original, self.document = original, original.copy()
        self.nodes: list[Any] = self.document.array("nodes")
        self.motions: dict[int, Motion] = dict(physics.motions)
        self.colliders: dict[int, Collider] = dict(physics.colliders)
        self.triggers: dict[int, Trigger] = dict(physics.triggers)
        self.joints: dict[int, Joint] = dict(physics.joints)
        self.leftovers = Leftovers(original, physics)
        self.losses: list[Loss] = []
        self.declared = physics
        self._added: list[int] = []

    def lose(self, pointer: str, what: str, reason: str, effect: str) -> None:
        """Record something that the result does not express."""
        self.losses.append(Loss(pointer, what, reason, effect))

    @cached_property
    def tree(self) -> NodeTree:
        """The original node tree; raises LigamentError if the nodes do not form one."""
        return NodeTree(self.original)

    @cached_property
    def placement(self) -> Placement:
        """Placement of the original nodes at rest."""
        tree = self.tree
        return Placement(tree, Pose(tree.translation, tree.rotation, tree.scale))

    @cached_property
    def geometry(self) -> GeometryReader:
        """Reader of the shapes made of meshes."""
        return GeometryReader(self.original, self.tree)

    @cached_property
    def start(self) -> Placement:
        """Placement of the original nodes at time 0 of all animations, at rest if unreadable."""
        try:
            return Placement(self.tree, Animator(self.original).start())
        except LigamentError:
            return self.placement

    @cached_property
    def scene(self) -> Scene:
        """The scene that the original document declares."""
        return self.build(self.declared)

    def build(self, physics: Physics) -> Scene:
        """Build the scene of other declarations of the original document."""
        tree = self.tree
        pose = Pose(tree.translation, tree.rotation, tree.scale)
        return build_scene(self.original, physics, tree=tree, pose=pose).scene

    @cached_property
    def masses(self) -> dict[int, MassProperties]:
        """Mass properties of the bodies, computed or declared, by node."""
        return {body.node: body.mass for body in self.scene.bodies if body.is_declared}

    @cached_property
    def driven(self) -> frozenset[int]:
        """The nodes whose transform an animation or a node constraint changes."""
        constrained = {
            node
            for node, raw in enumerate(self.original.array("nodes"))
            if isinstance(raw, dict)
            and isinstance(extensions := raw.get("extensions"), dict)
            and VRMC_NODE_CONSTRAINT in extensions
        }
        return self._animated(_TRANSFORMS) | constrained

    @cached_property
    def stretching(self) -> frozenset[int]:
        """The nodes whose animation changes the scale or shear of all that is below them."""
        rotated, scaled = self._animated(("rotation",)), self._animated(("scale",))
        animated = Animated(rotated=rotated, scaled=scaled)
        return stretching(self.tree, self.tree.scale, animated)

    def _animated(self, paths: Collection[str]) -> frozenset[int]:
        return frozenset(
            reference.index
            for reference in self._channels
            if reference.is_pointer or reference.holder.get("path") in paths
        )

    @cached_property
    def _channels(self) -> list[Reference]:
        """What animations refer to among nodes."""
        animations = Document({"animations": self.original.json.get("animations", [])})
        return [found for found in references(animations) if found.target == "/nodes"]

    def is_below(self, node: int, above: int) -> bool:
        """Tell whether a node is at or below another."""
        return above in self.ancestry(node)

    def moves_within(self, node: int, body: int) -> bool:
        """Tell whether an animation moves a frame on a node in a body at or above it."""
        if node == body or not self.is_below(node, body):
            return False
        between = self.ancestry(node) - self.ancestry(body)
        return bool(between & self.driven or self.ancestry(self.parent(node)) & self.stretching)

    def stay_together(self, node: int, other: int) -> bool:
        """Tell whether animations keep a node where it is as seen from another."""
        above, above_other = self.ancestry(node), self.ancestry(other)
        if (above ^ above_other) & self.driven:
            return False
        (place, _), (other_place, _) = self.world(node), self.world(other)
        return bool(np.abs(place - other_place).max() <= SAME or not above_other & self.stretching)

    def nearest(self, marked: Collection[int]) -> list[int]:
        """Return, for every node, the nearest of itself and its ancestors that is marked, or -1."""
        old = [node for node in marked if node < len(self.tree)]
        found: list[int] = nearest(self.tree, old).tolist()
        for node in range(len(found), len(self.nodes)):
            parent = self._added[node - len(self.tree)]
            above = found[parent] if parent >= 0 else -1
            found.append(node if node in marked else above)
        return found

    def parent(self, node: int) -> int:
        """Return the parent node, -1 for a root."""
        count = len(self.tree)
        return int(self.tree.parents[node]) if node < count else self._added[node - count]

    def ancestry(self, node: int) -> set[int]:
        """Return a node and all its ancestors."""
        nodes = set()
        while node >= 0:
            nodes.add(node)
            node = self.parent(node)
        return nodes

    def local(self, node: int) -> Floats:
        """Return the local matrix (4, 4) of a node at rest."""
        tree, count = self.tree, len(self.tree)
        if node < count:
            parts = tree.translation[node], tree.rotation[node], tree.scale[node]
        else:
            raw = self.nodes[node]
            usual = {"translation": (0, 0, 0), "rotation": (0, 0, 0, 1), "scale": (1, 1, 1)}
            t, r, s = (np.array(raw.get(name, value), float) for name, value in usual.items())
            parts = t, r, s
        return np.asarray(tf.compose(*parts))

    def signs(self, node: int) -> Floats:
        """Return the signs (3,) of a node's own scale, which a shape with parameters ignores."""
        if node < len(self.tree):
            return np.asarray(self.tree.signs(self.tree.scale)[node])
        return np.where(np.array(self.nodes[node].get("scale", (1, 1, 1)), float) < 0, -1.0, 1.0)

    def world(self, node: int) -> tuple[Floats, Floats]:
        """Return the frame of a node at the start: its position (3,) and rotation (4,)."""
        if node < len(self.tree):
            return self.start.translation[node], self.start.rotation[node]
        matrix, turn = self.local(node), np.asarray(tf.normalize(self._turn(node)))
        above = self.parent(node)
        while above >= len(self.tree):
            matrix, turn = self.local(above) @ matrix, tf.multiply(self._turn(above), turn)
            above = self.parent(above)
        place = self.start
        offset = tf.rotate(place.rotation[above], place.stretch[above] @ matrix[:3, 3])
        facing = self.tree.child_orientations(place.rotation[above], above)
        return place.translation[above] + offset, tf.multiply(facing, turn)

    def _turn(self, node: int) -> Floats:
        return np.array(self.nodes[node].get("rotation", (0, 0, 0, 1)), float)

    def label(self, node: int) -> str:
        """Return a readable label of a node."""
        return self.tree.label(node) if node < len(self.tree) else f"node {node}"

    def add_child(self, parent: int, part: str, place: Floats | None = None, **members: Any) -> int:
        """Add a child to a node at a local transform (4, 4); return its index.

        A transform that mirrors becomes a negative scale along X alone: a shape with parameters
        ignores the signs of its own node, and all of these are symmetrical across X.
        """
        name = self.nodes[parent].get("name") if isinstance(self.nodes[parent], dict) else None
        index = self.add_node({"name": f"{name or f'node {parent}'} {part}", **members}, parent)
        if place is not None:
            is_mirrored = tf.determinant(place[:3, :3]) < 0
            members = transform_members(place @ _ACROSS_X if is_mirrored else place)
            if is_mirrored:
                x, y, z = members.get("scale", (1.0, 1.0, 1.0))
                members["scale"] = [-x, y, z]
            self.nodes[index] |= members
        self.nodes[parent].setdefault("children", []).append(index)
        return index

    def add_node(self, raw: dict[str, Any], parent: int = -1) -> int:
        """Add a node that no scene and no other node lists yet; return its index."""
        _ = self.tree  # read before the first node is added
        self.nodes.append(raw)
        self._added.append(parent)
        return len(self.nodes) - 1

    def replace_joint(self, joint: Joint, **changes: Any) -> Joint:
        """Replace a joint, which may change its node."""
        changed = structs.replace(joint, **changes)
        if changed.node != joint.node:
            self.joints.pop(joint.node, None)
        self.joints[changed.node] = changed
        return changed


_UNTURNED = np.array([0.0, 0.0, 0.0, 1.0])


def transform_members(matrix: Floats) -> dict[str, Any]:
    """Return a matrix (4, 4) as the members of a node, without defaults."""
    scale = np.diagonal(matrix)[:3]
    if (scale > 0).all() and np.array_equal(matrix[:3, :3], np.diag(scale)):
        return pose_members(matrix[:3, 3], _UNTURNED, scale)  # most of all, and 20 times as fast
    return pose_members(*(np.asarray(part) for part in tf.decompose(matrix)))


def pose_members(translation: Floats, rotation: Floats, scale: Floats) -> dict[str, Any]:
    """Return a translation (3,), rotation (4,) and scale (3,) as members without defaults."""
    members: dict[str, Any] = {}
    if translation.any():
        members["translation"] = translation.tolist()
    if not abs(abs(rotation[3]) - 1.0) <= 1e-15:
        members["rotation"] = rotation.tolist()
    if not (abs(scale - 1.0) <= 1e-12).all():
        members["scale"] = scale.tolist()
    return members
