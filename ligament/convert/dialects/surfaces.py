"""Votes of materials, for dialects in which everybody votes."""

from __future__ import annotations

import dataclasses

from msgspec import structs

from ligament.convert.dialects.draft import Draft
from ligament.extensions.declarations import Combine, Material


def cast_votes(draft: Draft) -> None:
    """Let materials that have no vote on how to combine vote for the maximum.

    Only `multiply` is weaker than that, so that it decides among those that had no vote, and for
    nobody else, unless a material of the file votes for multiply.
    """
    materials = {collider.material for collider in draft.colliders.values()} - {None}
    told: set[tuple[Material, str]] = set()
    for node, collider in list(draft.colliders.items()):
        material = collider.material
        if material is None:
            continue
        for member in ("friction_combine", "restitution_combine"):
            if getattr(collider.material, member) is not None:
                continue
            rivals = [m for m in materials if getattr(m, member) is Combine.MULTIPLY]
            if rivals and (material, member) not in told:
                told.add((material, member))
                effect = f"the maximum, not the product, with {len(rivals)} materials"
                place = draft.leftovers.material(collider.pointer)
                reason = "every material votes in the dialect"
                draft.lose(place, f"no vote on {member.replace('_', ' ')}", reason, effect)
            material = _voting(material, member)
        draft.colliders[node] = structs.replace(collider, material=material)


def _voting(material: Material, member: str) -> Material:
    if member == "friction_combine":
        return dataclasses.replace(material, friction_combine=Combine.MAXIMUM)
    return dataclasses.replace(material, restitution_combine=Combine.MAXIMUM)
