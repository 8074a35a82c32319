"""`ligament convert` as a user meets it."""

import json
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import StrictError
from ligament.gltf.accessors import append_accessor
from ligament.operations.convert import Convert
from tests.cli.command import ligament
from tests.play.files import node, physics_file


def falling(path: Path, **motion: object) -> Path:
    document = physics_file(node("cube", motion={"mass": 1, **motion}, shape=0))
    document.json["extensions"]["KHR_implicit_shapes"]["shapes"] = [{"type": "box"}]
    lg.save(document, path)
    return path


def test_a_dialect_without_losses_says_so(tmp_path: Path) -> None:
    run = ligament(
        "convert", falling(tmp_path / "a.glb"), tmp_path / "b.glb", "--to", "omi", "--strict"
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "nothing was lost\n")
    assert "OMI_physics_body" in lg.load(tmp_path / "b.glb").json["extensionsUsed"]


def test_losses_are_a_table_and_a_file(tmp_path: Path) -> None:
    source, out = falling(tmp_path / "a.glb", gravityFactor=2), tmp_path / "b.glb"
    losses_file = tmp_path / "losses.json"
    run = ligament("convert", source, out, "--to", "omi-2023", "--losses", losses_file)
    assert run.returncode == 0
    assert run.stdout == ""
    head, line, total = run.stderr.splitlines()
    assert head.split() == ["place", "what", "reason", "effect"]
    assert "a factor of gravity" in line
    assert total == "1 loss"
    (loss,) = json.loads(losses_file.read_text())
    assert loss == {
        "pointer": "/nodes/0/extensions/KHR_physics_rigid_bodies/motion/gravityFactor",
        "what": "a factor of gravity",
        "reason": "the dialect has none",
        "effect": "a factor of 1 instead of 2",
    }
    quiet = ligament("convert", source, out, "--to", "omi-2023", "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_strict_writes_the_file_and_exits_with_1(tmp_path: Path) -> None:
    source, out = falling(tmp_path / "a.glb", gravityFactor=2), tmp_path / "b.glb"
    assert ligament("convert", source, out, "--to", "omi-2023", "--strict").returncode == 1
    assert out.is_file()
    assert ligament("convert", source, out, "--to", "khr-2024-03", "--strict").returncode == 0


def test_no_losses_are_an_empty_list(tmp_path: Path) -> None:
    losses_file = tmp_path / "losses.json"
    ligament("convert", falling(tmp_path / "a.glb"), tmp_path / "b.gltf", "--losses", losses_file)
    assert json.loads(losses_file.read_text()) == []


def test_an_unknown_dialect_is_one_line(tmp_path: Path) -> None:
    run = ligament("convert", tmp_path / "none.glb", tmp_path / "b.glb", "--to", "omu")
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert line.endswith(
        "use one of khr, khr-2024-10, khr-2024-03, omi, omi-2023, vrmc-1.0, vrm-1.0"
    )
    assert not (tmp_path / "b.glb").exists()


def animated(path: Path) -> Path:
    """A cube that an animation holds up."""
    document = lg.load(falling(path))
    times = append_accessor(document, np.array([0.0, 1.0], np.float32))
    places = append_accessor(document, np.array([[0, 1, 0], [0, 2, 0]], np.float32))
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    sampler = {"input": times, "output": places}
    document.json["animations"] = [{"channels": [channel], "samplers": [sampler]}]
    lg.save(document, path)
    return path


def test_without_animations_bodies_of_mujoco_are_free(tmp_path: Path) -> None:
    source, out = animated(tmp_path / "a.glb"), tmp_path / "b.xml"
    assert "1 body is a mocap body" in ligament("convert", source, out).stderr
    assert 'mocap="true"' in out.read_text()
    assert "bodies are free" in ligament("convert", source, out, "--animation", "none").stderr
    assert "mocap" not in out.read_text()
    assert 'type="free"' in out.read_text()


def test_the_function_takes_the_options_of_the_command(tmp_path: Path) -> None:
    source = falling(tmp_path / "a.glb", gravityFactor=2)
    assert len(lg.convert(source, "omi-2023").losses) == 1
    with pytest.raises(StrictError, match=r"1 loss: /nodes/0/.*a factor of gravity") as caught:
        lg.convert(source, "omi-2023", strict=True)
    assert len(caught.value.losses) == 1
    avatar = next(path for path in assets() if path.name == "avatar.vrm")
    upright = lg.Humanoid(lg.convert(avatar, normalize=True).document)
    assert np.allclose(upright.rest_rotation, [0, 0, 0, 1])
    with pytest.raises(lg.LigamentError, match="did you mean 'normalize'"):
        lg.convert(avatar, normalise=True)  # type: ignore[call-arg]


def test_in_a_batch_all_is_in_one_file() -> None:
    assert Convert(to="omi").in_batch() == Convert(to="omi", embed=True)


def test_a_file_of_gltf_keeps_its_animations(tmp_path: Path) -> None:
    out = tmp_path / "b.glb"
    run = ligament("convert", animated(tmp_path / "a.glb"), out, "--animation", "none")
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "b.glb: glTF keeps all animations" in line
    assert not out.exists()
