"""Changes of rigid bodies, compared as physics scenes independently of their dialects."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import structs

from ligament import transforms as tf
from ligament.author.diff.changes import Change, Part, Tolerance, rounded
from ligament.author.diff.matching import Matches, Side
from ligament.author.diff.physics_parts import joint_changes, joint_name, shape_text, shapes_alike
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies.filter import FILTER
from ligament.extensions.rigid_bodies.material import MATERIAL
from ligament.extensions.rigid_bodies.motion import MOTION, UNTURNED, Motion, MotionKind
from ligament.extensions.tables.changes import differences
from ligament.gltf.animation import Pose as TreePose
from ligament.physics.scene import Body, Collider, Frame, Joint, Pose
from ligament.physics.scene_builder import build_scene

T = TypeVar("T", Collider, Joint)

WORLD = "the world"

CONTENT = frozenset({"mesh", "camera", "skin", "extras"})
"""Members that give a node a use other than physics."""


class World:
    """The physics of one side: its declarations, and the scene built from them."""

    def __init__(self, side: Side, matches: Matches) -> None:
        tree = side.tree
        self.side, self._matches = side, matches
        self.physics = read_physics(side.document)
        pose = TreePose(tree.translation, tree.rotation, tree.scale)
        self.scene = build_scene(side.document, self.physics, tree=tree, pose=pose).scene

    def owner(self, body: int) -> str:
        """Name the owner of a part of the scene; static parts belong to the world."""
        owner = self.scene.bodies[body]
        if not owner.is_declared or owner.kind is MotionKind.STATIC:
            return WORLD
        return self._matches.label("nodes", owner.node, self.side)

    def ends(self, joint: Joint) -> str:
        """Name both bodies of a joint."""
        return " and ".join(self.owner(frame.body) for frame in (joint.a, joint.b))

    def pose(self, part: Collider | Frame) -> Pose:
        """Return the pose of a part in its body, or in the world where it is static."""
        if self.owner(part.body) != WORLD:
            return part.pose
        body = self.scene.bodies[part.body].pose
        return Pose(
            np.asarray(body.translation + tf.rotate(body.rotation, part.pose.translation)),
            np.asarray(tf.multiply(body.rotation, part.pose.rotation)),
        )

    def moving(self) -> dict[int, Body]:
        """Return the moving bodies by node; static ones are compared only by their colliders."""
        bodies = (body for body in self.scene.bodies if body.is_declared)
        return {body.node: body for body in bodies if body.kind is not MotionKind.STATIC}

    def carriers(self, matched: Mapping[int, int], others: set[int]) -> set[int]:
        """Return the unmatched nodes that serve only physics, as all nodes below them do."""
        still = {b.node for b in self.scene.bodies if b.kind is MotionKind.STATIC and b.node >= 0}
        known = {node for node in others | still if node not in matched}
        bare = {node for node in known if not CONTENT & self.side.raw[node].keys()}
        wrong = [n for n in bare if not bare.issuperset(self.side.children[n])]
        while wrong:
            node = wrong.pop()
            bare.discard(node)
            above = self.side.parents[node]
            wrong += [above] if above in bare else []
        return bare


class PhysicsChanges:
    """Finds the changes of the physics, and the unmatched nodes that serve only physics."""

    def __init__(self, matches: Matches, tolerance: Tolerance) -> None:
        self.matches, self.tolerance = matches, tolerance
        self.a, self.b = World(matches.a, matches), World(matches.b, matches)
        self._serving: tuple[set[int], set[int]] = (set(), set())

    def changes(self) -> list[Change]:
        """Return all changes of bodies, colliders, triggers and joints."""
        return [
            *self._bodies(),
            *self._solids("collider", is_sensor=False),
            *self._solids("trigger", is_sensor=True),
            *self._compounds(),
            *self._joints(),
        ]

    def _bodies(self) -> Iterator[Change]:
        ours, theirs = self.a.moving(), self.b.moving()
        for node, body in ours.items():
            there = self.matches.nodes.get(node)
            if there is None or there not in theirs:
                yield Change("removed", "body", self.matches.a.path(node), None, _mass_text(body))
                continue
            motions = self.a.physics.motions[node], self.b.physics.motions[there]
            name = self.matches.a.path(node)
            yield from self._body(name, body, theirs[there], *motions)
        for node, body in theirs.items():
            if self.matches.back.get(node) not in ours:
                name = self.matches.b.path(node)
                yield Change("added", "body", name, None, None, _mass_text(body))

    def _body(
        self, name: str, one: Body, other: Body, before: Motion, after: Motion
    ) -> Iterator[Change]:
        """Compare bodies; skip values that both sides derive from their shapes."""
        is_declared = {
            attribute: any(getattr(motion, attribute) is not None for motion in (before, after))
            for attribute in ("mass", "center_of_mass", "inertia_diagonal")
        }
        ours, theirs = _measured(one, before, is_declared), _measured(other, after, is_declared)
        for detail, was, now in differences(MOTION, ours, theirs, self.tolerance.same_json):
            yield Change("changed", "body", name, detail, was, now)

    def _solids(self, part: Part, *, is_sensor: bool) -> Iterator[Change]:
        ours, theirs = (
            [c for c in world.scene.colliders if c.is_sensor is is_sensor]
            for world in (self.a, self.b)
        )
        owners = [[w.owner(c.body) for c in cs] for w, cs in ((self.a, ours), (self.b, theirs))]
        places = (lambda c: self._extent(self.a, c)), (lambda c: self._extent(self.b, c))
        for one, other in self._paired(ours, theirs, owners, places, self._same_solid):
            if one is None and other is not None:
                name = self.matches.b.path(other.node)
                yield Change("added", part, name, None, None, shape_text(other.shape))
            elif other is None and one is not None:
                name = self.matches.a.path(one.node)
                yield Change("removed", part, name, None, shape_text(one.shape))
            elif one is not None and other is not None:
                self._carry(one.node, other.node)
                yield from self._solid(part, one, other)

    def _solid(self, part: Part, one: Collider, other: Collider) -> Iterator[Change]:
        name = self.matches.a.path(one.node)
        owners = self.a.owner(one.body), self.b.owner(other.body)
        if owners[0] != owners[1]:
            yield Change("changed", part, name, "body", *owners)
        if not shapes_alike(one.shape, other.shape, self.tolerance):
            texts = shape_text(one.shape), shape_text(other.shape)
            yield Change("changed", part, name, "shape", *texts)
        same = self.tolerance.same_json
        if part == "collider":
            for detail, was, now in differences(MATERIAL, one.material, other.material, same):
                yield Change("changed", part, name, detail, was, now)
        for detail, was, now in differences(FILTER, one.filter, other.filter, same):
            yield Change("changed", part, name, f"filter: {detail}", was, now)

    def _compounds(self) -> Iterator[Change]:
        """Compare compound triggers."""
        ours = {node: self._members(self.a, node) for node in self.a.physics.triggers}
        theirs = {
            self.matches.back.get(node, -1 - node): self._members(self.b, node)
            for node in self.b.physics.triggers
        }
        for node in dict.fromkeys([*ours, *theirs]):
            before, after = sorted(ours.get(node, [])), sorted(theirs.get(node, []))
            if before != after:
                name = self.matches.a.path(node) if node >= 0 else self.matches.b.path(-1 - node)
                yield Change("changed", "trigger", name, "members", before, after)

    def _members(self, world: World, node: int) -> list[str]:
        members = world.physics.triggers[node].nodes
        return [self.matches.label("nodes", member, world.side) for member in members]

    def _joints(self) -> Iterator[Change]:
        ours, theirs = self.a.scene.joints, self.b.scene.joints
        ends = [[f"{joint_name(j)} {w.ends(j)}" for j in w.scene.joints] for w in (self.a, self.b)]
        places = (lambda _: 0.0), (lambda _: 0.0)
        for one, other in self._paired(ours, theirs, ends, places, lambda *_: True):
            if one is None and other is not None:
                yield self._whole("added", other, self.b)
            elif other is None and one is not None:
                yield self._whole("removed", one, self.a)
            elif one is not None and other is not None:
                for nodes in ((one.node, other.node), (one.a.node, other.a.node)):
                    self._carry(*nodes)
                self._carry(one.b.node, other.b.node)
                yield from self._joint(one, other)

    def _whole(self, change: str, joint: Joint, world: World) -> Change:
        name, text = world.side.path(joint.node), f"{joint_name(joint)} of {world.ends(joint)}"
        if change == "added":
            return Change("added", "joint", name, None, None, text)
        return Change("removed", "joint", name, None, text)

    def _joint(self, one: Joint, other: Joint) -> Iterator[Change]:
        name = self.matches.a.path(one.node)
        ends = self.a.ends(one), self.b.ends(other)
        if ends[0] != ends[1]:
            yield Change("changed", "joint", name, "bodies", *ends)
        elif not self._frames_alike(one, other):
            yield Change("changed", "joint", name, "frames", _frames(one), _frames(other))
        yield from joint_changes(name, one, other, self.tolerance)

    def _frames_alike(self, one: Joint, other: Joint) -> bool:
        """Tell whether joints have equal frames; those on matched nodes are compared as nodes."""
        for ours, theirs in ((one.a, other.a), (one.b, other.b)):
            is_matched = self.matches.nodes.get(ours.node) == theirs.node
            if not is_matched and not self._poses_alike(self.a.pose(ours), self.b.pose(theirs)):
                return False
        return True

    def _extent(self, world: World, collider: Collider) -> float:
        """Return the largest coordinate of a collider's position, the scale of its tolerance."""
        return float(np.abs(world.pose(collider).translation).max())

    def _same_solid(self, one: Collider, other: Collider) -> bool:
        return shapes_alike(one.shape, other.shape, self.tolerance) and self._poses_alike(
            self.a.pose(one), self.b.pose(other)
        )

    def _poses_alike(self, one: Pose, other: Pose) -> bool:
        return self.tolerance.alike(
            one.translation, other.translation
        ) and self.tolerance.rotations_alike(one.rotation, other.rotation)

    def _paired(
        self,
        ours: Sequence[T],
        theirs: Sequence[T],
        owners: Sequence[Sequence[str]],
        places: tuple[Callable[[T], float], Callable[[T], float]],
        is_same: Callable[[T, T], bool],
    ) -> list[tuple[T | None, T | None]]:
        """Pair parts by their nodes, then equal parts of the same owner.

        `places` map a part of either side to a number that is the same for equal parts.
        """
        at_node = {item.node: item for item in theirs}
        partners = [at_node.get(self.matches.nodes.get(item.node, -1)) for item in ours]
        taken = {id(item) for item in partners if item is not None}
        pairs: list[tuple[T | None, T | None]] = []
        groups: dict[str, list[T]] = {}
        for owner, item in zip(owners[1], theirs, strict=True):
            if id(item) not in taken:
                groups.setdefault(owner, []).append(item)
        left = {owner: _Unpaired(items, places[1]) for owner, items in groups.items()}
        for owner, one, partner in zip(owners[0], ours, partners, strict=True):
            other = partner
            if partner is None and owner in left:
                place = places[0](one)
                width = 2 * self.tolerance.value * max(1.0, abs(place))
                other = left[owner].take(place, width, partial(is_same, one))
            pairs.append((one, other))
        return pairs + [(None, item) for group in left.values() for item in group.rest()]

    def carriers(self) -> tuple[set[int], set[int]]:
        """Return the nodes of both sides that carry nothing but compared parts of the physics."""
        return (
            self.a.carriers(self.matches.nodes, self._serving[0]),
            self.b.carriers(self.matches.back, self._serving[1]),
        )

    def _carry(self, one: int, other: int) -> None:
        self._serving[0].add(one)
        self._serving[1].add(other)


class _Unpaired(Generic[T]):
    """Parts without a partner, sorted by a number that is the same for equal parts."""

    def __init__(self, items: Sequence[T], place: Callable[[T], float]) -> None:
        numbered = sorted((place(item), index) for index, item in enumerate(items))
        self._items: Sequence[T] = items
        self._order = [index for _, index in numbered]
        self._places = [number for number, _ in numbered]
        self._next = [*range(len(items) + 1)]

    def _free(self, index: int) -> int:
        """Return the first index, from the given one, of a part that is not taken."""
        while self._next[index] != index:
            self._next[index] = self._next[self._next[index]]
            index = self._next[index]
        return index

    def take(self, place: float, width: float, is_same: Callable[[T], bool]) -> T | None:
        """Take the first equal part whose number is within `width` of a place."""
        index = self._free(bisect_left(self._places, place - width))
        while index < len(self._places) and self._places[index] <= place + width:
            item = self._items[self._order[index]]
            if is_same(item):
                self._next[index] = index + 1
                return item
            index = self._free(index + 1)
        return None

    def rest(self) -> list[T]:
        """Return the remaining parts in their original order."""
        left = (i for i in range(len(self._items)) if self._next[i] == i)
        return [self._items[index] for index in sorted(self._order[i] for i in left)]


def _mass_text(body: Body) -> str:
    mass = body.mass.mass
    return f"{body.kind}, {'infinite mass' if math.isinf(mass) else f'{mass:.6g} kg'}"


def _measured(body: Body, motion: Motion, is_declared: Mapping[str, bool]) -> Motion:
    """Return a motion with the mass properties of its body, unless both sides derive them.

    Moments are sorted: equal tensors may list their axes differently.
    """
    mass = body.mass
    values: dict[str, Any] = {
        "mass": mass.mass,
        "center_of_mass": rounded(mass.center),
        "inertia_diagonal": sorted(rounded(mass.inertia)),
    }
    known = {name: value if is_declared[name] else None for name, value in values.items()}
    return structs.replace(motion, kind=body.kind, inertia_orientation=UNTURNED, **known)


def _frames(joint: Joint) -> list[list[float]]:
    return [rounded(frame.pose.translation) for frame in (joint.a, joint.b)]
