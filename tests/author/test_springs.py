"""Spring bones are added by hand, by a plan and by name, and become bodies where asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.author.plan import apply_plan
from ligament.author.spring_bodies import springs_to_bodies
from ligament.author.spring_chains import add_springs
from ligament.errors import EditError
from ligament.extensions.humanoid.bones import BONES
from ligament.extensions.physics import read_physics
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.rig import SpringBones
from tests.rig.skeletons import humanoid
from tests.rig.sprung import chain, degrees_apart


def _avatar() -> lg.Document:
    """Give a humanoid a ponytail, an ear and a node that is none of them."""
    document = humanoid(BONES)
    nodes = document.json["nodes"]
    head = next(i for i, node in enumerate(nodes) if node["name"] == "head")
    for names in (["Ponytail_1", "Ponytail_2", "Ponytail_3"], ["Ear.L"], ["Earring", "Pearl"]):
        parent = head
        for name in names:
            nodes.append({"name": name, "translation": [0, -0.05, -0.05]})
            nodes[parent].setdefault("children", []).append(len(nodes) - 1)
            parent = len(nodes) - 1
    return document


def test_a_chain_takes_its_first_children_along() -> None:
    document = chain(3)
    del document.json["extensions"], document.json["extensionsUsed"]
    editor = lg.Editor(document)
    editor.add_spring_collider("Head", radius=0.1)
    editor.add_spring_collider("Head", normal=(0, 2, 0), group="Floor")
    assert editor.add_spring("Hair0", gravity=(0, -0.2, 0), groups=["Body", "Floor"]) == 0
    extension = document.json["extensions"]["VRMC_springBone"]
    assert [joint["node"] for joint in extension["springs"][0]["joints"]] == [2, 3, 4, 5]
    assert extension["springs"][0]["joints"][0]["gravityPower"] == pytest.approx(0.2)
    assert lg.check(document).ok
    assert len(SpringBones(document).nodes) == 3


def test_a_single_node_gets_a_tip() -> None:
    document = chain(1)
    del document.json["extensions"], document.json["extensionsUsed"]
    lg.Editor(document).add_spring("Hair1")
    bone = SpringBones(document).bones[0]
    assert np.linalg.norm(bone.tail) == pytest.approx(0.07)


def test_refused_springs_leave_the_document_unchanged() -> None:
    document = chain(3)
    before = lg.Document(document.json).json.copy()
    text = str(before)
    editor = lg.Editor(document)
    for call in (
        lambda: editor.add_spring(["Hair2", "Hair0"]),
        lambda: editor.add_spring("Hair0"),
        lambda: editor.add_spring("Hair0", drag=2.0),
        lambda: editor.add_spring("Hair0", groups=["None"]),
        lambda: editor.add_spring_collider("Head"),
    ):
        with pytest.raises(EditError):
            call()
        assert str(document.json) == text


def test_a_plan_has_springs() -> None:
    document = chain(3)
    del document.json["extensions"], document.json["extensionsUsed"]
    plan: dict[str, Any] = {
        "spring_collider": [{"node": "Head", "radius": 0.1, "tail": [0, 0.1, 0]}],
        "spring": [{"joints": "Hair0", "stiffness": 2.0, "groups": ["Body"]}],
    }
    apply_plan(lg.Editor(document), plan)
    springs = SpringBones(document)
    assert (len(springs.nodes), len(springs.colliders)) == (3, 1)
    assert springs.bones[0].joint.stiffness == 2.0


def test_hair_and_ears_swing_by_their_names() -> None:
    document = _avatar()
    chains = add_springs(lg.Editor(document))
    names = [document.json["nodes"][found.node]["name"] for found in chains]
    assert dict(zip(names, [found.style for found in chains], strict=True)) == {
        "Ponytail_1": "hair",
        "Ear.L": "ear",
    }
    springs = SpringBones(document)
    assert not springs.findings
    assert {bone.joint.hit_radius for bone in springs.bones} == {0.02}
    assert len(springs.colliders) == 6
    assert springs.bones[0].colliders
    assert add_springs(lg.Editor(document)) == []


def _turning(document: lg.Document) -> lg.Document:
    """Turn the head by 20 degrees within a tenth of a second."""
    half = np.radians([0.0, 10.0, 10.0])
    turns = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=-1)
    append_clip(document, Clip("turn", (Track(1, "rotation", np.array([0, 0.1, 2.0]), turns),)))
    return document


def test_bodies_swing_much_as_springs_do() -> None:
    """The same rest, and a swing of the same size: what differs is listed as lost."""
    made = [_turning(chain(2, stiffness=1.0, dragForce=0.2, gravityPower=0.1)) for _ in range(2)]
    replaced = springs_to_bodies(lg.Editor(made[1]))
    assert sorted(replaced.bodies) == [2, 3]
    assert {"drag relative to the world"} <= {loss.what for loss in replaced.losses}
    assert "VRMC_springBone" not in made[1].json.get("extensionsUsed", [])
    assert lg.check(made[1]).ok
    springs, bodies = (lg.simulate(document, seconds=2.5, rate=60) for document in made)
    for node in (2, 3):
        a, b = (r.local_rotation[:, list(r.local_nodes).index(node)] for r in (springs, bodies))
        assert degrees_apart(a[-1], b[-1]) < 1.5
        assert np.sqrt((degrees_apart(a, b) ** 2).mean()) < 4.0
        assert degrees_apart(a, a[:1]).max() > 5


def test_a_file_without_springs_has_none_to_replace() -> None:
    document = chain(1)
    del document.json["extensions"], document.json["extensionsUsed"]
    with pytest.raises(EditError, match="no spring bones"):
        springs_to_bodies(lg.Editor(document))


def test_colliders_of_springs_meet_the_bodies() -> None:
    ball = {"node": 1, "shape": {"sphere": {"offset": [0.12, -0.1, 0], "radius": 0.05}}}
    document = chain(1, colliders=[ball], hitRadius=0.02, stiffness=0.2)
    springs_to_bodies(lg.Editor(document))
    physics = read_physics(document)
    assert len(physics.colliders) == 2
    own, other = (collider.filter for collider in physics.colliders.values())
    assert own is not None
    assert other is not None
    assert own.systems <= (other.collide_with or frozenset())
    assert other.systems <= (own.collide_with or frozenset())
