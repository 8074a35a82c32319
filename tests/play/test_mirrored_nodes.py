"""Below negative scales, what is drawn is what is simulated."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.errors import LigamentWarning
from ligament.gltf import Document
from ligament.gltf.tree import NodeTree
from tests.play.drawn_files import carried, drawn
from tests.play.files import (
    BALL,
    CUBE,
    animate,
    animate_pointer,
    assert_baked,
    node,
    physics_file,
    track_of,
)
from tests.sampling import sample

SIGNS = [[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]
MIRRORS = SIGNS[1:]
ENGINES = ("rapier", "mujoco")
DRAWN = 2e-6
"""Distance [m] between what is drawn and what was recorded: keys have single precision."""
FLOATING = {"mass": 1, "gravityFactor": 0, "centerOfMass": [0, 0, 0], "inertiaDiagonal": [1, 1, 1]}


def turn(rng: np.random.Generator) -> list[float]:
    q = rng.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def about(axis: int, angle: float) -> list[float]:
    q = [0.0, 0.0, 0.0, math.cos(angle / 2)]
    q[axis] = math.sin(angle / 2)
    return q


def drift(document: Document, recording: lg.Recording, folder: Path, *bodies: int) -> float:
    """The largest distance of what is drawn of bodies, and of their children, from what moved."""
    rest, baked = drawn(document, recording, folder)
    nodes = document.json["nodes"]
    return max(
        float(np.abs(baked[name] - carried(recording, body, rest[name])).max())
        for body in bodies
        for name in (nodes[body]["name"], *(nodes[i]["name"] for i in nodes[body]["children"]))
    )


# --- rigid motion ---


def random_file(seed: int) -> Document:
    """Return a body below mirrored and rotated nodes, and a second one in it."""
    rng = np.random.default_rng(seed)

    def even() -> list[float]:
        return (rng.uniform(0.7, 1.4) * rng.choice([-1.0, 1.0], 3)).tolist()

    def place() -> dict[str, Any]:
        return {"at": rng.uniform(-0.5, 0.5, 3).tolist(), "rotation": turn(rng)}

    def body(*children: int) -> dict[str, Any]:
        spin, velocity = rng.uniform(-2, 2, (2, 3)).tolist()
        moments = (1 + rng.uniform(0, 0.9, 3)).tolist()
        motion = {**FLOATING, "centerOfMass": rng.uniform(-0.1, 0.1, 3).tolist()}
        motion |= {"angularVelocity": spin, "linearVelocity": velocity, "inertiaDiagonal": moments}
        return {"motion": motion, "children": list(children)}

    def leaf(name: str) -> dict[str, Any]:
        return node(name, **place(), scale=rng.uniform(-1.5, 1.5, 3).tolist())

    document = physics_file(
        node("root", **place(), scale=even(), children=[1]),
        node("above", **place(), scale=even(), children=[2]),
        node("outer", **place(), scale=even(), **body(3, 4)),
        leaf("outer leaf"),
        node("between", **place(), scale=even(), children=[5]),
        node("inner", **place(), scale=rng.uniform(0.5, 1.5, 3).tolist(), **body(6)),
        leaf("inner leaf"),
    )
    if seed % 2:
        keys = [document.json["nodes"][1]["rotation"], turn(rng)]
        animate(document, 1, "rotation", [0, 0.3], keys)
    return document


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", sample(range(200), 12))
def test_baked_files_draw_the_recorded_motion(seed: int, engine: str, tmp_path: Path) -> None:
    document = random_file(seed)
    recording = lg.simulate(document, seconds=0.3, rate=30, engine=engine)
    assert drift(document, recording, tmp_path, 2, 5) < DRAWN


def test_uneven_scales_that_cancel_out_are_no_obstacle(tmp_path: Path) -> None:
    """The scale of the second node undoes that of the first along other axes than its own."""
    turned = np.asarray(tf.to_matrix(about(2, 0.6)))
    left, sizes, right = np.linalg.svd(np.diag([-2.0, 1.0, 1.0]) @ turned)
    left, right = left * np.linalg.det(left), right * np.linalg.det(right)
    undo = np.asarray(tf.from_matrix(right.T)).tolist()
    document = physics_file(
        node("uneven", scale=[-2, 1, 1], children=[1]),
        node("turned", rotation=about(2, 0.6), children=[2]),
        node("undoing", rotation=undo, scale=(1 / sizes).tolist(), children=[3]),
        node("body", motion={**FLOATING, "angularVelocity": [1, 2, 3]}, children=[4]),
        node("leaf", at=(0.5, 0, 0)),
    )
    recording = lg.simulate(document, seconds=0.5)
    assert drift(document, recording, tmp_path, 3) < DRAWN


@pytest.mark.parametrize("signs", MIRRORS)
def test_a_body_stays_rigid_below_a_scale_that_turns_negative(signs: list[float]) -> None:
    """Its collider, mirrored from then on, is where it is drawn."""
    document = physics_file(
        node("mirror", children=[1]),
        node("body", rotation=about(1, 0.4), motion={**FLOATING, "angularVelocity": [0, 1, 2]}),
        node("ball", at=(1, 0.5, 0.2), shape=BALL),
    )
    document.json["nodes"][1]["children"] = [2]
    document.json["scenes"][0]["nodes"] = [0]
    animate(document, 0, "scale", [0, 0.3], [[1, 1, 1], signs], "STEP")
    sim = lg.Simulation(document, rate=60)
    for _ in range(60):
        sim.step()
    tree = NodeTree(document)
    local = lg.simulate(document, seconds=1)
    pose = [np.array(v) for v in (tree.translation, tree.rotation, tree.scale)]
    for values, track in zip(
        pose, (local.local_translation, local.local_rotation, local.local_scale), strict=True
    ):
        values[local.local_nodes] = track[-1]
    there = tree.world_matrices(*pose)[2, :3, 3]
    for axis in np.eye(3):
        hit = sim.cast_ray(there + 3 * axis, -axis)
        assert hit is not None
        assert hit.distance == pytest.approx(2.5, abs=2e-3)


@pytest.mark.parametrize("scale", [[2, 1, 1], [2, -1, 1]])
def test_bodies_that_rotate_below_uneven_scales_are_reported(scale: list[float]) -> None:
    document = physics_file(
        node("wide", scale=scale, children=[1]),
        node("body", motion={**FLOATING, "angularVelocity": [0, 0, 1]}),
    )
    recording = lg.simulate(document, seconds=0.5)
    with pytest.warns(LigamentWarning, match="unevenly scaled parent"):
        assert recording.local_rotation.shape == (31, 1, 4)


def test_bodies_that_only_fall_below_uneven_scales_are_not() -> None:
    body = node("body", motion={**FLOATING, "gravityFactor": 1})
    document = physics_file(node("wide", scale=[2, 1, 1], children=[1]), body)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lg.simulate(document, seconds=0.5).local_rotation.shape == (31, 1, 4)


# --- half turns ---


def arm(above: dict[str, Any]) -> Document:
    """An arm on a hinge, a cone to fall on and a trigger, below one node."""
    document = physics_file(
        node("above", children=[1, 2, 4], **above),
        node("base", at=(0, 0, 1), rotation=about(1, 0.7)),
        node("arm", at=(0, 0, 1), motion={"mass": 2, "linearVelocity": [0.3, 0.1, 0]}, shape=CUBE),
        node("frame", rotation=about(1, 0.7), joint={"connectedNode": 1, "joint": 0}),
        node("zone", at=(0.4, 0.6, 1.2), rotation=about(2, 0.5), trigger=3),
        joints=[
            {
                "limits": [
                    {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
                    {"angularAxes": [1, 2], "min": 0, "max": 0},
                    {"angularAxes": [0], "min": -0.3, "max": 0.9},
                ],
                "drives": [
                    {"type": "angular", "mode": "force", "axis": 0, "maxForce": 9, "damping": 4}
                    | {"velocityTarget": 3}
                ],
            }
        ],
    )
    document.json["nodes"][2]["children"] = [3]
    document.json["scenes"][0]["nodes"] = [0]
    shape = {"type": "cylinder", "cylinder": {"height": 1, "radiusTop": 0, "radiusBottom": 0.6}}
    document.json["extensions"]["KHR_implicit_shapes"]["shapes"].append(shape)
    return document


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("axis", range(3))
def test_two_mirrored_axes_are_half_a_turn(axis: int, engine: str) -> None:
    scale = [-1, -1, -1]
    scale[axis] = 1
    runs = [
        lg.simulate(arm(above), seconds=1, engine=engine)
        for above in ({"scale": scale}, {"rotation": about(axis, math.pi)})
    ]
    mirrored, turned = runs
    assert np.abs(mirrored.translation - turned.translation).max() < 1e-5
    assert tf.angle_between(mirrored.rotation, turned.rotation).max() < 1e-5
    assert [e.to_dict() for e in mirrored.events] == [e.to_dict() for e in turned.events]
    for one, other in zip(mirrored.limits, turned.limits, strict=True):
        assert np.abs(one.value - other.value).max() < 1e-5


# --- joint frames ---


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("signs", MIRRORS)
def test_a_hinge_turns_about_the_axis_that_its_node_draws(signs: list[float], engine: str) -> None:
    document = physics_file(
        node("mirror", rotation=about(0, 0.3), scale=signs, children=[1, 2]),
        node("door", at=(0.5, 0, 0), motion={**FLOATING, "angularVelocity": [1, 1, 1]}),
        node("hinge", rotation=about(2, 0.5), joint={"connectedNode": 3, "joint": 0}),
        node("knob", at=(-0.5, 0, 0), rotation=about(2, 0.5)),
        joints=[
            {
                "limits": [
                    {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
                    {"angularAxes": [1, 2], "min": 0, "max": 0},
                ]
            }
        ],
    )
    document.json["nodes"][1]["children"] = [3]
    document.json["scenes"][0]["nodes"] = [0]
    axis = NodeTree(document).world_matrices()[2, :3, 0]
    recording = lg.simulate(document, seconds=1, engine=engine)
    spin = recording.angular_velocity[10:, 0]
    assert np.linalg.norm(spin, axis=1).min() > 0.1
    off = np.linalg.norm(np.cross(spin, axis), axis=1) / np.linalg.norm(spin, axis=1)
    assert off.max() < 0.01
    arm = track_of(recording, 1) - NodeTree(document).world_matrices()[2, :3, 3]
    assert np.ptp(arm @ axis) < 2e-3


# --- animated colliders ---


@pytest.mark.parametrize("kind", ["static", "kinematic"])
@pytest.mark.parametrize("signs", MIRRORS)
def test_animated_colliders_tilt_as_they_are_drawn(signs: list[float], kind: str) -> None:
    document = physics_file(
        node("mirror", rotation=about(0, 0.2), scale=signs, children=[1]),
        node("plate", shape=2, motion={"isKinematic": True} if kind == "kinematic" else None),
    )
    animate(document, 1, "rotation", [0, 0.5], [about(2, 0.0), about(2, 0.4)])
    sim = lg.Simulation(document, rate=60)
    for _ in range(60):
        sim.step()
    tree = NodeTree(document)
    rotation = tree.rotation.copy()
    rotation[1] = about(2, 0.4)
    matrix = tree.world_matrices(rotation=rotation)[1]
    for x, z in ((-3, 2), (4, -1), (2, 2)):
        for side in (0.5, -0.5):
            point = matrix @ [x, side, z, 1]
            outward = matrix @ [0, side, 0, 0] / np.linalg.norm(matrix @ [0, side, 0, 0])
            hit = sim.cast_ray((point + 2 * outward)[:3], -outward[:3])
            assert hit is not None
            assert hit.distance == pytest.approx(2, abs=2e-3)


def test_colliders_on_a_body_that_an_uneven_scale_shears_go_where_they_are_drawn() -> None:
    document = physics_file(
        node("uneven", scale=[1, 3, 1], children=[1]),
        node("body", motion={"isKinematic": True}, children=[2]),
        node("ball", at=(2, 0, 0), shape=BALL),
    )
    animate(document, 1, "rotation", [0, 0.5], [about(2, 0.0), about(2, math.pi / 2)])
    sim = lg.Simulation(document, rate=60)
    for _ in range(60):
        sim.step()
    hit = sim.cast_ray([0, 12, 0], [0, -1, 0])
    assert hit is not None
    assert hit.distance == pytest.approx(12 - 3 * 2.5, abs=0.01)


def test_velocities_that_animations_change_turn_with_the_orientation() -> None:
    document = physics_file(
        node("mirror", scale=[-1, -1, 1], children=[1]), node("body", motion={**FLOATING})
    )
    pointer = "/nodes/1/extensions/KHR_physics_rigid_bodies/motion/linearVelocity"
    animate_pointer(document, pointer, [0, 0.5], [[0, 0, 0], [1, 0, 0]], "STEP")
    recording = lg.simulate(document, seconds=1)
    assert recording.linear_velocity[-1, 0] == pytest.approx([-1, 0, 0], abs=1e-6)
    assert_baked(document, recording)
