"""Colliders of meshes follow what deforms these: weights, joints, and nodes below."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.gltf.accessors import append_accessor
from ligament.gltf.animation import Clip, Track, append_clip

from .files import BALL, CUBE, KHR, animate, assert_baked, node, physics_file, track_of

SIDE = 5
POINTS = np.array(
    [[x, 0, z] for x in np.linspace(-2, 2, SIDE) for z in np.linspace(-2, 2, SIDE)], np.float32
)
RISEN = [0.2, 1.2], [[0.0], [1.0]]
LIFTED = [0.2, 1.2], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def triangles() -> np.ndarray:
    number = np.arange(SIDE**2, dtype=np.uint32).reshape(SIDE, SIDE)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    both = [np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]
    return np.stack(both).reshape(-1)


def add_mesh(document: lg.Document, *, target: Any = None, joint: bool = False) -> None:
    """Add a square of 4 m, with a morph target or with one joint for all of it."""
    attributes = {"POSITION": append_accessor(document, POINTS, bounds=True)}
    primitive: dict[str, Any] = {"attributes": attributes}
    primitive["indices"] = append_accessor(document, triangles())
    if target is not None:
        offsets = np.broadcast_to(np.asarray(target, np.float32), POINTS.shape)
        primitive["targets"] = [{"POSITION": append_accessor(document, offsets.copy())}]
    if joint:
        first = np.tile([1, 0, 0, 0], (len(POINTS), 1))
        attributes["JOINTS_0"] = append_accessor(document, (0 * first).astype(np.uint8))
        attributes["WEIGHTS_0"] = append_accessor(document, first.astype(np.float32))
    document.json["meshes"] = [{"primitives": [primitive]}]


def floor(geometry: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"name": "Floor", "extensions": {KHR: {"collider": {"geometry": geometry}}}, **rest}


def crate(shape: int = CUBE) -> dict[str, Any]:
    return node("Crate", at=(0.1, 0.5, 0.1), shape=shape, motion={"mass": 1})


def assert_lifted(document: lg.Document, crate: int, top: float = 1.0) -> None:
    recording = lg.simulate(document, seconds=2)
    height = track_of(recording, crate)[:, 1]
    expected = 0.5 + top * np.clip(recording.times - 0.2, 0, 1)
    assert np.abs(height - expected)[:72].max() < 0.03  # 1 m/s from one step to the next: 17 mm
    assert height[-1] == pytest.approx(0.5 + top, abs=2e-3)
    assert_baked(document, recording)


@pytest.mark.parametrize("geometry", [{"mesh": 0}, {"node": 0}, {"node": 0, "convexHull": True}])
def test_morph_weights_that_are_animated(geometry):
    document = physics_file(floor(geometry, mesh=0), crate())
    add_mesh(document, target=[0, 1, 0])
    animate(document, 0, "weights", *RISEN)
    assert_lifted(document, 1)


@pytest.mark.parametrize("pointer", ["/nodes/0/weights", "/nodes/0/weights/0"])
def test_weights_that_a_pointer_names(pointer):
    document = physics_file(floor({"mesh": 0}, mesh=0), crate())
    add_mesh(document, target=[0, 1, 0])
    animate(document, 0, "weights", *RISEN)
    target = document.json["animations"][0]["channels"][0]["target"]
    target.pop("node")
    target["path"] = "pointer"
    target["extensions"] = {"KHR_animation_pointer": {"pointer": pointer}}
    assert_lifted(document, 1)


def test_a_hill_that_rises_under_a_ball():
    hill = np.zeros_like(POINTS)
    hill[SIDE**2 // 2, 1] = 1.0  # the middle alone
    document = physics_file(
        floor({"mesh": 0}, mesh=0), node("Ball", at=(1, 0.5, 0.4), shape=BALL, motion={"mass": 1})
    )
    add_mesh(document, target=hill)
    animate(document, 0, "weights", *RISEN)
    recording = lg.simulate(document, seconds=2)
    ball = track_of(recording, 1)
    assert ball[-1, 0] > 1.5  # it rolls off, down the slope
    assert ball[ball[:, 0] < 1.9][:, 1].min() > 0.45  # and never through it
    assert_baked(document, recording)


def test_weights_that_jump_throw_nothing():
    document = physics_file(floor({"mesh": 0}, mesh=0), crate())
    add_mesh(document, target=[0, 0.2, 0])
    animate(document, 0, "weights", [0, 0.5], [[0.0], [1.0]], "STEP")
    recording = lg.simulate(document, seconds=1.5)
    assert track_of(recording, 1)[:, 1].max() < 0.75


@pytest.mark.parametrize("geometry", [{"mesh": 0}, {"node": 0}])
def test_joints_of_a_skin_that_are_animated(geometry):
    document = physics_file(floor(geometry, mesh=0, skin=0), crate(), {"name": "Bone"})
    add_mesh(document, joint=True)
    document.json["skins"] = [{"joints": [2]}]
    animate(document, 2, "translation", *LIFTED)
    assert_lifted(document, 1)


def test_joints_of_a_skin_that_physics_moves():
    lift = node("Bone", motion={"isKinematic": True, "linearVelocity": [0, 0.5, 0]})
    document = physics_file(floor({"node": 0}, mesh=0, skin=0), crate(), lift)
    add_mesh(document, joint=True)
    document.json["skins"] = [{"joints": [2]}]
    recording = lg.simulate(document, seconds=1)
    assert track_of(recording, 1)[-1, 1] == pytest.approx(1.0, abs=0.02)


def test_nodes_below_geometry_node_that_are_animated():
    document = physics_file(floor({"node": 0}, children=[1]), {"name": "Top", "mesh": 0}, crate())
    add_mesh(document)
    animate(document, 1, "translation", *LIFTED)
    assert_lifted(document, 2)


def test_a_scale_below_geometry_node_counts_too():
    top = {"name": "Top", "mesh": 0, "translation": [0, 0.5, 0]}
    document = physics_file(floor({"node": 0}, children=[1]), {"children": [2]}, top, crate())
    add_mesh(document)
    document.json["nodes"][3]["translation"] = [0, 1.0, 0]
    animate(document, 1, "scale", [0.2, 1.2], [[1, 1, 1], [1, 2, 1]])
    recording = lg.simulate(document, seconds=2)
    assert track_of(recording, 3)[-1, 1] == pytest.approx(1.5, abs=2e-3)


def test_a_pose_without_a_shape_is_reported_once_and_disabled():
    document = physics_file(floor({"node": 0}, children=[1]), {"name": "Top", "mesh": 0}, crate())
    add_mesh(document)
    keys = np.array([0.0, 0.5])
    flat = Track(1, "scale", keys, np.array([[1.0, 1, 1], [0, 0, 0]]), "STEP")
    append_clip(document, Clip("flat", (flat,)))
    with pytest.warns(lg.LigamentWarning, match="disabled") as reported:
        recording = lg.simulate(document, seconds=1)
    assert len(reported) == 1
    assert track_of(recording, 2)[-1, 1] < 0
