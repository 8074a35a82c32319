"""Batch commands write for each of many files what they write for one alone."""

import json
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.batches import Entry, Task, perform
from ligament.batches.run import planned
from ligament.demo import assets
from ligament.jobs.report import BatchReport
from ligament.jobs.sources import combine_hashes
from ligament.jobs.task import digest_of
from ligament.limits import Limits
from tests.batches.inputs import falling, write_good
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import several_clips

ASSETS = {path.name: path for path in assets()}
AVATAR = ASSETS["avatar.vrm"]


def run(command: str, source: Path, out: Path, **values: object) -> Entry:
    """Work on one file in this process."""
    options = planned(command, values)
    fingerprint = options.fingerprint()
    out.mkdir(exist_ok=True)
    task = Task(
        source=str(source),
        shown=source.name,
        name=source.name,
        out_dir=str(out),
        options=options,
        digest=digest_of(command, fingerprint),
        fingerprint=fingerprint,
    )
    return perform(task)


def test_a_recording_is_that_of_simulate(tmp_path: Path) -> None:
    entry = run("simulate", ASSETS["gate.glb"], tmp_path, seconds=2.0, rate=30.0, events=True)
    assert entry.ok, entry.reason
    expected = lg.simulate(lg.load(ASSETS["gate.glb"]), seconds=2.0, rate=30.0)
    with np.load(tmp_path / "gate.glb.npz") as stored:
        assert np.array_equal(stored["rotation"], expected.rotation)
    events = json.loads((tmp_path / "gate.glb.events.json").read_text())
    assert [each["type"] for each in events] == [each.to_dict()["type"] for each in expected.events]
    assert [output.path for output in entry.outputs] == ["gate.glb.npz", "gate.glb.events.json"]
    assert entry.counts["frames"] == 61
    assert entry.counts["events"] == len(expected.events)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_recording_has_the_form_that_is_asked_for(tmp_path: Path, form: str) -> None:
    entry = run("simulate", ASSETS["door.glb"], tmp_path, seconds=0.1, format=form)
    (output,) = entry.outputs
    assert output.path == f"door.glb.{form}"
    assert output.size == (tmp_path / output.path).stat().st_size


def test_a_baked_file_is_that_of_bake(tmp_path: Path) -> None:
    entry = run("bake", ASSETS["door.glb"], tmp_path, seconds=1.0, strip=True)
    assert entry.ok, entry.reason
    document = lg.load(ASSETS["door.glb"])
    expected = lg.bake(document, lg.simulate(document, seconds=1.0), strip=True)
    lg.save(expected, tmp_path / "expected.glb", embed=True)
    assert (tmp_path / "door.glb").read_bytes() == (tmp_path / "expected.glb").read_bytes()


def test_a_coarser_tolerance_keeps_fewer_keys(tmp_path: Path) -> None:
    fine = run("bake", ASSETS["rope.glb"], tmp_path, seconds=1.0)
    coarse = run("bake", ASSETS["rope.glb"], tmp_path, seconds=1.0, angle_tolerance=6)
    assert coarse.outputs[0].size < fine.outputs[0].size
    assert coarse.digest != fine.digest


def test_gltf_becomes_one_file(tmp_path: Path) -> None:
    source = tmp_path / "in" / "x.gltf"
    document = falling(1.0)
    document["buffers"] = [{"uri": "x.bin", "byteLength": 4}]
    document["images"] = [{"uri": "x.png"}]
    source.parent.mkdir()
    source.write_text(json.dumps(document))
    (tmp_path / "in" / "x.bin").write_bytes(b"1234")
    (tmp_path / "in" / "x.png").write_bytes(b"\x89PNG")
    for form, name in (("glb", "x.gltf.glb"), ("gltf", "x.gltf")):
        entry = run("convert", source, tmp_path / "out", format=form)
        assert [output.path for output in entry.outputs] == [name]
        raw = lg.load(tmp_path / "out" / name).json
        assert not raw["images"][0].get("uri", "data:").startswith("x")
    before = entry.sha256
    (tmp_path / "in" / "x.png").write_bytes(b"\x89PNG2")
    assert run("convert", source, tmp_path / "out").sha256 != before
    played = run("simulate", source, tmp_path / "out", seconds=0.0).sha256
    (tmp_path / "in" / "x.png").write_bytes(b"\x89PNG3")
    assert run("simulate", source, tmp_path / "out", seconds=0.0).sha256 == played


def test_losses_and_strictness(tmp_path: Path) -> None:
    entry = run("convert", ASSETS["gate.glb"], tmp_path, format="xml", losses=True, strict=True)
    lost = json.loads((tmp_path / "gate.glb.losses.json").read_text())
    assert entry.counts["losses"] == len(lost) > 0
    assert entry.shortfall is not None
    assert entry.shortfall.startswith(f"{len(lost)} loss")
    assert not entry.ok
    paths = [output.path for output in entry.outputs]
    assert paths[0] == "gate.glb.xml"
    assert any(path.startswith("gate.glb_meshes/") for path in paths)
    (tmp_path / "gate.glb_meshes" / "stale.obj").write_text("v 0 0 0")
    again = run("convert", ASSETS["gate.glb"], tmp_path, format="xml", losses=True, strict=True)
    assert again.outputs == entry.outputs


def test_findings_are_those_of_check(tmp_path: Path) -> None:
    bad = falling(1.0)
    bad["nodes"][0]["extensions"]["KHR_physics_rigid_bodies"]["motion"]["mass"] = -1.0
    source = tmp_path / "bad.gltf"
    source.write_text(json.dumps(bad))
    entry = run("check", source, tmp_path / "out")
    report = lg.check(lg.load(source))
    (stored,) = json.loads((tmp_path / "out" / "bad.gltf.check.json").read_text())["files"]
    assert [each["code"] for each in stored["issues"]] == [issue.code for issue in report]
    assert stored["file"] == "bad.gltf"
    assert entry.counts == report.counts
    assert entry.shortfall is not None
    assert entry.shortfall.startswith(f"{report.counts['error']} error")
    codes = tuple({issue.code for issue in report})
    assert run("check", source, tmp_path / "out", ignore=codes).ok
    assert run("check", source, tmp_path / "out", fail_on="never").ok


def test_settings_near_a_file_count_and_belong_to_its_hash(tmp_path: Path) -> None:
    source = write_good(tmp_path / "in" / "x.gltf", 1.0)
    before = run("check", source, tmp_path / "out")
    settings = tmp_path / "in" / "ligament.toml"
    settings.write_text('[check]\nfail-on = "hint"\n')
    after = run("check", source, tmp_path / "out")
    assert before.sha256 != after.sha256
    given = run("check", source, tmp_path / "out", config=settings)
    assert given.digest != before.digest
    assert given.sha256 != after.sha256


@pytest.mark.parametrize("form", ["vrma", "npz", "glb"])
def test_motion_is_moved_to_the_avatar(tmp_path: Path, form: str) -> None:
    entry = run(
        "retarget", ASSETS["wave.vrma"], tmp_path, to=str(ASSETS["avatar.vrm"]), format=form
    )
    assert entry.ok, entry.reason
    (output,) = entry.outputs
    assert output.path == ("wave.vrma" if form == "vrma" else f"wave.vrma.{form}")
    if form == "npz":
        pose = lg.retarget(
            lg.load_motion(ASSETS["wave.vrma"]), lg.Humanoid(lg.load(ASSETS["avatar.vrm"]))
        )
        with np.load(tmp_path / output.path) as stored:
            assert np.array_equal(stored["rotation"], pose.rotation)
    else:
        assert lg.load_motion(tmp_path / output.path).duration == pytest.approx(2.0)


def test_the_avatar_belongs_to_the_options(tmp_path: Path) -> None:
    avatar = tmp_path / "avatar.vrm"
    avatar.write_bytes(ASSETS["avatar.vrm"].read_bytes())
    first = run("retarget", ASSETS["wave.vrma"], tmp_path / "out", to=avatar)
    document = lg.load(avatar)
    document.json["asset"]["generator"] = "changed"
    lg.save(document, avatar)
    second = run("retarget", ASSETS["wave.vrma"], tmp_path / "out", to=avatar)
    assert first.digest != second.digest
    assert first.sha256 == second.sha256


def test_limits_count_for_every_file(tmp_path: Path) -> None:
    source = write_good(tmp_path / "x.gltf", 1.0)
    entry = run("simulate", source, tmp_path / "out", seconds=0.1, limits=Limits(bodies=0))
    assert not entry.ok
    assert "bodies" in (entry.reason or "")


def test_warnings_are_reported_with_the_file(tmp_path: Path) -> None:
    document = {**falling(1.0), "images": [{"uri": "gone.png"}]}
    source = tmp_path / "x.gltf"
    source.write_text(json.dumps(document))
    entry = run("simulate", source, tmp_path / "out", seconds=0.1)
    assert entry.ok
    (reported,) = entry.warnings
    assert "gone.png" in reported


def test_a_fault_is_reported_without_the_path_of_the_input(tmp_path: Path) -> None:
    source = tmp_path / "x.gltf"
    source.write_text('{"asset": {"version": "2.0"}, "nodes": [3]}')
    entry = run("simulate", source, tmp_path / "out")
    assert entry.reason is not None
    assert str(tmp_path) not in entry.reason
    missing = run("simulate", tmp_path / "none.gltf", tmp_path / "out")
    assert missing.sha256 is None
    assert missing.reason is not None
    assert missing.reason.startswith("cannot be read (No such file")


def test_one_hash_for_several_files() -> None:
    assert combine_hashes("aa", {}) == "aa"
    two = {combine_hashes("aa", {"x": "1", "y": "2"}), combine_hashes("aa", {"y": "2", "x": "1"})}
    assert len(two) == 1
    assert combine_hashes("aa", {"x": "1"}) != combine_hashes("aa", {"x": "2"})


def clips(path: Path, *names: str) -> Path:
    lg.save(several_clips(STYLES["Mixamo"].joints(), names), path)
    return path


def written(report: BatchReport) -> list[str]:
    return [output.path for entry in report for output in entry.outputs]


def test_all_clips_of_a_file_are_retargeted(tmp_path: Path) -> None:
    """An avatar holds them all; VRMA and arrays hold one each, and make a folder."""
    path = clips(tmp_path / "clips.glb", "walk", "run", "Walk", "../a:b")
    options = {"to": AVATAR, "format": "glb"}
    assert lg.batch("retarget", [path], tmp_path / "glb", **options).ok
    (made,) = (tmp_path / "glb").glob("*.glb")
    names = [animation["name"] for animation in lg.load(made).json["animations"]]
    assert names == ["walk", "run", "Walk 2", "../a:b"]
    for kind in ("vrma", "npz"):
        report = lg.batch("retarget", [path], tmp_path / kind, **{**options, "format": kind})
        assert report.ok
        stems = (".._a_b", "Walk 2", "run", "walk")
        assert written(report) == [f"clips.glb_clips/{stem}.{kind}" for stem in stems]
        assert [entry.counts["clips"] for entry in report] == [4]


def test_clips_of_earlier_runs_do_not_stay(tmp_path: Path) -> None:
    for names in (("walk",), ("walk", "run"), ("walk",)):
        path = clips(tmp_path / "clips.glb", *names)
        report = lg.batch("retarget", [path], tmp_path / "out", to=AVATAR)
        files = [path for path in (tmp_path / "out").rglob("*.vrma") if path.is_file()]
        assert sorted(path.relative_to(tmp_path / "out").as_posix() for path in files) == sorted(
            written(report)
        )
        assert len(files) == len(names)
