"""Joints of OMI_physics_joint: the bodies that are joined, and their frames.

In 2023 a joint is a node of its own that names both bodies, and its pose is the frame on either;
later it belongs to the body above it, and `connectedNode` is the frame on the other.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from ligament.extensions.fields import Catalogue, Fields
from ligament.extensions.physics.omi.bodies import Bodies
from ligament.extensions.physics.omi.limits import (
    StiffnessUnit,
    overridden,
    placed,
    read_constraint,
    read_description,
)
from ligament.extensions.physics.omi.nodes import Nodes
from ligament.extensions.registry import OMI_PHYSICS_JOINT
from ligament.extensions.rigid_bodies import Joint, Limit, MotionKind
from ligament.extensions.rigid_bodies.joint import Description, between

AnchorKind: TypeAlias = MotionKind | Literal["trigger"] | None
"""The kind of body that a joint at a node is attached to; None if there is none."""


class End(NamedTuple):
    """One end of a joint: the member that names it ("" for the joint's own node), and its body."""

    member: str
    body: int
    anchor: AnchorKind


def read_joints(
    root: Fields, nodes: Nodes, bodies: Bodies, *, stiffness: StiffnessUnit
) -> dict[int, Joint]:
    """Read the joints of both eras; one that cannot hold is left out."""
    reader = _JointReader(root, nodes, bodies, stiffness)
    joints = {}
    for node, fields in nodes.extended(OMI_PHYSICS_JOINT):
        is_newer = "joint" in fields or "connectedNode" in fields
        joint = reader.newer(fields, node) if is_newer else reader.of_2023(fields, node)
        if joint is not None:
            joints[node] = joint
    return joints


class _JointReader:
    """Holds the arrays that joints count in, and what they can hold on to."""

    def __init__(
        self, root: Fields, nodes: Nodes, bodies: Bodies, stiffness: StiffnessUnit
    ) -> None:
        here = f"/extensions/{OMI_PHYSICS_JOINT}"
        extension = root.extension(OMI_PHYSICS_JOINT)
        if extension is not None:
            extension.only(("constraints", "physicsJoints"))
            if "physicsJoints" not in extension:
                extension.required("constraints")
        self._constraints = Catalogue[tuple[Limit, ...]].read(
            extension, f"{here}/constraints", lambda fields: read_constraint(fields, stiffness)
        )
        self._descriptions = Catalogue[Description].read(
            extension, f"{here}/physicsJoints", read_description
        )
        self._nodes = nodes
        self._bodies = bodies
        self._owner = nodes.nearest(bodies.motions)
        self._collider = nodes.nearest(bodies.colliders)
        self._trigger = nodes.nearest(bodies.triggers)

    def of_2023(self, fields: Fields, node: int) -> Joint | None:
        """Read a joint between the two bodies that it names; they do not collide."""
        fields.only(("constraints", "nodeA", "nodeB"))
        is_complete = fields.required("constraints", "nodeA", "nodeB")
        a, b = (fields.index(name, self._nodes.target) for name in ("nodeA", "nodeB"))
        limits = self._listed(fields)
        if not is_complete or a is None or b is None or limits is None:
            return None
        ends = tuple(
            End(name, self._body(body), self._named(body))
            for name, body in (("nodeA", a), ("nodeB", b))
        )
        if not _can_hold(fields, *ends):
            return None
        return Joint(
            node=node,
            frame_a=node,
            body_a=a,
            frame_b=node,
            body_b=b,
            limits=limits,
            pointer=fields.pointer,
        )

    def newer(self, fields: Fields, node: int) -> Joint | None:
        """Read a joint between the body above its node and the one above another."""
        fields.only(("joint", "connectedNode", "enableCollision"))
        fields.required("joint", "connectedNode")
        connected = fields.index("connectedNode", self._nodes.target)
        description = self._descriptions.pick(fields, "joint")
        enable_collision = fields.boolean("enableCollision", False)
        if connected is None or description is None:
            return None
        here = End("", self._body(node), self._anchor_kind(node))
        there = End("connectedNode", self._body(connected), self._anchor_kind(connected))
        if not _can_hold(fields, here, there):
            return None
        if here.anchor is not MotionKind.DYNAMIC:
            message = "the joint is below a body that forces do not move"
            remedy = "swap the two nodes; some players refuse such joints"
            fields.report("OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC", message, remedy)
        return between(
            node,
            fields.pointer,
            connected_node=connected,
            description=description,
            enable_collision=enable_collision,
        )

    def _listed(self, fields: Fields) -> tuple[Limit, ...] | None:
        """Read the constraints that a joint names; None if there is not one that exists."""
        indices = self._indices(fields)
        limits = [
            limit
            for place, index in enumerate(indices)
            if index is not None
            for limit in placed(self._constraints.items[index] or (), place)
        ]
        return None if all(index is None for index in indices) else overridden(limits)

    def _indices(self, fields: Fields) -> list[int | None]:
        """Read the indices of constraints, in place; one may come again, to override others."""
        listed, target = fields.raw.get("constraints"), self._constraints.target
        if target.length is None:
            return [fields.index("constraints", target)]
        if not isinstance(listed, list) or not listed:
            return [*fields.indices("constraints", target)]
        elements = {str(place): index for place, index in enumerate(listed)}
        cursor = Fields(elements, f"{fields.pointer}/constraints", fields.findings)
        return [cursor.index(place, target) for place in elements]

    def _body(self, node: int) -> int:
        return self._owner[node] if self._owner[node] >= 0 else node

    def _named(self, node: int) -> AnchorKind:
        """Tell what a node is as nodeA or nodeB, which must be a body itself."""
        if node in self._bodies.motions:
            return self._bodies.motions[node].kind
        if node in self._bodies.triggers:
            return "trigger"
        return self._anchor_kind(node) if node in self._bodies.named else None

    def _anchor_kind(self, node: int) -> AnchorKind:
        """Tell what a frame at a node is fixed to: the nearest body, or a static collider."""
        if self._owner[node] >= 0:
            return self._bodies.motions[self._owner[node]].kind
        if self._collider[node] >= 0:
            return MotionKind.STATIC
        return "trigger" if self._trigger[node] >= 0 else None


def _can_hold(fields: Fields, a: End, b: End) -> bool:
    """Tell whether there are two bodies, of which one can be moved; findings say why not."""
    usable = [_is_usable(fields, end) for end in (a, b)]
    if not all(usable):
        return False
    if a.body == b.body:
        message, remedy = "both ends belong to one body, so the joint is left out", "join two"
        fields.report("OMI_PHYSICS_JOINT_SAME_BODY", message, remedy)
        return False
    if MotionKind.DYNAMIC not in (a.anchor, b.anchor):
        message = "forces move neither of the bodies, so the joint is left out"
        fields.report("OMI_PHYSICS_JOINT_NOTHING_MOVES", message, "make one of them dynamic")
        return False
    return True


def _is_usable(fields: Fields, end: End) -> bool:
    path = (end.member,) if end.member else ()
    noun = end.member or "the node of the joint"
    if end.anchor is None:
        message = f"{noun} is not a body, so the joint is left out"
        fields.report("OMI_PHYSICS_JOINT_NOT_A_BODY", message, "use a body", *path)
    elif end.anchor == "trigger":
        message = f"{noun} is a trigger, so the joint is left out"
        fields.report("OMI_PHYSICS_JOINT_TRIGGER", message, "use a solid body", *path)
    return end.anchor is not None and end.anchor != "trigger"
