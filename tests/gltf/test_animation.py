"""Animations against a scalar sampler written from the text of glTF 2.0, Appendix C."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import ContentError
from ligament.gltf import Document, load, loads, save
from ligament.gltf.animation import (
    Clip,
    Track,
    append_clip,
    read_clip,
    sample,
    sample_pose,
)
from ligament.gltf.tree import NodeTree
from tests.gltf.documents import Builder, glb_bytes, write_everything

Vector = list[float]


def unit(q: Sequence[float]) -> Vector:
    length = math.sqrt(sum(c * c for c in q))
    return [c / length for c in q]


def slerp(a: Sequence[float], b: Sequence[float], t: float) -> Vector:
    """C.4: spherical linear interpolation along the shorter arc."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    sign, dot = math.copysign(1, dot), min(abs(dot), 1.0)
    angle = math.acos(dot)
    if angle < 1e-7:
        return [x * (1 - t) + sign * y * t for x, y in zip(a, b, strict=True)]
    left, right = math.sin(angle * (1 - t)), sign * math.sin(angle * t)
    return [(left * x + right * y) / math.sin(angle) for x, y in zip(a, b, strict=True)]


def naive(track: Track, time: float) -> Vector:
    """One sample as Appendix C describes it, number by number."""
    times, values = [float(t) for t in track.times], np.asarray(track.values).tolist()
    cubic, turns = track.interpolation == "CUBICSPLINE", track.path == "rotation"
    points = [v[1] for v in values] if cubic else values
    finish = unit if turns else list
    if time <= times[0]:
        return finish(points[0])
    if time >= times[-1]:
        return finish(points[-1])
    k = max(i for i, t in enumerate(times) if t <= time)
    if track.interpolation == "STEP":
        return finish(points[k])
    step = times[k + 1] - times[k]
    t = (time - times[k]) / step
    if not cubic:
        if turns:
            return slerp(unit(points[k]), unit(points[k + 1]), t)
        return [a * (1 - t) + b * t for a, b in zip(points[k], points[k + 1], strict=True)]
    _, start, leaving = values[k]
    arriving, end, _ = values[k + 1]
    result = [
        (2 * t**3 - 3 * t**2 + 1) * p
        + step * (t**3 - 2 * t**2 + t) * m
        + (-2 * t**3 + 3 * t**2) * q
        + step * (t**3 - t**2) * n
        for p, m, q, n in zip(start, leaving, end, arriving, strict=True)
    ]
    return finish(result)


NUMBERS = st.floats(-5, 5).map(lambda value: round(value, 3))
COMPONENTS = {"translation": 3, "rotation": 4, "scale": 3, "weights": 2}


@st.composite
def tracks(draw: st.DrawFn, node: int = 0) -> Track:
    path = draw(st.sampled_from(list(COMPONENTS)))
    interpolation = draw(st.sampled_from(["STEP", "LINEAR", "CUBICSPLINE"]))
    # Whole thirty-seconds of a second are exact in float32, in which files store them.
    times = sorted(draw(st.sets(st.integers(0, 200), min_size=1, max_size=5)))
    parts = (len(times), 3) if interpolation == "CUBICSPLINE" else (len(times),)
    shape = (*parts, COMPONENTS[path])
    flat = draw(st.lists(NUMBERS, min_size=math.prod(shape), max_size=math.prod(shape)))
    values = np.array(flat).reshape(shape)
    if path == "rotation":
        lengths = np.linalg.norm(values, axis=-1, keepdims=True)
        values = np.where(lengths < 0.1, [0, 0, 0, 1], values / np.maximum(lengths, 0.1))
    return Track(node, path, np.array(times) / 32, values, interpolation)


TIMES = st.lists(st.integers(-20, 230).map(lambda t: t / 32) | st.floats(-1, 8), max_size=8)


def comparable(track: Track, times: Sequence[float]) -> list[float]:
    """Leave out times at which the answer depends on rounding: opposite or vanishing turns."""
    if track.path != "rotation":
        return list(times)
    points = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
    if len(points) > 1 and (np.abs((points[1:] * points[:-1]).sum(-1)) < 0.02).any():
        return []
    if track.interpolation != "CUBICSPLINE":
        return list(times)
    raw = Track(0, "translation", track.times, track.values, "CUBICSPLINE")
    return [t for t in times if math.hypot(*naive(raw, t)) > 0.05]


def same_turn(a: Any, b: Any) -> bool:
    return np.allclose(a, b, atol=1e-6) or np.allclose(a, -np.asarray(b), atol=1e-6)


@given(tracks(), TIMES)
def test_sampling_is_what_appendix_c_says(track: Track, times: list[float]) -> None:
    times = comparable(track, times)
    found = sample(track, times)
    assert found.shape == (len(times), COMPONENTS[track.path])
    for value, time in zip(found, times, strict=True):
        expected = naive(track, time)
        close = same_turn if track.path == "rotation" else np.allclose
        assert close(value, expected), (value, expected)


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
@pytest.mark.parametrize("path", list(COMPONENTS))
def test_every_stretch_between_keys_is_sampled(path: Any, interpolation: Any) -> None:
    dice = np.random.default_rng(11)
    parts = (6, 3) if interpolation == "CUBICSPLINE" else (6,)
    values = dice.normal(size=(*parts, COMPONENTS[path]))
    if path == "rotation":
        values /= np.linalg.norm(values, axis=-1, keepdims=True)
    times = np.cumsum(dice.uniform(0.1, 1, 6))
    track = Track(0, path, times, values, interpolation)
    at = np.linspace(times[0] - 0.5, times[-1] + 0.5, 200)
    close = same_turn if path == "rotation" else np.allclose
    for value, time in zip(sample(track, at), at, strict=True):
        assert close(value, naive(track, time))


def test_most_rotations_are_compared() -> None:
    """The exclusions above must not swallow the property that they guard."""
    dice = np.random.default_rng(3)
    kept = 0
    for _ in range(200):
        values = dice.normal(size=(3, 4))
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        kept += len(comparable(Track(0, "rotation", np.arange(3.0), values), [0.5]))
    assert kept > 180


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
def test_keys_are_hit_exactly_and_ends_are_held(interpolation: Any) -> None:
    times = np.array([0.1, 0.35, 2.0])
    points = np.array([[1.0, 2, 3], [-4, 5, -6], [7, 8, 9]])
    tangents = np.full_like(points, 3.0)
    cubic = interpolation == "CUBICSPLINE"
    values = np.stack([tangents, points, tangents], axis=1) if cubic else points
    track = Track(0, "translation", times, values, interpolation)
    assert (sample(track, times) == points).all()
    assert (sample(track, [-1e9, 0, 3, 1e9]) == points[[0, 0, 2, 2]]).all()


def test_a_step_changes_at_its_key_and_not_before() -> None:
    track = Track(0, "scale", np.array([0.0, 1.0]), np.array([[1.0] * 3, [2.0] * 3]), "STEP")
    assert sample(track, [np.nextafter(1, 0), 1.0])[:, 0].tolist() == [1, 2]


def test_rotations_take_the_shorter_way_and_stay_units() -> None:
    half = math.sqrt(0.5)
    values = np.array([[0, 0, 0, 1], [0, 0, -half, -half]])
    for interpolation in ("LINEAR", "STEP"):
        track = Track(0, "rotation", np.array([0.0, 1.0]), values * 1.001, interpolation)  # type: ignore[arg-type]
        found = sample(track, np.linspace(0, 1, 9))
        assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-12)
    middle = sample(Track(0, "rotation", np.array([0.0, 1.0]), values), [0.5])[0]
    assert same_turn(middle, [0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)])


def test_a_cubic_rotation_is_normalised() -> None:
    values = np.zeros((2, 3, 4))
    values[0, 1], values[1, 1] = [0, 0, 0, 1], [1, 0, 0, 0]
    track = Track(0, "rotation", np.array([0.0, 1.0]), values, "CUBICSPLINE")
    half = math.sqrt(0.5)
    assert np.allclose(sample(track, 0.5), [[half, 0, 0, half]])


def test_tangents_are_per_second() -> None:
    values = np.zeros((2, 3, 3))
    values[0, 2] = values[1, 0] = 1.0
    values[1, 1] = 2.0
    track = Track(0, "translation", np.array([0.0, 2.0]), values, "CUBICSPLINE")
    assert np.allclose(sample(track, [0.5, 1.0, 1.5])[:, 0], [0.5, 1.0, 1.5])


def test_one_time_may_be_given_alone() -> None:
    for interpolation in ("STEP", "LINEAR"):
        track = Track(0, "scale", np.array([0.0, 1.0]), np.ones((2, 3)), interpolation)  # type: ignore[arg-type]
        assert sample(track, 0.5).shape == (1, 3)


# Reading


def animated(**members: Any) -> Document:
    """Two nodes, one animation; `members` replace those of its single sampler or channel."""
    b = Builder()
    times = b.accessor(members.pop("times", [0.0, 1.0, 2.0]))
    values = members.pop("values", np.arange(9).reshape(3, 3))
    code, kind = members.pop("code", "f4"), members.pop("kind", "VEC3")
    output = b.accessor(values, code, kind, **members.pop("accessor", {}))
    target = members.pop("target", {"node": 1, "path": "translation"})
    sampler = {"input": times, "output": output} | members.pop("sampler_members", {})
    channel = {"sampler": members.pop("sampler", 0), "target": target}
    root = b.root(
        nodes=[{}, {}], animations=[{"name": "clip", "channels": [channel], "samplers": [sampler]}]
    )
    assert not members
    return loads(glb_bytes(root, bytes(b.data)), path="a.glb")


def test_a_clip_has_a_name_tracks_and_ends() -> None:
    clip = read_clip(animated(times=[0.5, 1.0, 2.5]), 0)
    assert (clip.name, clip.start, clip.end) == ("clip", 0.5, 2.5)
    (track,) = clip.tracks
    assert (track.node, track.path, track.interpolation) == (1, "translation", "LINEAR")
    assert track.values.tolist() == np.arange(9).reshape(3, 3).tolist()
    assert track.values.dtype == track.times.dtype == np.float64
    assert (Clip("empty", ()).start, Clip("empty", ()).end) == (0, 0)


@pytest.mark.parametrize(("code", "top"), [("i1", 127), ("u1", 255), ("i2", 32767), ("u2", 65535)])
@pytest.mark.parametrize(("path", "kind"), [("rotation", "VEC4"), ("weights", "SCALAR")])
def test_normalised_integers_are_fractions(code: str, top: int, path: str, kind: str) -> None:
    values = np.array([[0, 0, 0, top], [top, 0, 0, 0], [0, top, 0, 0]])
    document = animated(
        values=values if kind == "VEC4" else values[0, 1:],
        code=code,
        kind=kind,
        target={"node": 0, "path": path},
        accessor={"normalized": True},
    )
    (track,) = read_clip(document, 0).tracks
    expected = values / top if kind == "VEC4" else [[0], [0], [1]]
    assert np.allclose(track.values, expected)


@pytest.mark.parametrize("interpolation", ["LINEAR", "CUBICSPLINE"])
def test_weights_are_split_by_target(interpolation: str) -> None:
    parts = 3 if interpolation == "CUBICSPLINE" else 1
    document = animated(
        values=np.arange(3 * parts * 2),
        kind="SCALAR",
        target={"node": 0, "path": "weights"},
        sampler_members={"interpolation": interpolation},
    )
    (track,) = read_clip(document, 0).tracks
    shape = (3, 3, 2) if parts == 3 else (3, 2)
    assert track.values.tolist() == np.arange(3 * parts * 2).reshape(shape).tolist()
    assert sample(track, [0.0, 1.0]).shape == (2, 2)


def pointing(pointer: Any) -> dict[str, Any]:
    return {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}


def test_pointers_to_node_properties_are_sampled() -> None:
    (track,) = read_clip(animated(target=pointing("/nodes/1/scale")), 0).tracks
    assert (track.node, track.path) == (1, "scale")


@pytest.mark.parametrize(
    "target",
    [
        {"path": "translation"},
        {"path": "color", "node": 0},
        {"path": "pointer"},
        pointing(5),
        pointing("/materials/0/alphaCutoff"),
        pointing("/nodes/1/scale\n"),
        pointing("/nodes/1/scale/0"),
        pointing("/nodes/-1/scale"),
        pointing("/nodes/\u0661/scale"),
        pointing("/nodes/" + "9" * 5000 + "/scale"),
        {"path": "pointer", "extensions": {"KHR_animation_pointer": []}},
    ],
)
def test_targets_that_are_no_node_property_are_left_out(target: dict[str, Any]) -> None:
    assert read_clip(animated(target=target), 0).tracks == ()


@pytest.mark.parametrize(
    ("members", "pointer", "message"),
    [
        ({"times": [0.0, 1.0, 0.5]}, "/animations/0/samplers/0/input", "increase strictly"),
        ({"times": [0.0, 2.0, 1.0]}, "/animations/0/samplers/0/input", "key 2 at 1 s"),
        ({"sampler": 1}, "/animations/0/channels/0/sampler", "no sampler 1"),
        (
            {"target": {"node": 2, "path": "scale"}},
            "/animations/0/channels/0/target/node",
            "no node 2",
        ),
        (
            {"target": pointing("/nodes/999999999999999/scale")},
            "/animations/0/channels/0/target/node",
            "no node 999999999999999",
        ),
        ({"values": np.zeros((2, 3))}, "/animations/0/samplers/0/output", "needs 3 of 3"),
        ({"values": np.zeros((3, 4)), "kind": "VEC4"}, "/animations/0/samplers/0/output", "of 3"),
        ({"values": np.zeros(9), "kind": "SCALAR"}, "/animations/0/samplers/0/output", "of 3"),
        (
            {"sampler_members": {"interpolation": "CUBICSPLINE"}},
            "/animations/0/samplers/0/output",
            "needs 9 of 3",
        ),
        (
            {"target": {"node": 0, "path": "weights"}, "values": np.zeros(4), "kind": "SCALAR"},
            "/animations/0/samplers/0/output",
            "4 values",
        ),
        (
            {"sampler_members": {"interpolation": "BEZIER"}},
            "/animations/0/samplers/0/interpolation",
            "nvalid enum",
        ),
        ({"sampler_members": {"input": 1}}, "/animations/0/samplers/0/input", "scalars"),
        ({"sampler_members": {"input": 9}}, "/accessors", "no element 9"),
    ],
)
def test_faults_are_reported_with_place_and_file(
    members: dict[str, Any], pointer: str, message: str
) -> None:
    with pytest.raises(ContentError, match=message) as caught:
        read_clip(animated(**members), 0)
    assert (caught.value.pointer, caught.value.file) == (pointer, "a.glb")


# Poses


@given(st.lists(tracks() | tracks(node=2), max_size=4), st.lists(st.floats(0, 7), max_size=4))
def test_a_pose_is_every_track_at_its_node(parts: list[Track], times: list[float]) -> None:
    tree = NodeTree(Document({"nodes": [{"translation": [1, 2, 3]}, {"scale": [2, 2, 2]}, {}]}))
    # Tracks of one file share their key times; those must not be mixed up.
    parts = [*parts, *(Track(1, t.path, t.times, t.values, t.interpolation) for t in parts[:1])]
    pose = sample_pose(tree, [Clip("a", tuple(parts))], times)
    latest = {(track.node, track.path): track for track in parts}
    for node in range(3):
        for path in ("translation", "rotation", "scale"):
            found = getattr(pose, path)[:, node]
            if (node, path) in latest:
                assert np.allclose(found, sample(latest[node, path], times))
            else:
                assert (found == getattr(tree, path)[node]).all()
            assert found.shape == (len(times), COMPONENTS[path])


def test_later_clips_win() -> None:
    tree = NodeTree(Document({"nodes": [{}]}))
    first, second = (
        Clip(str(x), (Track(0, "translation", np.zeros(1), np.full((1, 3), float(x))),))
        for x in (1, 2)
    )
    assert sample_pose(tree, [first, second], 0.0).translation.tolist() == [[[2, 2, 2]]]
    assert sample_pose(tree, [second, first], 0.0).translation.tolist() == [[[1, 1, 1]]]


def test_the_sample_moves(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    clip = read_clip(document, 0)
    assert [(t.node, t.path, t.interpolation) for t in clip.tracks] == [
        (1, "translation", "LINEAR"),
        (1, "rotation", "STEP"),
        (2, "scale", "CUBICSPLINE"),
        (0, "weights", "LINEAR"),
        (2, "translation", "LINEAR"),
    ]
    pose = sample_pose(NodeTree(document), [clip], [0.25, 0.75])
    assert pose.translation[:, 1].tolist() == [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]
    assert pose.translation[:, 2].tolist() == pose.translation[:, 1].tolist()
    assert pose.rotation[:, 1].tolist() == [[0, 0, 0, 1], [1, 0, 0, 0]]


# Appending


@given(st.lists(tracks() | tracks(node=1), min_size=1, max_size=4))
def test_an_appended_clip_comes_back(parts: list[Track]) -> None:
    document = Document({"nodes": [{}, {}]})
    shared = [*parts, *(Track(1, t.path, t.times, t.values, t.interpolation) for t in parts)]
    index = append_clip(document, Clip("clip", tuple(shared)))
    again = read_clip(document, index)
    assert again.name == "clip"
    for found, track in zip(again.tracks, shared, strict=True):
        assert (found.node, found.path) == (track.node, track.path)
        assert found.interpolation == track.interpolation
        assert (found.times == track.times).all()
        assert np.array_equal(found.values, track.values.astype(np.float32))
    samplers = document.json["animations"][0]["samplers"]
    assert len({sampler["input"] for sampler in samplers}) == len(parts)
    for sampler in samplers:
        times = document.json["accessors"][sampler["input"]]
        assert times["min"] == [float(read_times(document, sampler)[0])]
        assert times["max"] == [float(read_times(document, sampler)[-1])]


def read_times(document: Document, sampler: dict[str, int]) -> Any:
    from ligament.gltf.accessors import read_accessor

    return read_accessor(document, sampler["input"])


def test_an_appended_clip_survives_saving(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    append_clip(document, read_clip(document, 0))
    for name in ("b.gltf", "b.glb"):
        save(document, tmp_path / name)
        again = load(tmp_path / name)
        first, second = read_clip(again, 0), read_clip(again, 1)
        for a, b in zip(first.tracks, second.tracks, strict=True):
            assert np.allclose(a.values, b.values)


TIME = np.array([0.0, 1.0])


@pytest.mark.parametrize(
    ("track", "message"),
    [
        (Track(0, "scale", TIME[::-1], np.ones((2, 3))), "increase strictly"),
        (Track(0, "scale", np.array([0, 1e-60]), np.ones((2, 3))), "increase strictly"),
        (Track(0, "scale", TIME, np.ones((3, 3))), "needs \\(2, 3\\)"),
        (Track(0, "scale", TIME, np.ones((2, 4))), "needs \\(2, 3\\)"),
        (Track(0, "scale", TIME, np.ones((2, 3)), "CUBICSPLINE"), "needs \\(2, 3, 3\\)"),
        (Track(0, "weights", TIME, np.ones(2)), "shape \\(2,\\)"),
        (Track(7, "scale", TIME, np.ones((2, 3))), "no node 7"),
        (Track(-1, "scale", TIME, np.ones((2, 3))), "no node -1"),
    ],
)
def test_a_clip_that_could_not_be_read_back_leaves_no_trace(track: Track, message: str) -> None:
    document = Document({"nodes": [{}]})
    good = Track(0, "translation", TIME, np.ones((2, 3)))
    with pytest.raises(ContentError, match=message):
        append_clip(document, Clip("bad", (good, track)))
    assert document.json == {"nodes": [{}]}


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
def test_numbers_that_cannot_be_stored_are_refused(number: float) -> None:
    document = Document({"nodes": [{}]})
    for times, values in (
        (np.array([0.0, number]), np.ones((2, 3))),
        (TIME, np.full((2, 3), number)),
    ):
        with pytest.raises(ContentError, match="not finite"):
            append_clip(document, Clip("bad", (Track(0, "scale", times, values),)))


def test_an_empty_clip_is_refused() -> None:
    with pytest.raises(ContentError, match="without tracks"):
        append_clip(Document(), Clip("empty", ()))
