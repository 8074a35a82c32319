"""The four OMI extensions: their tables, and the reader of both eras and of files that mix them."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import structs

from ligament.extensions.fields import Fields
from ligament.extensions.omi import body, joint, shape
from ligament.extensions.omi.body import BODY, FLAT_TRIGGER, MOTION, NODE, NONE
from ligament.extensions.omi.joint import JOINT, JOINT_2023, JOINT_OF_ANY_ERA, StiffnessUnit
from ligament.extensions.omi.shape import ColliderShape
from ligament.extensions.registry import OMI_COLLIDER as COLLIDER
from ligament.extensions.registry import OMI_PHYSICS_BODY as BODIES
from ligament.extensions.registry import OMI_PHYSICS_JOINT as JOINTS
from ligament.extensions.registry import OMI_PHYSICS_SHAPE as SHAPE
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import Collider, MotionKind, Physics, Trigger
from ligament.extensions.rigid_bodies.extension import Extension, adder, read_root
from ligament.extensions.shapes import MeshGeometry
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.regular import read_all
from ligament.extensions.tables.table import Table
from ligament.findings import Finding, finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Branches, Carriers, Forest, find_carriers, nearest

OMI = tuple(
    Extension(name=name, keys=(name,), root=root, node=node)
    for name, root, node in (
        (SHAPE, shape.SHAPES_ROOT, shape.SHAPED),
        (BODIES, body.ROOT, BODY),
        (JOINTS, joint.ROOT, JOINT_OF_ANY_ERA),
        (COLLIDER, shape.COLLIDERS_ROOT, shape.COLLIDED),
    )
)

_ERAS: Mapping[Dialect, Mapping[str, Collection[str]]] = {
    Dialect.OMI: {
        SHAPE: ("shapes", "shape"),
        BODIES: (*body.ROOT.names, *NODE.names),
        JOINTS: ("physicsJoints", *JOINT.required),
    },
    Dialect.OMI_2023: {
        BODIES: MOTION.names,
        JOINTS: ("constraints", *JOINT_2023.required),
        COLLIDER: ("colliders", "collider"),
    },
}
"""The members by which an extension, at the root or on a node, gives its era away."""

_VISIBLE = ("mesh", "camera")
_CONFLICT = "the node is a {} by another extension too, so this is ignored"


def read(
    document: Document, carriers: Carriers | None = None, *, stiffness: StiffnessUnit = "auto"
) -> Physics:
    """Read bodies, colliders, triggers and joints; never raises.

    `stiffness` is for joints of 2023, whose published samples carry the bias of an engine where
    the text says N/m: "auto" takes a value of at most 1 for that, and the limit as hard.
    """
    carriers = find_carriers(document) if carriers is None else carriers
    if not any(extension.is_used(document, carriers) for extension in OMI):
        return Physics()
    reader = _Reader(document, carriers, stiffness)
    reader.read_bodies()
    reader.inspect_bodies()
    reader.join_triggers()
    reader.read_joints()
    reader.inspect_sharing()
    dialects, findings = _dialects(document, carriers), tuple(reader.findings)
    return dataclasses.replace(reader.physics, dialects=dialects, findings=findings)


def _dialects(document: Document, carriers: Carriers) -> tuple[Dialect, ...]:
    """Name the eras that the members of the file are of, the newest first."""
    seen = {extension.name: set[str]() for extension in OMI}
    for name, members in seen.items():
        contents = [document.extension(name), *(content for _, content in carriers.get(name, ()))]
        members.update(*(content for content in contents if isinstance(content, dict)))
    return tuple(
        era
        for era, signs in _ERAS.items()
        if any(not seen[name].isdisjoint(members) for name, members in signs.items())
    )


AnchorKind: TypeAlias = MotionKind | Literal["trigger"] | None
"""The kind of body that a joint at a node is attached to; None if there is none."""


class End(NamedTuple):
    """One end of a joint: the member that names it ("" for the joint's own node), and its body."""

    member: str
    body: int
    anchor: AnchorKind


class _Reader:
    """Reads one document.

    `trigger_bodies` are bodies of 2023 that are triggers, `compounds` triggers without a shape of
    their own or with other triggers beside it, both with a cursor on what the file says.
    """

    def __init__(self, document: Document, carriers: Carriers, stiffness: StiffnessUnit) -> None:
        self.findings, self.physics, self._forest = list[Finding](), Physics(), Forest(document)
        self._raw: Any = document.json.get("nodes")
        self._arrays = Arrays(document, BODIES)
        self._trigger_bodies, self._compounds = dict[int, Fields](), dict[int, Fields]()
        file = Fields(document.json, "", self.findings)
        for extension in OMI:
            is_literal = extension.name == JOINTS and stiffness == "literal"
            root = joint.ROOT_LITERAL if is_literal else extension.root
            read_root(file, extension.name, root, self._arrays)
        self._carried = {e.name: [*self._cursors(e.name, carriers)] for e in OMI}

    def _cursors(self, name: str, carriers: Carriers) -> Iterator[tuple[int, Fields]]:
        for node, raw in carriers.get(name, ()):
            fields = Fields.of(raw, f"/nodes/{node}/extensions/{name}", self.findings)
            if fields is not None:
                yield node, fields

    def _views(self, name: str) -> Iterator[tuple[Table, Fields, int, Any]]:
        """Read what nodes carry of an extension: the table, a cursor, the node and the view."""
        form = next(extension.node for extension in OMI if extension.name == name)
        carried = [(form.table(fields.raw), fields, node) for node, fields in self._carried[name]]
        for entry, view in zip(carried, read_all(carried, self._arrays), strict=True):
            yield *entry, view

    def _nearest(self, marked: Collection[int]) -> list[int]:
        found: list[int] = nearest(self._forest, marked).tolist()
        return found

    def _owners(self) -> list[int]:
        """Return, for every node, the nearest body at or above it, triggers of 2023 too, or -1."""
        return self._nearest(self.physics.motions.keys() | self._trigger_bodies.keys())

    def read_bodies(self) -> None:
        """Read bodies, colliders and triggers of both eras."""
        add = adder(self.physics)
        for table, fields, node, view in self._views(BODIES):
            add(node, "", view.motion, view.collider, view.trigger, None)
            if table is FLAT_TRIGGER:
                self._trigger_bodies[node] = fields
            if view.trigger is not None:
                raw = fields.raw["trigger"]
                if raw.get("shape", NONE) == NONE or raw.get("nodes", []) != []:
                    self._compounds[node] = Fields(raw, view.trigger.pointer, self.findings)
        owners = self._owners()
        for name in (SHAPE, COLLIDER):
            for _, fields, node, view in self._views(name):
                is_trigger, geometry = owners[node] in self._trigger_bodies, view
                if isinstance(view, ColliderShape):
                    geometry = view.geometry
                    is_trigger = is_trigger if view.is_trigger is None else view.is_trigger
                known: Any = self.physics.triggers if is_trigger else self.physics.colliders
                if node in known:
                    message = _CONFLICT.format("trigger" if is_trigger else "collider")
                    fields.report("PHYSICS_DIALECT_CONFLICT", message, "remove one of them")
                else:
                    kind = Trigger if is_trigger else Collider
                    known[node] = kind(node, fields.pointer, geometry=geometry)

    def inspect_bodies(self) -> None:
        """Find bodies without colliders, and triggers that are no more than a surface.

        For triggers before they are joined: a compound says nothing about shapes.
        """
        physics, owners = self.physics, self._owners()
        owning = {owners[node] for node in physics.colliders.keys() | physics.triggers.keys()}
        bodies: dict[int, Any] = {**physics.motions, **self._trigger_bodies}
        for node in sorted(bodies.keys() - owning):
            code, message = "OMI_PHYSICS_BODY_MISSING_COLLIDER", "the body has no collider"
            remedy = "add one so that it can collide"
            self.findings.append(finding(code, bodies[node].pointer, message, remedy))
        for trigger in physics.triggers.values():
            if isinstance(trigger.geometry, MeshGeometry) and not trigger.geometry.convex:
                message = "a trimesh has no inside: "
                message += "the trigger detects only what crosses its surface"
                code, remedy = "OMI_COLLIDER_TRIMESH_TRIGGER", "use a hull or a simpler shape"
                self.findings.append(finding(code, trigger.pointer, message, remedy))

    def join_triggers(self) -> None:
        """Give every compound trigger its members, so that it is entered once and left once.

        A body of 2023 becomes a compound of the triggers that belong to it. `nodes` came in
        February 2024; a trigger with neither shape nor nodes consists of all triggers below it.
        """
        owned = _grouped(self.physics.triggers, self._owners())
        for node, fields in self._trigger_bodies.items():
            self._set_members(node, [m for m in owned.get(node, ()) if m != node], fields)
        above = np.append(self._nearest(self._compounds), -1)[self._forest.parents]
        below = _grouped(self.physics.triggers, above.tolist())
        for node, fields in self._compounds.items():
            if fields.raw.get("nodes", []) != []:
                self._set_members(node, [*self._listed(node, fields)], fields)
                continue
            if node not in below:
                message = "found neither shape nor nodes, nor a trigger below"
                fields.report("ONE_OF_MISMATCH", message, "give it a shape or nodes")
            self._set_members(node, below.get(node, ()), fields)

    def _listed(self, node: int, fields: Fields) -> Iterator[int]:
        """Yield the members that a trigger names, leaving out those that cannot be."""
        quietly = Fields(fields.raw, fields.pointer, [])  # the table has reported faults
        for member, place in quietly.places("nodes", self._arrays.target("/nodes")).items():
            is_trigger = member in self.physics.triggers
            if is_trigger and self._branches.is_below(member, node):
                yield member
                continue
            lack = "is not below it" if is_trigger else "is not a trigger"
            message = f"node {member} {lack}, so it is left out"
            remedy = "name triggers on descendants of the node"
            fields.report("OMI_PHYSICS_BODY_TRIGGER_NODES", message, remedy, "nodes", place)

    @functools.cached_property
    def _branches(self) -> Branches:
        return Branches(self._forest)

    def _set_members(self, node: int, members: Iterable[int], fields: Fields) -> None:
        trigger = self.physics.triggers.get(node, Trigger(node, fields.pointer))
        self.physics.triggers[node] = structs.replace(trigger, nodes=tuple(members))

    def read_joints(self) -> None:
        """Read the joints of both eras; one that cannot hold is left out."""
        physics = self.physics
        self._owner = self._nearest(physics.motions)
        self._collider = self._nearest(physics.colliders)
        self._trigger = self._nearest(physics.triggers)
        named = {n for n, f in self._carried[BODIES] if not BODY.names.isdisjoint(f.raw)}
        for table, fields, node, view in self._views(JOINTS):
            if view is None:
                continue
            if table is JOINT:
                a, b = self._end("", node), self._end("connectedNode", view.body_b)
            else:  # both nodes must be bodies themselves
                a = self._end("nodeA", view.body_a, named)
                b = self._end("nodeB", view.body_b, named)
            if _can_hold(fields, a, b):
                physics.joints[node] = view
                if table is JOINT and a.anchor is not MotionKind.DYNAMIC:
                    message = "the joint is below a body that forces do not move"
                    remedy = "swap the two nodes; some players refuse such joints"
                    fields.report("OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC", message, remedy)

    def _end(self, member: str, node: int, named: Collection[int] | None = None) -> End:
        """Tell what a node is fixed to: the nearest body, or a static collider.

        Given `named`, a node that is neither a body nor a trigger must be one of these.
        """
        owner, is_trigger = self._owner[node], node in self.physics.triggers
        anchor: AnchorKind = None
        if named is not None and owner != node and (is_trigger or node not in named):
            anchor = "trigger" if is_trigger else None
        elif owner >= 0:
            anchor = self.physics.motions[owner].kind
        elif self._collider[node] >= 0:
            anchor = MotionKind.STATIC
        elif self._trigger[node] >= 0:
            anchor = "trigger"
        return End(member, owner if owner >= 0 else node, anchor)

    def inspect_sharing(self) -> None:
        """Find what should have a node for itself and has not: all of 2023, later only joints."""
        for node, fields in self._carried[COLLIDER]:
            self._report_shared(fields, node, "a collider", _VISIBLE)
        for node, fields in self._carried[BODIES]:
            if BODY.table(fields.raw) is not NODE:
                self._report_shared(fields, node, "a physics body", _VISIBLE, COLLIDER)
        for node, fields in self._carried[JOINTS]:
            body = self._raw[node]["extensions"].get(BODIES)
            if "constraints" in fields:
                others = (COLLIDER, BODIES, "KHR_lights_punctual")
                self._report_shared(fields, node, "a physics joint", _VISIBLE, *others)
            elif isinstance(body, dict) and "motion" in body:
                self._report_shared(fields, node, "a physics joint", (), BODIES)

    def _report_shared(
        self, fields: Fields, node: int, noun: str, members: tuple[str, ...], *names: str
    ) -> None:
        raw = self._raw[node]
        shared = [name for name in members if name in raw]
        shared += [name for name in names if name in raw["extensions"]]
        if shared:
            message = f"{noun} shares its node with {' and '.join(shared)}"
            fields.report("SHARES_NODE_WITH", message, f"give {noun} a node of its own")


def _grouped(nodes: Collection[int], above: Sequence[int]) -> Mapping[int, list[int]]:
    """List the nodes, in order, by what is above them."""
    groups = defaultdict[int, list[int]](list)
    for node in sorted(nodes):
        groups[above[node]].append(node)
    return dict(groups)


def _can_hold(fields: Fields, a: End, b: End) -> bool:
    """Tell whether there are two bodies, of which one can be moved; findings say why not."""
    for end in (a, b):
        noun, path = end.member or "the node of the joint", [end.member] if end.member else []
        if end.anchor is None:
            message = f"{noun} is not a body, so the joint is left out"
            fields.report("OMI_PHYSICS_JOINT_NOT_A_BODY", message, "use a body", *path)
        elif end.anchor == "trigger":
            message = f"{noun} is a trigger, so the joint is left out"
            fields.report("OMI_PHYSICS_JOINT_TRIGGER", message, "use a solid body", *path)
    anchors = (a.anchor, b.anchor)
    if None in anchors or "trigger" in anchors:
        return False
    if a.body == b.body:
        message, remedy = "both ends belong to one body, so the joint is left out", "join two"
        fields.report("OMI_PHYSICS_JOINT_SAME_BODY", message, remedy)
    elif MotionKind.DYNAMIC not in anchors:
        message = "forces move neither of the bodies, so the joint is left out"
        fields.report("OMI_PHYSICS_JOINT_NOTHING_MOVES", message, "make one of them dynamic")
    return a.body != b.body and MotionKind.DYNAMIC in anchors
