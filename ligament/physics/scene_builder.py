"""The scene builder: turns the declarations of a file into a scene."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import NamedTuple, TypeVar

from ligament.arrays import Floats
from ligament.errors import LigamentError, LimitError
from ligament.extensions import rigid_bodies as declared
from ligament.extensions.rigid_bodies import GeometrySource, MotionKind, Physics
from ligament.findings import Finding, finding, scenes
from ligament.gltf.animation import NOT_ANIMATED, Animated
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import DEFAULT_MASS, Part
from ligament.physics.materials import DEFAULT
from ligament.physics.placement import ORIGIN, WORLD, Ownership, Placement
from ligament.physics.reshaping import Changes, Reshaping
from ligament.physics.scene import Collider, Frame, Joint, Scene, Trigger
from ligament.physics.shapes import NOTHING, Shape, extents, scaled
from ligament.physics.static_sides import StaticSides

__all__ = ["WORLD", "Built", "build_scene"]

T = TypeVar("T")

LARGEST = 1e6
"""Largest shape [m] that the engine can handle."""


class Built(NamedTuple):
    """A scene, findings about parts left out or replaced, and how animation reshapes it."""

    scene: Scene
    findings: tuple[Finding, ...]
    reshaping: Reshaping | None


def build_scene(
    document: Document,
    physics: Physics,
    *,
    tree: NodeTree,
    pose: TreePose,
    animated: Animated = NOT_ANIMATED,
    weights: Mapping[int, Floats] | None = None,
    members: Collection[int] | None = None,
) -> Built:
    """Build the scene that declarations describe.

    `pose` holds the local transforms (N, …) of all nodes at the start, `weights` those of morph
    targets that are animated; `animated` are the nodes that an animation changes; `members` the
    nodes that take part (None: all). Unusable parts are left out and reported as findings.
    """
    taking_part = frozenset(range(len(tree)) if members is None else members)
    present = Physics(
        dialects=physics.dialects,
        motions=_within(physics.motions, taking_part),
        colliders=_within(physics.colliders, taking_part),
        triggers=_within(physics.triggers, taking_part),
        joints=_within(physics.joints, taking_part),
    )
    ownership = Ownership(Placement(tree, pose), present.motions, animated)
    geometry = GeometryReader(document, tree, pose=pose, weights=weights)
    changes = None
    if any(animated) or document.array("skins"):
        changes = Changes(document, ownership)
        present = changes.followed(present)
    builder = _Builder(present, geometry, ownership, changes)
    try:
        _require_sizes(document, present)
        triggers = builder.build()
    except LimitError as fault:
        raise fault.located(document.path) from None
    joiner = Joiner(present, ownership, builder.solid)
    joints = tuple(joiner.joints(taking_part))
    scene = Scene(
        bodies=tuple(ownership.bodies),
        colliders=tuple(builder.colliders),
        triggers=triggers,
        joints=joints,
        carried=ownership.carried(),
    )
    reshaping = None
    if changes is not None and any(collider.changes for collider in scene.colliders):
        reshaping = Reshaping(document, tree, present, scene, geometry=geometry, changes=changes)
    return Built(scene, (*builder.findings, *joiner.findings), reshaping)


def _require_sizes(document: Document, physics: Physics) -> None:
    """Refuse scenes larger than any honest file, before anything is computed."""
    colliders = len(physics.colliders) + len(physics.triggers)
    document.limits.require("bodies", len(physics.motions), "bodies", pointer="/nodes")
    document.limits.require("colliders", colliders, "colliders", pointer="/nodes")
    filters = {collider.filter for collider in physics.colliders.values()}
    filters |= {trigger.filter for trigger in physics.triggers.values()}
    document.limits.require("filters", len(filters), "collision filters", pointer="/nodes")
    document.limits.require("joints", len(physics.joints), "joints", pointer="/nodes")


def _within(items: dict[int, T], nodes: frozenset[int]) -> dict[int, T]:
    return {node: item for node, item in items.items() if node in nodes}


class _Builder:
    """Creates the bodies, colliders and triggers of a scene."""

    def __init__(
        self,
        physics: Physics,
        geometry: GeometryReader,
        ownership: Ownership,
        changes: Changes | None,
    ) -> None:
        self.physics, self.geometry, self.ownership = physics, geometry, ownership
        self._changes = changes
        self.placement, self.tree = ownership.placement, ownership.placement.tree
        self.findings: list[Finding] = []
        self.solid: dict[int, Shape | None] = {}
        self.colliders: list[Collider] = []
        self._members = 0
        self._scaled_shapes: dict[tuple[Shape, bytes], Shape | None] = {}

    def build(self) -> tuple[Trigger, ...]:
        """Create bodies and colliders; return the triggers."""
        for node, collider in self.physics.colliders.items():
            self.solid[node] = self._shape(node, collider.geometry, collider.pointer)
        parts: dict[int, list[Part]] = {}
        for node, shape in self.solid.items():
            owner = int(self.ownership.owner[node])
            if shape is not None and owner >= 0:
                pose = self.ownership.local.of(node)
                parts.setdefault(owner, []).append(Part(shape, pose.translation, pose.rotation))
        self.ownership.declare(list(self.physics.motions.values()), parts)
        for node in self.ownership.of_unknown_mass:
            pointer, label = self.physics.motions[node].pointer, self.tree.label(node)
            self.findings.append(scenes.mass_unknown(pointer, label, DEFAULT_MASS))
        for motion in filter(self.ownership.has_unused_velocity, self.physics.motions.values()):
            label = self.tree.label(motion.node)
            self.findings.append(scenes.velocity_unused(motion.pointer, label))
        self._add_colliders()
        return tuple(self._triggers())

    def _shape(self, node: int, source: GeometrySource | None, pointer: str) -> Shape | None:
        """Read and scale a shape; None, with a finding, if it is unusable."""
        if source is None:  # reported by the reader of the dialect
            return None
        try:
            stretch = self.placement.stretch_of(source)[node]
            shape = self._scaled(self.geometry.shape(source, node), stretch)
        except LimitError:
            raise  # leaving out one shape would not help
        except LigamentError as fault:
            self.findings.append(scenes.shape_unreadable(pointer, self.tree.label(node), fault))
            return None
        if shape is not None and not max(extents(shape)) <= LARGEST:
            self.findings.append(scenes.shape_too_large(pointer, self.tree.label(node), LARGEST))
            return None
        if shape is None and self._changes is not None and self.ownership.stretched[node]:
            return NOTHING  # until it gets an extent
        if shape is None:
            self.findings.append(scenes.shape_disabled(pointer, self.tree.label(node)))
        return shape

    def _scaled(self, shape: Shape, stretch: Floats) -> Shape | None:
        """Scale a shape, once for all equal colliders."""
        key = (shape, stretch.tobytes())
        if key not in self._scaled_shapes:
            self._scaled_shapes[key] = scaled(shape, stretch)
        return self._scaled_shapes[key]

    def _add_colliders(self) -> None:
        for node, shape in self.solid.items():
            if shape is None:
                continue
            collider = self.physics.colliders[node]
            material = DEFAULT if collider.material is None else collider.material
            self.colliders.append(self._collider(collider, shape, material, is_sensor=False))

    def _collider(
        self,
        part: declared.Collider | declared.Trigger,
        shape: Shape,
        material: declared.Material,
        *,
        is_sensor: bool,
    ) -> Collider:
        ownership, node = self.ownership, part.node
        owner = int(ownership.owner[node])
        return Collider(
            node=node,
            body=ownership.body_at[owner] if owner >= 0 else ownership.of_static(node),
            shape=shape,
            pose=ownership.local.of(node),
            material=material,
            filter=part.filter,
            is_sensor=is_sensor,
            moves=ownership.moves_within(node, owner if owner >= 0 else node),
            changes=self._changes is not None and self._changes.reach(part.geometry, node),
        )

    def _triggers(self) -> Iterator[Trigger]:
        sensors: dict[int, int] = {}
        for node, trigger in self.physics.triggers.items():
            shape = self._shape(node, trigger.geometry, trigger.pointer)
            if shape is not None:
                sensors[node] = len(self.colliders)
                self.colliders.append(self._collider(trigger, shape, DEFAULT, is_sensor=True))
        self._report_wrong_members()
        for node in self.physics.triggers:
            leaves = self._leaves(node)
            yield Trigger(
                node=node, colliders=tuple(sensors[leaf] for leaf in leaves if leaf in sensors)
            )

    def _report_wrong_members(self) -> None:
        for trigger in self.physics.triggers.values():
            for slot, member in enumerate(trigger.nodes):
                if member not in self.physics.triggers:
                    pointer = f"{trigger.pointer}/nodes/{slot}"
                    self.findings.append(scenes.not_a_trigger(pointer, self.tree.label(member)))

    def _leaves(self, node: int) -> list[int]:
        """List the triggers with a shape within a trigger, however deep, each once."""
        triggers = self.physics.triggers
        reached = dict.fromkeys([node])
        waiting = [node]
        while waiting:
            members = [m for m in triggers[waiting.pop()].nodes if m in triggers]
            self._members += len(members)
            self._require_members(node)
            new = [member for member in members if member not in reached]
            reached.update(dict.fromkeys(new))
            waiting += new
        return [leaf for leaf in reached if triggers[leaf].geometry is not None]

    def _require_members(self, node: int) -> None:
        """Triggers that name each other are walked once for each of them."""
        document, pointer = self.geometry.document, self.physics.triggers[node].pointer
        what = "members of compound triggers"
        document.limits.require("trigger_members", self._members, what, pointer=pointer)


class Joiner:
    """Attaches the joints of a file to the bodies of a scene."""

    def __init__(
        self, physics: Physics, ownership: Ownership, solid: Mapping[int, Shape | None]
    ) -> None:
        self.physics, self.ownership, self.tree = physics, ownership, ownership.placement.tree
        self.nearest_collider = nearest(self.tree, physics.colliders)
        self.static_sides = StaticSides(
            ownership.placement, ownership.owner, physics.colliders, solid.get
        )
        self.findings: list[Finding] = []

    def joints(self, taking_part: frozenset[int]) -> Iterator[Joint]:
        """Yield the joints that connect anything; the others are reported as findings."""
        for joint in self.physics.joints.values():
            outside = {joint.body_a, joint.frame_a, joint.body_b, joint.frame_b} - taking_part
            if outside:
                names = ", ".join(self.tree.label(node) for node in sorted(outside))
                message = f"{names} is not in the scene, so the joint has no effect"
                code, remedy = "PHYSICS_JOINT_OUTSIDE_SCENE", "join nodes of one scene"
                self.findings.append(finding(code, joint.pointer, message, remedy))
                continue
            a = self._frame(joint.frame_a, joint.body_a)
            b = self._frame(joint.frame_b, joint.body_b)
            if self._is_useful(joint, a, b):
                yield Joint(
                    node=joint.node,
                    a=a,
                    b=b,
                    limits=joint.limits,
                    drives=joint.drives,
                    ignores=() if joint.enable_collision else self._ignored(joint),
                )

    def _frame(self, node: int, body_node: int) -> Frame:
        """Attach a node's frame to the body of another node (usually the same).

        A frame that animations alone move gets a driven body, which has a velocity.
        """
        ownership = self.ownership
        owner = int(ownership.owner[body_node])
        if owner >= 0:
            body, holder = ownership.body_at[owner], owner
        else:
            holder = self._static_holder(body_node)
            body = ownership.of_static(holder)
        moves = ownership.moves_within(node, holder)
        if moves and not ownership.follows_physics(node):
            return Frame(node=node, body=ownership.of_static(node), pose=ORIGIN)
        if owner >= 0 and owner == ownership.owner[node]:
            pose = ownership.local.of(node)
        else:
            pose = ownership.placement.within(node, ownership.bodies[body].pose)
        return Frame(node=node, body=body, pose=pose, moves=moves)

    def _static_holder(self, node: int) -> int:
        """Return the node of the static object that a frame belongs to (or the world's)."""
        collider = int(self.nearest_collider[node])
        if collider >= 0 and self.ownership.owner[collider] < 0:
            return collider
        return node if self.ownership.is_animated(node) else WORLD

    def _is_useful(self, joint: declared.Joint, a: Frame, b: Frame) -> bool:
        bodies = self.ownership.bodies
        if a.body == b.body and bodies[a.body].kind is MotionKind.DYNAMIC:
            body = self.tree.label(bodies[a.body].node)
            self.findings.append(scenes.joint_within_body(joint.pointer, body))
            return False
        if MotionKind.DYNAMIC not in (bodies[a.body].kind, bodies[b.body].kind):
            self.findings.append(scenes.joint_without_motion(joint.pointer))
            return False
        # The engine would pull the one towards the other, which follows it: a runaway.
        for one, other in ((a.body, b.body), (b.body, a.body)):
            if self.ownership.carrier(one) == other:
                names = (self.tree.label(bodies[body].node) for body in (one, other))
                self.findings.append(scenes.joint_to_carrier(joint.pointer, *names))
                return False
        return True

    def _ignored(self, joint: declared.Joint) -> tuple[tuple[int, int], ...]:
        """Pair the bodies whose collisions a joint disables."""
        own = self._side(joint, joint.body_a, joint.body_b)
        other = self._side(joint, joint.body_b, joint.body_a)
        return tuple((one, two) for one, two in product(own, other) if one != two)

    def _side(self, joint: declared.Joint, node: int, other: int) -> list[int]:
        """List the bodies on the side of a node; `other` is the node on the other side."""
        ownership = self.ownership
        owner = int(ownership.owner[node])
        if owner >= 0:
            return [ownership.body_at[owner]]
        colliders = self.static_sides.of(joint, node, int(ownership.owner[other]))
        return [ownership.body_at[at] for at in colliders if at in ownership.body_at]
