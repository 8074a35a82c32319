"""Motions with a closed form, on every engine of the library, with one tolerance for all."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ligament as lg
from ligament.options.names import ENGINES
from tests.play.files import CUBE, FLOOR, node, physics_file

G = 9.81
TOLERANCE = {
    "free fall": 0.05,  # m after 2 s: g t h / 2 with steps of h = 1/240 s
    "tumbling": 0.02,  # part of the energy that a body keeps in 5 s of fast rotation
    "pendulum": 2e-3,  # part of the period
    "spring": 0.01,  # part of the deflection and of the period
    "slope": 0.02,  # part of the acceleration
    "stick": 5e-3,  # m within 2 s
    "drive": 0.02,  # part of the target
}

pytestmark = pytest.mark.parametrize("engine", ENGINES)

SMALL = {"mass": 1.0, "inertiaDiagonal": [0.01] * 3}
POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}


def lock(kind: str, *axes: int) -> dict[str, object]:
    return {f"{kind}Axes": list(axes), "min": 0, "max": 0}


def period(times: np.ndarray, values: np.ndarray) -> float:
    """Return the mean time [s] between upward passes through the middle."""
    level = values - (values.max() + values.min()) / 2
    rising = np.flatnonzero((level[:-1] < 0) & (level[1:] >= 0))
    at = times[rising] - level[rising] * np.diff(times)[rising] / np.diff(level)[rising]
    return float(np.diff(at).mean())


def test_free_fall(engine: str) -> None:
    doc = physics_file(
        node("Body", motion={**SMALL, "linearVelocity": [1, 3, 0], "centerOfMass": [0.2, 0, 0]}),
        node("Light", at=(0, 0, 5), motion={**SMALL, "gravityFactor": -0.5}),
    )
    run = lg.simulate(doc, seconds=2, engine=engine)
    wanted = np.stack([run.times, 3 * run.times - G * run.times**2 / 2, 0 * run.times], axis=1)
    assert np.abs(run.translation[:, 0] - wanted).max() < TOLERANCE["free fall"]
    assert run.linear_velocity[-1, 0] == pytest.approx([1, 3 - 2 * G, 0], abs=1e-3)
    assert run.translation[-1, 1, 1] == pytest.approx(G, abs=TOLERANCE["free fall"])


def test_tumbling_keeps_energy_and_momentum(engine: str) -> None:
    moments = np.array([0.01, 0.02, 0.025])
    motion = {"mass": 1.0, "inertiaDiagonal": moments.tolist(), "gravityFactor": 0.0}
    doc = physics_file(node("Body", motion={**motion, "angularVelocity": [0.5, 8.0, 0.5]}))
    run = lg.simulate(doc, seconds=5, engine=engine)
    energy = run.kinetic_energy[:, 0]
    assert energy == pytest.approx(energy[0], rel=TOLERANCE["tumbling"])


def test_a_pendulum_has_its_period(engine: str) -> None:
    angle, rotation = 0.5, [0, 0, math.sin(0.25), math.cos(0.25)]
    doc = physics_file(
        node("Pivot", joint={"joint": 0, "connectedNode": 2}),
        node(
            "Bob",
            at=(math.sin(angle), -math.cos(angle), 0),
            rotation=rotation,
            motion=SMALL,
            children=[2],
        ),
        node("Top", at=(0, 1, 0)),
        joints=[{"limits": [POINT, lock("angular", 0, 1)]}],
    )
    run = lg.simulate(doc, seconds=8, engine=engine)
    # T = 2π √(I / m g l) · (1 + θ²/16 + 11 θ⁴/3072 + …) with I = m l² + 0.01 kg m².
    wanted = 2 * math.pi * math.sqrt(1.01 / G) * (1 + angle**2 / 16 + 11 * angle**4 / 3072)
    swings = period(run.times, run.translation[:, 0, 0])
    assert swings == pytest.approx(wanted, rel=TOLERANCE["pendulum"])


def test_a_spring_yields_and_swings(engine: str) -> None:
    stiffness = 50.0
    spring = {"linearAxes": [1], "min": 0, "max": 0, "stiffness": stiffness, "damping": 0.0}
    doc = physics_file(
        node("Anchor", joint={"joint": 0, "connectedNode": 1}),
        node("Weight", motion=SMALL),
        joints=[{"limits": [lock("linear", 0, 2), lock("angular", 0, 1, 2), spring]}],
    )
    run = lg.simulate(doc, seconds=6, engine=engine)
    height = run.translation[:, 0, 1]
    sag = G / stiffness
    middle = (height.max() + height.min()) / 2
    assert middle == pytest.approx(-sag, rel=TOLERANCE["spring"])
    wanted = 2 * math.pi / math.sqrt(stiffness)
    assert period(run.times, height) == pytest.approx(wanted, rel=TOLERANCE["spring"])


@pytest.mark.parametrize("friction", [0.2, 0.7])
def test_a_box_slides_or_sticks_on_a_slope(engine: str, friction: float) -> None:
    angle = 0.4
    tilt = [0, 0, math.sin(angle / 2), math.cos(angle / 2)]
    up = np.array([-math.sin(angle), math.cos(angle), 0])
    doc = physics_file(
        node("Slope", rotation=tilt, shape=FLOOR, material=0),
        node("Box", at=(1.0 * up).tolist(), rotation=tilt, motion={}, shape=CUBE, material=0),
        materials=[{"staticFriction": friction, "dynamicFriction": friction}],
    )
    run = lg.simulate(doc, seconds=2, engine=engine)
    moved = np.linalg.norm(run.translation[-1, 0] - run.translation[0, 0])
    pull = G * (math.sin(angle) - friction * math.cos(angle))
    if pull > 0:
        assert moved == pytest.approx(pull * 2**2 / 2, rel=TOLERANCE["slope"])
    else:
        assert moved < TOLERANCE["stick"]


@pytest.mark.filterwarnings("ignore:.*a drive in acceleration mode:ligament.errors.LigamentWarning")
@pytest.mark.parametrize("mode", ["force", "acceleration"])
def test_a_drive_reaches_its_target_like_a_damped_oscillator(engine: str, mode: str) -> None:
    mass, stiffness, damping, target = 2.0, 40.0, 6.0, 0.3
    scale = mass if mode == "force" else 1.0
    drive = {"type": "linear", "mode": mode, "axis": 0, "positionTarget": target}
    drive |= {"stiffness": stiffness * scale, "damping": damping * scale}
    doc = physics_file(
        node("Anchor", joint={"joint": 0, "connectedNode": 1}),
        node("Slider", motion={"mass": mass, "inertiaDiagonal": [0.02] * 3, "gravityFactor": 0.0}),
        joints=[{"limits": [lock("linear", 1, 2), lock("angular", 0, 1, 2)], "drives": [drive]}],
    )
    run = lg.simulate(doc, seconds=3, engine=engine)
    decay = damping / 2
    rate = math.sqrt(stiffness - decay**2)
    swing = np.cos(rate * run.times) + decay / rate * np.sin(rate * run.times)
    wanted = target * (1 - np.exp(-decay * run.times) * swing)
    assert run.translation[:, 0, 0] == pytest.approx(wanted, abs=TOLERANCE["drive"] * target)
