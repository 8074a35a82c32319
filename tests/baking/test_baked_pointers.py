"""Files whose physics an animation changes, baked: what is recorded is in the keyframes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ligament as lg
from ligament.gltf.reindex import reorder
from tests.play.files import animate, animate_pointer, node, physics_file

MOTION = "/nodes/0/extensions/KHR_physics_rigid_bodies/motion"


def falling() -> lg.Document:
    document = physics_file(
        node("Ball", motion={"mass": 1, "inertiaDiagonal": [1, 1, 1]}), node("Lamp")
    )
    animate_pointer(document, f"{MOTION}/gravityFactor", [0, 1], [1, 0], "STEP")
    animate(document, 1, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]])
    return document


def test_channels_into_stripped_physics_go_too():
    document = falling()
    recording = lg.simulate(document, seconds=2)
    baked = lg.bake(document, recording, strip=True)
    assert "KHR_" not in json.dumps(baked.json)
    assert [len(a["samplers"]) for a in baked.json["animations"]] == [1, 2]
    shown = lg.simulate(baked, seconds=2, animations=["Baked"])
    column = shown.local_nodes.tolist().index(0)
    there = recording.translation[:, 0]
    assert np.abs(shown.local_translation[:, column] - there).max() < 2e-5


def test_other_channels_of_an_animation_stay():
    document = falling()
    pointer, moved = document.json["animations"]
    moved["samplers"].insert(0, pointer["samplers"][0])
    moved["channels"][0]["sampler"] = 1
    moved["channels"].insert(0, pointer["channels"][0])
    document.json["animations"] = [moved]
    baked = lg.bake(document, lg.simulate(document, seconds=1), strip=True)
    first = baked.json["animations"][0]
    assert [channel["target"]["path"] for channel in first["channels"]] == ["translation"]
    assert (len(first["samplers"]), first["channels"][0]["sampler"]) == (1, 0)


def test_unstripped_files_keep_their_pointers(tmp_path):
    document = falling()
    baked = lg.bake(document, lg.simulate(document, seconds=1))
    lg.save(baked, tmp_path / "baked.glb")
    again = lg.load(tmp_path / "baked.glb")
    assert again.json["animations"][:2] == document.json["animations"]
    found = lg.simulate(again, seconds=2, animations=["animation 0"])
    assert found.linear_velocity[-1, 0, 1] == pytest.approx(-9.81, rel=1e-3)


def test_pointers_follow_their_objects():
    document = falling()
    reorder(document, "nodes", [1, 0])
    assert document.json["nodes"][1]["name"] == "Ball"
    target = document.json["animations"][0]["channels"][0]["target"]
    pointer = target["extensions"]["KHR_animation_pointer"]["pointer"]
    assert pointer == MOTION.replace("/nodes/0", "/nodes/1") + "/gravityFactor"
