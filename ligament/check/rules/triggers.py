"""Compound triggers: their members are triggers below them."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.check.subject import Subject
from ligament.extensions.declarations import Trigger
from ligament.extensions.physics.omi.nodes import Nodes
from ligament.extensions.registry import OMI_PHYSICS_BODY
from ligament.findings import Finding, finding, scenes
from ligament.gltf import pointers
from ligament.gltf.references import read_index


def trigger_rules(subject: Subject) -> Iterator[Finding]:
    """Yield members of compound triggers that should not be members."""
    world = subject.world
    compounds = [t for t in subject.physics.triggers.values() if t.nodes and not _is_omi(t)]
    if world is None or not compounds:
        return
    nodes = Nodes(subject.document, [])
    said = {finding.pointer for finding in subject.physics.findings}
    for trigger in compounds:
        places = _places(subject, trigger)
        for member in trigger.nodes:
            pointer, label = places[member], world.tree.label(member)
            if member not in subject.physics.triggers:
                yield scenes.not_a_trigger(pointer, label)
            elif not nodes.is_below(member, trigger.node) and pointer not in said:
                message, remedy = f"{label} is not below the trigger", "name descendants of it"
                yield finding("PHYSICS_TRIGGER_NOT_BELOW", pointer, message, remedy)


def _is_omi(trigger: Trigger) -> bool:
    """Tell whether the reader looked at the members, which need not be listed at all there."""
    return f"/extensions/{OMI_PHYSICS_BODY}" in trigger.pointer


def _places(subject: Subject, trigger: Trigger) -> dict[int, str]:
    """Return where the file lists each member."""
    listed = pointers.find(subject.json, f"{trigger.pointer}/nodes")
    found = {read_index(raw): place for place, raw in reversed([*enumerate(listed)])}
    return {n: f"{trigger.pointer}/nodes/{place}" for n, place in found.items() if n is not None}
