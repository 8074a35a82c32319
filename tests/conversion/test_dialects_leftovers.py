"""Members that no reader understands, in every object of every dialect, survive or are losses."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import ligament as lg
from ligament.conversion.dialects import WRITERS
from ligament.extensions import registry
from ligament.gltf import Document, pointers
from ligament.gltf.jsontext import walk
from tests.checker.valid import PHYSICS

FOREIGN = ("wind", "restitution", "systems", "isTrigger")
"""Members of no object, of another kind of objects, of a view, and of another dialect."""


def objects(file: dict[str, Any]) -> list[str]:
    """The pointers of all objects of extensions of physics, and of the shapes of glTF 2.1."""
    return [
        pointer
        for pointer, value in walk(file)
        if isinstance(value, dict)
        and (pointer.startswith("/shapes/") or {*pointers.split(pointer)} & {*registry.PHYSICS})
    ]


@pytest.mark.parametrize("to", WRITERS)
@pytest.mark.parametrize("dialect", PHYSICS)
@pytest.mark.parametrize("member", FOREIGN)
def test_no_member_is_lost_in_silence(dialect: str, to: str, member: str) -> None:
    file = copy.deepcopy(PHYSICS[dialect])
    holders = [place for place in objects(file) if member not in pointers.find(file, place)]
    for place in holders:
        pointers.find(file, place)[member] = {"place": place}
    result = lg.convert(Document(file), to)
    kept = {
        value["place"]
        for _, value in walk(result.document.json)
        if isinstance(value, dict) and "place" in value
    }
    lost = [loss.pointer for loss in result.losses]
    gone = [
        place
        for place in {*holders} - kept
        if not any(f"{place}/{member}".startswith(pointer) for pointer in lost)
    ]
    assert gone == []
    assert kept
    moved = (place for place in kept if not place.startswith("/shapes/"))  # those stay too
    assert not any(f"{place}/{member}" in lost for place in moved)


def test_a_member_that_would_change_the_new_object_is_a_loss() -> None:
    """In OMI a motion has a type."""
    file = copy.deepcopy(PHYSICS["newest"])
    file["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"]["type"] = "static"
    result = lg.convert(Document(file), "omi")
    motion = result.document.json["nodes"][0]["extensions"]["OMI_physics_body"]["motion"]
    assert motion["type"] == "dynamic"
    (loss,) = (loss for loss in result.losses if loss.pointer.endswith("/motion/type"))
    assert loss.reason == "the new object has another member type"
