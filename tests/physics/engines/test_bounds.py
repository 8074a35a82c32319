"""Hard bounds: what meets one stops there, and stays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.options.names import ENGINES, QUALITIES
from tests.play.files import CUBE, FLOOR, node, physics_file

POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
HINGE = [POINT, {"angularAxes": [1, 2], "min": 0, "max": 0}]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_hinge_does_not_drift_away_from_its_bound(engine: str) -> None:
    """3 rad/s against a bound: after 2 s within 0.04 rad, 0.7 % of the speed given back."""
    motion = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3, "angularVelocity": [3, 0, 0]}
    document = physics_file(
        node("Door", motion={**motion, "gravityFactor": 0.0}),
        node("Frame", joint={"connectedNode": 0, "joint": 0}),
        joints=[{"limits": [*HINGE, {"angularAxes": [0], "min": -0.5, "max": 0.5}]}],
    )
    (value,) = (
        limit.value
        for limit in lg.simulate(document, seconds=2, engine=engine).limits
        if limit.axes == (0,)
    )
    assert value.max() < 0.51
    assert abs(value[-1]) == pytest.approx(0.5, abs=0.04)


RUNS = [("rapier", quality) for quality in QUALITIES] + [("mujoco", "exact")]
AXIS = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
TURN = 2 * math.pi
GAINS = {"stiffness": 5.0, "damping": 1.0}


def wheel(
    limit: dict[str, Any], *, spin: float = 0.0, start: float = 0.0, **joint: Any
) -> lg.Document:
    """A wheel on a hinge about Z, without gravity."""
    motion = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3, "gravityFactor": 0.0}
    rotation = [0.0, 0.0, math.sin(start / 2), math.cos(start / 2)]
    limits = [AXIS, {"angularAxes": [0, 1], "min": 0, "max": 0}]
    limits += [{"angularAxes": [2], **limit}] if limit else []
    return physics_file(
        node("Post", joint={"connectedNode": 1, "joint": 0}),
        node("Wheel", motion={**motion, "angularVelocity": [0, 0, spin]}, rotation=rotation),
        joints=[{"limits": limits, **joint}],
    )


def turned(document: lg.Document, run: tuple[str, str], seconds: float = 3.0) -> Any:
    """Return how far the wheel has rotated since the start [rad] over time."""
    engine, quality = run
    recording = lg.simulate(document, seconds=seconds, engine=engine, quality=quality)
    rotation = recording.rotation[:, list(recording.nodes).index(1)]
    angle = np.unwrap(2 * np.arctan2(rotation[:, 2], rotation[:, 3]))
    return angle - angle[0]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    ("limit", "spin", "start", "end"),
    [
        ({"min": -math.pi, "max": math.pi}, 3, 0.0, math.pi),
        ({"min": -math.pi, "max": math.pi}, -3, 0.0, -math.pi),
        ({"min": 0, "max": TURN}, 4, 0.0, TURN),
        ({"min": -7, "max": 7}, 5, 0.0, 7),
        ({"min": -20, "max": 20}, -40, 0.0, -20),
        ({"min": -3.12, "max": 3.12}, 3, 0.0, 3.12),
        ({"min": -0.8}, -2, 0.0, -0.8),
        ({"max": 9}, 6, 0.0, 9),
        ({"min": 2.0}, 0, 0.0, 2.0),
        ({"max": -2.0}, 0, 0.0, -2.0),
        ({"min": -7, "max": 7}, 4, 3.0, 4.0),
        ({"min": 0, "max": 8}, 4, -2.5, 8 - (TURN - 2.5)),
    ],
)
def test_bounds_hold_at_any_width(
    run: tuple[str, str], limit: dict[str, float], spin: float, start: float, end: float
) -> None:
    """Within 0.03 rad on Rapier; MuJoCo gives back 0.5 % of the speed for up to 3 s."""
    angle = turned(wheel(limit, spin=spin, start=start), run)
    give = 0.03 + (0.015 * abs(spin) if run[0] == "mujoco" else 0.0)
    assert np.abs(angle).max() < abs(end) + max(0.03, 2e-3 * abs(spin))
    assert angle[-1] == pytest.approx(end, abs=give)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    ("target", "gains", "start"),
    [(5.0, (5, 1), 0.0), (-9.0, (50, 5), 0.0), (30.0, (5, 1), 0.0), (5.0, (5, 1), -2.5)],
)
def test_drives_reach_targets_beyond_half_a_turn(
    run: tuple[str, str], target: float, gains: tuple[float, float], start: float
) -> None:
    drive = {"type": "angular", "mode": "force", "axis": 2, "positionTarget": target}
    stiffness, damping = gains
    document = wheel(
        {}, start=start, drives=[{**drive, "stiffness": stiffness, "damping": damping}]
    )
    assert turned(document, run, 4.0)[-1] == pytest.approx(target - start, abs=0.02)


@pytest.mark.parametrize("run", RUNS[:3])
def test_a_stiff_drive_to_a_far_target_does_not_run_away(run: tuple[str, str]) -> None:
    """It would rotate by several turns in a step, which nobody can count: 2 rad are allowed."""
    drive = {"type": "angular", "mode": "force", "axis": 2, "positionTarget": 5.0}
    document = wheel({}, drives=[{**drive, "stiffness": 2000.0, "damping": 30.0}])
    recording = lg.simulate(document, seconds=2, engine=run[0], quality=run[1])
    velocity = recording.angular_velocity[:, list(recording.nodes).index(1), 2]
    steps = 60 * lg.Simulation(document, engine=run[0], quality=run[1]).substeps
    assert velocity.max() < 2.2 * steps
    assert velocity[-1] == pytest.approx(0.0, abs=0.01)
    assert math.sin(turned(document, run, 2.0)[-1] - 5.0) == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("run", RUNS)
def test_a_drive_counts_from_the_turn_in_which_the_bounds_start(run: tuple[str, str]) -> None:
    drive = {"type": "angular", "mode": "force", "axis": 2, "positionTarget": 5.0}
    document = wheel({"min": 0, "max": 8}, start=-2.5, drives=[drive | GAINS])
    assert turned(document, run, 4.0)[-1] == pytest.approx(5.0 - (TURN - 2.5), abs=0.02)


@pytest.mark.parametrize("run", RUNS)
def test_a_snapshot_keeps_the_turns(run: tuple[str, str]) -> None:
    document = wheel({"min": -9, "max": 9}, spin=5.0)
    sim = lg.Simulation(document, engine=run[0], quality=run[1])
    for _ in range(80):
        sim.step()
    saved = sim.snapshot()
    other = lg.Simulation(document, engine=run[0], quality=run[1])
    other.restore(saved)
    for _ in range(60):
        sim.step()
        other.step()
    assert np.array_equal(sim.engine.state().rotation, other.engine.state().rotation)
    assert abs(sim.engine.state().angular_velocity[:, 2]).max() < 0.1


def equal(kind: str, value: float, *axes: int) -> dict[str, Any]:
    """A lock of some axes at a value."""
    return {f"{kind}Axes": list(axes), "min": value, "max": value}


@pytest.mark.filterwarnings("ignore:.*closes a loop:ligament.errors.LigamentWarning")
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    "locks",
    [
        [equal("linear", 0.4, 1), equal("angular", 0, 0, 1, 2)],
        [equal("linear", 0, 1), equal("angular", 0, 0, 1), equal("angular", 0.35, 2)],
        [equal("linear", -0.3, 1)],
        [equal("linear", 0, 1), equal("angular", 0.35, 0), equal("angular", -0.6, 1)],
    ],
    ids=["fixed, moved", "fixed, turned", "point", "tilted hinge"],
)
def test_locks_hold_at_their_values(run: tuple[str, str], locks: list[dict[str, Any]]) -> None:
    """They start at 0, and close at 2 m/s and 2 rad/s."""
    motion = {"mass": 1.0, "inertiaDiagonal": [0.1] * 3, "gravityFactor": 0.0}
    document = physics_file(
        node("Post", joint={"connectedNode": 1, "joint": 0}),
        node("Box", motion={**motion, "angularVelocity": [0.5, 0.3, 0.8]}),
        joints=[{"limits": [equal("linear", 0, 0, 2), *locks]}],
    )
    recording = lg.simulate(document, seconds=2, engine=run[0], quality=run[1])
    for limit in recording.limits:
        assert limit.violation[60:].max() < 0.01, limit
    still = list(recording.nodes).index(1)
    assert np.abs(recording.linear_velocity[60:, still]).max() < 0.05


@pytest.mark.parametrize("limit", [{"min": 2.0}, {"min": 1.0, "max": 3.0}])
def test_mujoco_closes_a_violated_bound_without_throwing(limit: dict[str, float]) -> None:
    recording = lg.simulate(wheel(limit), seconds=3, engine="mujoco")
    speed = np.abs(recording.angular_velocity[:, list(recording.nodes).index(1), 2])
    assert speed.max() < 2.1
    assert speed[-1] < 0.01


@pytest.mark.filterwarnings("ignore:.*closes a loop:ligament.errors.LigamentWarning")
@pytest.mark.parametrize("quality", QUALITIES)
def test_mujoco_bounds_what_starts_beside_its_slider(quality: str) -> None:
    """The joint is on a light body, which the other is tied to: the bound holds that one up."""
    motion = {"mass": 2.0, "inertiaDiagonal": [0.3] * 3}
    straight = {"angularAxes": [0, 1, 2], "min": 0, "max": 0}
    document = physics_file(
        node("Post", joint={"connectedNode": 1, "joint": 0}),
        node("Weight", at=(0.05, 0, 0), motion=motion),
        joints=[{"limits": [equal("linear", 0, 0, 2), straight, SLIDE]}],
    )
    recording = lg.simulate(document, seconds=1.5, engine="mujoco", quality=quality)
    assert recording.translation[-1, 0] == pytest.approx([0, -0.5, 0], abs=0.006)


SLIDE = {"linearAxes": [1], "min": -0.5, "max": 0.5}


@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize(
    "limits",
    [
        [{"linearAxes": [0, 1, 2], "max": 0.4}],
        [POINT],
        [POINT, {"angularAxes": [0, 1, 2], "min": 0, "max": 0}],
    ],
    ids=["rope", "pin", "weld"],
)
def test_closing_keeps_the_angular_momentum_of_free_bodies(
    limits: list[dict[str, Any]], quality: str
) -> None:
    masses, moments = np.array([1.0, 2.0]), np.array([[0.1, 0.12, 0.14], [0.2, 0.3, 0.25]])
    motions = [
        {"mass": mass, "inertiaDiagonal": inertia.tolist(), "linearVelocity": velocity}
        for mass, inertia, velocity in zip(
            masses, moments, ([0, 0.5, 0], [0.0, -0.7, 0.3]), strict=True
        )
    ]
    frame = node("Frame", at=(0.3, 0.1, 0), joint={"connectedNode": 1, "joint": 0})
    document = physics_file(
        node("A", motion=motions[0], children=[2]),
        node("B", at=(0.8, 0, 0), rotation=[0, 0, 0.1, 0.995**0.5], motion=motions[1]),
        frame,
        joints=[{"limits": limits}],
    )
    run = lg.simulate(document, seconds=1, gravity=(0, 0, 0), quality=quality)
    momentum = angular_momentum(run, masses, moments)
    # The engine's own gyroscopic torques, which are of first order, leave 1 %.
    assert np.linalg.norm(momentum - momentum[0], axis=1).max() < 0.01 * np.linalg.norm(momentum[0])


def angular_momentum(run: lg.Recording, masses: Floats, moments: Floats) -> Floats:
    """Return that of all bodies (F, 3) about their centre of mass."""
    axes = np.asarray(tf.to_matrix(run.rotation))
    spin = np.einsum("fnij,nj,fnkj,fnk->fi", axes, moments, axes, run.angular_velocity)
    shares = masses / masses.sum()
    arm = run.translation - np.einsum("n,fnk->fk", shares, run.translation)[:, None]
    return np.asarray(spin + masses @ np.cross(arm, run.linear_velocity))


@pytest.mark.parametrize("factors", [(1, 1), (1, 0)], ids=["same fall", "one floats"])
def test_gravity_alone_changes_the_angular_momentum_of_what_closes(
    factors: tuple[int, int],
) -> None:
    masses, moments = np.array([1.0, 2.0]), np.full((2, 3), 0.1)
    motions = [
        {
            "mass": mass,
            "inertiaDiagonal": [0.1] * 3,
            "linearVelocity": [0, 0, pace],
            "angularVelocity": [pace, 1, 0],
            "gravityFactor": factor,
        }
        for mass, pace, factor in zip(masses, (1, -1), factors, strict=True)
    ]
    document = physics_file(
        node("A", motion=motions[0], joint={"connectedNode": 1, "joint": 0}),
        node("B", at=(0.5, 0, 0), motion=motions[1]),
        joints=[{"limits": [POINT]}],
    )
    run = lg.simulate(document, seconds=0.4, rate=240)
    momentum = angular_momentum(run, masses, moments)
    pull = np.outer(masses * factors, [0, -9.81, 0])
    center = masses @ run.translation / masses.sum()
    torque = np.cross(run.translation - center[:, None], pull).sum(1)
    expected = momentum[0] + np.cumsum(torque, axis=0) / 240
    error = np.linalg.norm(momentum - expected, axis=1).max()
    assert error < 0.02 * np.linalg.norm(momentum[0])


def test_torques_change_the_angular_momentum_of_what_closes() -> None:
    motion = {"mass": 1, "inertiaDiagonal": [0.1] * 3}
    document = physics_file(
        node("A", motion=motion, joint={"connectedNode": 1, "joint": 0}),
        node("B", at=(0.8, 0, 0), motion=motion),
        joints=[{"limits": [POINT]}],
    )
    sim = lg.Simulation(document, gravity=(0, 0, 0), rate=60)
    for _ in range(12):
        sim.apply_torque("A", (0, 0, 1))
        sim.step()
    place, velocity = np.asarray(sim.translation), np.asarray(sim.linear_velocity)
    orbit = np.cross(place - place.mean(axis=0), velocity).sum(axis=0)
    momentum = orbit + 0.1 * np.asarray(sim.angular_velocity).sum(axis=0)
    np.testing.assert_allclose(momentum, [0, 0, 12 / 60], atol=0.01)


def test_torques_act_on_what_tumbles_fast_on_a_joint() -> None:
    motion = {"mass": 1, "inertiaDiagonal": [0.1] * 3}
    unequal = {"mass": 1, "inertiaDiagonal": [0.1, 0.2, 0.3], "angularVelocity": [24, 16, 6]}
    document = physics_file(
        node("A", motion=unequal, joint={"connectedNode": 1, "joint": 0}),
        node("B", motion=motion),
        joints=[{"limits": [POINT]}],
    )
    moments = np.array([unequal["inertiaDiagonal"], motion["inertiaDiagonal"]])
    found = []
    for torque in (0, 5):
        sim = lg.Simulation(document, gravity=(0, 0, 0), rate=30)
        for _ in range(3):
            sim.apply_torque("A", (0, 0, torque))
            sim.step()
        axes, spin = tf.to_matrix(np.asarray(sim.rotation)), np.asarray(sim.angular_velocity)
        found.append(np.einsum("nij,nj,nkj,nk->i", axes, moments, axes, spin))
    np.testing.assert_allclose(found[1] - found[0], [0, 0, 5 * 3 / 30], atol=0.005)


def test_friction_slows_what_closes_on_the_ground() -> None:
    motion = {"mass": 1, "angularVelocity": [0, 3, 0]}
    document = physics_file(
        node("A", motion=motion, shape=CUBE, joint={"connectedNode": 1, "joint": 0}),
        node("B", at=(1.6, 0, 0), motion=motion, shape=CUBE),
        node("Ground", at=(0, -1, 0), shape=FLOOR),
        joints=[{"limits": [POINT]}],
    )
    run = lg.simulate(document, seconds=0.3)
    assert np.abs(run.angular_velocity[-1, :2, 1]).max() < 0.1
