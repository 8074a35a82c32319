"""The four OMI extensions: their tables, and the reader of both eras and of files that mix them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from ligament.extensions.fields import Fields
from ligament.extensions.omi import body, joint, shape
from ligament.extensions.omi.body import BODY, Bodies, is_flat, read_bodies
from ligament.extensions.omi.compounds import join_triggers
from ligament.extensions.omi.joint import JOINT, JOINT_2023, JOINT_OF_ANY_ERA, read_joints
from ligament.extensions.omi.limit import StiffnessUnit
from ligament.extensions.omi.motion import MOTION
from ligament.extensions.omi.nodes import Nodes
from ligament.extensions.registry import (
    OMI_COLLIDER,
    OMI_PHYSICS_BODY,
    OMI_PHYSICS_JOINT,
    OMI_PHYSICS_SHAPE,
    Dialect,
)
from ligament.extensions.rigid_bodies import Physics
from ligament.extensions.shapes import MeshGeometry
from ligament.extensions.tables.arrays import Arrays
from ligament.extensions.tables.objects import Each, Form
from ligament.extensions.tables.table import Table
from ligament.findings import Finding, finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers, find_carriers


class Extension(NamedTuple):
    """One of the extensions: its name, and its objects at the root and on nodes."""

    name: str
    root: Table
    node: Form

    def objects(self) -> Iterator[tuple[str, Form]]:
        """Yield the form of every place."""
        yield f"/extensions/{self.name}", self.root
        yield f"/nodes/*/extensions/{self.name}", self.node


OMI = (
    Extension(OMI_PHYSICS_SHAPE, shape.SHAPES_ROOT, shape.SHAPED),
    Extension(OMI_PHYSICS_BODY, body.ROOT, BODY),
    Extension(OMI_PHYSICS_JOINT, joint.ROOT, JOINT_OF_ANY_ERA),
    Extension(OMI_COLLIDER, shape.COLLIDERS_ROOT, shape.COLLIDED),
)

_ERAS: Mapping[Dialect, Mapping[str, Collection[str]]] = {
    Dialect.OMI: {
        OMI_PHYSICS_SHAPE: ("shapes", "shape"),
        OMI_PHYSICS_BODY: (*body.ROOT.names, *body.NODE.names),
        OMI_PHYSICS_JOINT: ("physicsJoints", *JOINT.required),
    },
    Dialect.OMI_2023: {
        OMI_PHYSICS_BODY: MOTION.names,
        OMI_PHYSICS_JOINT: ("constraints", *JOINT_2023.required),
        OMI_COLLIDER: ("colliders", "collider"),
    },
}
"""The members by which an extension, at the root or on a node, gives its era away."""


def read(
    document: Document, carriers: Carriers | None = None, *, stiffness: StiffnessUnit = "auto"
) -> Physics:
    """Read bodies, colliders, triggers and joints; never raises.

    `stiffness` is for joints of 2023, whose published samples carry the bias of an engine where
    the text says N/m: "auto" takes a value of at most 1 for that, and the limit as hard.
    """
    carriers = find_carriers(document) if carriers is None else carriers
    if not any(_is_used(document, carriers, extension.name) for extension in OMI):
        return Physics()
    findings: list[Finding] = []
    nodes = Nodes(document, findings, carriers)
    arrays = Arrays(document, OMI_PHYSICS_BODY)
    roots = {extension.name: extension.root for extension in OMI}
    if stiffness == "literal":
        roots[OMI_PHYSICS_JOINT] = joint.ROOT_LITERAL
    for name, table in roots.items():
        _read_root(Fields(document.json, "", findings), name, table, arrays)
    bodies = read_bodies(nodes, arrays)
    inspect_bodies(bodies, nodes, findings)
    join_triggers(bodies, nodes)
    joints = read_joints(nodes, arrays, bodies)
    inspect_sharing(nodes)
    return Physics(
        dialects=_dialects(document, carriers),
        motions=bodies.motions,
        colliders=bodies.colliders,
        triggers=bodies.triggers,
        joints=joints,
        findings=tuple(findings),
    )


def _is_used(document: Document, carriers: Carriers, name: str) -> bool:
    extensions = document.json.get("extensions")
    return name in carriers or (isinstance(extensions, dict) and name in extensions)


def _read_root(file: Fields, name: str, table: Table, arrays: Arrays) -> None:
    """Read the arrays of an extension."""
    extension = file.extension(name)
    if extension is not None:
        extension.only(table.names)
        extension.required(*table.required)
        for rule in table.rules:
            rule.before(extension)
    for row in table.rows:
        assert isinstance(row, Each)
        arrays.read(extension, f"/extensions/{name}/{row.name}", row.table)


def _dialects(document: Document, carriers: Carriers) -> tuple[Dialect, ...]:
    """Name the eras that the members of the file are of, the newest first."""
    seen = {name: set[str]() for name, *_ in OMI}
    for name, members in seen.items():
        contents = [document.extension(name), *(content for _, content in carriers.get(name, ()))]
        members.update(*(content for content in contents if isinstance(content, dict)))
    return tuple(
        era
        for era, signs in _ERAS.items()
        if any(not seen[name].isdisjoint(members) for name, members in signs.items())
    )


_VISIBLE = ("mesh", "camera")


def inspect_bodies(bodies: Bodies, nodes: Nodes, findings: list[Finding]) -> None:
    """Find bodies without a shape, and triggers that are no more than a surface.

    For triggers before they are joined: a compound says nothing about shapes.
    """
    owners = bodies.owners(nodes)
    owning = {owners[node] for node in bodies.colliders.keys() | bodies.triggers.keys()}
    places = {node: motion.pointer for node, motion in bodies.motions.items()}
    places |= {node: fields.pointer for node, fields in bodies.trigger_bodies.items()}
    for node, pointer in sorted(places.items()):
        if node not in owning:
            code, message = "OMI_PHYSICS_BODY_MISSING_COLLIDER", "the body has no collider"
            findings.append(finding(code, pointer, message, "add one so that it can collide"))
    for trigger in bodies.triggers.values():
        if isinstance(trigger.geometry, MeshGeometry) and not trigger.geometry.convex:
            message = "a trimesh has no inside: the trigger detects only what crosses its surface"
            code, remedy = "OMI_COLLIDER_TRIMESH_TRIGGER", "use a hull or a simpler shape"
            findings.append(finding(code, trigger.pointer, message, remedy))


def inspect_sharing(nodes: Nodes) -> None:
    """Find what should have a node for itself and has not: all of 2023, later only joints."""
    for node, fields in nodes.extended(OMI_COLLIDER):
        _report_shared(fields, nodes, node, "a collider", _VISIBLE)
    for node, fields in nodes.extended(OMI_PHYSICS_BODY):
        if is_flat(fields.raw):
            _report_shared(fields, nodes, node, "a physics body", _VISIBLE, OMI_COLLIDER)
    for node, fields in nodes.extended(OMI_PHYSICS_JOINT):
        if "constraints" in fields:
            others = (OMI_COLLIDER, OMI_PHYSICS_BODY, "KHR_lights_punctual")
            _report_shared(fields, nodes, node, "a physics joint", _VISIBLE, *others)
        elif _has_motion(nodes.raw[node]):
            _report_shared(fields, nodes, node, "a physics joint", (), OMI_PHYSICS_BODY)


def _has_motion(node: dict[str, Any]) -> bool:
    body = node["extensions"].get(OMI_PHYSICS_BODY)
    return isinstance(body, dict) and "motion" in body


def _report_shared(
    fields: Fields, nodes: Nodes, node: int, noun: str, members: tuple[str, ...], *names: str
) -> None:
    raw = nodes.raw[node]
    shared = [name for name in members if name in raw]
    shared += [name for name in names if name in raw["extensions"]]
    if shared:
        message = f"{noun} shares its node with {' and '.join(shared)}"
        fields.report("SHARES_NODE_WITH", message, f"give {noun} a node of its own")
