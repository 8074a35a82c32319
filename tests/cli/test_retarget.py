"""`ligament retarget`: clips as they come, none lost, and edits on the way."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.gltf.animation import Clip, append_clip, read_clip
from tests.cli.command import ligament
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import (
    arms_down,
    bvh_text,
    gltf_document,
    motion_of_bones,
    zero_rotations,
)

FILES = {path.name: path for path in assets()}
AVATAR, WAVE = FILES["avatar.vrm"], FILES["wave.vrma"]
TURNS, HIPS = motion_of_bones(frames=10)
JOINTS = STYLES["Mixamo"].joints()


def done(*arguments: Any) -> Any:
    run = ligament("retarget", *arguments)
    assert run.returncode == 0, run.stderr
    return run


def names(path: Path) -> list[str]:
    return [animation["name"] for animation in lg.load(path).json["animations"]]


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    path.write_text(bvh_text(JOINTS, TURNS, HIPS, scale=100))
    return path


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A glTF file with two clips."""
    document = gltf_document(JOINTS, TURNS, HIPS)
    clip = read_clip(document, 0)
    append_clip(document, Clip("Run", clip.tracks))
    lg.save(document, tmp_path / "two.glb")
    return tmp_path / "two.glb"


def test_the_retargeted_clip_is_what_plays(tmp_path: Path, walk: Path) -> None:
    out = tmp_path / "o.vrm"
    run = done(walk, "--to", AVATAR, "-o", out)
    assert names(out) == ["walk"]
    assert "left out the avatar's own animations 'Wave'" in run.stderr
    assert out.stat().st_size < AVATAR.stat().st_size + 60_000
    run = done(WAVE, "--to", AVATAR, "-o", out, "--keep-animations")
    assert names(out) == ["Wave", "Wave 2"]
    assert "left out" not in run.stderr


def test_animations_of_the_avatar_that_share_a_name_are_numbered(tmp_path: Path) -> None:
    avatar = lg.load(AVATAR)
    own = avatar.json["animations"]
    own += [copy.deepcopy(own[0]), copy.deepcopy(own[0])]
    own[2]["name"] = "wave"
    lg.save(avatar, tmp_path / "twice.vrm")
    out = tmp_path / "o.glb"
    run = done(WAVE, "--to", tmp_path / "twice.vrm", "-o", out, "--keep-animations")
    assert names(out) == ["Wave", "Wave 2", "wave", "Wave 3"]
    assert "renamed repeated animations of the avatar to 'Wave 2'" in run.stderr


def test_all_animations_of_a_file_or_those_named(tmp_path: Path, two: Path) -> None:
    out = tmp_path / "o.glb"
    done(two, "--to", AVATAR, "-o", out)
    assert names(out) == ["Take", "Run"]
    done(two, "--to", AVATAR, "-o", out, "--animation", "Run")
    assert names(out) == ["Run"]
    done(two, "--to", AVATAR, "-o", tmp_path / "folder")
    assert {p.name for p in (tmp_path / "folder").iterdir()} == {"two-Take.vrma", "two-Run.vrma"}
    run = ligament("retarget", two, "--to", AVATAR, "-o", out, "--animation", "Fly")
    assert run.returncode == 2
    assert "'Fly'" in run.stderr


def test_two_inputs_of_one_stem_are_two_outputs(tmp_path: Path, walk: Path) -> None:
    other = tmp_path / "other" / "walk.bvh"
    other.parent.mkdir()
    other.write_bytes(walk.read_bytes())
    folder = tmp_path / "out"
    folder.mkdir()
    for form in ("vrma", "npz", "glb"):
        done(walk, other, "--to", AVATAR, "-o", folder, "--format", form)
        made = {path.name for path in folder.glob(f"*.{form}")}
        assert made == {f"walk.{form}", f"walk 2.{form}"}


def test_the_rate_counts_for_vrma_too(tmp_path: Path, walk: Path) -> None:
    out = tmp_path / "o.vrma"
    done(walk, "--to", AVATAR, "-o", out, "--rate", 120)
    times = read_clip(lg.load(out), 0).tracks[0].times
    np.testing.assert_allclose(np.diff(times), 1 / 120, atol=1e-6)


def test_any_humanoid_skeleton_takes_motion(tmp_path: Path, walk: Path) -> None:
    """An A-pose without VRM: the arms get where those of a VRM do."""
    zero = zero_rotations(JOINTS, arms_down(45))
    target = tmp_path / "rig.glb"
    lg.save(gltf_document(JOINTS, TURNS, HIPS, zero=zero, seed=5), target)
    out = tmp_path / "o.glb"
    done(walk, "--to", target, "-o", out)
    made, source = lg.load_motion(out), lg.load_motion(walk)
    for bone in source.bones:
        a, b = (np.asarray(m.sample(source.times).rotations[bone]).T for m in (made, source))
        assert np.degrees(lg.transforms.angle_between(a, b)).max() < 0.1, bone


def test_assumptions_are_printed(tmp_path: Path, walk: Path) -> None:
    run = done(walk, "--to", AVATAR, "-o", tmp_path / "o.npz")
    assert "52 bones found" in run.stderr
    assert "zero pose as T-pose" in run.stderr
    assert done(walk, "--to", AVATAR, "-o", tmp_path / "o.npz", "--quiet").stderr == ""


def test_a_map_of_bones_and_a_frame_to_measure_from(tmp_path: Path, walk: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_text('head = ""\n')
    run = done(walk, "--to", AVATAR, "-o", tmp_path / "o.npz", "--bones", path)
    assert "51 bones" in run.stderr
    run = done(walk, "--to", AVATAR, "-o", tmp_path / "o.npz", "--t-pose-frame", 2)
    assert "frame 2 turned into a T-pose" in run.stderr
    run = ligament("retarget", walk, "--to", AVATAR, "-o", tmp_path / "o", "--t-pose-frame", 99)
    assert "no frame 99" in run.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--in-place"],
        ["--mirror"],
        ["--trim", "0.1", "0.2"],
        ["--speed", "0.5"],
        ["--loop-seam", "0.1"],
        ["--root-motion"],
        ["--keep-contacts"],
        ["--root-motion", "--keep-contacts", "--rate", "60"],
    ],
)
def test_edits(tmp_path: Path, walk: Path, options: list[str]) -> None:
    for name in ("o.glb", "o.npz"):
        done(walk, "--to", AVATAR, "-o", tmp_path / name, *options)
    with np.load(tmp_path / "o.npz") as arrays:
        assert np.isfinite(arrays["rotation"]).all()
        assert ("root_translation" in arrays) == ("--root-motion" in options)


def test_contacts_are_kept_in_vrma_and_root_motion_is_refused(tmp_path: Path, walk: Path) -> None:
    out = tmp_path / "o.vrma"
    done(walk, "--to", AVATAR, "-o", out, "--keep-contacts", "--rate", 30)
    done(walk, "--to", AVATAR, "-o", tmp_path / "o.npz", "--keep-contacts", "--rate", 30)
    avatar = lg.Humanoid(lg.load(AVATAR))
    pose = lg.retarget(lg.load_motion(out), avatar, np.arange(10) / 30)
    with np.load(tmp_path / "o.npz") as arrays:
        legs = [i for i, bone in enumerate(avatar.bones) if bone.endswith(("Leg", "Foot"))]
        away = lg.transforms.angle_between(pose.rotation[:, legs], arrays["rotation"][:, legs])
        assert np.degrees(away).max() < 0.1
    run = ligament("retarget", walk, "--to", AVATAR, "-o", out, "--root-motion")
    assert "no root that moves" in run.stderr


def test_root_motion_moves_a_node_above_the_hips(tmp_path: Path, walk: Path) -> None:
    out = tmp_path / "o.glb"
    done(walk, "--to", AVATAR, "-o", out, "--root-motion")
    document = lg.load(out)
    tracks = {(t.node, t.path): t for t in read_clip(document, 0).tracks}
    root = len(document.json["nodes"]) - 1
    assert document.json["nodes"][root]["children"] == [0]
    assert np.ptp(tracks[root, "translation"].values[:, 0]) > 0.1
    done(walk, "--to", AVATAR, "-o", tmp_path / "whole.glb")
    both = [lg.Humanoid(lg.load(p)).tree for p in (out, tmp_path / "whole.glb")]
    assert len(both[0]) == len(both[1]) + 1


def test_fbx_is_refused_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "a.fbx"
    path.write_bytes(b"Kaydara FBX Binary  \x00\x1a\x00")
    for arguments in ((path, "--to", AVATAR), (WAVE, "--to", path)):
        run = ligament("retarget", *arguments, "-o", tmp_path / "o.glb")
        assert run.returncode == 2
        assert "is FBX, not glTF" in run.stderr
        assert "Blender" in run.stderr


def test_info_shows_skeletons_and_their_bones(tmp_path: Path, walk: Path, two: Path) -> None:
    for file in (walk, two):
        run = ligament("info", file)
        assert run.returncode == 0, run.stderr
        assert "leftUpperArm" in run.stdout
        assert "missing: no required bone" in run.stdout
        assert "HeadTop_End" in run.stdout
    assert '"sure"' in ligament("info", walk, "--json").stdout


def test_view_shows_a_stick_figure(tmp_path: Path, walk: Path) -> None:
    pytest.importorskip("viser")
    page = tmp_path / "page.html"
    run = ligament("view", walk, "--html", page)
    assert run.returncode == 0, run.stderr
    assert "52 bones found" in run.stderr
    assert page.stat().st_size > 10_000


def test_bake_of_a_file_with_one_broken_constraint_plays_the_rest(tmp_path: Path) -> None:
    document = lg.load(AVATAR).copy()
    broken = next(n for n in document.json["nodes"] if "VRMC_node_constraint" in str(n))
    constraint = broken["extensions"]["VRMC_node_constraint"]["constraint"]
    next(iter(constraint.values()))["source"] = 999
    lg.save(document, tmp_path / "a.vrm")
    run = ligament("bake", tmp_path / "a.vrm", "-o", tmp_path / "o.glb")
    assert run.returncode == 0, run.stderr
    assert "999" in run.stderr
    assert "not played" in run.stderr
    moved = {t.node for t in read_clip(lg.load(tmp_path / "o.glb"), 1).tracks}
    others = [i for i, n in enumerate(document.json["nodes"]) if "node_constraint" in str(n)]
    assert moved & set(others[1:])


def test_a_folder_in_many_styles_goes_through_a_batch(tmp_path: Path) -> None:
    """Every skeleton is found, or the report names what is missing."""
    clips = tmp_path / "clips"
    clips.mkdir()
    for style in ("Biped", "MMD", "Rigify", "Russian"):
        text = bvh_text(STYLES[style].joints(), TURNS, HIPS, scale=100)
        (clips / f"{style}.bvh").write_text(text)
    crane = "HIERARCHY\nROOT Crane\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
    (clips / "crane.bvh").write_text(f"{crane}Frames: 1\nFrame Time: 1\n0\n")
    out = tmp_path / "out"
    options = ("--to", AVATAR, "--format", "vrma", "--rate", 30)
    run = ligament("batch", "retarget", clips, "--out-dir", out, "--jobs", 1, *options)
    assert run.returncode == 1
    made = {path.name for path in out.glob("*.vrma")}
    assert made == {f"{style}.bvh.vrma" for style in ("Biped", "MMD", "Rigify", "Russian")}
    report = (out / "report.json").read_text() + (out / "manifest.jsonl").read_text()
    assert "left over: Crane" in report
