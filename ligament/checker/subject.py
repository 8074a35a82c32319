"""The subject of rules: a document, with shared intermediate results computed once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cached_property
from itertools import chain, compress, count, repeat
from operator import contains
from typing import Any

import numpy as np

from ligament.checker.world import Bodies, Joints, World
from ligament.errors import LigamentError, LigamentWarning
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Physics
from ligament.extensions.vrmc_node_constraint import NAME, inspect
from ligament.gltf.animation import Clip, Pose, animated_nodes, read_clip, sample_pose
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers, NodeTree, find_carriers
from ligament.rig import NodeConstraints

Reading = Clip | LigamentError


class Subject:
    """Parts of a document; broken ones are None, and reporting them is up to the rules."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.json = document.json

    def array(self, name: str) -> list[Any]:
        """Return a top-level array, empty if the document has none."""
        value = self.json.get(name)
        return value if isinstance(value, list) else []

    @property
    def overflows(self) -> bool:
        """Whether there may be numbers that are too large for a double."""
        return self.document.origin is not None and self.document.origin.overflows

    @cached_property
    def nodes(self) -> list[dict[str, Any]]:
        """All nodes, with {} for invalid ones."""
        nodes = self.array("nodes")
        return nodes if {*map(type, nodes)} <= {dict} else list(map(_object, nodes))

    def nodes_with(self, member: str) -> list[int]:
        """List the nodes that have a member."""
        if member not in self._members_of_nodes:
            return []
        return [*compress(count(), map(contains, self.nodes, repeat(member)))]

    @cached_property
    def _members_of_nodes(self) -> set[str]:
        return {*chain.from_iterable(self.nodes)}

    @cached_property
    def sound_scenes(self) -> frozenset[int]:
        """The scenes that list roots of the tree only, each once."""
        scenes = enumerate(self.array("scenes"))
        return frozenset(i for i, scene in scenes if self._lists_roots(_object(scene).get("nodes")))

    def _lists_roots(self, listed: Any) -> bool:
        """Tell quickly whether a list of nodes is unsuspicious."""
        if not isinstance(listed, list) or {*map(type, listed)} != {int} or self.tree is None:
            return False
        if min(listed) < 0 or max(listed) >= len(self.tree) or len({*listed}) < len(listed):
            return False
        return bool((self.tree.parents[listed] < 0).all())

    @cached_property
    def carriers(self) -> Carriers:
        """The nodes that carry each extension, with its content."""
        return find_carriers(self.document)

    @cached_property
    def tree_or_fault(self) -> NodeTree | LigamentError:
        """The node tree, or the reason why there is none."""
        try:
            return NodeTree(self.document)
        except LigamentError as fault:
            return fault

    @property
    def tree(self) -> NodeTree | None:
        """The node tree, None if it is broken."""
        return self.tree_or_fault if isinstance(self.tree_or_fault, NodeTree) else None

    @cached_property
    def physics(self) -> Physics:
        """The rigid bodies that the file declares."""
        return read_physics(self.document, carriers=self.carriers)

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies as arrays."""
        return Bodies(self.physics.motions)

    @cached_property
    def joints(self) -> Joints:
        """The joints as arrays."""
        return Joints([*self.physics.joints.values()])

    @cached_property
    def clips(self) -> list[Reading]:
        """Every animation, or the reason why it cannot be read."""
        return [self._clip(index) for index in range(len(self.array("animations")))]

    @cached_property
    def animated(self) -> frozenset[str]:
        """The JSON pointers of everything that animation pointers change."""
        clips = [clip for clip in self.clips if isinstance(clip, Clip)]
        return frozenset(track.pointer for clip in clips for track in clip.properties)

    def _clip(self, index: int) -> Reading:
        try:
            return read_clip(self.document, index)
        except LigamentError as fault:
            return fault

    @cached_property
    def world_or_fault(self) -> World | LigamentError | None:
        """World poses of the bodies at the start, or why there are none; None without a tree."""
        if self.tree is None:
            return None
        clips = [clip for clip in self.clips if isinstance(clip, Clip)]
        animated = animated_nodes(clips)
        try:
            pose, constrained = self._start(self.tree, clips)
            animated = animated._replace(moved=animated.moved | constrained)
            return World(self.document, self.physics, self.bodies, self.tree, pose, animated)
        except LigamentError as fault:
            return fault

    @property
    def world(self) -> World | None:
        """World poses of the bodies at the start, None if unavailable."""
        return self.world_or_fault if isinstance(self.world_or_fault, World) else None

    def _start(self, tree: NodeTree, clips: list[Clip]) -> tuple[Pose, set[int]]:
        """Return local transforms (N, …) at time 0, and the nodes that constraints rotate."""
        pose = Pose(tree.translation, tree.rotation, tree.scale)
        if clips:
            pose = Pose(*(values[0] for values in sample_pose(tree, clips, np.zeros(1))))
        constraints = inspect(self.document)[0] if NAME in self.carriers else []
        turned = {constraint.destination for constraint in constraints}
        # At rest, only aim constraints rotate anything.
        if not clips and all(constraint.kind != "aim" for constraint in constraints):
            return pose, turned
        return self._constrained(pose), turned

    def _constrained(self, pose: Pose) -> Pose:
        """Return a pose after its constraints, or unchanged if they cannot be solved."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LigamentWarning)
                solver = NodeConstraints(Document(self.json))
        except LigamentError:
            return pose
        rotation = solver.solve(pose.rotation, pose.translation, pose.scale)
        return pose._replace(rotation=np.asarray(rotation))


def _object(raw: Any) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else {}


class Places:
    """A set of JSON pointers."""

    def __init__(self, pointers: Iterable[str]) -> None:
        self._exact = set(pointers)
        self._parents = {pointer.rpartition("/")[0] for pointer in self._exact}

    @cached_property
    def _above(self) -> set[str]:
        return {
            pointer[:end]
            for pointer in self._exact
            for end, character in enumerate(pointer)
            if character == "/"
        }

    def at_or_below(self, pointer: str) -> bool:
        """Tell whether any of the places is this one or below it."""
        return pointer in self._exact or pointer in self._above

    def adjoin(self, pointer: str) -> bool:
        """Tell whether any of the places is this one, its parent or its child."""
        parent = pointer.rpartition("/")[0]
        return pointer in self._exact or parent in self._exact or pointer in self._parents
