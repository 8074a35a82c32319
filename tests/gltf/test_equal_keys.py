"""Keys at equal times, which viewers play as steps: read, played, repaired, written to USD."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.errors import ContentError, LigamentWarning
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.animation import (
    Clip,
    PropertyTrack,
    Track,
    append_clip,
    read_clip,
    sample,
    separate_keys,
)
from ligament.gltf.document import Document
from tests.cli.command import ligament

SAMPLERS = 71
TIMES = [0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.5, 1.5]
VALUES = [9.0, 0.0, 1.0, 2.0, 7.0, 4.0, 5.0, 6.0]
"""From 0 to 2, a jump from 2 to 4, to 5, and a jump to 6 at the end."""

SEEN = {0.0: 0.0, 0.25: 0.5, 0.5: 1.0, 0.75: 1.5, 1.0: 4.0, 1.25: 4.5, 1.5: 6.0, 2.0: 6.0}
Y = np.array([0.0, 1.0, 0.0])


def animated(
    times: Any = TIMES, values: Any = VALUES, interpolation: str = "LINEAR", samplers: int = 1
) -> Document:
    """Nodes that rise, as a converter writes them whose clips were joined end to end."""
    nodes = [{"name": f"part {i}", "translation": [i, 0, 0]} for i in range(samplers)]
    document = Document({"asset": {"version": "2.0"}, "nodes": nodes})
    shared = append_accessor(document, np.array(times, np.float32))
    channels, written = [], []
    for node in range(samplers):
        rows = np.outer(values, Y) + np.array([node, 0, 0])
        if interpolation == "CUBICSPLINE":
            rows = np.stack([0 * rows, rows, 0 * rows], axis=1).reshape(-1, 3)
        output = append_accessor(document, rows.astype(np.float32))
        written.append({"input": shared, "output": output, "interpolation": interpolation})
        channels.append({"sampler": node, "target": {"node": node, "path": "translation"}})
    document.json["animations"] = [{"name": "all", "channels": channels, "samplers": written}]
    document.json["scenes"] = [{"nodes": list(range(samplers))}]
    return document


def heights(document: Document, at: Any, *, warns: bool = True) -> list[float]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (track, *_) = read_clip(document, 0).tracks
    assert bool(caught) == warns
    assert np.all(np.diff(track.times) > 0)
    return np.round(sample(track, at)[:, 1], 6).tolist()


@pytest.mark.parametrize("interpolation", ["LINEAR", "CUBICSPLINE"])
def test_the_earlier_key_counts_before_and_the_later_after(interpolation: str) -> None:
    document = animated(interpolation=interpolation)
    keys = [0.0, 0.5, 1.0, 1.5, 2.0]
    assert heights(document, keys) == [SEEN[key] for key in keys]
    before = [1.0 - 1e-9, 1.5 - 1e-9]
    assert heights(animated(interpolation=interpolation), before) == [2.0, 5.0]


def test_between_keys_values_are_linear() -> None:
    assert heights(animated(), list(SEEN)) == list(SEEN.values())


def test_steps_take_the_later_value() -> None:
    assert heights(animated(interpolation="STEP"), [0.0, 0.75, 1.0, 1.5]) == [0, 1, 4, 6]


def test_keys_that_go_back_are_refused_as_before() -> None:
    with pytest.raises(ContentError, match=r"key 2 at 0\.5 s follows a key at 1 s"):
        read_clip(animated([0.0, 1.0, 0.5], [0.0, 1.0, 2.0]), 0)


def test_one_warning_for_all_samplers() -> None:
    document = animated(samplers=SAMPLERS)
    with pytest.warns(LigamentWarning, match="ligament fix") as caught:
        read_clip(document, 0)
    assert len(caught) == 1
    assert len(read_clip(document, 0).tracks) == SAMPLERS  # and none again


def test_properties_by_pointer_too() -> None:
    document = animated()
    document.json["materials"] = [{}]
    target = {"KHR_animation_pointer": {"pointer": "/materials/0/alphaCutoff"}}
    output = append_accessor(document, np.array(VALUES, np.float32))
    (animation,) = document.json["animations"]
    animation["samplers"].append({"input": 0, "output": output})
    animation["channels"].append(
        {"sampler": 1, "target": {"path": "pointer", "extensions": target}}
    )
    with pytest.warns(LigamentWarning):
        (track,) = read_clip(document, 0).properties
    assert isinstance(track, PropertyTrack)
    assert track.fault is None
    assert track.sample(list(SEEN))[:, 0].tolist() == pytest.approx(list(SEEN.values()))


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
def test_a_repaired_file_plays_the_same_without_a_warning(
    interpolation: str, tmp_path: Path
) -> None:
    path, fixed = tmp_path / "a.glb", tmp_path / "b.glb"
    document = animated(interpolation=interpolation, samplers=SAMPLERS)
    keys = [0.0, 0.5, 1.0, 1.5, 2.0]
    expected = heights(document.copy(), keys)
    lg.save(document, path)
    assert "ACCESSOR_ANIMATION_INPUT_NON_INCREASING" in ligament("check", path).stdout
    run = ligament("fix", path, "-o", fixed)
    assert run.returncode == 0, run.stdout + run.stderr
    assert heights(lg.load(fixed), keys, warns=False) == expected
    assert "NON_INCREASING" not in ligament("check", fixed).stdout
    assert lg.check(fixed).ok
    assert ligament("fix", fixed, "-o", tmp_path / "c.glb").returncode == 0
    assert lg.load(tmp_path / "c.glb").json == lg.load(fixed).json
    kept = [s["input"] for s in lg.load(fixed).json["animations"][0]["samplers"]]
    assert len(set(kept)) == 1
    assert len(read_accessor(lg.load(fixed), kept[0])) == 6


def test_every_command_takes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.glb"
    lg.save(animated(samplers=SAMPLERS), path)
    for words in (
        ("info", path),
        ("simulate", path, "--seconds", "1", "-o", tmp_path / "r.npz"),
        ("bake", path, "--seconds", "2", "-o", tmp_path / "b.glb"),
        ("convert", path, tmp_path / "m.usda"),
        ("convert", path, tmp_path / "m.gltf", "--to", "omi"),
        ("view", path, "--html", tmp_path / "m.html"),
    ):
        run = ligament(*words)
        assert run.returncode == 0, (words, run.stderr)
        assert "Traceback" not in run.stderr


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP"])
@pytest.mark.parametrize("start", [0.0, 40.0, 5000.0])
def test_usd_has_keys_that_can_be_read_again(
    interpolation: str, start: float, tmp_path: Path
) -> None:
    """Late keys too, where a microsecond is less than single precision resolves."""
    times = np.array([0.0, *(start + np.array(TIMES[2:]))])
    document, out = animated(times, VALUES[1:], interpolation), tmp_path / "a.usda"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [sample(read_clip(document, 0).tracks[0], t)[0, 1] for t in times + 0.01]
    path = tmp_path / "a.glb"
    lg.save(document, path)
    assert ligament("convert", path, out).returncode == 0
    back = tmp_path / "back.glb"
    run = ligament("convert", out, back)
    assert run.returncode == 0, run.stderr
    (track, *_) = read_clip(lg.load(back), 0).tracks
    single = track.times.astype(np.float32)
    assert np.all(np.diff(single) > 0)
    np.testing.assert_allclose(sample(track, times + 0.01)[:, 1], expected, atol=2e-3)


def test_usd_that_turns_a_scale_inside_out_at_once_can_be_read_again(tmp_path: Path) -> None:
    """A matrix has its mirror on another axis, which looks like a fast turn to be followed."""
    document = animated([0.0, 0.5, 0.5, 1.0], [2.0, 2.0, -1.0, -1.0])
    document.json["animations"][0]["channels"][0]["target"]["path"] = "scale"
    document.json["nodes"][0]["scale"] = [1, 1, 1]
    rows = np.array([[x, 1.0, 1.0] for x in (2.0, 2.0, -1.0, -1.0)])
    output = append_accessor(document, rows.astype(np.float32))
    document.json["animations"][0]["samplers"][0]["output"] = output
    lg.save(document, tmp_path / "a.glb")
    assert ligament("convert", tmp_path / "a.glb", tmp_path / "a.usda").returncode == 0
    run = ligament("convert", tmp_path / "a.usda", tmp_path / "back.glb")
    assert run.returncode == 0, run.stderr
    clip = read_clip(lg.load(tmp_path / "back.glb"), 0)
    assert {track.path for track in clip.tracks} == {"rotation", "scale"}
    assert all(len(track.times) == 4 for track in clip.tracks)


def test_usd_samples_closer_than_single_precision_are_read(tmp_path: Path) -> None:
    codes = [0.0, 11.99999999, 11.999999999, 12.0, 24.0]
    samples = ", ".join(f"{code!r}: (0, {i}, 0)" for i, code in enumerate(codes))
    (tmp_path / "a.usda").write_text(
        "#usda 1.0\n( timeCodesPerSecond = 24\n metersPerUnit = 1 )\n"
        f'def Xform "A" {{\ndouble3 xformOp:translate.timeSamples = {{ {samples} }}\n'
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
    )
    run = ligament("convert", tmp_path / "a.usda", tmp_path / "a.glb")
    assert run.returncode == 0, run.stderr
    (track,) = read_clip(lg.load(tmp_path / "a.glb"), 0).tracks
    np.testing.assert_allclose(sample(track, [0.25, 0.5, 1.0])[:, 1], [0.5, 3, 4], atol=1e-5)


@pytest.mark.parametrize(
    ("times", "kept"),
    [
        ([0, 1, 2], [0, 1, 2]),
        ([0, 0], [1]),
        ([1, 1, 1], [0, 2]),
        ([0, 1, 1, 2, 2, 2, 3], [0, 1, 2, 3, 5, 6]),
        ([np.nextafter(1.0, 0.0), 1, 1], [0, 2]),
        ([], []),
        ([4], [0]),
    ],
)
def test_only_keys_that_last_are_kept(times: list[float], kept: list[int]) -> None:
    separate, found = separate_keys(np.array(times, float))
    assert found.tolist() == kept
    assert np.all(np.diff(separate) > 0)
    np.testing.assert_allclose(separate, np.array(times, float)[kept], rtol=1e-12)


def test_clips_closer_than_single_precision_are_stored_one_unit_apart() -> None:
    document = Document({"asset": {"version": "2.0"}, "nodes": [{}]})
    times = np.array([0.0, 30.0, np.nextafter(30.0, 31.0), 31.0])
    append_clip(document, Clip("a", (Track(0, "translation", times, np.zeros((4, 3))),)))
    stored = read_accessor(document, 0)
    assert np.all(np.diff(stored) > 0)
    assert stored[2] == 30.0
    crowded = np.array([0.0, 30.0, *(30.0 + 1e-9 * np.arange(1, 4))])
    with pytest.raises(ContentError, match="must increase strictly"):
        append_clip(document, Clip("b", (Track(0, "translation", crowded, np.zeros((5, 3))),)))
