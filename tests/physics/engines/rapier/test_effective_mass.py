"""Effective masses of rows, and what is decided by their bounds instead."""

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive
from ligament.physics.engines.rapier import RapierEngine, RapierSettings
from ligament.physics.engines.rapier.joints.assembly import Assembly
from ligament.physics.engines.rapier.joints.engine_joints import Insertions
from ligament.physics.engines.rapier.joints.springs import Springs
from ligament.physics.engines.rapier.world.build import build_world
from ligament.physics.scene import Scene
from tests.physics.engines.rapier.joined import (
    BALL,
    Anybody,
    hinge,
    joined_at,
    random_rotation,
    slider,
)
from tests.sampling import sample

KINDS = {
    "hinge": (hinge(1), "angular", 1),
    "ball": (BALL, "angular", 0),
    "slider": (slider(0), "linear", 0),
    "free": ((), "linear", 2),
}


def scene_of(seed, kind, stiffness=10.0, damping=1.0, mode="force"):
    rng = np.random.default_rng(seed)
    bodies = [Anybody.draw(rng).body, Anybody.draw(rng).body]
    limits, way, axis = KINDS[kind]
    drive = Drive(type=way, mode=mode, axis=axis, stiffness=stiffness, damping=damping)
    at, turn = rng.normal(size=3), random_rotation(rng)
    joint = joined_at(bodies, 0, 1, at, turn, limits, (drive,))
    return Scene(bodies=tuple(bodies), joints=(joint,))


def assembled(scene, settings=None):
    settings = settings or RapierSettings()
    built = build_world(scene, settings, (0.0, 0.0, 0.0))
    return Assembly(Insertions(built.world), scene, built.bodies, settings)


def springs_of(made):
    (springs,) = (group for group in made.groups if isinstance(group, Springs))
    return springs


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_lies_below_the_mass_in_every_pose(kind):
    for seed in sample(range(200), 10):
        rng = np.random.default_rng(seed)
        made = assembled(scene_of(seed, kind))
        which = springs_of(made).which
        position, rotation = rng.normal(size=(1, 3)), random_rotation(rng)[None]
        gradient = rng.normal(size=(1, 3))
        least = made.masses.least(which, position, gradient)
        response = made.masses.response(which, position, rotation, gradient)
        assert least <= response.alone * (1 + 1e-9)
        assert response.alone <= response.mass * (1 + 1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["force", "acceleration"])
def test_forms_are_the_same_with_the_bound_as_with_the_response(kind, mode):
    softest = 0
    for seed in sample(range(300), 20):
        stiffness, damping = np.exp(np.random.default_rng(seed).uniform(-15, 10, size=2))
        made = assembled(scene_of(seed, kind, stiffness, damping, mode))
        springs = springs_of(made)
        parameters, which = springs._parameters, springs.which
        made.table.observe(which, made.bodies)
        with np.errstate(all="ignore"):
            form, is_firm = parameters.forms(made.masses, made.table.motion(which))
            softest += parameters.are_soft(made.masses)
        assert form.tolist() == springs._motors.form.tolist()
        assert is_firm.tolist() == springs.is_firm.tolist()
    assert (softest > 0) == (kind in ("hinge", "ball") and mode == "force")


def test_soft_motors_move_bodies_as_with_the_response(monkeypatch):
    bounds = []

    def counted(springs, *args, find=Springs._soft_mass):
        bounds.append(find(springs, *args))
        return bounds[-1]

    def states(seed):
        engine = RapierEngine(scene_of(seed, "hinge", 1e-3, 1e-4), gravity=(0.0, -9.81, 0.0))
        engine.step(30)
        return b"".join(part.tobytes() for part in engine.state())

    monkeypatch.setattr(Springs, "_soft_mass", counted)
    quick = [states(seed) for seed in range(5)]
    assert sum(bound is not None for bound in bounds) >= 5
    monkeypatch.setattr(Springs, "_soft_mass", lambda *_: None)
    assert [states(seed) for seed in range(5)] == quick


def test_a_stiff_motor_needs_the_response():
    made = assembled(scene_of(1, "hinge", stiffness=1e9))
    assert not springs_of(made)._parameters.are_soft(made.masses)
