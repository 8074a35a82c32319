"""`ligament info`: what it shows of physics."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import ligament

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
