"""Animated physics from a snapshot: what follows is the same to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.errors import LigamentWarning
from ligament.gltf import Document
from tests.physics.engines.toy import NAME as TOY
from tests.play.files import BALL, CUBE, FLOOR, animate, animate_pointer, node, physics_file
from tests.play.test_animated_joints import JOINT, RANGE, slider

MOTION = "/nodes/1/extensions/KHR_physics_rigid_bodies/motion"


def moving_bounds() -> Document:
    document = slider(RANGE, linearVelocity=[0.3, 0, 0])
    animate_pointer(document, f"{JOINT}/limits/2/min", [0, 0.4, 0.8], [-1, 0.5, 1])
    return document


def jumping_bound() -> Document:
    document = slider(RANGE)
    animate_pointer(document, f"{JOINT}/limits/2/min", [0, 0.4], [-1, 0.8], "STEP")
    return document


def switched_body() -> Document:
    document = slider(drive={"stiffness": 100, "damping": 1, "positionTarget": 0}, gravityFactor=1)
    animate_pointer(document, f"{MOTION}/isKinematic", [0, 0.3, 0.6], [False, True, False])
    animate_pointer(document, f"{JOINT}/drives/0/positionTarget", [0, 1], [0, 1])
    return document


def heavier_body() -> Document:
    document = slider(drive={"stiffness": 100, "damping": 1}, centerOfMass=[0, 0, 0])
    animate_pointer(document, f"{MOTION}/mass", [0, 1], [1, 10])
    spin = [[0, 0, 0], [0, 0, 0], [0.5, 0, 0]]
    animate_pointer(document, f"{MOTION}/angularVelocity", [0, 0.2, 1], spin)
    animate_pointer(document, f"{MOTION}/inertiaDiagonal", [0, 1], [[1, 1, 1], [1, 4, 2]])
    animate_pointer(document, f"{MOTION}/centerOfMass", [0, 1], [[0, 0, 0], [0, 1, 0]])
    animate_pointer(document, f"{JOINT}/drives/0/stiffness", [0, 1], [100, 1e4])
    return document


def surfaces() -> Document:
    document = physics_file(
        node("Box", shape=CUBE, material=0),
        node("Ball", at=(0.1, 1.5, 0), motion={"mass": 1}, shape=BALL, material=0),
        materials=[{"restitution": 1, "dynamicFriction": 0}],
    )
    own = "/extensions/KHR_physics_rigid_bodies/physicsMaterials/0"
    shapes = "/extensions/KHR_implicit_shapes/shapes"
    animate_pointer(document, f"{own}/restitution", [0, 1], [1, 0])
    animate_pointer(document, f"{own}/dynamicFriction", [0, 1], [0, 1])
    animate_pointer(document, f"{shapes}/{CUBE}/box/size", [0, 1], [[1, 1, 1], [3, 2, 1]])
    animate(document, 0, "scale", [0, 1], [[1, 1, 1], [1, 1, 2]])
    return document


def heavier_and_growing() -> Document:
    """A crate gets heavier before the board below it, on which it lies, begins to grow."""
    document = physics_file(
        node("Floor", shape=FLOOR),
        node("Board", at=(0, 1, 0), motion={"mass": 5}, shape=CUBE),
        node("Ball", at=(0.1, 2, 0), motion={"mass": 1}, shape=BALL),
    )
    animate_pointer(
        document, "/nodes/2/extensions/KHR_physics_rigid_bodies/motion/mass", [0, 0.2], [1, 9]
    )
    animate(document, 1, "scale", [0, 0.5, 0.8], [[1, 1, 1], [1, 1, 1], [1, 1.5, 1]])
    return document


def advanced(sim: lg.Simulation, frames: int) -> list[bytes]:
    states = []
    for _ in range(frames):
        sim.step()
        states.append(b"".join(np.ascontiguousarray(part).tobytes() for part in sim.state))
    return states


@pytest.mark.parametrize("frames", [27])
@pytest.mark.parametrize(
    "make",
    [moving_bounds, jumping_bound, switched_body, heavier_body, surfaces, heavier_and_growing],
)
def test_going_back_changes_nothing(make: Callable[[], Document], frames: int) -> None:
    document = make()
    sim = lg.Simulation(document)
    start = sim.snapshot()
    before = advanced(sim, frames)
    middle = sim.snapshot()
    after = advanced(sim, 15)
    sim.restore(middle)
    assert advanced(sim, 15) == after
    other = lg.Simulation(document)
    other.restore(middle)
    assert advanced(other, 15) == after
    other.restore(start)
    assert advanced(other, frames + 15) == before + after


def test_other_engines_may_play_it_too():
    document = slider(gravityFactor=1)
    animate_pointer(document, f"{MOTION}/gravityFactor", [0, 1], [1, 0], "STEP")
    fallen = lg.simulate(document, seconds=2, engine=TOY).linear_velocity[-1, 0, 1]
    assert fallen == pytest.approx(-9.81, rel=1e-6)


def test_an_engine_that_cannot_change_bodies_is_reported(monkeypatch: Any) -> None:
    monkeypatch.delattr("tests.physics.engines.toy.ToyEngine.set_body")
    document = slider(gravityFactor=1)
    animate_pointer(document, f"{MOTION}/gravityFactor", [0, 1], [1, 0], "STEP")
    with pytest.warns(LigamentWarning, match="the engine has no set_body"):
        lg.simulate(document, seconds=0.1, engine=TOY)


def test_size_and_scale_multiply():
    document = surfaces()
    sim = lg.Simulation(document)
    advanced(sim, 61)
    for origin, direction, size in (((5, 0, 0.9), (-1, 0, 0), 3), ((0, 0, 5), (0, 0, -1), 2)):
        hit = sim.cast_ray(origin, direction)
        assert hit is not None
        assert hit.distance == pytest.approx(5 - size / 2, abs=0.01)


def test_variations_of_a_scene_are_animated_too():
    document = slider(gravityFactor=1)
    animate_pointer(document, f"{MOTION}/gravityFactor", [0, 1], [1, 0], "STEP")
    sim = lg.Simulation(document)
    other = sim.with_scene(sim.scene)
    advanced(other, 120)
    assert other.linear_velocity[0, 1] == pytest.approx(0, abs=1e-3)  # the slider holds it
    assert advanced(sim, 60) == advanced(sim.with_scene(sim.scene), 60)
