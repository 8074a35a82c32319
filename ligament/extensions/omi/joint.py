"""Joints of OMI_physics_joint: the bodies that are joined, and their frames.

In 2023 a joint is a node of its own that names both bodies, and its pose is the frame on either;
later it belongs to the body above it, and `connectedNode` is the frame on the other.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from msgspec import Meta

from ligament.extensions.fields import Fields
from ligament.extensions.omi.body import Bodies
from ligament.extensions.omi.limit import CONSTRAINT, CONSTRAINT_LITERAL, DESCRIPTION, overridden
from ligament.extensions.omi.nodes import Nodes
from ligament.extensions.registry import OMI_PHYSICS_JOINT
from ligament.extensions.rigid_bodies.joint import JOINT as KHR_JOINT
from ligament.extensions.rigid_bodies.joint import Description, Joint, Limit, connection
from ligament.extensions.rigid_bodies.motion import MotionKind
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each
from ligament.extensions.tables.regular import read_all
from ligament.extensions.tables.rows import Bind, Index, Indices, Json, Plain
from ligament.extensions.tables.rules import Default, Rule
from ligament.extensions.tables.table import Part, Table
from ligament.extensions.tables.variants import Either

_HERE = f"/extensions/{OMI_PHYSICS_JOINT}"
CONSTRAINTS, DESCRIPTIONS = f"{_HERE}/constraints", f"{_HERE}/physicsJoints"
"""The arrays of both eras."""


# --- tables ---


class EitherArray(Rule):
    """An array of one era or of both; where there is none, that of 2023 is missing."""

    def before(self, fields: Fields) -> Collection[str]:
        if "physicsJoints" not in fields:
            fields.required("constraints")
        return ()

    def odd(self, names: Collection[str], default: Default) -> str:
        return "plain.constraints == () and plain.physicsJoints == ()"

    def schema(self, names: Collection[str]) -> list[Json]:
        return [{"anyOf": [{"required": ["constraints"]}, {"required": ["physicsJoints"]}]}]


@dataclasses.dataclass(frozen=True)
class Root:
    """What joints share: constraints of 2023, descriptions later."""

    constraints: Annotated[tuple[tuple[Limit, ...], ...], Each(table=CONSTRAINT)] = ()
    physics_joints: Annotated[tuple[Description, ...], Each(table=DESCRIPTION)] = ()


ROOT = Table(Root, EitherArray())
ROOT_LITERAL = ROOT.changed(constraints={"table": CONSTRAINT_LITERAL})


class Constraints(Indices, frozen=True, kw_only=True):
    """Limits by the indices of constraints; one may come again, to override others.

    None if there is not one that exists.
    """

    def plain(self) -> list[Plain]:
        indices = Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1)]
        return [(self.name, indices, None)]

    def expression(self, value: str, arrays: Arrays, bind: Bind) -> str:
        return f"{bind(_listed)}({bind(arrays.catalogue(self.array).items)}, {value})"

    def read(self, fields: Fields, arrays: Arrays) -> tuple[Limit, ...] | None:
        indices = self._indices(fields, arrays)
        if all(index is None for index in indices):
            return None
        return _listed(arrays.catalogue(self.array).items, indices)

    def _indices(self, fields: Fields, arrays: Arrays) -> list[int | None]:
        """Read the indices of constraints, in place."""
        listed, target = fields.raw.get(self.name), arrays.catalogue(self.array).target
        if target.length is None:
            return [fields.index(self.name, target)]
        if not isinstance(listed, list) or not listed:
            return [*fields.indices(self.name, target)]
        elements = {str(place): index for place, index in enumerate(listed)}
        cursor = Fields(elements, f"{fields.pointer}/{self.name}", fields.findings)
        return [cursor.index(place, target) for place in elements]

    def content(self) -> Json:
        return {name: rule for name, rule in super().content().items() if name != "uniqueItems"}


def _listed(items: Sequence[Any], indices: Sequence[int | None]) -> tuple[Limit, ...]:
    """Return the limits that are listed, each with its place in the list."""
    return overridden(
        [
            dataclasses.replace(limit, index=place)
            for place, index in enumerate(indices)
            if index is not None
            for limit in items[index] or ()
        ]
    )


class JointOf2023(Part, frozen=True, kw_only=True, gc=False):
    """A joint between two bodies, which do not collide."""

    limits: Annotated[
        tuple[Limit, ...],
        Constraints(name="constraints", array=CONSTRAINTS, required=True, essential=True),
    ]
    node_a: Annotated[int, Index(array="/nodes", required=True, essential=True)]
    node_b: Annotated[int, Index(array="/nodes", required=True, essential=True)]


def _joint(
    node: int, pointer: str, *, limits: tuple[Limit, ...], node_a: int, node_b: int
) -> Joint:
    return Joint(
        node=node,
        frame_a=node,
        body_a=node_a,
        frame_b=node,
        body_b=node_b,
        limits=limits,
        pointer=pointer,
    )


JOINT_2023 = Table(JointOf2023, build=_joint)

_NEWER = KHR_JOINT.changed(description={"array": DESCRIPTIONS}).fixed()
JOINT = Table(
    _NEWER.view,
    about="A joint between the bodies above its node and above another.",
    build=_NEWER.build,
    split=connection,
    rows=[_NEWER.row(name) for name in ("description", "connected_node", "enable_collision")],
)


def _is_of_2023(raw: Mapping[str, Any]) -> bool:
    return "joint" not in raw and "connectedNode" not in raw


JOINT_OF_ANY_ERA = Either(
    JOINT_2023,
    JOINT,
    is_older=_is_of_2023,
    condition={"not": {"anyOf": [{"required": [name]} for name in JOINT.required]}},
)


# --- reading ---

AnchorKind: TypeAlias = MotionKind | Literal["trigger"] | None
"""The kind of body that a joint at a node is attached to; None if there is none."""


class End(NamedTuple):
    """One end of a joint: the member that names it ("" for the joint's own node), and its body."""

    member: str
    body: int
    anchor: AnchorKind


def read_joints(nodes: Nodes, arrays: Arrays, bodies: Bodies) -> dict[int, Joint]:
    """Read the joints of both eras; one that cannot hold is left out."""
    anchors, joints = _Anchors(nodes, bodies), {}
    carried = [
        (JOINT_OF_ANY_ERA.table(fields.raw), fields, node)
        for node, fields in nodes.extended(OMI_PHYSICS_JOINT)
    ]
    for (table, fields, node), joint in zip(carried, read_all(carried, arrays), strict=True):
        if joint is not None and anchors.can_hold(fields, joint, is_newer=table is JOINT):
            joints[node] = joint
    return joints


class _Anchors:
    """What joints can hold on to."""

    def __init__(self, nodes: Nodes, bodies: Bodies) -> None:
        self._bodies = bodies
        self._owner = nodes.nearest(bodies.motions)
        self._collider = nodes.nearest(bodies.colliders)
        self._trigger = nodes.nearest(bodies.triggers)

    def can_hold(self, fields: Fields, joint: Joint, *, is_newer: bool) -> bool:
        """Tell whether there are two bodies, of which one can be moved; findings say why not."""
        if is_newer:
            a = End("", self._body(joint.node), self._kind(joint.node))
            b = End("connectedNode", self._body(joint.body_b), self._kind(joint.body_b))
        else:
            a = End("nodeA", self._body(joint.body_a), self._named(joint.body_a))
            b = End("nodeB", self._body(joint.body_b), self._named(joint.body_b))
        holds = _can_hold(fields, a, b)
        if holds and is_newer and a.anchor is not MotionKind.DYNAMIC:
            message = "the joint is below a body that forces do not move"
            remedy = "swap the two nodes; some players refuse such joints"
            fields.report("OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC", message, remedy)
        return holds

    def _body(self, node: int) -> int:
        return self._owner[node] if self._owner[node] >= 0 else node

    def _named(self, node: int) -> AnchorKind:
        """Tell what a node is as nodeA or nodeB, which must be a body itself."""
        if node in self._bodies.motions:
            return self._bodies.motions[node].kind
        if node in self._bodies.triggers:
            return "trigger"
        return self._kind(node) if node in self._bodies.named else None

    def _kind(self, node: int) -> AnchorKind:
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
