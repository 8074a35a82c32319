"""Content that is not played is reported once, by `simulate` and by `check`, with its place."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.extensions.foreign import MOTION
from ligament.findings import NOT_PLAYED
from ligament.gltf.accessors import append_accessor
from ligament.gltf.document import Document
from tests.play.files import BALL, FLOOR, KHR, SHAPES, animate, node, physics_file

HERE = f"/nodes/0/extensions/{KHR}"
THERE = f"/nodes/1/extensions/{KHR}"
TARGET = "/animations/0/channels/0/target"
TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 0, 1]]


def scene(**rest: Any) -> Document:
    """A ball above a floor."""
    ball = node("ball", at=(0, 2, 0), motion={"mass": 1}, shape=BALL)
    return physics_file(ball, node("floor", shape=FLOOR), **rest)


def simulated(document: Document) -> list[str]:
    """Play a document and return its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lg.simulate(document, seconds=0.05)
    return [str(each.message) for each in caught]


def assert_reported(document: Document, pointer: str) -> None:
    """Ask both, twice over."""
    lines = [line for line in simulated(document) if line.startswith(f"{pointer}: ")]
    assert len(lines) == 1, lines
    assert simulated(document) == []
    assert pointer in {issue.pointer for issue in lg.check(document)}


def with_part(part: dict[str, Any], **rest: Any) -> Document:
    """Give the floor another part."""
    document = scene(**rest)
    document.json["nodes"][1]["extensions"][KHR] |= part
    return document


def jointed(**description: Any) -> Document:
    document = scene(joints=[{"limits": [{"linearAxes": [0], "max": 9}], **description}])
    document.json["nodes"][0]["extensions"][KHR]["joint"] = {"connectedNode": 1, "joint": 0}
    return document


def animated(**target: Any) -> Document:
    document = scene()
    animate(document, 1, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]])
    document.json["animations"][0]["channels"][0]["target"] = target
    return document


def pointed(pointer: str) -> Document:
    extension = {"KHR_animation_pointer": {"pointer": pointer}}
    return animated(path="pointer", extensions=extension)


def surfaced(*modes: int, points: Any = TRIANGLE) -> Document:
    document = with_part({"collider": {"geometry": {"mesh": 0}}})
    position = append_accessor(document, np.array(points, np.float32), bounds=True)
    primitives = [{"attributes": {"POSITION": position}, "mode": mode} for mode in modes]
    document.json["meshes"] = [{"primitives": primitives}]
    return document


def extended(place: str, **extensions: Any) -> Document:
    document = scene()
    owner = {"": document.json, "node": document.json["nodes"][1]}
    owner["scene"] = document.json["scenes"][0]
    owner[place].setdefault("extensions", {}).update(extensions)
    return document


def shaped(shape: dict[str, Any]) -> Document:
    document = scene()
    document.json["extensions"][SHAPES]["shapes"][BALL] = shape
    return document


def scaled_to_nothing() -> Document:
    document = scene()
    document.json["nodes"][1]["scale"] = [0, 0, 0]
    return document


def outside() -> Document:
    document = scene()
    document.json["scenes"] = [{"nodes": [0]}]
    return document


def drive(**members: Any) -> dict[str, Any]:
    return {"type": "linear", "mode": "force", "axis": 1, "positionTarget": 1, **members}


JOINT = f"/extensions/{KHR}/physicsJoints/0"
UNPLAYED = {
    "an unknown type of shape": (
        shaped({"type": "torus"}),
        f"/extensions/{SHAPES}/shapes/0/type",
    ),
    "a shape of no size": (
        shaped({"type": "sphere", "sphere": {"radius": 0}}),
        f"{HERE}/collider",
    ),
    "a shape with a scale of 0": (scaled_to_nothing(), f"{THERE}/collider"),
    "a mesh without area": (
        surfaced(4, points=[[0, 0, 0], [1, 0, 0], [2, 0, 0]]),
        "/meshes/0",
    ),
    "points beside triangles": (surfaced(4, 0), "/meshes/0/primitives/1"),
    "a mesh of points": (surfaced(0), "/meshes/0"),
    "geometry of a node without a mesh": (
        with_part({"collider": {"geometry": {"node": 1}}}),
        "/nodes/1",
    ),
    "a collider outside every scene": (outside(), f"{THERE}/collider"),
    "a negative mass": (with_part({"motion": {"mass": -1}}), f"{THERE}/motion/mass"),
    "an unknown member": (with_part({"vehicle": {}}), f"{THERE}/vehicle"),
    "a joint to no node": (
        with_part({"joint": {"connectedNode": 9, "joint": 0}}, joints=[{}]),
        f"{THERE}/joint/connectedNode",
    ),
    "a joint within one body": (
        with_part({"motion": {"mass": 1}, "joint": {"connectedNode": 1, "joint": 0}}, joints=[{}]),
        f"{THERE}/joint",
    ),
    "a joint of nothing that moves": (
        with_part({"joint": {"connectedNode": 1, "joint": 0}}, joints=[{}]),
        f"{THERE}/joint",
    ),
    "a drive without a gain": (jointed(drives=[drive()]), f"{JOINT}/drives/0"),
    "a drive without a force": (
        jointed(drives=[drive(stiffness=9, maxForce=0)]),
        f"{JOINT}/drives/0",
    ),
    "a drive of an unknown type": (jointed(drives=[drive(type="odd")]), f"{JOINT}/drives/0/type"),
    "a limit without a gain": (
        jointed(limits=[{"linearAxes": [0], "max": 9, "stiffness": 0}]),
        f"{JOINT}/limits/0",
    ),
    "a trigger of nothing": (with_part({"trigger": {}}), f"{THERE}/trigger"),
    "a trigger of no members": (with_part({"trigger": {"nodes": []}}), f"{THERE}/trigger/nodes"),
    "a trigger of what is none": (
        with_part({"trigger": {"nodes": [0]}}),
        f"{THERE}/trigger/nodes/0",
    ),
    "a channel of an unknown path": (animated(node=1, path="skew"), f"{TARGET}/path"),
    "a channel without a node": (animated(path="translation"), TARGET),
    "a channel without a pointer": (animated(path="pointer"), TARGET),
    "a pointer to what is not played": (
        pointed("/materials/0/emissiveFactor"),
        f"{TARGET}/extensions/KHR_animation_pointer/pointer",
    ),
    "an extension of another vendor": (
        extended("node", ACME_physics={}),
        "/nodes/1/extensions/ACME_physics",
    ),
    "gravity of a scene": (
        extended("scene", OMI_physics_gravity={}),
        "/scenes/0/extensions/OMI_physics_gravity",
    ),
    "physics where nobody looks": (extended("scene", **{KHR: {}}), f"/scenes/0/extensions/{KHR}"),
    "a required extension that is not known": (
        scene(extensionsRequired=["ACME_shine"]),
        "/extensionsRequired/0",
    ),
    "colliders shown many times": (
        extended("node", EXT_mesh_gpu_instancing={"attributes": {}}),
        "/nodes/1/extensions/EXT_mesh_gpu_instancing",
    ),
    **{name: (extended("", **{name: {}}), f"/extensions/{name}") for name in MOTION},
}


@pytest.mark.parametrize(("document", "pointer"), UNPLAYED.values(), ids=UNPLAYED)
def test_unplayed_features_are_reported(document: Document, pointer: str) -> None:
    assert_reported(document, pointer)


def overlapping(first: int, second: int) -> Document:
    """Two animations of nodes."""
    document = scene()
    for target in (first, second):
        animate(document, target, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]])
    return document


def test_an_animation_that_a_later_one_overrides_is_reported_unless_one_is_chosen() -> None:
    assert_reported(overlapping(1, 1), "/animations/0")
    assert simulated(overlapping(0, 1)) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lg.simulate(overlapping(1, 1), seconds=0.05, animations=["clip 0"])


def test_two_channels_of_one_property_are_reported() -> None:
    document = overlapping(1, 1)
    channels = document.json["animations"][0]["channels"]
    pointer = {"KHR_animation_pointer": {"pointer": "/nodes/1/translation"}}
    channels.append({"sampler": 0, "target": {"path": "pointer", "extensions": pointer}})
    del document.json["animations"][1]
    document.use_extension("KHR_animation_pointer")
    assert_reported(document, "/animations/0/channels/1/target")


def test_a_scene_that_is_played_as_a_whole_gives_no_warning() -> None:
    assert simulated(scene()) == []
    document = scene(scenes=[{"nodes": [0]}, {"nodes": [1]}])  # another scene is a choice
    assert simulated(document) == []


def test_codes_of_what_is_not_played_are_no_faults_of_the_file() -> None:
    issues = [issue for document, _ in UNPLAYED.values() for issue in lg.check(document)]
    assert {issue.severity for issue in issues if issue.code in NOT_PLAYED} == {"info"}
