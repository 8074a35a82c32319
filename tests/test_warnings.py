"""Said, not silent: what did not happen or was not done is reported, once."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from tests.author.bare import Bare
from tests.cli.command import ligament

FILES = {asset.name: asset for asset in assets()}


def spinning() -> lg.Document:
    """Return a body that nothing slows down."""
    editor = lg.Editor(lg.Document({"asset": {"version": "2.0"}, "scenes": [{}], "scene": 0}))
    editor.add_node("Top")
    editor.add_body("Top", mass=1.0, angular_velocity=(0, 1, 0), gravity_factor=0)
    return editor.document


def test_motion_that_does_not_come_to_rest_is_reported(tmp_path: Path) -> None:
    with pytest.warns(lg.LigamentWarning, match=r"not come to rest after 1 s: 'Top'.* 1 rad/s"):
        lg.simulate(spinning(), seconds=1, until_rest=True)
    lg.save(spinning(), tmp_path / "top.glb")
    words = ("simulate", "top.glb", "-o", "top.npz", "--until-rest", "--seconds", 1)
    assert "not come to rest" in ligament(*words, cwd=tmp_path).stderr


def test_rest_is_not_reported() -> None:
    document = spinning()
    document.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"].pop(
        "angularVelocity"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lg.simulate(document, seconds=2, until_rest=True).times[-1] < 2


@pytest.mark.parametrize("kind", ["kinematic", "animated"])
@pytest.mark.parametrize("push", ["apply_force", "apply_torque", "apply_impulse"])
def test_a_force_on_a_body_that_forces_cannot_move_is_reported(kind: str, push: str) -> None:
    document = spinning()
    motion = document.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"]
    if kind == "kinematic":
        motion["isKinematic"] = True
    else:
        document = lg.bake(document, lg.simulate(document, seconds=0.1))
        del document.json["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"][
            "angularVelocity"
        ]
    sim = lg.Simulation(document)
    with pytest.warns(lg.LigamentWarning, match="forces and impulses do not move it"):
        getattr(sim, push)("Top", (0, 0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(sim, push)("Top", (0, 0, 1))  # warned of once


def test_a_force_on_a_dynamic_body_is_not_reported() -> None:
    sim = lg.Simulation(spinning())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.apply_force("Top", (0, 0, 1))


def test_a_missing_image_is_reported_once(tmp_path: Path) -> None:
    picture: dict[str, Any] = {"uri": "no.png"}
    content = {"asset": {"version": "2.0"}, "images": [picture, picture]}
    (tmp_path / "a.gltf").write_text(json.dumps(content))
    (tmp_path / "out").mkdir()
    for words in (("convert", "a.gltf", "out/a.gltf"), ("fix", "a.gltf", "-o", "out/b.gltf")):
        reported = ligament(*words, cwd=tmp_path).stderr
        assert reported.count("no.png") == 1, words


def test_nothing_lost_is_reported(tmp_path: Path) -> None:
    run = ligament("convert", FILES["door.glb"], tmp_path / "door.gltf")
    assert run.stderr == "nothing was lost\n"
    quiet = ligament("convert", FILES["door.glb"], tmp_path / "door.gltf", "--quiet")
    assert quiet.stderr == ""
    listed = ligament("convert", FILES["door.glb"], tmp_path / "door.gltf", "--json")
    assert json.loads(listed.stdout) == []


def test_the_keyframe_with_initial_velocities_is_reported(tmp_path: Path) -> None:
    lg.save(spinning(), tmp_path / "top.glb")
    reported = ligament("convert", "top.glb", "top.xml", cwd=tmp_path).stderr
    assert "keyframe 'start': mujoco.mj_resetDataKeyframe(model, data, 0)" in reported
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "top.xml"))
    data = mujoco.MjData(model)
    assert not data.qvel.any()
    mujoco.mj_resetDataKeyframe(model, data, 0)  # as reported
    assert np.abs(data.qvel).max() == pytest.approx(1)


def test_a_decomposition_is_counted(tmp_path: Path) -> None:
    bare = Bare()
    bare.node("Cube", mesh=bare.box())
    lg.save(bare.document, tmp_path / "cube.glb")
    words = ("equip", "cube.glb", "-o", "out.glb", "--auto", "--decompose")
    reported = ligament(*words, cwd=tmp_path).stderr
    assert "decomposed: nothing, since no object that moves is concave" in reported
    made = json.loads(ligament(*words, "--json", cwd=tmp_path).stdout)
    assert (made["bodies"], made["colliders"]) == (1, 1)


def test_formats_are_listed_where_a_suffix_is_none(tmp_path: Path) -> None:
    for words in (
        ("convert", FILES["door.glb"], "door.fbx"),
        ("bake", FILES["door.glb"], "-o", "door.fbx"),
        ("equip", FILES["avatar.vrm"], "--ragdoll", "-o", "door.fbx"),
    ):
        run = ligament(*words, cwd=tmp_path)
        assert run.returncode == 2
        assert all(suffix in run.stderr for suffix in (".gltf", ".glb", ".vrm", ".vrma"))
    with pytest.raises(lg.LigamentError, match=r"use one of \.gltf, \.glb, \.vrm, \.vrma"):
        lg.save(FILES["door.glb"], tmp_path / "door.fbx")
    assert not list(tmp_path.iterdir())


def test_codes_are_explained_by_the_program() -> None:
    run = ligament("check", "--explain", "TYPE_MISMATCH")
    assert run.stdout.startswith("TYPE_MISMATCH (error): A member has a value of the wrong type.")
    assert len(ligament("check", "--explain", "all").stdout.splitlines()) > 100
    advice = ligament("check", FILES["door.glb"], "--ignore", "NO_SUCH_CODE").stderr
    assert "ligament check --explain all lists them" in advice
    assert "docs/" not in advice


def test_info_reads_every_format_that_is_read(tmp_path: Path) -> None:
    door = FILES["door.glb"]
    lg.simulate(door, seconds=0.1).save(tmp_path / "door.npz")
    lg.simulate(door, seconds=0.1).save(tmp_path / "door.json")
    for name in ("door.npz", "door.json"):
        assert "recording, 7 frames, 0.100 s, 60 Hz" in ligament("info", tmp_path / name).stdout
    plain = json.loads(ligament("info", tmp_path / "door.npz", "--json").stdout)
    assert (plain["frames"], plain["nodes"]) == (7, [2])
    pytest.importorskip("pxr")
    assert ligament("convert", door, tmp_path / "door.usda").returncode == 0
    reported = ligament("info", tmp_path / "door.usda").stdout
    assert "USD, as glTF" in reported
    assert "hinge (limited, motor)" in reported


def test_unsupported_formats_are_reported_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<mujoco/>")
    assert "is MJCF, not glTF; it is written" in ligament("info", tmp_path / "a.xml").stderr
    (tmp_path / "a.usda").write_text("#usda 1.0\n")
    with pytest.raises(lg.LigamentError, match=r"ligament convert scene\.usd scene\.glb"):
        lg.load(tmp_path / "a.usda")
