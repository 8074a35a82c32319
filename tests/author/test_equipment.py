"""The equip command, and what it makes of files by itself."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from benchmarks.fitting import shell
from ligament import checker
from ligament.arrays import Floats, Ints
from ligament.author.densities import density_of
from ligament.author.equipment import Equipped, Skipped, add_bodies
from ligament.author.fitting import node_colliders
from ligament.checker import Issue, Report
from ligament.checker.report import summary
from ligament.demo import assets
from ligament.errors import EditError
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import MotionKind
from ligament.extensions.shapes import Box, MeshGeometry
from ligament.extensions.vrmc_node_constraint import read_constraints
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip
from ligament.physics import hulls
from tests.author.bare import Bare
from tests.cli import program
from tests.cli.command import ligament
from tests.judges import assert_valid
from tests.security.documents import CASES


def room(**ground: Any) -> Bare:
    """A floor, a crate on it, and a table of two pieces."""
    bare = Bare()
    slab, crate, leg = bare.box((8, 0.2, 8)), bare.box(), bare.box((0.1, 1, 0.1), at=(0, -0.5, 0))
    bare.node(**{"name": "Slab", "mesh": slab, "translation": [0, -0.1, 0], **ground})
    bare.node("Crate", mesh=crate, translation=[2, 0.5, 0])
    table = bare.node("Table", translation=[-2, 1, 0])
    bare.node("Top", parent=table, mesh=crate, scale=[1, 0.1, 1], translation=[0, 0.05, 0])
    bare.node("Leg", parent=table, mesh=leg)
    return bare


def equipped(bare: Bare, **options: Any) -> tuple[lg.Document, list[Equipped | Skipped]]:
    editor = lg.Editor(bare.document)
    made = add_bodies(editor, **options)
    assert not lg.check(editor.document).has("warning")
    return editor.document, made


def test_objects_become_dynamic_and_the_floor_static() -> None:
    document, made = equipped(room())
    assert made == [
        Equipped(0, "static", 1, None),
        Equipped(1, "dynamic", 1, None),
        Equipped(2, "dynamic", 2, None),
    ]
    physics = read_physics(document)
    assert sorted(physics.motions) == [1, 2]
    assert physics.colliders[0].geometry == Box((8, 0.2, 8))
    recording = lg.simulate(document, seconds=1)
    start, end = recording.translation[0], recording.translation[-1]
    np.testing.assert_allclose(end, start, atol=0.01)  # both rest on the floor as they stand


def test_a_sole_root_is_looked_into() -> None:
    bare = room()
    nodes = bare.document.json["nodes"]
    nodes.append({"name": "Everything", "children": bare.document.json["scenes"][0]["nodes"]})
    bare.document.json["scenes"][0]["nodes"] = [len(nodes) - 1]
    _, made = equipped(bare)
    assert [(entry.node, type(entry)) for entry in made] == [(i, Equipped) for i in range(3)]


def test_nodes_named_static_or_floor_are_static() -> None:
    _, made = equipped(room(), static=["Crate"])
    kinds = [entry.kind for entry in made if isinstance(entry, Equipped)]
    assert kinds == ["static", "static", "dynamic"]
    bare = Bare()
    bare.node("Main floor", mesh=bare.box())
    _, made = equipped(bare)
    assert made == [Equipped(0, "static", 1, None)]
    with pytest.raises(EditError, match="did you mean 'Crate'"):
        add_bodies(lg.Editor(room().document), static=["Crat"])


def test_masses_follow_from_the_names_of_materials() -> None:
    bare = room()
    bare.document.json["materials"] = [{"name": "M_OakPlanks.001"}]
    bare.document.json["meshes"][1]["primitives"][0]["material"] = 0
    _, made = equipped(bare)
    # A crate of 1 m³; a top of 0.1 m³ of the same mesh, and a leg of 0.01 m³ of water.
    masses = [entry.mass for entry in made if isinstance(entry, Equipped)]
    assert masses == [None, 750, pytest.approx(0.1 * 750 + 0.01 * 1000)]


def test_words_in_names() -> None:
    assert density_of(["Wood_01"]) == density_of(["", "OldWood"]) == density_of(["wooden"]) == 700
    assert density_of(["STEEL"]) == 7850
    assert density_of(["Woodpecker", "leader"]) is None


def test_animated_objects_are_kinematic_and_skinned_ones_left_alone() -> None:
    bare = room()
    places = np.array([[2.0, 0.5, 0], [2.0, 1.5, 0]])
    track = Track(1, "translation", np.array([0.0, 1.0]), places)
    append_clip(bare.document, Clip("lift", (track,)))
    bare.document.json["skins"] = [{"joints": [3]}]
    bare.node("Figure", mesh=1, skin=0)
    document, made = equipped_unchecked(bare)
    assert read_physics(document).motions[1].kind is MotionKind.KINEMATIC
    assert made[-1] == Skipped(5, "its meshes are skinned")


def equipped_unchecked(bare: Bare) -> tuple[lg.Document, list[Equipped | Skipped]]:
    editor = lg.Editor(bare.document)
    return editor.document, add_bodies(editor)


def test_static_things_that_are_not_convex_keep_their_surface() -> None:
    """Two boxes in one mesh, far apart, are all but convex."""
    bare = room()
    pair = bare.document.json["meshes"]
    pair.append({"primitives": [*pair[1]["primitives"], *corner_box(bare)["primitives"]]})
    bare.node("Static walls", mesh=len(pair) - 1, translation=[0, 0.5, -3])
    document, _ = equipped(bare)
    assert read_physics(document).colliders[5].geometry == MeshGeometry(len(pair) - 1, convex=False)


def corner_box(bare: Bare) -> dict[str, Any]:
    bare.box(at=(3, 0, 3))
    mesh: dict[str, Any] = bare.document.json["meshes"].pop()
    return mesh


def test_points_are_left_out_with_a_reason() -> None:
    bare = room()
    accessor = append_accessor(bare.document, np.zeros((3, 3)), bounds=True)
    mesh = bare.mesh({"attributes": {"POSITION": accessor}, "mode": 0})
    bare.node("Dust", mesh=mesh)
    _, made = equipped(bare)
    assert isinstance(made[3], Skipped)
    assert "no usable collision shape" in made[3].reason


# --- the command ---

PLAN = """
[[collider]]
node = "Slab"
shape = "box"

[[body]]
node = "Crate"
mass = 4
collider = "box"

[[joint]]
type = "hinge"
a = "Crate"
axis = "z"
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return ligament("equip", *arguments)


@pytest.fixture
def bare_file(tmp_path: Path) -> Path:
    path = tmp_path / "room.glb"
    lg.save(room().document, path)
    return path


def test_equip_by_plan_and_by_itself(bare_file: Path, tmp_path: Path) -> None:
    out, plan = tmp_path / "out.glb", tmp_path / "plan.toml"
    plan.write_text(PLAN)
    done = run(bare_file, "-o", out, "--plan", plan, "--auto")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "'Crate' (node 1): left out, it has physics already" in done.stderr
    assert "'Table' (node 2): dynamic, 2 colliders" in done.stderr
    assert "2 bodies, 4 colliders, 0 triggers, 1 joint (hinge)" in done.stderr
    document = lg.load(out)
    assert not lg.check(document).has("warning")
    assert sorted(read_physics(document).motions) == [1, 2]
    assert_valid(out)
    assert run(bare_file, "-o", out, "--auto", "--quiet").stderr == ""


def test_equip_in_another_dialect(bare_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.gltf"
    done = run(bare_file, "-o", out, "--auto", "--to", "omi")
    assert done.returncode == 0, done.stderr
    assert "OMI_physics_body" in lg.load(out).json["extensionsUsed"]
    assert lg.load(out).extension("KHR_physics_rigid_bodies") is None


def test_equip_a_humanoid(tmp_path: Path) -> None:
    avatar = next(file for file in assets() if file.name == "avatar.vrm")
    out = tmp_path / "doll.vrm"
    done = run(avatar, "-o", out, "--ragdoll")
    assert done.returncode == 0, done.stderr
    assert "ragdoll: " in done.stderr
    assert "play it with --animation none to let it fall" in done.stderr
    assert len(read_physics(lg.load(out)).motions) > 10


def test_equip_twist_bones(tmp_path: Path) -> None:
    document = lg.load(next(file for file in assets() if file.name == "avatar.vrm"))
    editor = lg.Editor(document)
    constrained = [constraint.destination for constraint in read_constraints(document)]
    for node in constrained:
        editor.remove_constraint(node)
    lg.save(document, tmp_path / "plain.vrm")
    done = run(tmp_path / "plain.vrm", "-o", tmp_path / "twisting.vrm", "--twist")
    assert done.returncode == 0, done.stderr
    assert "twist: 4 constraints" in done.stderr
    found = {c.destination for c in read_constraints(lg.load(tmp_path / "twisting.vrm"))}
    assert len(found) == 4
    assert found <= set(constrained)


BAD_PLANS: dict[str, tuple[str, str]] = {
    "a node that is not there": ('[[body]]\nnode = "Crat"\nmass = 1', "did you mean 'Crate'"),
    "two bodies on one node": (
        '[[body]]\nnode = "Crate"\nmass = 1\n[[body]]\nnode = "Crate"\nmass = 2',
        "has a body already",
    ),
    "a joint to itself": (
        '[[body]]\nnode = "Crate"\nmass = 1\n[[joint]]\ntype = "ball"\na = "Crate"\nb = "Crate"',
        "joined to itself",
    ),
    "an axis of no length": (
        '[[body]]\nnode = 1\nmass = 1\n[[joint]]\ntype = "hinge"\na = "Crate"\naxis = [0, 0, 0]',
        "give a direction",
    ),
    "a mesh without triangles": ('[[collider]]\nnode = "Dust"', "no triangle with an area"),
    "a misspelt key": ('[[body]]\nnode = "Crate"\nmaas = 1', "did you mean 'mass'"),
    "a misspelt shape": ('[[collider]]\nnode = "Crate"\nshape = "decompose"', "'decomposed'"),
    "half a plan": ('[[body]]\nnode = "Crate"\nmass =', "is not TOML"),
}


@pytest.mark.parametrize("case", BAD_PLANS)
def test_a_bad_plan_is_one_line_and_the_file_stays_as_it_was(case: str, tmp_path: Path) -> None:
    plan, words = BAD_PLANS[case]
    bare = room()
    bare.node("Dust", mesh=bare.points())
    lg.save(bare.document, tmp_path / "room.glb")
    (tmp_path / "plan.toml").write_text(plan)
    (tmp_path / "out.glb").write_bytes(b"what was here before")
    done = run(tmp_path / "room.glb", "-o", tmp_path / "out.glb", "--plan", tmp_path / "plan.toml")
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "plan.toml: " in done.stderr
    assert (tmp_path / "out.glb").read_bytes() == b"what was here before"


WRONG: dict[str, tuple[list[str], str]] = {
    "nothing to do": (
        [],
        "use --auto, --plan, --ragdoll, --ground, --twist, --springs or --springs-to-bodies",
    ),
    "static alone": (["--static", "Slab", "--plan", "plan.toml"], "add --auto"),
    "decompose alone": (["--decompose", "--plan", "plan.toml"], "add --auto"),
    "no such plan": (["--plan", "missing.toml"], "missing.toml: cannot be read (No such file"),
    "misspelt key": (["--plan", "bad.toml"], "did you mean 'mass'"),
    "no such node": (["--auto", "--static", "Slob"], "did you mean 'Slab'"),
    "no such dialect": (["--auto", "--to", "khrr"], "khr"),
    "no humanoid": (["--ragdoll"], "humanoid"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls_are_one_line_and_nothing_is_written(
    case: str, bare_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, words = WRONG[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "bad.toml").write_text(PLAN.replace("mass", "maas"))
    done = run(bare_file, "-o", tmp_path / "out.glb", *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out.glb").exists()


def test_world_poses_are_computed_once_per_node(monkeypatch: pytest.MonkeyPatch) -> None:
    from ligament.author.editing.nodes import Nodes

    bare, read = Bare(), 0
    crate, parent = bare.box(), None
    for index in range(40):
        parent = bare.node(f"n{index}", parent=parent, mesh=crate, translation=[1, 0, 0])
    local = Nodes._local

    def counted(nodes: Nodes, node: int) -> Any:
        nonlocal read
        read += 1
        return local(nodes, node)

    monkeypatch.setattr(Nodes, "_local", counted)
    document, (found,) = equipped(bare)
    assert isinstance(found, Equipped)
    assert found.colliders == 40
    assert read <= 2 * len(document.array("nodes"))


# --- models of an ordinary size ---

MESHES, ROWS = 22, 56
"""About 69,000 vertices, as many as a scene of an ordinary model viewer has."""

CPU_SECONDS_MAX = 10.0
"""For such a model; it takes 2 to 3 s, and twice as much where others compete for the caches."""


def balls(*, bumps: float, meshes: int = MESHES) -> Bare:
    """Balls of many sizes in single precision, with a seam, as exporters write them."""
    bare, rng = Bare(), np.random.default_rng(7)
    for index in range(meshes):
        surface = shell(ROWS**2)
        ripples = np.sin(surface.points @ rng.normal(size=(3, 4)) * 4).mean(axis=1, keepdims=True)
        points = (surface.points * (1 + index / 10 + bumps * ripples)).astype(np.float32)
        primitive = {
            "attributes": {"POSITION": append_accessor(bare.document, points, bounds=True)},
            "indices": append_accessor(bare.document, surface.triangles.ravel()),
        }
        bare.node(f"Ball {index}", mesh=bare.mesh(primitive), translation=[8.0 * index, 0, 0])
    return bare


@pytest.mark.parametrize("bumps", [0.0, 0.2])
def test_an_ordinary_model_takes_seconds(bumps: float) -> None:
    document, start = balls(bumps=bumps).document, time.process_time()
    made = add_bodies(lg.Editor(document))
    assert time.process_time() - start < CPU_SECONDS_MAX
    assert len(made) == MESHES
    start = time.process_time()
    recording = lg.simulate(document, seconds=1)
    assert time.process_time() - start < CPU_SECONDS_MAX
    assert len(recording.nodes) == MESHES


def test_no_hull_is_computed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    computed, triangles = list[bytes](), hulls._triangles

    def counted(points: Floats) -> Ints:
        computed.append(points.tobytes())
        return triangles(points)

    monkeypatch.setattr(hulls, "_triangles", counted)
    add_bodies(lg.Editor(balls(bumps=0.2, meshes=2).document))
    assert len(set(computed)) == len(computed) > 2


def test_equal_meshes_are_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bare, fitted = Bare(), []
    for index in range(6):
        bare.node(f"Crate {index}", mesh=bare.box(), translation=[2.0 * index, 0, 0])
    bare.node("Wide", mesh=bare.box((2, 1, 1)), translation=[0, 3, 0])
    fit = node_colliders.fit_stretched

    def counted(*arguments: Any, **options: Any) -> Any:
        fitted.append(arguments)
        return fit(*arguments, **options)

    monkeypatch.setattr(node_colliders, "fit_stretched", counted)
    document, _ = equipped(bare)
    assert len(fitted) == 2
    geometry = {body: c.geometry for body, c in read_physics(document).colliders.items()}
    assert geometry == {**dict.fromkeys(range(6), Box((1, 1, 1))), 6: Box((2, 1, 1))}


def test_progress_counts_meshes() -> None:
    seen: list[tuple[int, int]] = []
    equipped(room(), progress=lambda index, total: seen.append((index, total)))
    assert seen == [(index, 4) for index in range(4)]


def test_automatic_bodies_that_take_too_long_end_in_one_line(tmp_path: Path) -> None:
    lg.save(balls(bumps=0.2).document, tmp_path / "balls.glb")
    words = ("balls.glb", "-o", "out.glb", "--auto", "--max-seconds", "0.1")
    done = program.ligament("equip", *words, cwd=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: equip took more than 0.1 s of CPU time; for files that you ")
    assert not (tmp_path / "out.glb").exists()


# --- errors of the source ---


def test_errors_of_the_source_are_not_those_of_what_was_added(tmp_path: Path) -> None:
    source, out = tmp_path / "room.glb", tmp_path / "out.glb"
    bare = room()
    bare.document.json["materials"] = [{"alphaMode": "NONE"}]
    bare.document.json["animations"] = [{"channels": [], "samplers": []}]
    lg.save(bare.document, source)
    found = lg.check(lg.load(source))
    assert not found.ok
    done = run(source, "-o", out, "--auto")
    assert done.returncode == 0, done.stderr
    assert f"room.glb had {summary(found.counts)} before: ligament check " in done.stderr
    assert not [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    answer = json.loads(run(source, "-o", out, "--auto", "--json").stdout)
    assert answer["counts"]["error"] == 0
    assert answer["source"]["counts"] == found.counts
    assert [issue["pointer"] for issue in answer["source"]["issues"]] == [
        issue.pointer for issue in found
    ]


def test_errors_of_the_source_are_its_own_in_another_dialect_too(tmp_path: Path) -> None:
    source = CASES / "PHYSICS_NUMBER_TOO_LARGE.failing.gltf"
    done = run(source, "-o", tmp_path / "out.glb", "--ground", "--to", "omi")
    assert done.returncode == 0, done.stderr
    assert "had 1 error" in done.stderr
    assert not lg.check(tmp_path / "out.glb").ok


def test_errors_of_what_was_added_are_reported_beside_those_of_the_source(tmp_path: Path) -> None:
    source, plan = tmp_path / "room.glb", tmp_path / "plan.toml"
    bare = room()
    bare.document.json["materials"] = [{"alphaMode": "NONE"}]
    lg.save(bare.document, source)
    plan.write_text('[[body]]\nnode = "Crate"\nmass = 1\ncollider = "box"\n')
    added = Issue("ADDED", "error", "/nodes/1", "is wrong")
    found = lg.check(source)
    reports = iter([found, Report([*found, added])])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "check", lambda _: next(reports))
        done = run(source, "-o", tmp_path / "out.glb", "--plan", plan)
    assert done.returncode == 1
    assert "error: /nodes/1: is wrong" in done.stderr
    assert "alphaMode" not in done.stderr
