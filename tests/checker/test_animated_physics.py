"""Pointers without effect: reported by the checker and by simulate, with place and reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.errors import LigamentWarning
from ligament.gltf import Document
from tests.play.files import BALL, animate, animate_pointer, node, physics_file

KHR = "KHR_physics_rigid_bodies"
MOTION = f"/nodes/0/extensions/{KHR}/motion"
ROOT = f"/extensions/{KHR}"
SHAPES = "/extensions/KHR_implicit_shapes/shapes"
TARGET = "/animations/0/channels/0/target"
DRIVE = {"type": "linear", "mode": "force", "axis": 0, "positionTarget": 0, "velocityTarget": 0}
LOCKS = {"linearAxes": [1, 2], "min": 0, "max": 0}
SPIN = [[0, 0, 0, 1], [0, 0, 0, 1]]


def document(**motion: Any) -> Document:
    """A ball on a post, by a damper and by a spring."""
    joint = {"limits": [LOCKS], "drives": [DRIVE | {"damping": 1}, DRIVE | {"stiffness": 1}]}
    ball = {"mass": 1, "inertiaDiagonal": [1, 1, 1], **motion}
    return physics_file(
        node("Ball", motion=ball, shape=BALL, joint={"connectedNode": 1, "joint": 0}),
        node("Post"),
        joints=[joint],
        materials=[{"restitution": 0.5}],
        scenes=[{"nodes": [0, 1]}],
    )


def of_pointers(document: Document) -> list[tuple[str, str]]:
    """Return code and place of every finding about pointers."""
    return [
        (issue.code, issue.pointer)
        for issue in lg.check(document)
        if "ANIMATION" in issue.code or issue.code == "VALUE_NOT_IN_RANGE"
    ]


CASES: list[tuple[str, Any, str]] = [
    (f"{MOTION}/centerOfMass", np.zeros((2, 3)), "ANIMATION_POINTER_UNRESOLVED"),
    (f"{MOTION}/weight", [0, 1], "ANIMATION_POINTER_UNRESOLVED"),
    (f"/nodes/7/extensions/{KHR}/motion/mass", [0, 1], "ANIMATION_POINTER_UNRESOLVED"),
    (f"/nodes/1/extensions/{KHR}/motion/gravityFactor", [0, 1], "ANIMATION_POINTER_UNRESOLVED"),
    (f"{ROOT}/physicsJoints/0/drives/2/stiffness", [0, 1], "ANIMATION_POINTER_UNRESOLVED"),
    (f"{ROOT}/physicsJoints/0/drives/0/maxForce", [0, 1], "ANIMATION_POINTER_UNRESOLVED"),
    (f"{SHAPES}/0/box/size", np.ones((2, 3)), "ANIMATION_POINTER_UNRESOLVED"),
    (f"{ROOT}/physicsJoints/0/drives/0/axis", [0, 1], "ANIMATION_POINTER_NOT_MUTABLE"),
    (f"/nodes/0/extensions/{KHR}/collider/geometry/shape", [0, 1], "ANIMATION_POINTER_NOT_MUTABLE"),
    (f"{MOTION}/mass", np.ones((2, 3)), "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT"),
    (f"{MOTION}/linearVelocity", [0, 1], "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT"),
    (f"{MOTION}/isKinematic", [0.0, 1.0], "ANIMATION_POINTER_BOOL"),
    (f"{SHAPES}/0/sphere/radius", [0.5, -1], "VALUE_NOT_IN_RANGE"),
    (f"{SHAPES}/2/box/size", np.ones((2, 3)), "ANIMATION_POINTER_WITHOUT_EFFECT"),
    (f"{ROOT}/physicsMaterials/0/restitution", [0, 1], "ANIMATION_POINTER_WITHOUT_EFFECT"),
    (f"{ROOT}/physicsJoints/0/limits/0/damping", [0, 1], "ANIMATION_POINTER_WITHOUT_EFFECT"),
    (f"{ROOT}/physicsJoints/0/drives/0/positionTarget", [0, 1], "ANIMATION_POINTER_WITHOUT_EFFECT"),
    (f"{ROOT}/physicsJoints/0/drives/1/velocityTarget", [0, 1], "ANIMATION_POINTER_WITHOUT_EFFECT"),
]


@pytest.mark.parametrize(("pointer", "keys", "code"), CASES)
def test_both_report_what_is_not_played(pointer, keys, code):
    doc = document()
    animate_pointer(doc, pointer, [0, 1], keys)
    assert of_pointers(doc) == [(code, TARGET)]
    with pytest.warns(LigamentWarning, match=pointer):
        lg.simulate(doc, seconds=0.1)


def test_planes_of_gltf_2_1_have_one_side():
    doc = document()
    doc.json["shapes"] = [{"type": "plane", "plane": {"doubleSided": True}}]
    animate_pointer(doc, "/shapes/0/plane/doubleSided", [0, 1], np.array([0, 1], np.uint8), "STEP")
    assert of_pointers(doc) == [("ANIMATION_POINTER_NOT_MUTABLE", TARGET)]


@pytest.mark.parametrize("name", ["KHR_rigid_bodies", "MSFT_rigid_bodies"])
@pytest.mark.parametrize(
    ("member", "keys"),
    [
        ("mass", [1, 2]),
        ("centerOfMass", np.zeros((2, 3))),
        ("inertiaDiagonal", np.ones((2, 3))),
    ],
)
def test_members_of_2023_have_defaults(name, member, keys):
    """Nothing was computed then: a mass is 1 kg where the file does not write it."""
    doc = Document({"asset": {"version": "2.0"}, "nodes": [{"extensions": {name: {"motion": {}}}}]})
    doc.json |= {"scenes": [{"nodes": [0]}], "extensionsUsed": [name, "KHR_animation_pointer"]}
    animate_pointer(doc, f"/nodes/0/extensions/{name}/motion/{member}", [0, 1], keys)
    assert of_pointers(doc) == []


@pytest.mark.parametrize("interpolation", ["LINEAR", "CUBICSPLINE"])
def test_booleans_require_step_interpolation(interpolation):
    doc = document()
    keys = np.array([0, 1] if interpolation == "LINEAR" else [0, 0, 0, 0, 1, 0], np.uint8)
    animate_pointer(doc, f"{MOTION}/isKinematic", [0, 1], keys, interpolation)
    assert of_pointers(doc) == [("ANIMATION_POINTER_BOOL", TARGET)]


def test_a_member_is_animated_once():
    doc = document()
    animate_pointer(doc, f"{MOTION}/gravityFactor", [0, 1], [0, 1])
    channels = doc.json["animations"][0]["channels"]
    channels.append(channels[0])
    place = "/animations/0/channels/1/target"
    assert of_pointers(doc) == [("ANIMATION_DUPLICATE_TARGETS", place)]


@pytest.mark.parametrize(
    ("motion", "member", "keys"),
    [
        ({"isKinematic": True}, "gravityFactor", [0, 1]),
        ({"isKinematic": True}, "mass", [1, 2]),
        ({"inertiaDiagonal": None}, "inertiaOrientation", SPIN),
    ],
)
def test_members_of_bodies_without_effect(motion, member, keys):
    doc = document(**motion)
    own = doc.json["nodes"][0]["extensions"][KHR]["motion"]
    doc.json["nodes"][0]["extensions"][KHR]["motion"] = {
        name: value for name, value in own.items() if value is not None
    }
    animate_pointer(doc, f"{MOTION}/{member}", [0, 1], keys)
    assert ("ANIMATION_POINTER_WITHOUT_EFFECT", TARGET) in of_pointers(doc)


def test_animated_nodes_win_over_animated_bodies():
    doc = document()
    animate_pointer(doc, f"{MOTION}/linearVelocity", [0, 1], np.ones((2, 3)))
    animate(doc, 0, "translation", [0, 1], np.zeros((2, 3)))
    first, second = doc.json["animations"]
    first["samplers"].append(second["samplers"][0])
    first["channels"].append(second["channels"][0] | {"sampler": 1})
    doc.json["animations"] = [first]
    assert of_pointers(doc) == [("ANIMATION_POINTER_WITHOUT_EFFECT", TARGET)]


def test_gains_that_are_animated_count_as_gains():
    doc = document()
    doc.json["extensions"][KHR]["physicsJoints"][0]["drives"] = [DRIVE]
    animate_pointer(doc, f"{ROOT}/physicsJoints/0/drives/0/stiffness", [0, 1], [0, 1])
    animate_pointer(doc, f"{ROOT}/physicsJoints/0/drives/0/damping", [0, 1], [0, 1])
    codes = {issue.code for issue in lg.check(doc)}
    assert not codes & {"PHYSICS_DRIVE_WITHOUT_GAIN", "ANIMATION_POINTER_WITHOUT_EFFECT"}


def test_pointers_outside_physics_are_left_to_other_rules():
    doc = document()
    doc.json["materials"] = [{"alphaMode": "MASK"}]
    animate_pointer(doc, "/materials/0/alphaCutoff", [0, 1], [0, 1])
    assert {code for code, _ in of_pointers(doc)} == {"ANIMATION_NOT_PLAYED"}


def test_keys_that_cannot_be_read_spoil_nothing_else():
    doc = document()
    animate_pointer(doc, f"{MOTION}/gravityFactor", [0, 1], [0, 1])
    doc.json["accessors"][1]["count"] = 3
    assert [code for code, _ in of_pointers(doc)] == []
    assert "ACCESSOR_UNREADABLE" in {issue.code for issue in lg.check(doc)}
    with pytest.warns(LigamentWarning):
        lg.simulate(doc, seconds=0.1)
