"""Animated materials: friction and restitution, of every collider that shares the material."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.gltf import Document
from tests.play.files import BALL, CUBE, FLOOR, animate_pointer, node, physics_file

MATERIAL = "/extensions/KHR_physics_rigid_bodies/physicsMaterials/0"
G = 9.81


def on_a_floor(shape: int, at: Any, velocity: Any = (0, 0, 0), **material: float) -> Document:
    """Two things on a floor, ten metres apart, all of one material."""
    floor = node("Floor", at=(0, -0.5, 0), shape=FLOOR, material=0)
    motion = {"mass": 1, "linearVelocity": list(velocity)}
    things = [
        node(name, at=(at[0], at[1], z), motion=motion, shape=shape, material=0)
        for name, z in (("A", -5), ("B", 5))
    ]
    return physics_file(floor, *things, materials=[material])


def test_animated_friction_brakes_sliding_bodies():
    document = on_a_floor(CUBE, (-8, 0.5), (3, 0, 0), staticFriction=0, dynamicFriction=0)
    animate_pointer(document, f"{MATERIAL}/dynamicFriction", [0, 1], [0, 0.2], "STEP")
    recording = lg.simulate(document, seconds=2)
    assert recording.linear_velocity[60, :, 0] == pytest.approx(3, abs=0.02)
    slowed = 3 - 0.2 * G * (recording.times[60:] - 1)
    found = recording.linear_velocity[60:, :, 0]
    assert found == pytest.approx(np.stack([slowed, slowed], axis=1), abs=0.05)


def test_sticking_bodies_slip_when_static_friction_falls():
    document = on_a_floor(CUBE, (-8, 0.5), staticFriction=0.6, dynamicFriction=0.1)
    animate_pointer(document, f"{MATERIAL}/staticFriction", [0, 1], [0.6, 0.1], "STEP")
    recording = lg.simulate(document, seconds=2, gravity=(0.3 * G, -G, 0))
    assert abs(recording.linear_velocity[60, :, 0]).max() < 0.02
    assert recording.linear_velocity[-1, :, 0] == pytest.approx(0.2 * G, rel=0.05)


def test_later_contacts_bounce_less():
    document = on_a_floor(BALL, (0, 1.5), restitution=1)
    animate_pointer(document, f"{MATERIAL}/restitution", [0, 0.6], [1, 0], "STEP")
    height = lg.simulate(document, seconds=3).translation[:, :, 1]
    first = int(60 * np.sqrt(2 * 1 / G))
    assert height[first : 2 * first + 2].max(axis=0) == pytest.approx(1.5, abs=0.08)
    assert height[int(3.2 * first) :] == pytest.approx(0.5, abs=0.05)
