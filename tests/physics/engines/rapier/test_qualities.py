"""Qualities: the same scene for less effort, with the engine's own joints where that is asked."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.options.names import QUALITIES
from ligament.physics.engines import engine_losses, make_engine
from ligament.physics.scene import Scene
from tests.physics.engines.rapier.joined import BALL, fixed, hinge, make_body, make_joint, slider

FILES = {path.stem: path for path in assets()}


def engine_of(limits, drives=(), quality="fast", **body):
    bodies = (fixed(), make_body(**body))
    scene = Scene(bodies=bodies, joints=(make_joint(0, 1, limits, drives),))
    return make_engine(scene, quality=quality, gravity=(0.0, 0.0, 0.0))


def angle(engine, axis=2):
    rotation = engine.state().rotation[1]
    return 2 * math.atan2(rotation[axis], rotation[3])


def run(engine, seconds):
    for _ in range(round(60 * seconds) * engine.substeps):
        engine.step()


@pytest.mark.parametrize("quality", QUALITIES)
def test_a_hinge_stops_at_its_bound(quality):
    engine = engine_of(hinge(2, minimum=-1.0, maximum=0.5), quality=quality, spin=(0, 0, 3.0))
    for _ in range(120):
        engine.step()
        assert angle(engine) < 0.5 + math.radians(3)
    assert angle(engine) == pytest.approx(0.5, abs=math.radians(0.5))


@pytest.mark.parametrize("quality", QUALITIES)
def test_drives_arrive_and_take_new_targets(quality):
    drive = Drive(
        type="angular",
        mode="acceleration",
        axis=2,
        stiffness=100.0,
        damping=20.0,
        position_target=0.8,
    )
    engine = engine_of(hinge(2), (drive,), quality=quality)
    run(engine, 2)
    assert angle(engine) == pytest.approx(0.8, abs=0.01)
    engine.set_drive_target(0, 0, -0.4, 0.0)
    run(engine, 2)
    assert angle(engine) == pytest.approx(-0.4, abs=0.01)


@pytest.mark.parametrize("quality", QUALITIES)
def test_a_soft_range_rests_where_it_balances_the_load(quality):
    limits = slider(1, minimum=0.0, maximum=1.0, stiffness=200.0, damping=20.0)
    scene = Scene(bodies=(fixed(), make_body(mass=2.0)), joints=(make_joint(0, 1, limits),))
    engine = make_engine(scene, quality=quality)
    run(engine, 5)
    assert engine.state().translation[1, 1] == pytest.approx(-2 * 9.81 / 200, rel=0.03)


@pytest.mark.parametrize("quality", QUALITIES)
def test_a_restored_run_goes_on_to_the_same_bits(quality):
    limits = (*BALL, Limit(angular_axes=(0,), minimum=-0.5, maximum=0.5))
    engine = engine_of(limits, quality=quality, spin=(1.0, 2.0, 3.0))
    run(engine, 0.5)
    snapshot = engine.snapshot()
    run(engine, 0.5)
    first = [part.tobytes() for part in engine.state()]
    engine.restore(snapshot)
    run(engine, 0.5)
    assert [part.tobytes() for part in engine.state()] == first


@pytest.mark.parametrize("name", ["rope", "door"])
def test_better_qualities_keep_joints_closer(name):
    gaps = []
    for quality in QUALITIES:
        recording = lg.simulate(lg.load(FILES[name]), seconds=1.5, quality=quality)
        hard = [limit for limit in recording.limits if limit.is_hard and limit.kind == "linear"]
        gaps.append(max(float(np.max(limit.violation)) for limit in hard))
    fast, balanced, exact = gaps
    assert fast < 0.02
    assert exact <= balanced + 1e-6 <= fast + 2e-3


@pytest.mark.parametrize(
    ("limits", "drive", "lost"),
    [
        (hinge(2, minimum=-0.8), None, 0),
        (hinge(2, minimum=-7.0, maximum=7.0), None, 0),
        (hinge(2), {"stiffness": 5.0, "position_target": 9.0}, 0),
        ((*BALL, Limit(angular_axes=(2,), minimum=-7.0)), None, 0),
        ((*BALL, Limit(angular_axes=(0,), minimum=0.35, maximum=0.35)), None, 0),
        ((*hinge(2), Limit(angular_axes=(2,), minimum=0.35, maximum=0.35)), None, 0),
        ((*BALL, Limit(angular_axes=(2,), minimum=-1.0, maximum=1.0)), None, 1),
        ((*BALL, Limit(angular_axes=(0, 1, 2), maximum=1.0)), None, 1),
        (BALL, {"stiffness": 5.0}, 1),
        (BALL, {"damping": 5.0}, 1),
    ],
)
def test_fast_reports_what_it_leaves_to_the_engine(limits, drive, lost):
    drives = () if drive is None else (Drive(type="angular", mode="force", axis=2, **drive),)
    scene = Scene(bodies=(fixed(), make_body()), joints=(make_joint(0, 1, limits, drives),))
    assert len(engine_losses(scene, quality="fast")) == lost
    assert engine_losses(scene, quality="exact") == ()
