"""Documents that are broken already: the editor says what to fix, and never stumbles."""

from __future__ import annotations

import random
from typing import Any

import pytest

import ligament as lg
from ligament.author.equipment import add_bodies
from ligament.demo import assets
from ligament.errors import EditError, LigamentError
from ligament.extensions.shapes import Box
from ligament.gltf import jsontext, pointers
from tests.gltf.mutants import WRONG_VALUES
from tests.sampling import sample

ASSETS = {path.name: path for path in assets()}


def broken(document: lg.Document, count: int) -> list[tuple[str, Any]]:
    """Places of a document that hold something, and what to put there instead."""
    chooser = random.Random(7)
    ours = ("/nodes", "/scenes", "/scene", "/extensions", "/meshes", "/animations")
    places = [place for place, _ in jsontext.walk(document.json) if place.startswith(ours)]
    return [(chooser.choice(places), chooser.choice(WRONG_VALUES)) for _ in range(count)]


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.parametrize("name", ["door.glb", "gate.glb", "avatar.vrm"])
def test_every_call_works_or_says_what_is_wrong(name: str) -> None:
    refused = 0
    cases = sample(broken(lg.load(ASSETS[name]), 80), 24)
    for place, value in cases:
        document = lg.load(ASSETS[name])
        owner = pointers.find(document.json, place.rpartition("/")[0])
        key = place.rpartition("/")[2]
        owner[int(key) if isinstance(owner, list) else key] = value
        refused += not works(document)
    assert 0.15 < refused / len(cases) < 1


def works(document: lg.Document) -> bool:
    try:
        exercise(document)
    except LigamentError:
        return False
    return True


def exercise(document: lg.Document) -> None:
    editor = lg.Editor(document)
    node = editor.add_node("New")
    editor.add_body("New", mass=1, collider=Box((1, 1, 1)))
    editor.hinge(0, node, axis="x")
    add_bodies(editor)
    joints = [i for i, n in enumerate(document.json["nodes"]) if "joint" in str(n)]
    for joint in joints:
        editor.remove_joint(joint)
    editor.remove_body("New")


def test_broken_physics_must_be_fixed_first() -> None:
    document = lg.load(ASSETS["door.glb"])
    document.json["nodes"][2]["extensions"]["KHR_physics_rigid_bodies"]["motion"]["mass"] = -1
    with pytest.raises(EditError, match=r"/nodes/2/.*fix it first"):
        lg.Editor(document)
