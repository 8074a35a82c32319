"""The physics of the OMI extensions, of both eras and of files that mix them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ligament.extensions import (
    omi_collider,
    omi_physics_body,
    omi_physics_joint,
    omi_physics_shape,
)
from ligament.extensions.declarations import Dialect, Physics
from ligament.extensions.fields import Fields
from ligament.extensions.omi import motions
from ligament.extensions.omi.bodies import PARTS, read_bodies
from ligament.extensions.omi.codes import SEVERITIES
from ligament.extensions.omi.joints import read_joints
from ligament.extensions.omi.limits import StiffnessUnit
from ligament.extensions.omi.neighbours import inspect_bodies, inspect_sharing
from ligament.extensions.omi.nodes import Nodes
from ligament.extensions.omi.triggers import join_triggers
from ligament.findings import Finding
from ligament.gltf.document import Document

__all__ = ["SEVERITIES", "StiffnessUnit", "read"]

_SIGNS: dict[str, dict[str, Dialect]] = {
    omi_physics_shape.NAME: dict.fromkeys(("shapes", "shape"), Dialect.OMI),
    omi_physics_body.NAME: {
        **dict.fromkeys(PARTS | {"physicsMaterials", "collisionFilters"}, Dialect.OMI),
        **dict.fromkeys(motions.MEMBERS, Dialect.OMI_2023),
    },
    omi_physics_joint.NAME: {
        **dict.fromkeys(("physicsJoints", "joint", "connectedNode"), Dialect.OMI),
        **dict.fromkeys(("constraints", "nodeA", "nodeB"), Dialect.OMI_2023),
    },
    omi_collider.NAME: dict.fromkeys(("colliders", "collider"), Dialect.OMI_2023),
}
"""The members by which an extension, at the root or on a node, gives its era away."""


def read(document: Document, *, stiffness: StiffnessUnit = "auto") -> Physics:
    """Read bodies, colliders, triggers and joints; never raises.

    `stiffness` is for joints of 2023, whose published samples carry the bias of an engine where
    the text says N/m: "auto" takes a value of at most 1 for that, and the limit as hard.
    """
    findings: list[Finding] = []
    nodes = Nodes(document, findings)
    root = Fields(document.json, "", findings)
    bodies = read_bodies(root, nodes)
    inspect_bodies(bodies, nodes, findings)
    join_triggers(bodies, nodes)
    joints = read_joints(root, nodes, bodies, stiffness=stiffness)
    inspect_sharing(nodes)
    signs = set(_signs(document, nodes))
    return Physics(
        dialects=tuple(dialect for dialect in Dialect if dialect in signs),
        motions=bodies.motions,
        colliders=bodies.colliders,
        triggers=bodies.triggers,
        joints=joints,
        findings=tuple(findings),
    )


def _signs(document: Document, nodes: Nodes) -> Iterator[Dialect]:
    for raw in (document.json, *nodes.raw):
        extensions: Any = raw.get("extensions") if isinstance(raw, dict) else None
        if isinstance(extensions, dict):
            for name, members in _SIGNS.items():
                yield from _signs_of(extensions.get(name), members)


def _signs_of(raw: Any, members: Mapping[str, Dialect]) -> Iterator[Dialect]:
    return (members[name] for name in raw if name in members) if isinstance(raw, dict) else iter(())
