"""The picture: equal shapes drawn once, each in its layer and colour, at its size."""

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.extensions.declarations import MotionKind
from ligament.gltf import Document
from ligament.view.curves import Curves, EnergyMeter, LimitMeter
from ligament.view.drawing.palette import KINDS, TRIGGER, Layer
from ligament.view.drawing.picture import draw
from ligament.view.player import Player
from tests.play.files import BALL, CUBE, FLOOR, animate, node, physics_file
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import gltf_document, motion_of_bones
from tests.view.files import BLUE, add_box, red_box

ASSETS = {path.name: path for path in assets()}


def picture(document: Document) -> object:
    return draw(Player(document).sim)


def surfaces(document: Document, layer: Layer) -> list:
    return [drawn for drawn in picture(document).surfaces if drawn.layer is layer]


def test_bodies_of_one_shape_and_kind_are_one_instanced_surface() -> None:
    cubes = [node(f"C{i}", at=(2 * i, 1, 0), motion={"mass": 1}, shape=CUBE) for i in range(5)]
    others = [
        node("Still", at=(0, -5, 0), shape=CUBE),
        node("Led", at=(0, -9, 0), motion={"isKinematic": True}, shape=CUBE),
        node("Ball", at=(0, 9, 0), motion={"mass": 1}, shape=BALL),
    ]
    found = surfaces(physics_file(*cubes, *others), Layer.COLLIDERS)
    lines = [drawn for drawn in found if drawn.opacity == 1]
    filled = [drawn for drawn in found if drawn.opacity < 1]
    assert sorted(len(drawn.nodes) for drawn in lines) == [1, 1, 1, 5]
    assert len(filled) == 4  # no mesh shows them
    colours = {tuple(drawn.nodes.tolist()): drawn.colour for drawn in lines}
    assert colours[0, 1, 2, 3, 4] == KINDS[MotionKind.DYNAMIC]
    assert colours[(5,)] == KINDS[MotionKind.STATIC]
    assert colours[(6,)] == KINDS[MotionKind.KINEMATIC]


def test_shapes_that_an_animation_resizes_take_the_scale_of_their_node() -> None:
    document = physics_file(node("Grows", shape=CUBE, scale=[4, 1, 4]), node("Stays", shape=CUBE))
    animate(document, 0, "scale", [0, 1], [[0, 0, 0], [4, 3, 4]])
    found = [drawn for drawn in surfaces(document, Layer.COLLIDERS) if drawn.opacity < 1]
    assert {drawn.nodes.tolist()[0]: drawn.resizes for drawn in found} == {0: True, 1: False}
    assert all(np.ptp(drawn.surface.points, axis=0) == pytest.approx(1.0) for drawn in found)


def test_what_a_mesh_shows_is_not_filled() -> None:
    document = red_box()
    found = surfaces(document, Layer.COLLIDERS)
    assert [drawn.nodes.tolist() for drawn in found if drawn.opacity < 1] == [[0]]


def test_meshes_are_cut_once_for_all_nodes_that_have_them() -> None:
    document = physics_file(*(node(f"N{i}", at=(i, 0, 0), mesh=i % 2) for i in range(6)))
    add_box(document, BLUE)
    add_box(document, BLUE, 0.5)
    shown = picture(document)
    assert [drawn.nodes.tolist() for drawn in shown.meshes] == [[0, 2, 4], [1, 3, 5]]
    assert shown.low == pytest.approx([-0.5, -0.5, -0.5])
    assert shown.high == pytest.approx([5.25, 0.5, 0.5])


def test_triggers_have_their_own_layer_and_surface() -> None:
    document = physics_file(node("T", trigger=CUBE), node("B", motion={"mass": 1}, shape=BALL))
    outline, glass = surfaces(document, Layer.TRIGGERS)
    assert outline.colour == glass.colour == TRIGGER
    assert outline.opacity == 1 > glass.opacity


def test_the_eye_is_on_what_moves_and_the_ground_below_all() -> None:
    shown = picture(red_box())
    assert shown.low == pytest.approx([-0.5, -1, -0.5])  # it falls to the floor
    assert shown.high == pytest.approx([0.5, 3, 0.5])
    assert shown.floor == pytest.approx(-1)
    assert shown.grain == pytest.approx(3**0.5)  # the diagonal of the box
    falling = physics_file(node("B", motion={"mass": 1}, shape=BALL))
    assert picture(falling).floor < -1


def test_joints_of_equal_limits_share_a_drawing() -> None:
    rope = picture(lg.load(ASSETS["rope.glb"]))
    assert len(rope.frame_nodes) == 2 * 13
    assert len(rope.centre_nodes) == 13
    door = surfaces(lg.load(ASSETS["door.glb"]), Layer.LIMITS)
    assert len(door) == 1


def test_constraints_and_bones_of_an_avatar() -> None:
    shown = picture(lg.load(ASSETS["avatar.vrm"]))
    assert len(shown.arrows) == 6
    assert len(shown.bones) == 20
    names = [raw.get("name") for raw in lg.load(ASSETS["avatar.vrm"]).json["nodes"]]
    pairs = [(names[a], names[b]) for a, b in shown.bones]
    assert ("leftLowerArm", "leftHand") in pairs


def test_a_skeleton_that_is_not_declared_is_drawn_too() -> None:
    """Bones of a skinned file are found by shape and names, and drawn over its meshes."""
    turns, hips = motion_of_bones()
    document = gltf_document(STYLES["Mixamo"].joints(), turns, hips, bound=True)
    shown = picture(document)
    names = [raw.get("name") for raw in document.json["nodes"]]
    pairs = [(names[a], names[b]) for a, b in shown.bones]
    assert len(pairs) == 51
    assert ("mixamorig:LeftForeArm", "mixamorig:LeftHand") in pairs


def test_an_empty_document_has_an_empty_picture() -> None:
    shown = picture(Document({"asset": {"version": "2.0"}}))
    assert shown.meshes == shown.surfaces == ()
    assert shown.size == 1.0


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
