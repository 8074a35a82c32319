"""Every clip to every avatar: each pair is what `lg.retarget` gives, in files and data sets."""

import contextlib
import dataclasses
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.batches import Pairs, batch, retarget_all
from ligament.datasets.dataset import create_spool
from ligament.datasets.spool import SpoolReader
from ligament.demo import assets
from ligament.errors import ArgumentError, ContentError, FileError, MissingExtraError
from ligament.extensions.humanoid.bones import BONES
from ligament.jobs.task import Entry
from ligament.operations.retarget import Retarget, require_cuda
from ligament.recording import frame_times
from ligament.rig import Humanoid, load_motion, retarget
from ligament.rig.motion.curves import Curves
from tests.rig.captures import IDENTITY, Capture
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import several_clips
from tests.rig.skeletons import humanoid

FILES = {path.name: path for path in assets()}
RATE = 24.0
# Interpolation in another order of operations: rounding of double precision.
ROUNDING = 1e-12


def write_bvh(path: Path, frames: int = 40) -> Path:
    """Write a capture that nods and walks off."""
    bones = tuple(bone for bone in BONES if "Thumb" not in bone and not bone.endswith("Eye"))
    turns = {bone: np.tile(IDENTITY, (frames, 1)) for bone in bones}
    angle = np.linspace(0, 0.5, frames)
    turns["neck"] = np.stack([np.sin(angle), 0 * angle, 0 * angle, np.cos(angle)], axis=1)
    hips = np.stack([0 * angle, 1 + 0 * angle, angle], axis=1)
    path.write_text(Capture(bones, {bone: bone for bone in bones}).text(turns, hips))
    return path


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A folder of two clips and one of two avatars, one of them small and simple."""
    clips, avatars = tmp_path / "clips", tmp_path / "avatars"
    clips.mkdir()
    avatars.mkdir()
    (clips / "wave.vrma").write_bytes(FILES["wave.vrma"].read_bytes())
    write_bvh(clips / "nod.bvh")
    (avatars / "hero.vrm").write_bytes(FILES["avatar.vrm"].read_bytes())
    lg.save(humanoid([bone for bone in BONES if "Toes" not in bone], size=0.5), avatars / "imp.glb")
    return clips, avatars


def arrays(to: Path, **options: Any) -> Pairs:
    """Return the plan of a data set."""
    return Pairs.of(Retarget, {"to": to, "dataset": "x.npz", **options})


def expected(clip: Path, avatar: Path, rate: float | None = RATE) -> Any:
    motion = load_motion(clip)
    times = None if rate is None else frame_times(motion.duration, rate)
    return retarget(motion, Humanoid(lg.load(avatar)), times)


def test_a_zarr_of_all_pairs(places: tuple[Path, Path], tmp_path: Path) -> None:
    import zarr

    clips, avatars = places
    out = tmp_path / "motions.zarr"
    report = retarget_all(clips, avatars, out, rate=RATE, chunk=7, jobs=1)
    assert report.ok
    assert len(report) == 4
    data = zarr.open_group(out, mode="r")
    assert data["pairs/avatar"][:].tolist() == ["hero.vrm", "hero.vrm", "imp.glb", "imp.glb"]
    assert data["pairs/clip"][:].tolist() == ["nod.bvh", "wave.vrma"] * 2
    assert data["pairs/ok"][:].all()
    for name in data["pairs/table"][:]:
        group = data[name]
        pose = expected(clips / group.attrs["clip"], avatars / group.attrs["avatar"])
        assert group.attrs["bones"] == list(pose.bones)
        assert group.attrs["nodes"] == pose.nodes.tolist()
        np.testing.assert_array_equal(group["time"][:], pose.times)
        np.testing.assert_allclose(group["rotation"][:], pose.rotation, atol=ROUNDING)
        np.testing.assert_allclose(group["hips"][:], pose.hips_translation, atol=ROUNDING)
    frames = data["pairs/frames"][:].tolist()
    assert frames == [data[name]["time"].shape[0] for name in data["pairs/table"][:]]
    hidden = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert hidden == []


def test_a_parquet_beside_files(places: tuple[Path, Path], tmp_path: Path) -> None:
    from pyarrow import parquet

    clips, avatars = places
    out, data = tmp_path / "out", tmp_path / "all.parquet"
    report = retarget_all(
        clips, avatars, out, format="npz", dataset=data, rate=RATE, float32=True, jobs=1
    )
    assert report.ok
    table = parquet.read_table(data / "motions" / "hero.vrm" / "wave.vrma.parquet")
    rotation = table["rotation"].combine_chunks().to_numpy_ndarray()
    pose = expected(clips / "wave.vrma", avatars / "hero.vrm")
    assert rotation.dtype == np.float32
    np.testing.assert_allclose(rotation, pose.rotation, atol=1e-6)  # single precision
    assert json.loads(table.schema.metadata[b"ligament"])["bones"] == list(pose.bones)
    with np.load(out / "hero.vrm" / "wave.vrma.npz") as arrays:
        assert arrays["bones"].tolist() == list(pose.bones)
        np.testing.assert_array_equal(arrays["nodes"], pose.nodes)
        np.testing.assert_array_equal(arrays["times"], pose.times)
        np.testing.assert_allclose(arrays["rotation"], pose.rotation, atol=1e-6)
        np.testing.assert_allclose(arrays["hips_translation"], pose.hips_translation, atol=1e-6)
        assert arrays["expressions"].shape == (len(pose.times), 0)
        assert len(arrays["expression_names"]) == 0
    # Parts are gone from the disk and from the report.
    assert not list(out.rglob("*.part"))
    assert [output.path for entry in report for output in entry.outputs] == [
        f"{entry.name}.npz" for entry in report
    ]


@pytest.mark.parametrize("form", ["vrma", "glb"])
def test_single_files_are_those_of_the_retarget_command(
    places: tuple[Path, Path], tmp_path: Path, form: str
) -> None:
    clips, avatars = places
    out = tmp_path / "out"
    report = retarget_all(clips / "nod.bvh", avatars / "hero.vrm", out, format=form, jobs=1)
    assert report.ok
    path = out / "hero.vrm" / f"nod.bvh.{form}"
    last = len(lg.load(path).json["animations"]) - 1  # the avatar has one of its own
    again = retarget(load_motion(path, animation=last), Humanoid(lg.load(avatars / "hero.vrm")))
    pose = expected(clips / "nod.bvh", avatars / "hero.vrm", None)
    neck = pose.bones.index("neck")
    assert again.times[-1] == pytest.approx(pose.times[-1], abs=1e-5)
    # Keys are stored in single precision.
    difference = np.abs(np.sum(again.rotation[-1, neck] * pose.rotation[-1, neck]))
    assert difference == pytest.approx(1.0, abs=1e-6)


def test_failed_pairs_are_reported_and_the_rest_continues(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    clips, avatars = places
    (clips / "broken.vrma").write_bytes(b"glTF")
    (avatars / "thing.glb").write_bytes(FILES["door.glb"].read_bytes())
    (avatars / "torn.glb").write_bytes(b"no")
    reported: list[Entry] = []
    out = tmp_path / "data.npz"
    report = retarget_all(clips, avatars, out, jobs=2, progress=lambda e, *_: reported.append(e))
    assert len(report) == len(reported) == 12
    assert len(report.failed) == 8
    by_name = {entry.name: entry for entry in report}
    assert "no humanoid" in (by_name["thing.glb/wave.vrma"].reason or "")
    with np.load(out) as arrays:
        oks = arrays["pairs/ok"]
        assert oks.sum() == 4
        assert (arrays["pairs/frames"][~oks] == 0).all()
        assert (arrays["pairs/table"][~oks] == "").all()
        assert all(arrays["pairs/reason"][~oks])
        assert "motions/imp.glb/nod.bvh/rotation" in arrays


def test_pairs_that_are_done_are_resumed(places: tuple[Path, Path], tmp_path: Path) -> None:
    clips, avatars = places
    out = tmp_path / "out"
    first = retarget_all(clips, avatars, out, format="npz", jobs=1)
    assert first.resumed == 0
    again = retarget_all(clips, avatars, out, format="npz", jobs=1, resume=True)
    assert again.resumed == 4
    other = humanoid([bone for bone in BONES if "Toes" not in bone], size=0.7)
    lg.save(other, avatars / "imp.glb")
    changed = retarget_all(clips, avatars, out, format="npz", jobs=1, resume=True)
    assert changed.resumed == 2  # those of the other avatar


def test_memory_does_not_grow_with_the_frames(tmp_path: Path) -> None:
    """A long clip with few keys, sampled finely: what it becomes is far more than one chunk."""
    motion = load_motion(FILES["wave.vrma"])
    avatar = Humanoid(lg.load(FILES["avatar.vrm"]))
    rate = 40_000 / motion.duration
    pairs = arrays(FILES["avatar.vrm"], rate=rate, chunk=256)
    size = 40_000 * len(avatar.bones) * 4 * 8
    with create_spool(tmp_path / "warm") as spool:  # what is computed once does not count
        pairs.write(spool, motion, avatar)
    tracemalloc.start()
    with create_spool(tmp_path / "part") as spool:
        frames = pairs.write(spool, motion, avatar)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert frames == 40_001
    assert size > 25 << 20
    assert peak < 4 << 20  # a chunk is 0.2 MB; its samples and products are some ten times that
    (table,) = SpoolReader(tmp_path / "part").tables
    assert table.rows == frames


def test_faces_and_gazes_are_in_it_too(tmp_path: Path) -> None:
    keys = np.array([0.0, 1.0, 2.0])
    weights = np.array([[[0.0, 1.0, 0.5]], [[0.25, 0.0, 2.0]]])  # the last one is clamped
    half = keys / 10
    gaze = np.stack([0 * keys, np.sin(half), 0 * keys, np.cos(half)])[None]
    motion = dataclasses.replace(
        load_motion(FILES["wave.vrma"]),
        expressions=(Curves(("happy", "sad"), keys, weights),),
        look_at=Curves(("lookAt",), keys, gaze, is_rotation=True),
    )
    avatar = Humanoid(lg.load(FILES["avatar.vrm"]))
    pairs = arrays(tmp_path, rate=20.0, chunk=9)
    with create_spool(tmp_path / "part") as spool:
        pairs.write(spool, motion, avatar)
    reader = SpoolReader(tmp_path / "part")
    (table,) = reader.tables
    (piece,) = reader.pieces(table)
    pose = retarget(motion, avatar, frame_times(2.0, 20.0))
    assert table.attributes["expressions"] == list(pose.expressions)
    assert {"happy", "sad"} <= set(pose.expressions)
    for i, weight in enumerate(pose.expressions.values()):
        np.testing.assert_allclose(piece["expressions"][:, i], weight, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(piece["look_at"], pose.look_at, rtol=0, atol=1e-9)  # degrees
    assert piece["expressions"].max() == 1.0
    # An angle of t / 5 rad to the left after t seconds.
    np.testing.assert_allclose(piece["look_at"][:, 0], np.degrees(piece["time"] / 5), atol=1e-9)


def test_chunks_do_not_show(tmp_path: Path) -> None:
    motion = load_motion(write_bvh(tmp_path / "nod.bvh"))
    avatar = Humanoid(lg.load(FILES["avatar.vrm"]))
    made = []
    for chunk in (1, 7, 1000):
        pairs = arrays(tmp_path, chunk=chunk)
        with create_spool(tmp_path / f"part{chunk}") as spool:
            pairs.write(spool, motion, avatar)
        reader = SpoolReader(tmp_path / f"part{chunk}")
        (piece,) = reader.pieces(reader.tables[0])
        made.append(piece)
    for name in ("time", "rotation", "hips"):
        for other in made[1:]:
            np.testing.assert_allclose(made[0][name], other[name], rtol=0, atol=ROUNDING)


def test_springs_are_in_it_whatever_the_chunks(tmp_path: Path) -> None:
    motion = load_motion(write_bvh(tmp_path / "nod.bvh"))
    avatar = Humanoid(lg.load(FILES["ponytail.vrm"]))
    made = []
    for chunk in (7, 1000):
        pairs = arrays(tmp_path, chunk=chunk, rate=30.0, springs=True)
        with create_spool(tmp_path / f"part{chunk}") as spool:
            pairs.write(spool, motion, avatar)
        reader = SpoolReader(tmp_path / f"part{chunk}")
        assert len(reader.tables[0].attributes["spring_nodes"]) == 6
        (piece,) = reader.pieces(reader.tables[0])
        made.append(piece["spring_rotation"])
    assert made[0].shape[1:] == (6, 4)
    np.testing.assert_allclose(made[0], made[1], rtol=0, atol=1e-9)
    assert np.ptp(made[0], axis=0).max() > 0.01


def test_pairs_are_edited_as_files_are(places: tuple[Path, Path], tmp_path: Path) -> None:
    """Edited, then sampled: in the data set and in the file of the pair."""
    clips, avatars = places
    avatar, wave = avatars / "hero.vrm", clips / "wave.vrma"
    options = {"to": avatar, "format": "npz", "dataset": str(tmp_path / "x.npz")}
    assert batch("retarget", wave, tmp_path / "out", jobs=1, speed=2, mirror=True, **options).ok
    pose = retarget(wave, avatar, speed=2, mirror=True)
    with np.load(tmp_path / "x.npz") as data, np.load(next(tmp_path.rglob("out/**/*.npz"))) as own:
        made = data["motions/hero.vrm/wave.vrma/rotation"]
        np.testing.assert_allclose(made, pose.rotation, atol=ROUNDING)
        np.testing.assert_array_equal(own["rotation"], made)
        np.testing.assert_array_equal(own["times"], pose.times)


def test_an_option_of_files_reaches_pairs_and_arrays_refuse_it(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    """Motion is written as `retarget` writes it, but for what arrays in chunks cannot have."""
    clips, avatars = places
    options = {"to": avatars, "root_motion": True, "jobs": 1}
    report = batch("retarget", clips / "nod.bvh", tmp_path / "out", format="glb", **options)
    assert [entry.name for entry in report] == ["hero.vrm/nod.bvh", "imp.glb/nod.bvh"]
    made = lg.load(tmp_path / "out" / "imp.glb" / "nod.bvh.glb").json
    paths = {
        made["nodes"][channel["target"]["node"]].get("name"): channel["target"]["path"]
        for channel in made["animations"][-1]["channels"]
    }
    assert "Root" in paths
    flag = "--root-motion: has no effect on arrays of pairs"
    with pytest.raises(ContentError, match=flag):
        batch("retarget", clips, tmp_path / "out", format="npz", **options)


def test_the_gpu_is_asked_for_before_any_work(
    places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clips, avatars = places
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ContentError, match="there is no CUDA device"):
        retarget_all(clips, avatars, tmp_path / "x.zarr", device="cuda")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"ligament\[gpu\]"):
        require_cuda()
    assert not (tmp_path / "x.zarr").exists()


def test_on_a_gpu_the_poses_are_the_same(places: tuple[Path, Path], tmp_path: Path) -> None:
    with contextlib.suppress(ContentError, MissingExtraError):
        require_cuda()
        clips, avatars = places
        out = tmp_path / "x.npz"
        report = retarget_all(clips, avatars, out, rate=RATE, device="cuda", float32=True)
        assert report.ok
        pose = expected(clips / "wave.vrma", avatars / "hero.vrm")
        with np.load(out) as arrays:
            made = arrays["motions/hero.vrm/wave.vrma/rotation"]
        np.testing.assert_allclose(made, pose.rotation, atol=1e-5)  # single precision
        return
    pytest.skip("there is no CUDA device")


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"format": "fbx"}, ContentError, "unknown format 'fbx'; use one of vrma, npz, glb"),
        ({"chunk": 0}, ArgumentError, r"chunk is 0; give a whole number \(1 or more\)"),
        ({"device": "tpu"}, ArgumentError, "device is 'tpu'; did you mean 'cpu'?"),
        ({"rate": -1.0}, ArgumentError, "rate is -1"),
        ({"hips": "low"}, ArgumentError, "hips is 'low'; use one of 'delta', 'scaled'"),
        ({"dataset": "x.h5"}, ContentError, "no data set suffix"),
        ({"out": "x.zarr", "format": "npz"}, ContentError, "with files there are two"),
        ({"avatars": "nobody"}, FileError, "cannot be read"),
        ({"avatars": "nobody/*.vrm"}, FileError, "no readable file"),
        ({"clips": "none/*.vrma"}, FileError, "no readable file"),
    ],
)
def test_wrong_calls_say_what_would_be_right(
    places: tuple[Path, Path],
    tmp_path: Path,
    change: dict[str, Any],
    kind: type[Exception],
    message: str,
) -> None:
    clips, avatars = places
    call: dict[str, Any] = {"clips": clips, "avatars": avatars, "out": "out", "jobs": 1, **change}
    for name in ("clips", "avatars", "out", "dataset"):
        if isinstance(call.get(name), str):
            call[name] = tmp_path / call[name]
    with pytest.raises(kind, match=message):
        retarget_all(**call)


def test_every_clip_of_a_file_has_a_table(tmp_path: Path) -> None:
    import zarr

    names = ("walk", "run", "Walk")
    lg.save(several_clips(STYLES["Mixamo"].joints(), names), tmp_path / "pack.glb")
    out, files = tmp_path / "motions.zarr", tmp_path / "files"
    options = {"dataset": out, "format": "npz", "rate": RATE, "jobs": 1}
    assert retarget_all(tmp_path / "pack.glb", FILES["avatar.vrm"], files, **options).ok
    data = zarr.open_group(out, mode="r")
    apart = ["walk", "run", "Walk 2"]
    assert data["pairs/clip"][:].tolist() == [f"pack.glb/{name}" for name in apart]
    assert [data[name].attrs["motion"] for name in data["pairs/table"][:]] == [*names]
    folder = files / "avatar.vrm/pack.glb_clips"
    assert sorted(path.stem for path in folder.iterdir()) == sorted(apart)
    for table, name in zip(data["pairs/table"][:], apart, strict=True):
        times = data[table]["time"][:]
        np.testing.assert_array_equal(np.load(folder / f"{name}.npz")["times"], times)
