"""Physics declared by a file, in any dialects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from itertools import chain
from typing import Any

from ligament.extensions.omi import reader as omi
from ligament.extensions.omi.joint import StiffnessUnit
from ligament.extensions.registry import PHYSICS, Dialect
from ligament.extensions.rigid_bodies import Physics, khr, msft
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


_CONFLICT = "the node has physics of another dialect too, so this is ignored"
_REMEDY = "remove one of them"


def _merged(parts: Iterable[Physics]) -> Physics:
    """Join declarations; the first to mention a node counts for all of that node.

    What two parts found alike is named once: they may share an array of shapes.
    """
    whole = Physics()
    findings: dict[Finding, None] = {}
    dialects: dict[Dialect, None] = {}
    for part in parts:
        taken = {*chain(*_by_node(whole))} if part else set[int]()
        findings |= dict.fromkeys(part.findings)
        for node in sorted(taken.intersection(chain(*_by_node(part)))) if taken else ():
            place = next(items[node].pointer for items in _by_node(part) if node in items)
            findings[finding("PHYSICS_DIALECT_CONFLICT", place, _CONFLICT, _REMEDY)] = None
        dialects |= dict.fromkeys(part.dialects)
        for known, items in zip(_by_node(whole), _by_node(part), strict=True):
            free = {k: v for k, v in items.items() if k not in taken} if taken else items
            known.update(free)
    return dataclasses.replace(whole, dialects=tuple(dialects), findings=tuple(findings))


def _by_node(physics: Physics) -> tuple[dict[int, Any], ...]:
    """Return what nodes have; of several, the first says where the node was declared."""
    return physics.motions, physics.colliders, physics.triggers, physics.joints
