"""Rules about what stands beside and below: nothing that they find changes what is read."""

from __future__ import annotations

from ligament.extensions.declarations import MeshGeometry
from ligament.extensions.fields import Fields
from ligament.extensions.physics.omi import motions
from ligament.extensions.physics.omi.bodies import Bodies
from ligament.extensions.physics.omi.nodes import Nodes
from ligament.extensions.registry import OMI_COLLIDER, OMI_PHYSICS_BODY, OMI_PHYSICS_JOINT
from ligament.findings import Finding, finding

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
            findings.append(finding(code, pointer, message, "give it one to touch things"))
    for trigger in bodies.triggers.values():
        if isinstance(trigger.geometry, MeshGeometry) and not trigger.geometry.convex:
            message = "a trimesh has no inside: the trigger notices what crosses its surface"
            code, remedy = "OMI_COLLIDER_TRIMESH_TRIGGER", "use a hull or a simpler shape"
            findings.append(finding(code, trigger.pointer, message, remedy))


def inspect_sharing(nodes: Nodes) -> None:
    """Find what must have a node for itself in 2023 and has not."""
    for node, fields in nodes.extended(OMI_COLLIDER):
        _report_shared(fields, nodes, node, "a collider", _VISIBLE)
    for node, fields in nodes.extended(OMI_PHYSICS_BODY):
        if motions.is_flat(fields):
            _report_shared(fields, nodes, node, "a physics body", _VISIBLE, OMI_COLLIDER)
    for node, fields in nodes.extended(OMI_PHYSICS_JOINT):
        if "constraints" in fields:
            others = (OMI_COLLIDER, OMI_PHYSICS_BODY, "KHR_lights_punctual")
            _report_shared(fields, nodes, node, "a physics joint", _VISIBLE, *others)


def _report_shared(
    fields: Fields, nodes: Nodes, node: int, noun: str, members: tuple[str, ...], *names: str
) -> None:
    raw = nodes.raw[node]
    shared = [name for name in members if name in raw]
    shared += [name for name in names if name in raw["extensions"]]
    if shared:
        message = f"{noun} shares its node with {' and '.join(shared)}"
        fields.report("SHARES_NODE_WITH", message, f"give {noun} a node of its own")
