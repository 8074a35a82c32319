"""The reader of the OMI extensions, of both eras and of files that mix them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ligament.extensions.fields import Fields
from ligament.extensions.physics.omi import motions
from ligament.extensions.physics.omi.bodies import PARTS, Bodies, join_triggers, read_bodies
from ligament.extensions.physics.omi.joints import read_joints
from ligament.extensions.physics.omi.limits import StiffnessUnit
from ligament.extensions.physics.omi.nodes import Nodes
from ligament.extensions.registry import (
    OMI_COLLIDER,
    OMI_PHYSICS_BODY,
    OMI_PHYSICS_JOINT,
    OMI_PHYSICS_SHAPE,
    Dialect,
)
from ligament.extensions.rigid_bodies import Physics
from ligament.extensions.shapes import MeshGeometry
from ligament.findings import Finding, finding
from ligament.gltf.document import Document
from ligament.gltf.tree import Carriers, find_carriers

_SIGNS: dict[str, dict[str, Dialect]] = {
    OMI_PHYSICS_SHAPE: dict.fromkeys(("shapes", "shape"), Dialect.OMI),
    OMI_PHYSICS_BODY: {
        **dict.fromkeys(PARTS | {"physicsMaterials", "collisionFilters"}, Dialect.OMI),
        **dict.fromkeys(motions.MEMBERS, Dialect.OMI_2023),
    },
    OMI_PHYSICS_JOINT: {
        **dict.fromkeys(("physicsJoints", "joint", "connectedNode"), Dialect.OMI),
        **dict.fromkeys(("constraints", "nodeA", "nodeB"), Dialect.OMI_2023),
    },
    OMI_COLLIDER: dict.fromkeys(("colliders", "collider"), Dialect.OMI_2023),
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
    if not any(_is_used(document, carriers, name) for name in _SIGNS):
        return Physics()
    findings: list[Finding] = []
    nodes = Nodes(document, findings, carriers)
    root = Fields(document.json, "", findings)
    bodies = read_bodies(root, nodes)
    inspect_bodies(bodies, nodes, findings)
    join_triggers(bodies, nodes)
    joints = read_joints(root, nodes, bodies, stiffness=stiffness)
    inspect_sharing(nodes)
    signs = {sign for name in _SIGNS for sign in _signs(document, carriers, name)}
    return Physics(
        dialects=tuple(dialect for dialect in Dialect if dialect in signs),
        motions=bodies.motions,
        colliders=bodies.colliders,
        triggers=bodies.triggers,
        joints=joints,
        findings=tuple(findings),
    )


def _is_used(document: Document, carriers: Carriers, name: str) -> bool:
    extensions = document.json.get("extensions")
    return name in carriers or (isinstance(extensions, dict) and name in extensions)


def _signs(document: Document, carriers: Carriers, name: str) -> Iterator[Dialect]:
    contents = [document.extension(name), *(content for _, content in carriers.get(name, ()))]
    for content in contents:
        if isinstance(content, dict):
            yield from (_SIGNS[name][member] for member in content if member in _SIGNS[name])


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
        if motions.is_flat(fields):
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
