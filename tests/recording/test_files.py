"""Recordings written and read back, exactly, and files that are none."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.errors import ContentError, FileError, FormatError, LigamentError
from ligament.recording import save_events, save_recording
from tests.play.files import BALL, CUBE, animate, node, physics_file
from tests.sampling import IS_SOAK

POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}


@pytest.fixture(scope="module")
def recording() -> lg.Recording:
    """A pendulum with a bound on one side, and a ball that falls through a gate."""
    document = physics_file(
        node("Gate", at=(3, 0, 0), trigger=CUBE),
        node("Ball", at=(3, 1, 0), motion={"mass": 1.0}, shape=BALL),
        node("Bob", motion={"mass": 1.0}, children=[3]),
        node("Eye", at=(0, 1, 0)),
        node("Hook", at=(0, 1, 0), joint={"connectedNode": 3, "joint": 0}),
        joints=[{"limits": [POINT, {"angularAxes": [0], "min": -0.5}]}],
    )
    return lg.simulate(document, seconds=0.5, rate=30)


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_saved_recordings_are_read_back(
    recording: lg.Recording, suffix: str, tmp_path: Path
) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    save_recording(recording, first)
    save_events(recording, tmp_path / "a.events.json")
    again = lg.load_recording(first)
    for name in ("times", "nodes", "translation", "rotation", "linear_velocity"):
        assert np.array_equal(getattr(again, name), getattr(recording, name))
    assert again.events == recording.events
    assert [limit.value.tolist() for limit in again.limits] == [
        limit.value.tolist() for limit in recording.limits
    ]
    assert [(m.node, m.index, m.minimum, m.maximum) for m in again.limits] == [
        (m.node, m.index, m.minimum, m.maximum) for m in recording.limits
    ]
    save_recording(again, second)
    assert second.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_moving_bounds_are_read_too(recording: lg.Recording, suffix: str, tmp_path: Path) -> None:
    low = np.linspace(-1, 0, len(recording.times))
    high = np.full(len(recording.times), np.inf)
    tracks = tuple(
        dataclasses.replace(limit, moving_minimum=low, moving_maximum=high)
        for limit in recording.limits
    )
    moving = dataclasses.replace(recording, find_limits=lambda: tracks)
    save_recording(moving, tmp_path / f"a{suffix}")
    again = lg.load_recording(tmp_path / f"a{suffix}").limits[1]
    assert np.array_equal(again.bounds, (low, high))


def test_a_recording_without_bodies_is_read(tmp_path: Path) -> None:
    document = physics_file(node("A"))
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [0, 1, 0]])
    for suffix in (".npz", ".json"):
        save_recording(lg.simulate(document, rate=4), tmp_path / f"a{suffix}")
        again = lg.load_recording(tmp_path / f"a{suffix}")
        assert again.translation.shape == (5, 0, 3)


def test_files_hold_neither_local_transforms_nor_energies(
    recording: lg.Recording, tmp_path: Path
) -> None:
    save_recording(recording, tmp_path / "a.npz")
    again = lg.load_recording(tmp_path / "a.npz")
    with pytest.raises(ContentError, match=r"a\.npz: .*no local transforms"):
        again.local_nodes  # noqa: B018
    with pytest.raises(ContentError, match="no energies"):
        again.kinetic_energy  # noqa: B018


@pytest.mark.parametrize(
    ("name", "content", "kind", "match"),
    [
        ("a.npz", b"not a zip", FormatError, "is not an .npz file"),
        ("a.npz", b"", FormatError, "is not an .npz file"),
        ("a.json", b"{", FormatError, "is not JSON"),
        ("a.json", b"[]", FormatError, "is not a recording"),
        ("a.json", b"{}", FormatError, "missing required field `times`"),
        ("a.json", b'{"times": ["a"]}', FormatError, "Expected `float | null`, got `str`"),
        ("a.json", b"\xff\xfe{\x00}", FormatError, "is not JSON"),
        ("a.json", b'{"x":' * 100_000, FormatError, "is nested too deeply"),
        ("a.csv", b"time,node", ContentError, "not a readable recording"),
        ("a.glb", b"", ContentError, "not a readable recording"),
    ],
)
def test_files_that_are_no_recording_are_refused_in_one_line(
    name: str, content: bytes, kind: type[LigamentError], match: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(kind, match=match) as reported:
        lg.load_recording(tmp_path / name)
    assert name in str(reported.value)
    assert "\n" not in str(reported.value)


def test_arrays_that_do_not_belong_together_are_refused(
    recording: lg.Recording, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    save_recording(recording, path)
    whole = json.loads(path.read_text())
    for name, value, match in (
        ("translation", whole["translation"][1:], "translation of shape"),
        ("nodes", [1.5, 2], "Expected `int`, got `float`"),
        ("rotation", [[[1e300, 0, 0, 0]] * 2] * len(whole["times"]), "beyond 1e\\+150"),
        ("nodes", [2, 2], "a node twice"),
        ("nodes", [-1, 2], "not indices"),
        ("nodes", [2**70, 2], "is not a recording"),
        ("times", whole["times"][::-1], "do not increase"),
        ("limit_value", None, "limit_value"),
    ):
        path.write_text(json.dumps({**whole, name: value}))
        with pytest.raises(FormatError, match=match):
            lg.load_recording(path)


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", times=np.array([{}], object))
    with pytest.raises(FormatError, match=r"is not an \.npz file of arrays"):
        lg.load_recording(tmp_path / "a.npz")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        lg.load_recording(tmp_path / "none.npz")


def test_events_that_are_none(recording: lg.Recording, tmp_path: Path) -> None:
    save_recording(recording, tmp_path / "a.npz")
    (tmp_path / "e.json").write_text('[{"time": 1}]')
    with pytest.raises(ContentError, match="is not a list of events"):
        lg.load_recording(tmp_path / "a.npz", events=tmp_path / "e.json")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b'[{"time": 0, "type": "\xff"}]', "is not"),
        (b'[{"x":' * 100_000, "is nested too deeply"),
        (b'{"events": []}', "is not a list of events"),
    ],
)
def test_damaged_events_are_refused(
    recording: lg.Recording, tmp_path: Path, content: bytes, match: str
) -> None:
    save_recording(recording, tmp_path / "a.npz")
    (tmp_path / "a.events.json").write_bytes(content)
    with pytest.raises(LigamentError, match=match):
        lg.load_recording(tmp_path / "a.npz")


HEADER = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
TWO = bytes(16)


def member(header: bytes, data: bytes = TWO) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "times: not an array"),
        (b"raw bytes", "times: not an array"),
        (b"\x93NUMPY\x09\x00" + bytes(90), "times: not an array"),
        (member(b"{'descr': '<f8', 'fortran_order': (False"), "header of the array"),
        (member(b"{'descr': '<f8', 'shape': (2,)}"), "header of the array"),
        (member(b"\\" * 900), "header of the array"),
        (member(HEADER.replace(b"<f8", b"|O")), "not of numbers"),
        (member(HEADER.replace(b"<f8", b"<f3")), "unknown type"),
        (member(HEADER.replace(b"(2,)", b"(4611686018427387904, 4)")), "16 bytes for"),
        (member(HEADER, TWO[:5]), "5 bytes for an array"),
        (member(HEADER, TWO + b"x"), "17 bytes for an array"),
        (b"\x93NUMPY\x01\x00\xff\xff" + HEADER + TWO, "header of the array"),
    ],
)
def test_a_damaged_member_of_an_archive_is_named(tmp_path: Path, data: bytes, match: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("times.npy", data)
    with pytest.raises(FormatError, match=match):
        lg.load_recording(tmp_path / "a.npz")


def test_archives_damaged_anywhere_are_read_or_refused(
    recording: lg.Recording, tmp_path: Path
) -> None:
    path = tmp_path / "a.npz"
    save_recording(recording, path)
    whole, random = path.read_bytes(), np.random.default_rng(0)
    for _ in range(3000 if IS_SOAK else 200):
        data = bytearray(whole)
        for place in random.integers(len(data), size=random.integers(1, 6)):
            data[place] = random.integers(256)
        path.write_bytes(data[: random.integers(len(data))] if random.random() < 0.3 else data)
        with contextlib.suppress(LigamentError):
            lg.load_recording(path)


def test_single_precision_is_read_without_a_warning(
    recording: lg.Recording, tmp_path: Path
) -> None:
    save_recording(recording, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as whole:
        arrays = {n: a.astype(np.float32) if a.dtype.kind == "f" else a for n, a in whole.items()}
    np.savez(tmp_path / "b.npz", **arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = lg.load_recording(tmp_path / "b.npz")
    np.testing.assert_allclose(read.translation, recording.translation, rtol=1e-6)


def test_values_of_limits_beyond_arithmetic_are_refused(
    recording: lg.Recording, tmp_path: Path
) -> None:
    save_recording(recording, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as whole:
        arrays = dict(whole)
    arrays["limit_value"] = np.full_like(arrays["limit_value"], 1e308)
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(FormatError, match="limit_value that is not finite, or beyond 1e"):
        lg.load_recording(tmp_path / "b.npz")
