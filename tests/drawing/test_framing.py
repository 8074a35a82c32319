"""Framing: what moves and its surroundings fill the picture, at every aspect and size."""

import math

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.drawing.framing import MARGIN, Framing, frame_of
from ligament.gltf import Document
from ligament.gltf.accessors import append_accessor
from tests.play.files import BALL, CUBE, FLOOR, animate, node, physics_file
from tests.viewer.files import RED, add_box

ASSETS = {path.name: path for path in assets()}


def framed(document: Document, seconds: float = 2.0) -> Framing:
    return frame_of(document, lg.simulate(document, seconds=seconds, rate=30, quality="fast"))


def shows(framing: Framing, *point: float) -> bool:
    return bool((np.abs(np.array(point) - framing.center) <= framing.half_size * 1.001).all())


def test_a_fall_onto_a_floor_is_seen_from_start_to_end_and_the_whole_floor_is_not() -> None:
    ball = node("Ball", at=(0, 3, 0), motion={"mass": 1}, shape=BALL)
    found = framed(physics_file(node("Floor", at=(0, -0.5, 0), shape=FLOOR), ball))
    assert shows(found, 0, 3.5, 0)
    assert shows(found, 0, 0, 0)
    assert found.half_size[0] < 3  # of a floor of 20 m


def test_a_stack_that_rests_is_framed_down_to_its_lowest_box() -> None:
    document = lg.load(ASSETS["stack.glb"])
    framing = frame_of(document, lg.simulate(document, seconds=2, rate=30))
    assert shows(framing, 0, 0, 0)
    assert shows(framing, 0, 2, 0)


def test_the_grid_lies_below_a_thin_floor_and_not_below_a_deep_one() -> None:
    ball = node("Ball", at=(0, 3, 0), motion={"mass": 1}, shape=BALL)
    for thickness, height in ((1.0, -1.0), (50.0, 0.0)):
        floor = node("Floor", at=(0, -thickness / 2, 0), shape=FLOOR, scale=[1, thickness, 1])
        assert framed(physics_file(floor, ball)).floor == pytest.approx(height, abs=0.02)


def test_bodies_that_fall_off_the_floor_are_not_framed() -> None:
    stays = node("Stays", at=(0, 1, 0), motion={"mass": 1}, shape=CUBE)
    falls = node("Falls", at=(12, 1, 0), motion={"mass": 1}, shape=CUBE)
    floor = node("Floor", at=(0, -0.5, 0), shape=FLOOR)
    for rate in (20, 30, 60):
        recording = lg.simulate(physics_file(floor, stays, falls), seconds=5, rate=rate)
        found = frame_of(physics_file(floor, stays, falls), recording)
        assert found.center[1] - found.half_size[1] > -6  # it has fallen by 120 m


def test_bodies_that_fall_without_a_floor_are_framed_at_their_start() -> None:
    found = framed(physics_file(node("Ball", at=(0, 50, 0), motion={"mass": 1}, shape=BALL)), 5)
    assert shows(found, 0, 50, 0)
    assert found.half_size.max() < 4


def test_bodies_that_hang_below_still_parts_are_framed() -> None:
    document = lg.load(ASSETS["rope.glb"])
    recording = lg.simulate(document, seconds=3, rate=30)
    found = frame_of(document, recording)
    inside = np.abs(recording.translation - found.center) <= found.half_size * 1.001
    assert inside.all()


def test_one_of_many_that_flies_off_does_not_shrink_the_rest() -> None:
    crowd = [
        node(f"C{i}", at=(2 * (i % 10), 1, 2 * (i // 10)), motion={"mass": 1}, shape=CUBE)
        for i in range(60)
    ]
    thrown = {"mass": 1, "linearVelocity": [80, 80, 0], "gravityFactor": 0}
    crowd.append(node("Thrown", at=(0, 5, 0), motion=thrown, shape=CUBE))
    floor = node("Floor", at=(0, -0.5, 0), shape=FLOOR, scale=[5, 1, 5])
    assert framed(physics_file(floor, *crowd)).half_size.max() < 25


def skinned(offset: float) -> Document:
    """A red cube whose skin carries it far away from its node."""
    document = Document(
        {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"skin": 0, "translation": [0, -70, 0]}, {"translation": [offset, 0, 0]}],
            "skins": [{"joints": [1]}],
        }
    )
    mesh = add_box(document, RED)
    document.json["nodes"][0]["mesh"] = mesh
    attributes = document.json["meshes"][mesh]["primitives"][0]["attributes"]
    attributes["JOINTS_0"] = append_accessor(document, np.zeros((36, 4), np.uint8))
    attributes["WEIGHTS_0"] = append_accessor(document, np.tile([1.0, 0, 0, 0], (36, 1)))
    return document


def test_a_skin_counts_where_its_joints_put_its_vertices() -> None:
    still = frame_of(skinned(30.0))
    assert still.center == pytest.approx([30, 0, 0])
    assert still.half_size == pytest.approx([0.5, 0.5, 0.5])
    document = skinned(30.0)
    animate(document, 1, "translation", [0, 1], [[30, 0, 0], [34, 0, 0]])
    moves = framed(document, seconds=1)
    assert moves.center == pytest.approx([32, 0, 0], abs=1e-5)
    assert moves.half_size == pytest.approx([2.5, 0.5, 0.5], abs=1e-5)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_the_same_scene_in_another_size_is_framed_alike(size: float) -> None:
    document = physics_file()
    document.json["nodes"] = [{"scale": [size] * 3, "mesh": add_box(document, RED)}]
    document.json["scenes"] = [{"nodes": [0]}]
    animate(document, 0, "translation", [0, 1], [[0, 0, 0], [3 * size, 0, 0]])
    found = framed(document, seconds=1)
    assert found.half_size / size == pytest.approx([2, 0.5, 0.5], rel=1e-4)


@pytest.mark.parametrize("aspect", [0.4, 1.0, 16 / 9, 4.0])
@pytest.mark.parametrize("name", ["door.glb", "rope.glb", "ponytail.vrm"])
def test_the_content_fills_the_picture_and_is_centred(name: str, aspect: float) -> None:
    framing = framed(lg.load(ASSETS[name]))
    back = framing.direction
    right = np.cross([0, 1, 0], back)
    right /= np.linalg.norm(right)
    seen = framing.points - framing.eye(aspect, 0.9)
    depth = -(seen @ back) * math.tan(0.45)
    across = seen @ right / (depth * aspect)
    up = seen @ np.cross(back, right) / depth
    assert max(across.max(), up.max()) == pytest.approx(1 / MARGIN, abs=1e-4)
    assert across.min() == pytest.approx(-across.max(), abs=1e-4)
    assert up.min() == pytest.approx(-up.max(), abs=1e-4)


def test_the_points_of_a_picture_are_those_that_move() -> None:
    document = lg.load(ASSETS["rope.glb"])
    recording = lg.simulate(document, seconds=3, rate=30)
    framing = frame_of(document, recording)
    assert len(framing.points) < 130
    assert framing.points.min(axis=0) == pytest.approx(framing.center - framing.half_size)
    # A rope that swings leaves the upper corners of its box empty.
    corner = framing.center + framing.half_size * [1, 1, 0]
    assert np.linalg.norm(framing.points[:, :2] - corner[:2], axis=1).min() > 0.1


def test_an_empty_file_is_framed_too() -> None:
    assert (frame_of(Document({"asset": {"version": "2.0"}})).half_size > 0).all()


def test_an_avatar_that_faces_backwards_is_seen_from_its_front() -> None:
    old = Document({"asset": {"version": "2.0"}, "extensions": {"VRM": {}}})
    assert frame_of(old).direction[2] < 0
