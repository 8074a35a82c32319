"""The picture: meshes cut once, the ground below them, and what is measured beside."""

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.gltf import Document
from ligament.viewer.curves import Curves, EnergyMeter, LimitMeter
from ligament.viewer.drawing.picture import draw
from ligament.viewer.player import Player
from tests.play.files import BALL, FLOOR, node, physics_file
from tests.viewer.files import BLUE, add_box, red_box

ASSETS = {path.name: path for path in assets()}


def picture(document: Document) -> object:
    return draw(Player(document).sim)


def test_meshes_are_cut_once_for_all_nodes_that_have_them() -> None:
    document = physics_file(*(node(f"N{i}", at=(i, 0, 0), mesh=i % 2) for i in range(6)))
    add_box(document, BLUE)
    add_box(document, BLUE, 0.5)
    shown = picture(document)
    assert [drawn.nodes.tolist() for drawn in shown.meshes] == [[0, 2, 4], [1, 3, 5]]
    framing = shown.framing
    assert framing.center - framing.half_size == pytest.approx([-0.5, -0.5, -0.5])
    assert framing.center + framing.half_size == pytest.approx([5.25, 0.5, 0.5])


def test_the_ground_is_below_all() -> None:
    assert picture(red_box()).floor == pytest.approx(-1)


def test_an_empty_document_has_an_empty_picture() -> None:
    shown = picture(Document({"asset": {"version": "2.0"}}))
    assert shown.meshes == shown.overlays.instances == shown.overlays.links == ()
    assert shown.overlays.size == 1.0


def test_a_mesh_that_cannot_be_read_is_left_out_with_a_warning() -> None:
    document = physics_file(node("A", mesh=0), node("B", mesh=1))
    add_box(document, BLUE)
    document.json["meshes"].append({"primitives": [{"attributes": {"POSITION": 99}}]})
    with pytest.warns(UserWarning, match="a mesh is not shown"):
        shown = picture(document)
    assert [drawn.nodes.tolist() for drawn in shown.meshes] == [[0]]


def test_curves_forget_what_time_went_back_over() -> None:
    curves = Curves(("a", "b"))
    assert [array.shape for array in curves.arrays()] == [(0,)] * 3
    for i in range(5):
        curves.add(i, (i, -i))
    curves.add(2, (7, 7))
    times, a, b = curves.arrays()
    assert times.tolist() == [0, 1, 2]
    assert a.tolist() == [0, 1, 7]
    assert b.tolist() == [0, -1, 7]


def test_energies_of_a_fall_add_up() -> None:
    player = Player(physics_file(node("B", at=(0, 50, 0), motion={"mass": 2}, shape=BALL)))
    meter = EnergyMeter(player.sim)
    assert meter.values() == (0, 0, 0)
    for _ in range(60):
        player.step()
    kinetic, potential, total = meter.values()
    # After one second: m g² / 2, except for the step of the engine, which is 1/60 s or shorter.
    assert kinetic == pytest.approx(9.81**2, rel=0.02)
    assert potential == pytest.approx(-(9.81**2), rel=0.02)
    assert total == kinetic + potential


def test_limits_are_measured_where_the_frames_are() -> None:
    player = Player(lg.load(ASSETS["door.glb"]))
    meter = LimitMeter(player.sim.scene, player.sim.scene.joints[0])
    for _ in range(20):
        player.step()
    place = player.moment().poses
    door = place.rotation[player.sim.stage.tree.names.index("Door")]
    angle = np.degrees(2 * np.arctan2(door[1], door[3]))
    values = meter.values(place)
    assert len(values) == 3
    assert values[2] == pytest.approx(angle, abs=0.01)  # frames are a hair apart: contacts give
    assert values[0] == pytest.approx(0, abs=1e-3)


def test_floors_of_fixed_bodies_do_not_hide_what_has_no_collider() -> None:
    document = physics_file(node("F", shape=FLOOR), node("Seen", at=(0, 1, 0)))
    document.json["nodes"][1]["mesh"] = add_box(document, BLUE)
    assert len(picture(document).meshes) == 1
