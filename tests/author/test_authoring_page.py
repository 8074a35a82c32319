"""The page on authoring is true: its code runs, its plan can be carried out."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.author.plan import apply_plan
from ligament.extensions.physics import read_physics
from ligament.physics.naming import friendly_name
from tests.author.bare import Bare

PAGE = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text(encoding="utf-8")


def house() -> lg.Document:
    bare = Bare()
    bare.node("Frame", mesh=bare.box((0.1, 2.1, 0.1)), translation=[-0.55, 1.05, 0])
    bare.node("Door", mesh=bare.box((0.9, 2, 0.04)), translation=[0, 1.05, 0])
    bare.node("Ball", mesh=bare.box(), translation=[3, 1, 0])
    bare.node("Arrow", translation=[0, 3, 0])
    bare.node("Arch", mesh=bare.box(), translation=[6, 1, 0])
    return bare.document


def test_three_lines_make_a_door_that_swings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lg.save(house(), "house.glb")
    code, *_ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "authoring.md", "exec"), {})
    document = lg.load("swinging.glb")
    assert not lg.check(document).has("warning")
    sim = lg.Simulation(document)
    for _ in range(30):
        sim.apply_force("Door", (0, 0, 20))
        sim.step()
    # It turns about the middle between frame and door, and its hinge stays where it is.
    hinge = np.array([-0.475, 1.05, 0])
    assert np.linalg.norm(sim.translation[0] - hinge) == pytest.approx(0.475, abs=1e-3)
    assert sim.angular_velocity[0, 1] < -0.1
    assert sim.angular_velocity[0, [0, 2]] == pytest.approx(0, abs=1e-3)


def test_the_fitting_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lg.save(house(), "house.glb")
    _, code, _ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    space: dict[str, Any] = {}
    exec(compile(code, "authoring.md", "exec"), space)
    assert capsys.readouterr().out == "0.0\n0.0 0.0\n"
    assert list(read_physics(space["editor"].document).motions) == [2]


def test_the_plan_of_the_page() -> None:
    text, _ = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    editor = lg.Editor(house())
    apply_plan(editor, tomllib.loads(text))
    physics = read_physics(editor.document)
    assert sorted(physics.motions) == [1, 2, 4]
    (joint,) = physics.joints.values()
    assert friendly_name(joint.limits, joint.drives) == "hinge (limited, motor)"
    assert not lg.check(editor.document).has("warning")


def test_the_spring_bones_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(lg.__file__).parent / "demo/assets/avatar.vrm", tmp_path)
    *_, code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "authoring.md", "exec"), {})
    hairy = lg.load("hairy.vrm")
    (spring,) = hairy.json["extensions"]["VRMC_springBone"]["springs"]
    assert len(spring["joints"]) == 4
    _, plan = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    del hairy.json["extensions"]["VRMC_springBone"]
    editor = lg.Editor(hairy)
    apply_plan(editor, tomllib.loads(plan))
    (planned,) = editor.document.json["extensions"]["VRMC_springBone"]["springs"]
    nodes = [joint["node"] for joint in spring["joints"]]
    assert [joint["node"] for joint in planned["joints"]] == nodes


def test_every_call_of_the_editor_is_on_the_page() -> None:
    calls = [name for name in dir(lg.Editor) if not name.startswith("_") and name != "document"]
    assert [name for name in calls if f"`{name}" not in PAGE] == []
