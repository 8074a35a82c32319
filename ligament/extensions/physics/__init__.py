"""Physics declared by a file, in any dialects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ligament.extensions.omi import reader as omi
from ligament.extensions.omi.joint import StiffnessUnit
from ligament.extensions.registry import PHYSICS, Dialect
from ligament.extensions.rigid_bodies import Collider, Joint, Motion, Physics, Trigger, khr, msft
from ligament.findings import Finding, finding
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.gltf.tree import Carriers, find_carriers


def read_physics(
    document: Document,
    *,
    omi_stiffness: StiffnessUnit = "auto",
    carriers: Carriers | None = None,
) -> Physics:
    """Read the declarations of every family; never raises on any content.

    Invalid content is left out or replaced by a default, and listed in `findings`. If a node has
    physics of two families, the first counts: KHR, then MSFT, then OMI. `omi_stiffness` says how to
    interpret the stiffness of OMI joints of 2023 (see `omi.read`); `carriers` are those of the
    document, if already known.
    """
    with collector_paused():
        carriers = find_carriers(document) if carriers is None else carriers
        root = document.json.get("extensions")
        present = {*carriers, *(root if isinstance(root, dict) else ())}
        vendors = {name.partition("_")[0] for name in PHYSICS if name in present}
        parts: list[Physics] = []
        if "KHR" in vendors:
            parts += [khr.read(document, carriers), khr.read_2023(document, carriers)]
        if "MSFT" in vendors:
            parts += msft.read(document, carriers)
        if "OMI" in vendors:
            parts.append(omi.read(document, carriers, stiffness=omi_stiffness))
        return _merged(parts)


def _merged(parts: Iterable[Physics]) -> Physics:
    """Join declarations; the first to mention a node counts for all of that node.

    What two parts found alike is named once: they may share an array of shapes.
    """
    whole = Physics()
    findings: dict[Finding, None] = {}
    dialects: dict[Dialect, None] = {}
    for part in parts:
        taken = _nodes(whole) if part else set()
        findings |= dict.fromkeys(part.findings)
        findings |= dict.fromkeys(_conflicts(part, taken))
        dialects |= dict.fromkeys(part.dialects)
        for name in ("motions", "colliders", "triggers", "joints"):
            items = getattr(part, name)
            free = {k: v for k, v in items.items() if k not in taken} if taken else items
            getattr(whole, name).update(free)
    return dataclasses.replace(whole, dialects=tuple(dialects), findings=tuple(findings))


def _nodes(physics: Physics) -> set[int]:
    return {*physics.motions, *physics.colliders, *physics.triggers, *physics.joints}


def _conflicts(part: Physics, taken: set[int]) -> list[Finding]:
    """Find the nodes that were mentioned before, each once."""
    if not taken:
        return []
    declared: dict[int, Motion | Collider | Trigger | Joint] = {
        **part.joints,
        **part.triggers,
        **part.colliders,
        **part.motions,
    }
    message = "the node has physics of another dialect too, so this is ignored"
    return [
        finding("PHYSICS_DIALECT_CONFLICT", declared[node].pointer, message, "remove one of them")
        for node in sorted(taken.intersection(declared))
    ]
