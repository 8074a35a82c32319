"""Static sides of joints, frames that animations move, and triggers beside static colliders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.conversion.dialects import WRITERS
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf import Document
from tests.conversion.meaning import difference, play
from tests.play.files import BALL, CUBE, FLOOR, animate, node, physics_file

Json = dict[str, Any]
BODY, JOINT, COLLIDER = "OMI_physics_body", "OMI_physics_joint", "OMI_collider"
TARGETS = [str(target) for target in WRITERS]
THROUGH = [("omi-2023", "khr"), ("omi", "omi-2023"), ("omi-2023", "omi")]
PATHS = [*((target,) for target in TARGETS), *THROUGH]
LOCK = {"limits": [{"linearAxes": [0, 1, 2], "max": 0}, {"angularAxes": [0, 1, 2], "max": 0}]}
SLIDE = {
    "limits": [
        {"angularAxes": [0, 1, 2], "max": 0},
        *({"linearAxes": [axis], "min": -20, "max": 20} for axis in range(3)),
    ]
}
HARMLESS = ("OMI requires joints to be below dynamic bodies", "nothing uses it")


def convert(document: Document, *path: str) -> tuple[Document, list[str]]:
    """Convert along a path of dialects; return what it said was lost, too."""
    lost = []
    for to in path:
        result = lg.convert(document, to)
        lost += [loss.what for loss in result.losses if loss.reason not in HARMLESS]
        document = result.document
    return document, lost


def events(document: Document) -> list[tuple[str, float]]:
    recording = play(document, seconds=1.0)
    return [(event.type, event.time) for event in recording.events]


def two_bodies(moved: dict[int, str], scene: list[Json]) -> Document:
    """OMI bodies of 2023 and their weld, of which animations move some nodes."""
    used = [BODY, JOINT]
    constraint = {"linearAxes": [0, 1, 2], "angularAxes": [0, 1, 2]}
    root = {JOINT: {"constraints": [constraint]}}
    document = Document(
        {"asset": {"version": "2.0"}, "extensionsUsed": used, "extensions": root, "nodes": scene}
    )
    values = {"translation": [(0, 0, 0), (0, 1, 0)], "scale": [(1, 1, 1), (2, 2, 2)]}
    for index, path in moved.items():
        animate(document, index, path, [0.0, 1.0], values[path])
    return document


def joint(a: int, b: int, **members: Any) -> Json:
    return {**members, "extensions": {JOINT: {"constraints": [0], "nodeA": a, "nodeB": b}}}


def body(kind: str, **members: Any) -> Json:
    return {**members, "extensions": {BODY: {"type": kind}}}


FRAMES = {
    "an unrelated group": two_bodies(
        {2: "translation"},
        [body("static"), body("rigid", translation=[1, 0, 0]), {"children": [3]}, joint(0, 1)],
    ),
    "the first body": two_bodies(
        {0: "translation"}, [body("kinematic", children=[2]), body("rigid"), joint(0, 1)]
    ),
    "a node between the first body and the joint": two_bodies(
        {1: "translation"},
        [body("kinematic", children=[1]), {"children": [2]}, joint(0, 3), body("rigid")],
    ),
    "a node between the second body and the joint": two_bodies(
        {2: "translation"},
        [body("static"), body("rigid", children=[2]), {"children": [3]}, joint(0, 1)],
    ),
    "a group around both": two_bodies(
        {0: "translation"},
        [{"children": [1, 2, 3]}, body("kinematic"), body("rigid"), joint(1, 2)],
    ),
}


@pytest.mark.parametrize("path", PATHS, ids="-".join)
@pytest.mark.parametrize("moved", FRAMES)
def test_a_frame_follows_the_same_animations(moved: str, path: tuple[str, ...]) -> None:
    document = FRAMES[moved]
    result, lost = convert(document, *path)
    assert not lost
    still = {"gravity": (0, 0, 0)}
    assert difference(play(document, **still), play(result, **still)) < 1e-3


def test_a_frame_that_another_dialect_would_scale_is_a_loss() -> None:
    nodes = [
        {"children": [1]},
        body("kinematic"),
        body("rigid"),
        joint(1, 2, translation=[1, 0, 0]),
    ]
    document = two_bodies({0: "scale"}, nodes)
    assert "a frame" in convert(document, "khr")[1]


def test_frames_that_move_in_both_bodies_are_a_loss_in_2023() -> None:
    document = physics_file(
        node("A", motion={"isKinematic": True, "linearVelocity": [1, 0, 0]}, children=[1]),
        node("A frame", joint={"joint": 0, "connectedNode": 3}),
        node("B", motion={"mass": 1}, children=[3]),
        node("B frame"),
        joints=[LOCK],
    )
    assert not convert(document, "omi-2023")[1]
    for index in (1, 3):
        animate(document, index, "translation", [0.0, 1.0], [(0, 0, 0), (0, 1, 0)])
        moves_in_both = index == 3
        assert ("a frame on each body" in convert(document, "omi-2023")[1]) is moves_in_both


@pytest.mark.parametrize("path", PATHS, ids="-".join)
def test_a_frame_below_an_animated_scale_moves_as_before(path: tuple[str, ...]) -> None:
    document = physics_file(
        node("Top", children=[1]),
        node("Hook", at=(1, 0, 0), joint={"joint": 0, "connectedNode": 2}),
        node("Lamp", at=(1, 0, 0), motion={"mass": 1}, shape=BALL),
        joints=[LOCK],
    )
    animate(document, 0, "scale", [0.0, 1.0], [(1, 1, 1), (2, 2, 2)])
    result, lost = convert(document, *path)
    assert not lost
    recording = play(result)
    lamp = recording.translation[-1, list(recording.nodes).index(2)]
    assert lamp == pytest.approx([2, 0, 0], abs=0.01)


def level(*pieces: Json, hook: Json) -> Document:
    lamp = node("Lamp", at=(0, 4, 0), motion={"mass": 1}, shape=BALL)
    floor = node("Level", shape=FLOOR, children=[2, 3])
    return physics_file(lamp, floor, *pieces, hook, joints=[SLIDE])


HANG = {"joint": 0, "connectedNode": 0}
LEDGE = node("Ledge", at=(0, 1, 0), shape=CUBE)
LEVELS = {
    "nothing": (level(LEDGE, hook=node("Hook", at=(0, 4, 0), joint=HANG)), 2.0),
    "the ledge": (
        level(node("Ledge", at=(0, 1, 0), shape=CUBE, joint=HANG), hook=node("Other")),
        1.0,
    ),
    "what it starts in": (
        level(
            node("Ledge", at=(0, 3.5, 0), shape=CUBE),
            hook=node("Hook", at=(0, 4, 0), joint=HANG),
        ),
        1.0,
    ),
}


@pytest.mark.parametrize("path", [(), *PATHS], ids="-".join)
@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
@pytest.mark.parametrize("passed", LEVELS)
def test_a_lamp_passes_one_collider_at_most(
    passed: str, engine: str, path: tuple[str, ...]
) -> None:
    document, height = LEVELS[passed]
    result, lost = convert(document, *path)
    assert not lost
    recording = play(result, seconds=3.0, engine=engine)
    lamp = recording.translation[-1, list(recording.nodes).index(0)]
    assert lamp[1] == pytest.approx(height, abs=0.02)


BESIDE = physics_file(
    node("Zone", at=(0, -3, 0), shape=BALL, trigger=FLOOR),
    node("Ball", at=(3, 0, 0), motion={"mass": 1}, shape=BALL),
)


def static_2023(*offsets: float) -> Document:
    """A static body of 2023 with a box and a larger trigger at some heights, and a ball."""
    shapes: list[Json] = [{"type": "box"}, {"type": "box", "size": [2, 2, 2], "isTrigger": True}]
    children = [
        {"translation": [0, height, 0], "extensions": {COLLIDER: {"collider": index}}}
        for index, height in enumerate(offsets)
    ]
    nodes = [
        body("static", translation=[0, -3, 0], children=[1, 2]),
        *children,
        body("rigid", children=[4]),
        {"extensions": {COLLIDER: {"collider": 2}}},
    ]
    shapes.append({"type": "sphere", "radius": 0.2})
    root = {COLLIDER: {"colliders": shapes}}
    used = [BODY, COLLIDER]
    return Document(
        {"asset": {"version": "2.0"}, "extensionsUsed": used, "extensions": root, "nodes": nodes}
    )


@pytest.mark.parametrize("path", PATHS, ids="-".join)
@pytest.mark.parametrize(
    "document", [BESIDE, static_2023(0, 0), static_2023(0, 0.2), static_2023(0, 2)]
)
def test_a_trigger_reports_the_same(document: Document, path: tuple[str, ...]) -> None:
    result, lost = convert(document, *path)
    assert not lost
    before = events(document)
    assert [kind for kind, _ in before].count("trigger_enter") == 1
    assert events(result) == before


def test_a_static_body_becomes_kinematic_only_where_its_trigger_would_report_it() -> None:
    kinds = []
    for offsets in ((0, 0), (0, 0.2), (0, 2)):
        physics = read_physics(lg.convert(static_2023(*offsets), "khr").document)
        kinds.append(physics.motions[0].kind if 0 in physics.motions else None)
    assert kinds == [None, MotionKind.KINEMATIC, None]


def test_a_compound_with_a_member_beside_a_static_collider_is_a_loss_in_2023() -> None:
    document = physics_file(
        node("Both", members=[1], children=[1]),
        node("Member", shape=CUBE, trigger=BALL),
        node("Ball", at=(0, 9, 0), motion={"mass": 1}, shape=BALL),
    )
    assert "a trigger beside a static collider" in convert(document, "omi-2023")[1]
    assert not convert(document, "khr-2024-03")[1]


def test_only_static_sides_lose_no_contacts_in_2023() -> None:
    """An anchor without colliders has no contacts to switch off."""
    hook = node("Hook", at=(0, 4, 0), shape=CUBE, joint={**HANG, "enableCollision": True})
    document, lost = convert(level(LEDGE, hook=hook), "omi-2023")
    assert not lost
    assert np.isfinite(play(document).translation).all()
