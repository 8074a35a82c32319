"""`ligament info`: what it shows of physics."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import ligament as lg
from ligament.cli import printing
from ligament.demo import assets
from ligament.summary import Summary
from tests.cli.command import ligament

FILES = {path.name: path for path in assets()}
BODIES, SHAPES = "KHR_physics_rigid_bodies", "KHR_implicit_shapes"
HINGE = {
    "limits": [
        {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
        {"angularAxes": [0, 1], "min": 0, "max": 0},
        {"angularAxes": [2], "min": -1, "max": 1},
    ]
}


def info(*arguments: object) -> subprocess.CompletedProcess[str]:
    return ligament("info", *arguments)


def node(name: str, **members: object) -> dict[str, object]:
    return {"name": name, "extensions": {BODIES: members}}


def write(path: Path, nodes: list[dict[str, object]]) -> Path:
    root = {
        "asset": {"version": "2.0"},
        "extensionsUsed": [BODIES, SHAPES],
        "extensions": {
            SHAPES: {"shapes": [{"type": "box", "box": {"size": [1, 2, 3]}}]},
            BODIES: {"physicsJoints": [HINGE]},
        },
        "nodes": nodes,
    }
    path.write_text(json.dumps(root))
    return path


BOX = {"geometry": {"shape": 0}}
SCENE = [
    node("Door", motion={"mass": 20}, collider=BOX),
    node("Frame", collider=BOX),
    node("Pivot", joint={"connectedNode": 0, "joint": 0}),
    node("Zone", trigger=BOX),
    node("Zones", trigger={"nodes": [3]}),
    node("Box of " + "a very long name " * 8, motion={}, collider=BOX),
]


def scene(tmp_path: Path) -> Path:
    nodes = [dict(each) for each in SCENE]
    nodes[4]["children"] = [3]
    return write(tmp_path / "scene.gltf", nodes)


def test_physics_in_tables(tmp_path: Path) -> None:
    run = info(scene(tmp_path))
    assert run.returncode == 0, run.stderr
    lines = [" ".join(line.split()) for line in run.stdout.splitlines()]
    assert "physics (khr-2024-10): bodies 2, colliders 3, triggers 2, joints 1" in lines
    assert "0 Door dynamic 20 kg" in lines
    assert "0 Door box 1 x 2 x 3 m 0 Door" in lines
    assert "1 Frame box 1 x 2 x 3 m static" in lines
    assert "2 Pivot hinge (limited) 2 Pivot (static) 0 Door no" in lines
    assert "3 Zone box 1 x 2 x 3 m static" in lines
    assert "4 Zones compound of 3 Zone static" in lines


def test_names_of_any_length_are_whole_where_no_terminal_cuts_them(tmp_path: Path) -> None:
    name = SCENE[5]["name"]
    assert f"5 {name}  dynamic  from shapes\n" in info(scene(tmp_path)).stdout


def test_large_scenes_are_summarized_by_counts(tmp_path: Path) -> None:
    nodes = [node(f"b{i}", motion={"isKinematic": i % 3 == 0}, collider=BOX) for i in range(90)]
    file = write(tmp_path / "many.gltf", nodes)
    lines = info(file).stdout.splitlines()
    assert sum("kg" in line or "from shapes" in line for line in lines) == 20
    assert "and 70 more; in total: dynamic 60, kinematic 30" in lines
    assert "and 70 more; in total: box 90" in lines
    physics = json.loads(info(file, "--json").stdout)["physics"]
    assert len(physics["bodies"]) == len(physics["colliders"]) == 90


def test_physics_as_json(tmp_path: Path) -> None:
    summary = json.loads(info(scene(tmp_path), "--json").stdout)
    physics = summary["physics"]
    assert physics["dialects"] == ["khr-2024-10"]
    assert physics["bodies"][0] == {"node": 0, "kind": "dynamic", "mass": 20.0}
    assert physics["joints"] == [
        {
            "node": 2,
            "name": "hinge (limited)",
            "frames": [2, 0],
            "bodies": [None, 0],
            "collide": False,
        }
    ]
    assert summary["names"]["2"] == "Pivot"


def test_findings_are_counted_and_refer_to_check(tmp_path: Path) -> None:
    file = write(tmp_path / "odd.gltf", [node("A", motion={"mass": -1}, collider=BOX)])
    run = info(file)
    assert run.returncode == 0
    assert "findings in the physics: 1, see ligament check" in run.stdout


def test_graphs_that_are_not_played_yet_are_named_at_once(tmp_path: Path) -> None:
    name, graph = "KHR_interactivity", {"graphs": [{"nodes": [{"declaration": 0}]}]}
    path = tmp_path / "graph.gltf"
    root = {"asset": {"version": "2.0"}, "nodes": [{}], "extensionsUsed": [name]}
    path.write_text(json.dumps(root | {"extensions": {name: graph}}))
    sentence = f"{name} is not played: Ligament does not simulate behaviour graphs yet"
    assert sentence in info(path).stdout.splitlines()
    assert json.loads(info(path, "--json").stdout)["not_played"] == [sentence]
    run = ligament("simulate", path, "--seconds", "0.1", "-o", tmp_path / "run.npz")
    assert f"/extensions/{name}: {sentence}" in run.stderr
    assert sentence in ligament("check", path).stdout


def test_the_function_prints_what_the_command_prints(tmp_path: Path) -> None:
    played = lg.simulate(FILES["door.glb"], seconds=0.1)
    played.save(tmp_path / "run.npz")
    bvh = write_bvh(tmp_path / "walk.bvh")
    for file in (scene(tmp_path), FILES["avatar.vrm"], tmp_path / "run.npz", bvh):
        assert f"{lg.info(file)}\n" == info(file).stdout
    assert str(lg.info(played)) == str(lg.info(tmp_path / "run.npz")).partition("\n")[2]
    summary = lg.info(lg.load(FILES["avatar.vrm"]))
    assert isinstance(summary, Summary)
    assert summary.humanoid is not None


def test_a_terminal_fits_tables_to_its_width(tmp_path: Path) -> None:
    text = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        terminal = Console(file=text, force_terminal=True, width=40, soft_wrap=True)
        patch.setattr(printing, "results", terminal)
        assert info(scene(tmp_path)).returncode == 0
    rows = [line for line in text.getvalue().splitlines() if "very long" in line]
    assert rows
    assert all(len(row) <= 40 for row in rows)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes there")
def test_a_name_of_any_bytes_is_text(tmp_path: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.gltf"))
    write(file, [])
    words = [sys.executable, "-m", "ligament", "info", file]
    for more in ([], ["--json"]):
        run = subprocess.run([*words, *more], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert "\\xff.gltf" in run.stdout


def test_a_stage_is_shown_as_gltf_and_its_losses_are_counted(tmp_path: Path) -> None:
    pytest.importorskip("pxr")
    stage = tmp_path / "a.usda"
    stage.write_text('#usda 1.0\ndef Sphere "A"\n{\n}\ndef RectLight "B"\n{\n}\n')
    run = info(stage)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"{stage}\nUSD, as glTF, glTF 2.0")
    assert run.stderr == f"{stage}: 1 loss; ligament convert lists them\n"
    assert json.loads(info(stage, "--json").stdout)["container"] == "USD, as glTF"


def write_bvh(path: Path) -> Path:
    """Write a hip that moves, with a leg."""
    path.write_text(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        "JOINT LeftUpLeg\n{\nOFFSET 1 -1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "End Site\n{\nOFFSET 0 -1 0\n}\n}\n}\n"
        "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0 0 0 0 0 0 0\n0 1 0 0 0 0 0 0 0\n"
    )
    return path


def test_files_without_physics_say_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "plain.gltf").write_text('{"asset": {"version": "2.0"}, "nodes": [{}]}')
    run = info(tmp_path / "plain.gltf")
    assert run.returncode == 0
    assert "physics (" not in run.stdout
    assert json.loads(info(tmp_path / "plain.gltf", "--json").stdout)["physics"] is None


@pytest.mark.parametrize(
    ("name", "content", "reported"),
    [
        ("poses.csv", "time,node,tx,ty,tz\n", "CSV is written, but not read"),
        ("rules.toml", '[[vary]]\nquantity = "mass"\n', "is not glTF; give a .gltf, .glb"),
        ("broken.gltf", "time and again", "not valid JSON"),
    ],
)
def test_files_of_other_formats_are_named(
    name: str, content: str, reported: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    run = ligament("info", tmp_path / name)
    assert run.returncode == 2
    assert reported in run.stderr
