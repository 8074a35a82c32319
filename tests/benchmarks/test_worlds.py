"""The worlds of the benchmarks mean the same in both of their files."""

import json
import warnings

import numpy as np
import pytest

import ligament as lg
from benchmarks import jointed_worlds, worlds
from benchmarks.judging import joint_errors
from benchmarks.world import ConeTwist, Hinge
from benchmarks.world_files import write_gltf, write_plain
from ligament.extensions.physics import read_physics

WORLDS = [
    worlds.pile(27),
    worlds.balls(27),
    worlds.resting(9),
    worlds.compounds(8),
    jointed_worlds.ragdolls(2),
    jointed_worlds.rope(5),
    jointed_worlds.springs(4),
]

each_world = pytest.mark.parametrize("world", WORLDS, ids=[world.name for world in WORLDS])


@each_world
def test_the_gltf_declares_every_body_shape_and_limit_once(world, tmp_path):
    document = lg.load(write_gltf(world, tmp_path / "world.gltf"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        physics = read_physics(document)
    assert physics.findings == ()
    assert list(physics.motions) == list(range(len(world.moving)))
    assert len(physics.colliders) == sum(len(body.parts) for body in world.bodies)
    shapes = [collider.geometry for collider in physics.colliders.values()]
    assert sorted(map(repr, shapes)) == sorted(
        repr(part.shape) for body in world.bodies for part in body.parts
    )
    read = [_limits(joint.limits) for joint in physics.joints.values()]
    assert read == [_limits(joint.kind.limits) for joint in world.joints]


@each_world
def test_the_checker_finds_no_fault_with_the_gltf(world, tmp_path):
    report = lg.check(lg.load(write_gltf(world, tmp_path / "world.gltf")))
    assert [issue for issue in report if issue.severity in ("error", "warning")] == []


@each_world
def test_the_plain_file_says_where_bodies_are_and_what_joints_hold(world, tmp_path):
    content = json.loads(write_plain(world, tmp_path / "world.json").read_text())
    assert [body["position"] for body in content["bodies"]] == [
        list(b.position) for b in world.bodies
    ]
    kinds = [[part["kind"] for part in body["parts"]] for body in content["bodies"]]
    assert kinds == [[type(part.shape).__name__ for part in body.parts] for body in world.bodies]
    assert [(j["a"], j["b"]) for j in content["joints"]] == [(j.a, j.b) for j in world.joints]


@each_world
def test_at_the_start_joints_fit_and_no_limit_is_exceeded(world):
    start = np.array([[*body.position, *body.rotation] for body in world.moving])
    errors = joint_errors(world, np.stack([start, start]))
    # Quaternions have sixteen digits, the ragdolls stand up to 25 m from the origin.
    assert errors.gap.worst < 1e-13
    # The arc cosine near 1 loses half of the digits.
    assert errors.angle.worst < 1e-7


@each_world
def test_nothing_overlaps_at_the_start(world, tmp_path):
    document = lg.load(write_gltf(world, tmp_path / "world.gltf"))
    events = lg.simulate(document, seconds=1 / 60, contacts=True).events
    rests = {body for body in range(len(world.moving)) if "sleeping" in world.name}
    assert {event.body for event in events if event.time == 0} <= rests


def test_a_ragdoll_has_six_cone_twist_joints_and_four_hinges():
    world = jointed_worlds.ragdolls(1)
    kinds = [type(joint.kind) for joint in world.joints]
    assert (len(world.moving), kinds.count(ConeTwist), kinds.count(Hinge)) == (11, 6, 4)


def _limits(limits):
    return [
        (x.linear_axes, x.angular_axes, x.minimum, x.maximum, x.stiffness, x.damping)
        for x in limits
    ]
