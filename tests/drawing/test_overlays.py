"""Overlays: equal shapes drawn once, each in its layer and colour, at its size."""

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.drawing.geometry import outline
from ligament.drawing.instances import Instances
from ligament.drawing.overlays import Overlays, draw_overlays
from ligament.drawing.palette import KINDS, LIMIT, LIMIT_VALUE, TRIGGER
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf import Document
from ligament.options.names import Layer
from ligament.physics.shapes import Hull
from ligament.play import Simulation
from tests.play.files import BALL, CUBE, animate, node, physics_file
from tests.rig.motion.exporters import STYLES
from tests.rig.motion.styles import gltf_document, motion_of_bones
from tests.viewer.files import red_box

ASSETS = {path.name: path for path in assets()}


def drawn(document: Document) -> Overlays:
    sim = Simulation(document)
    return draw_overlays(document, sim.scene, unscaled=sim.unscaled_shapes())


def layer_of(document: Document, layer: Layer) -> list[Instances]:
    return [each for each in drawn(document).instances if each.layer is layer]


def test_bodies_of_one_shape_and_kind_are_drawn_once() -> None:
    cubes = [node(f"C{i}", at=(2 * i, 1, 0), motion={"mass": 1}, shape=CUBE) for i in range(5)]
    others = [
        node("Still", at=(0, -5, 0), shape=CUBE),
        node("Led", at=(0, -9, 0), motion={"isKinematic": True}, shape=CUBE),
        node("Ball", at=(0, 9, 0), motion={"mass": 1}, shape=BALL),
    ]
    found = layer_of(physics_file(*cubes, *others), Layer.COLLIDERS)
    assert sorted(len(each.nodes) for each in found) == [1, 1, 1, 5]
    assert all(len(each.parts) == 2 for each in found)  # filled, since no mesh shows them
    colours = {tuple(each.nodes.tolist()): each.parts[0].colour for each in found}
    assert colours[0, 1, 2, 3, 4] == KINDS[MotionKind.DYNAMIC]
    assert colours[(5,)] == KINDS[MotionKind.STATIC]
    assert colours[(6,)] == KINDS[MotionKind.KINEMATIC]


def test_shapes_that_an_animation_resizes_take_the_scale_of_their_node() -> None:
    document = physics_file(node("Grows", shape=CUBE, scale=[4, 1, 4]), node("Stays", shape=CUBE))
    animate(document, 0, "scale", [0, 1], [[0, 0, 0], [4, 3, 4]])
    found = layer_of(document, Layer.COLLIDERS)
    assert {each.nodes.tolist()[0]: each.resizes for each in found} == {0: True, 1: False}
    for each in found:
        assert np.ptp(each.parts[1].surface.points, axis=0) == pytest.approx(1.0)


def test_colliders_that_a_mesh_shows_are_not_filled() -> None:
    filled = {
        each.nodes.tolist()[0]: len(each.parts) for each in layer_of(red_box(), Layer.COLLIDERS)
    }
    assert filled == {0: 2, 1: 1}


def test_triggers_have_their_own_layer_and_surface() -> None:
    document = physics_file(node("T", trigger=CUBE), node("B", motion={"mass": 1}, shape=BALL))
    (found,) = layer_of(document, Layer.TRIGGERS)
    outline, glass = found.parts
    assert outline.colour == glass.colour == TRIGGER
    assert outline.opacity == 1 > glass.opacity


def test_sizes_are_those_of_what_moves() -> None:
    found = drawn(red_box())
    assert found.size == found.grain == pytest.approx(3**0.5)  # the diagonal of the box


def test_joints_of_equal_limits_share_a_drawing() -> None:
    rope = drawn(lg.load(ASSETS["rope.glb"]))
    counts = {each.layer: len(each.nodes) for each in rope.instances}
    assert counts[Layer.JOINTS] == 2 * 13
    assert counts[Layer.MASSES] == 13
    door = layer_of(lg.load(ASSETS["door.glb"]), Layer.LIMITS)
    assert [each.parts[0].colour for each in door] == [LIMIT, LIMIT_VALUE]


def test_the_value_of_a_limit_moves_with_the_other_frame() -> None:
    document = lg.load(ASSETS["door.glb"])
    bounds, value = layer_of(document, Layer.LIMITS)
    joint = Simulation(document).scene.joints[0]
    assert bounds.attached.translation[0] == pytest.approx(joint.a.pose.translation)
    assert value.attached.translation[0] == pytest.approx(joint.b.pose.translation)


def test_constraints_and_bones_of_an_avatar() -> None:
    document = lg.load(ASSETS["avatar.vrm"])
    links = {each.layer: each.pairs for each in drawn(document).links}
    assert len(links[Layer.CONSTRAINTS]) == 6
    assert len(links[Layer.SKELETON]) == 20
    names = [raw.get("name") for raw in document.json["nodes"]]
    assert ("leftLowerArm", "leftHand") in [(names[a], names[b]) for a, b in links[Layer.SKELETON]]


def test_a_skeleton_that_is_not_declared_is_drawn_too() -> None:
    """Bones of a skinned file are found by shape and names."""
    turns, hips = motion_of_bones()
    document = gltf_document(STYLES["Mixamo"].joints(), turns, hips, bound=True)
    (links,) = (each.pairs for each in drawn(document).links if each.layer is Layer.SKELETON)
    names = [raw.get("name") for raw in document.json["nodes"]]
    pairs = [(names[a], names[b]) for a, b in links]
    assert len(pairs) == 51
    assert ("mixamorig:LeftForeArm", "mixamorig:LeftHand") in pairs


def test_spring_bones_are_drawn_to_their_tails() -> None:
    document = lg.load(ASSETS["ponytail.vrm"])
    found = layer_of(document, Layer.SPRINGS)
    assert (
        len(found) >= len(lg.SpringBones(document).nodes) if hasattr(lg, "SpringBones") else found
    )


def test_a_round_shape_without_edges_has_sections() -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(600, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    lines = outline(Hull(points))
    assert len(lines)
    assert np.linalg.norm(lines, axis=2) == pytest.approx(1.0, abs=0.05)
