"""Reads the nodes of a dialect into the common form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ligament.extensions.catalogue import Catalogue
from ligament.extensions.declarations import (
    Collider,
    CollisionFilter,
    GeometrySource,
    Joint,
    Material,
    Motion,
    Physics,
    Trigger,
)
from ligament.extensions.fields import Fields, Target
from ligament.extensions.rigid_bodies.joints import JointDescription, read_description
from ligament.extensions.rigid_bodies.motions import read_motion
from ligament.extensions.rigid_bodies.surfaces import read_filter, read_material
from ligament.extensions.rigid_bodies.vocabulary import Vocabulary
from ligament.findings import Finding
from ligament.gltf.document import Document

NODE_MEMBERS = frozenset({"motion", "collider", "trigger", "joint"})


class Geometries(Protocol):
    """Finds the geometry that a collider or trigger names.

    `names` are the members that name it, of which there must be one; `members` are all of those
    that belong to it.
    """

    names: tuple[str, ...]
    members: frozenset[str]

    def read(self, fields: Fields, name: str) -> GeometrySource | None:
        """Read the geometry that member `name` leads to."""


class ShapesByIndex:
    """Geometries that one member gives as an index in an array of shapes."""

    def __init__(self, name: str, shapes: Catalogue[GeometrySource]) -> None:
        self.names: tuple[str, ...] = (name,)
        self.members = frozenset(self.names)
        self._shapes = shapes

    def read(self, fields: Fields, name: str) -> GeometrySource | None:
        """Look the shape up."""
        return self._shapes.pick(fields, name)


def extended(nodes: Any, names: tuple[str, ...]) -> Iterator[tuple[int, str, Any]]:
    """Yield (node, name, content) of every node for every one of the extensions it carries."""
    for node, raw in enumerate(nodes if isinstance(nodes, list) else ()):
        extensions = raw.get("extensions") if isinstance(raw, dict) else None
        if isinstance(extensions, dict):
            for name in names:
                if name in extensions:
                    yield node, name, extensions[name]


class BodyReader:
    """Reads bodies, colliders, triggers and joints, which gather in dicts by node."""

    def __init__(
        self,
        document: Document,
        vocabulary: Vocabulary,
        geometries: Geometries,
        findings: list[Finding],
    ) -> None:
        self.motions: dict[int, Motion] = {}
        self.colliders: dict[int, Collider] = {}
        self.triggers: dict[int, Trigger] = {}
        self.joints: dict[int, Joint] = {}
        self.findings = findings
        self._nodes: Any = document.json.get("nodes")
        self._node_target = Target.at(document.json, "/nodes")
        self._vocabulary = vocabulary
        self._geometries = geometries
        self._collider_members = geometries.members | {"physicsMaterial", "collisionFilter"}
        self._trigger_members = geometries.members | {"nodes", "collisionFilter"}
        self._read_arrays(Fields(document.json, "", findings).extension(vocabulary.name))

    def _read_arrays(self, root: Fields | None) -> None:
        vocabulary, here = self._vocabulary, f"/extensions/{self._vocabulary.name}"
        arrays = vocabulary.joint_arrays
        if root is not None:
            root.only({"physicsMaterials", "collisionFilters", *arrays.values()})
        self._materials = Catalogue[Material].read(
            root,
            f"{here}/physicsMaterials",
            lambda fields: read_material(fields, vocabulary.combine_modes),
        )
        self._filters = Catalogue[CollisionFilter].read(
            root, f"{here}/collisionFilters", read_filter
        )
        self._descriptions = {
            member: Catalogue[JointDescription].read(
                root, f"{here}/{array}", lambda fields: read_description(fields, vocabulary)
            )
            for member, array in arrays.items()
        }

    def read(self) -> Physics:
        """Read all nodes; dialects and findings are for the caller to add."""
        read: set[int] = set()
        for node, key, raw in extended(self._nodes, self._vocabulary.node_keys):
            fields = Fields.of(raw, f"/nodes/{node}/extensions/{key}", self.findings)
            if fields is not None and node in read:
                message = f"the node has {self._vocabulary.name} too, so this is ignored"
                fields.report("PHYSICS_DIALECT_CONFLICT", message, "remove one of them")
            elif fields is not None:
                read.add(node)
                self._read_node(fields, node)
        return Physics(
            motions=self.motions,
            colliders=self.colliders,
            triggers=self.triggers,
            joints=self.joints,
        )

    def _read_node(self, fields: Fields, node: int) -> None:
        fields.only(NODE_MEMBERS)
        if (motion := fields.object("motion")) is not None:
            self.motions[node] = read_motion(motion, node, self._vocabulary)
        if (collider := fields.object("collider")) is not None:
            self.colliders[node] = self._collider(collider, node)
        if (trigger := fields.object("trigger")) is not None:
            self.triggers[node] = self._trigger(trigger, node)
        if (content := fields.object("joint")) is not None:
            joint = self._joint(content, node)
            if joint is not None:
                self.joints[node] = joint

    def _collider(self, fields: Fields, node: int) -> Collider:
        fields.only(self._collider_members)
        names = [name for name in self._geometries.names if name in fields]
        if len(names) > 1:
            fields.one_of(*self._geometries.names)
        elif not names:
            fields.required(self._geometries.names[0])
        return Collider(
            node=node,
            geometry=self._geometries.read(fields, names[0]) if names else None,
            material=self._materials.pick(fields, "physicsMaterial"),
            filter=self._filters.pick(fields, "collisionFilter"),
            pointer=fields.pointer,
        )

    def _trigger(self, fields: Fields, node: int) -> Trigger:
        """Read a trigger of a shape or of other triggers; of both, the shape counts."""
        fields.only(self._trigger_members)
        name = fields.one_of(*self._geometries.names, "nodes")
        if name == "nodes":
            fields.misplaced("collisionFilter", "give filters to the triggers in nodes")
            return Trigger(node=node, nodes=self._members(fields), pointer=fields.pointer)
        return Trigger(
            node=node,
            geometry=None if name is None else self._geometries.read(fields, name),
            filter=self._filters.pick(fields, "collisionFilter"),
            pointer=fields.pointer,
        )

    def _members(self, fields: Fields) -> tuple[int, ...]:
        """Read the triggers that make up a compound one, leaving out what is no trigger.

        The validator refuses compounds in compounds, the text does not: they are kept.
        """
        members = []
        for node, place in fields.places("nodes", self._node_target).items():
            trigger = self._raw_trigger(node)
            if not isinstance(trigger, dict) or "nodes" in trigger:
                found = "a compound" if isinstance(trigger, dict) else "not a"
                message, remedy = (
                    f"node {node} is {found} trigger",
                    "name triggers that have a shape",
                )
                code = "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID"
                fields.report(code, message, remedy, "nodes", place)
            if isinstance(trigger, dict):
                members.append(node)
        return tuple(members)

    def _raw_trigger(self, node: int) -> Any:
        keys = self._vocabulary.node_keys
        for _, _, content in extended(self._nodes[node : node + 1], keys):
            return content.get("trigger") if isinstance(content, dict) else None
        return None

    def _joint(self, fields: Fields, node: int) -> Joint | None:
        """Read a joint; without both of its ends and a description it is left out."""
        members = list(self._descriptions)
        fields.only({"connectedNode", "enableCollision", *members})
        member = next((name for name in members if name in fields), members[0])
        fields.required("connectedNode", member)
        connected = fields.index("connectedNode", self._node_target)
        description = self._descriptions[member].pick(fields, member)
        enable_collision = fields.boolean("enableCollision", False)
        if connected is None or description is None:
            return None
        return Joint(
            node=node,
            frame_a=node,
            body_a=node,
            frame_b=connected,
            body_b=connected,
            limits=description.limits,
            drives=description.drives,
            enable_collision=enable_collision,
            pointer=fields.pointer,
        )
