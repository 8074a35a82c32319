"""Draft node constraints as VRMC_node_constraint 1.0, where both mean the same."""

from __future__ import annotations

from typing import Any

from ligament.extensions.vrmc_node_constraint import (
    DRAFT,
    DRAFT_ROTATION,
    NAME,
    Constraint,
    Version,
    inspect,
)
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.losses import Converted, Loss, in_order


def convert_constraints(document: Document) -> Converted:
    """Rewrite draft constraints as rotation constraints of 1.0.

    Both mean the same only where all axes are constrained and the weight lies in [0, 1]. Other
    drafts are left unchanged and reported as losses; of 1.0-beta only the version changes.
    """
    twin = document.copy()
    constraints, findings = inspect(document)
    losses = [
        Loss(finding.pointer, "a constraint", finding.message, "it stays as it is")
        for finding in findings
        if finding.severity == "error"
    ]
    for constraint in constraints:
        raw = twin.json["nodes"][constraint.destination]["extensions"][NAME]
        if constraint.flavour == Version.BETA:
            raw["specVersion"] = str(Version.FINAL)
        elif constraint.flavour == Version.DRAFT:
            losses += _rewrite(raw, constraint)
    losses += _empty(document, constraints)
    return Converted(twin, in_order(losses))


def _rewrite(raw: dict[str, Any], constraint: Constraint) -> list[Loss]:
    """Rewrite one constraint, or report why that is impossible."""
    if not all(constraint.freeze_axes):
        reason = "1.0 constrains all axes of a rotation, and its roll is another function"
        effect = "it stays a draft, which players of 1.0 ignore"
        return [Loss(constraint.pointer, "a constraint on some axes", reason, effect)]
    if not 0 <= constraint.weight <= 1:
        reason, effect = "1.0 knows weights from 0 to 1", "it stays a draft"
        what = f"a weight of {constraint.weight:g}"
        return [Loss(constraint.pointer, what, reason, effect)]
    inside = constraint.pointer.endswith("/constraint/rotation")
    old = raw["constraint"]["rotation"] if inside else raw["rotation"]
    rotation = {"source": constraint.source}
    rotation |= {"weight": old["weight"]} if "weight" in old else {}
    rotation |= DRAFT_ROTATION.unknown(old)
    outer = raw.get("constraint") or {}
    others = {name: value for name, value in outer.items() if name != "rotation"}
    rest = DRAFT.unknown(raw)
    raw.clear()
    raw |= {
        "specVersion": str(Version.FINAL),
        "constraint": {**others, "rotation": rotation},
        **rest,
    }
    return []


def _empty(document: Document, constraints: list[Constraint]) -> list[Loss]:
    """Report drafts without a rotation, which have no effect and no equivalent in 1.0."""
    read = {constraint.destination for constraint in constraints}
    losses = []
    for node, raw in enumerate(document.array("nodes")):
        content = pointers.find(raw, pointers.join("/extensions", NAME))
        is_draft = isinstance(content, dict) and content.get("specVersion") == Version.DRAFT
        if is_draft and node not in read and not _has_rotation(content):
            pointer = pointers.join("/nodes", node, "extensions", NAME)
            reason, effect = "1.0 has none without a kind", "it stays a draft and does nothing"
            losses.append(Loss(pointer, "a constraint without a rotation", reason, effect))
    return losses


def _has_rotation(content: dict[str, Any]) -> bool:
    inner = content.get("constraint")
    return "rotation" in content or (isinstance(inner, dict) and "rotation" in inner)
