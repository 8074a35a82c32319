"""Objects that show themselves: in a line, by name, by column."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jedi
import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets

FILES = {asset.name: asset for asset in assets()}


@pytest.fixture(scope="module")
def recording() -> lg.Recording:
    return lg.simulate(FILES["door.glb"], seconds=0.5)


def _compared() -> Any:
    played = lg.simulate(FILES["door.glb"], seconds=0.1)
    return lg.compare(played, played)


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: lg.load(FILES["door.glb"]), "<ligament.Document door.glb: 5 nodes"),
        (lambda: lg.simulate(FILES["door.glb"], seconds=0.5), "<ligament.Recording of door.glb"),
        (lambda: lg.Simulation(FILES["door.glb"]), "<ligament.Simulation of door.glb at 0 s"),
        (lambda: lg.Editor(FILES["door.glb"]), "<ligament.Editor of <ligament.Document door.glb"),
        (lambda: lg.NodeConstraints(FILES["avatar.vrm"]), "<ligament.NodeConstraints: 6 on 46"),
        (lambda: lg.Humanoid(FILES["avatar.vrm"]), "<ligament.Humanoid of 21 bones in"),
        (lambda: lg.SpringBones(FILES["ponytail.vrm"]), "<ligament.SpringBones: 6 joints"),
        (lambda: lg.load_motion(FILES["wave.vrma"]), "<ligament.Motion 'Wave': 2 s"),
        (lambda: lg.retarget(FILES["wave.vrma"], FILES["avatar.vrm"]), "<ligament.Pose: 25 frames"),
        (lambda: lg.convert(FILES["door.glb"], "omi"), "<ligament.Converted <ligament.Document"),
        (_compared, "<ligament.Comparison of 0.1 s: same, 0 of 1 body part"),
        (
            lambda: lg.Worlds(FILES["door.glb"], 2, engine="mujoco", jobs=1),
            "<ligament.Worlds: 2 of 1 body and 1 joint on mujoco>",
        ),
    ],
)
def test_an_object_shows_itself_in_one_line(make: Any, shown: str) -> None:
    text = repr(make())
    assert text.startswith(shown)
    assert len(text) < 160
    assert "\n" not in text
    assert not re.search(r"\b1 \w*[^s\W]s\b", text.replace("1 s", ""))


def test_a_warning_points_at_the_line_of_the_caller() -> None:
    sim = lg.Simulation(FILES["door.glb"])
    with pytest.warns(lg.LigamentWarning, match="forces and impulses do not move it") as reported:
        sim.apply_force("Frame", (0, 0, 1))
    assert reported[0].filename == __file__


def test_a_report_can_be_indexed() -> None:
    report = lg.check(FILES["door.glb"])
    codes = [finding.code for finding in report]
    assert "PORTABILITY_WORLD_JOINT" in codes
    assert (report[0].code, report[-1].code) == (codes[0], codes[-1])
    assert report[:5] == list(report)


def test_a_recording_saves_itself(recording: lg.Recording, tmp_path: Path) -> None:
    recording.save(tmp_path / "door.npz")
    again = lg.load_recording(tmp_path / "door.npz")
    assert np.array_equal(again.translation, recording.translation)
    with pytest.raises(lg.LigamentError, match=r"use one of \.npz, \.json, \.csv"):
        recording.save(tmp_path / "door.xlsx")


def test_a_recording_has_columns_by_name(recording: lg.Recording) -> None:
    columns = recording.columns()
    assert recording.names == ("Door",)
    assert columns["time"] is recording.times
    assert np.array_equal(columns["Door.ty"], recording.translation[:, 0, 1])
    assert np.array_equal(columns["Door.qw"], recording.rotation[:, 0, 3])
    assert np.array_equal(columns["Door.wy"], recording.angular_velocity[:, 0, 1])
    assert np.array_equal(columns["Frame hinge.limit2"], recording.limits[2].value)
    assert {len(column) for column in columns.values()} == {len(recording.times)}


def test_a_recording_becomes_a_data_frame(
    recording: lg.Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pandas:
        DataFrame = dict

    monkeypatch.setitem(__import__("sys").modules, "pandas", Pandas)
    assert recording.to_dataframe().keys() == recording.columns().keys()
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(lg.LigamentError, match="pip install pandas"):
        recording.to_dataframe()


def test_bodies_and_joints_have_names_and_values() -> None:
    sim = lg.Simulation(FILES["door.glb"])
    assert sim.bodies.names == ["Door"]
    assert sim.joints.names == ["Frame hinge"]
    door, hinge = sim.bodies["Door"], sim.joints[0]
    assert (door.kind, door.mass) == ("dynamic", 25.0)
    assert hinge.kind == "hinge (limited, motor)"
    assert repr(door) == "<body 'Door' (node 2): dynamic, 25 kg>"
    for _ in range(30):
        sim.step()
    recorded = lg.simulate(FILES["door.glb"], seconds=0.5)
    values = [limit.value[-1] for limit in recorded.limits]
    # The recorded quaternions are normalised in double precision, those of the state are not.
    assert hinge.limits == pytest.approx(values, abs=1e-6)
    assert hinge.angles[1] == pytest.approx(values[2], abs=1e-6)
    assert np.array_equal(door.translation, sim.translation[0])
    assert np.array_equal(door.angular_velocity, sim.angular_velocity[0])


def test_joint_values_are_those_of_all_joints() -> None:
    sim = lg.Simulation(FILES["door.glb"])
    sim.step()
    limits, positions, velocities = sim.joint_values
    assert np.array_equal(limits, sim.joints[0].limits)
    assert positions == pytest.approx(sim.joints[0].angles[1:2])
    assert velocities == pytest.approx(sim.bodies[0].angular_velocity[1:2], abs=1e-6)
    one = lg.Worlds(FILES["door.glb"], 1, engine="mujoco", jobs=1)
    assert [values.shape[1] for values in one.joint_values] == [3, 1, 1]


def test_the_root_shows_the_api_alone() -> None:
    assert dir(lg) == sorted([*lg.__all__, "__version__"])
    assert len(lg.__all__) <= 30


def test_editors_complete_every_root_name() -> None:
    found = jedi.Script("import ligament as lg\nlg.").complete(2, 3)
    assert {completion.name for completion in found} >= set(lg.__all__)
