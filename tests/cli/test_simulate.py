"""`ligament simulate` as a user meets it: files, messages and the exit status."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from tests.cli.command import ligament
from tests.play.files import BALL, FLOOR, animate, node, physics_file

FLOOR_NODE, GATE, BALL_NODE, BOB, EYE, HOOK, RAM = range(7)


def simulate(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return ligament("simulate", *arguments, cwd=cwd)


def yard() -> lg.Document:
    """A ball that rolls through a gate, a pendulum with a one-sided limit, an animated ram."""
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Gate", at=(2, 0.6, 0), trigger=BALL),
        node("Ball", at=(0, 0.5, 0), motion={"mass": 1, "linearVelocity": [4, 0, 0]}, shape=BALL),
        node("Bob", at=(-4, 4, 0), motion={"mass": 1}, shape=BALL, children=[EYE]),
        node("Eye", at=(0, 1, 0)),
        node("Hook", at=(-4, 5, 0), joint={"connectedNode": EYE, "joint": 0}),
        node("Ram", at=(0, 2, 6), motion={"mass": 1}, shape=BALL),
        joints=[
            {
                "limits": [
                    {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
                    {"angularAxes": [0], "min": -0.5},
                ]
            }
        ],
    )
    animate(doc, RAM, "translation", [0, 0.5], [[0, 2, 6], [0, 3, 6]])
    return doc


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the inputs; what the commands write goes elsewhere."""
    folder = tmp_path_factory.mktemp("inputs")
    lg.save(yard(), folder / "yard.glb")
    (folder / "plain.gltf").write_text('{"asset": {"version": "2.0"}, "nodes": [{"name": "A"}]}')
    return folder


@pytest.fixture(scope="module")
def written(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outputs of one run with every kind of output."""
    out = tmp_path_factory.mktemp("written")
    run = simulate(
        *(folder / "yard.glb", "--out", "r.npz", "--events", "e.json", "--contacts"),
        *("--plot", "p.png", "--seconds", 2, "--rate", 30),
        cwd=out,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    assert "r.npz: frames 61, bodies 3, joints 1" in run.stderr
    return out


def times(path: Path) -> np.ndarray:
    with np.load(path) as arrays:
        return arrays["times"]


def test_npz_holds_the_arrays_of_the_contract_and_no_others(written: Path) -> None:
    with np.load(written / "r.npz", allow_pickle=False) as arrays:
        shapes = {name: (array.shape, array.dtype) for name, array in arrays.items()}
        assert arrays["nodes"].tolist() == [BALL_NODE, BOB, RAM]
        assert arrays["times"] == pytest.approx(np.arange(61) / 30)
        assert arrays["limit_node"].tolist() == [HOOK, HOOK]
        assert arrays["limit_index"].tolist() == [0, 1]
        assert arrays["limit_min"].tolist() == [0, -0.5]
        assert arrays["limit_max"].tolist() == [0, np.inf]
        assert np.linalg.norm(arrays["rotation"], axis=-1) == pytest.approx(1, abs=1e-12)
        assert np.abs(arrays["limit_value"][:, 0]).max() < 1e-3
    floats, ints = np.dtype(np.float64), np.dtype(np.int64)
    assert shapes == {
        "times": ((61,), floats),
        "nodes": ((3,), ints),
        "translation": ((61, 3, 3), floats),
        "rotation": ((61, 3, 4), floats),
        "linear_velocity": ((61, 3, 3), floats),
        "angular_velocity": ((61, 3, 3), floats),
        "limit_node": ((2,), ints),
        "limit_index": ((2,), ints),
        "limit_min": ((2,), floats),
        "limit_max": ((2,), floats),
        "limit_value": ((61, 2), floats),
    }


def test_events_name_nodes_and_contacts_come_when_asked_for(written: Path, folder: Path) -> None:
    events = json.loads((written / "e.json").read_text())
    triggers = [event for event in events if event["type"].startswith("trigger")]
    assert [event["type"] for event in triggers] == ["trigger_enter", "trigger_exit"]
    for event in triggers:
        assert set(event) == {"time", "type", "trigger", "collider", "body"}
        assert (event["trigger"], event["collider"], event["body"]) == (GATE, BALL_NODE, BALL_NODE)
    # Both are balls of half a metre: they overlap while the centres are within a metre.
    with np.load(written / "r.npz") as arrays:
        away = np.linalg.norm(arrays["translation"][:, 0] - [2, 0.6, 0], axis=-1)
        inside = arrays["times"][away < 1]
    wanted = [inside[0], inside[-1] + 1 / 30]
    assert [event["time"] for event in triggers] == pytest.approx(wanted, abs=1 / 30 + 1e-6)
    touches = [event for event in events if event["type"] == "contact_begin"]
    assert touches[0]["trigger"] is None
    ends = [touches[0][name] for name in ("collider", "body", "other_collider", "other_body")]
    assert ends == [FLOOR_NODE, None, BALL_NODE, BALL_NODE]
    run = simulate(
        *(folder / "yard.glb", "--out", "quiet.csv", "--events", "quiet.json"),
        *("--seconds", 2, "--quiet"),
        cwd=written,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    types = {event["type"] for event in json.loads((written / "quiet.json").read_text())}
    assert types == {"trigger_enter", "trigger_exit"}


def test_the_picture_is_a_png(written: Path) -> None:
    assert (written / "p.png").read_bytes().startswith(b"\x89PNG")


def test_json_has_the_same_keys_and_null_where_there_is_no_bound(
    written: Path, folder: Path, tmp_path: Path
) -> None:
    run = simulate(folder / "yard.glb", "-o", "r.json", "--seconds", 2, "--rate", 30, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    content = json.loads((tmp_path / "r.json").read_text())
    with np.load(written / "r.npz") as arrays:
        assert list(content) == list(arrays)
        for name in ("translation", "limit_value", "nodes"):
            assert np.array(content[name]).tolist() == arrays[name].tolist()
    assert content["limit_max"] == [0, None]
    assert content["limit_min"] == [0, -0.5]


def test_csv_has_one_line_per_frame_and_node(folder: Path, tmp_path: Path) -> None:
    run = simulate(folder / "yard.glb", "-o", "r.csv", "--seconds", 0.5, "--rate", 10, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    with open(tmp_path / "r.csv", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert ",".join(header) == "time,node,tx,ty,tz,qx,qy,qz,qw"
    assert len(rows) == 6 * 3
    assert [float(value) for value in rows[0]] == [0, BALL_NODE, 0, 0.5, 0, 0, 0, 0, 1]
    assert [row[0] for row in rows[::3]] == ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]


def ram(path: Path) -> np.ndarray:
    with np.load(path) as arrays:
        return arrays["translation"][:, arrays["nodes"].tolist().index(RAM), 1]


def test_animations_are_chosen_looped_or_left_out(folder: Path, tmp_path: Path) -> None:
    for name, options in (
        ("held", []),
        ("looped", ["--loop"]),
        ("none", ["--animation", "none"]),
        ("chosen", ["--animation", "clip 0"]),
    ):
        run = simulate(
            folder / "yard.glb", "-o", f"{name}.npz", "--seconds", 0.75, *options, cwd=tmp_path
        )
        assert run.returncode == 0, run.stderr
    assert ram(tmp_path / "held.npz")[-1] == pytest.approx(3, abs=1e-5)
    assert ram(tmp_path / "chosen.npz").tolist() == ram(tmp_path / "held.npz").tolist()
    assert ram(tmp_path / "looped.npz")[-1] == pytest.approx(2.5, abs=1e-5)
    assert ram(tmp_path / "none.npz")[-1] < 1.9
    run = simulate(folder / "yard.glb", "-o", "x.npz", "--animation", "Dance", cwd=tmp_path)
    assert run.returncode == 2
    assert "'Dance'" in run.stderr
    assert "'clip 0'" in run.stderr


def test_until_rest_gravity_and_scene(tmp_path: Path) -> None:
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Cube", at=(0, 0.55, 0), motion={"mass": 1}, shape=1),
    )
    doc.json["scenes"] = [{"nodes": [0, 1]}, {"nodes": [1]}]
    lg.save(doc, tmp_path / "in.glb")
    run = simulate("in.glb", "-o", "rest.npz", "--until-rest", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert 0.5 < times(tmp_path / "rest.npz")[-1] < 5
    options = ["--scene", 1, "--gravity", 0, "-1", 0, "--seconds", 1, "--substeps", 8]
    run = simulate("in.glb", "-o", "fall.npz", *options, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    with np.load(tmp_path / "fall.npz") as arrays:
        assert arrays["linear_velocity"][-1, 0] == pytest.approx([0, -1, 0], abs=1e-4)
    run = simulate("in.glb", "-o", "x.npz", "--scene", 7, cwd=tmp_path)
    assert run.returncode == 2
    assert "there is no scene 7" in run.stderr


def test_a_file_without_physics_has_no_bodies(folder: Path, tmp_path: Path) -> None:
    run = simulate(folder / "plain.gltf", "-o", "r.npz", "--events", "e.json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "frames 1, bodies 0, joints 0, events 0" in run.stderr
    with np.load(tmp_path / "r.npz") as arrays:
        assert arrays["translation"].shape == (1, 0, 3)
        assert arrays["limit_value"].shape == (1, 0)
    assert json.loads((tmp_path / "e.json").read_text()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "r.txt"], ["r.txt", ".npz, .json, .csv"]),
        (["-o", "r.npz", "--plot", "p.jpg"], ["p.jpg", ".png, .svg, .pdf"]),
        (["-o", "r.npz", "--rate", "0"], ["rate is '0'", "1e-06 to"]),
        (["-o", "r.npz", "--rate", "nan"], ["rate is 'nan'"]),
        (["-o", "r.npz", "--substeps", "0"], ["substeps is '0'", "1 to"]),
        (["-o", "r.npz", "--seconds", "-1"], ["seconds is '-1'"]),
        (["-o", "r.npz", "--gravity", "0", "inf", "0"], ["gravity", "finite"]),
        (["-o", "missing/r.npz"], ["missing/r.npz", "missing must exist"]),
        (["-o", "r.npz", "--events", "missing/e.json"], ["missing must exist"]),
        (["-o", "r.npz", "--plot", "missing/p.png"], ["missing must exist"]),
    ],
    ids=lambda value: " ".join(value) if value[0] == "-o" else "",
)
def test_a_wrong_call_is_one_line_and_nothing_is_written(
    folder: Path, tmp_path: Path, arguments: list[str], words: list[str]
) -> None:
    run = simulate(folder / "yard.glb", *arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("error: ")
    assert run.stderr.count("\n") == 1, run.stderr
    assert all(word in run.stderr for word in words), run.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_picture_of_nothing_is_an_error_before_anything_is_written(
    folder: Path, tmp_path: Path
) -> None:
    run = simulate(folder / "plain.gltf", "-o", "r.npz", "--plot", "p.png", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.startswith("error: nothing moves in this recording")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_everything_but_pictures_works(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    options = [folder / "yard.glb", "-o", "r.npz", "--seconds", 0]
    run = simulate(*options, "--plot", "p.png", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr == "error: pictures need matplotlib; pip install ligament[plot]\n"
    assert list(tmp_path.iterdir()) == []
    assert simulate(*options, cwd=tmp_path).returncode == 0
