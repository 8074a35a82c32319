"""Many worlds stepped together: the same answers as single simulations, on every engine."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ligament as lg
from tests.play.files import BALL, CUBE, FLOOR, node, physics_file

ENGINES = ("mujoco", "rapier", "mujoco-warp")
COUNT = 4
SUBSTEPS = {"mujoco": 4, "rapier": None, "mujoco-warp": 4}
"""Steps in a frame: those of MuJoCo Warp take milliseconds each on the CPU."""

POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
DRIVE = {"type": "angular", "mode": "force", "axis": 1, "stiffness": 4.0, "damping": 1.2}


def rule(quantity: str, distribution: str, nodes: str | None = None, **values: Any) -> Any:
    owner = {} if nodes is None else {"nodes": nodes}
    return {"quantity": quantity, "distribution": distribution, **owner, **values}


RULES = {
    "seed": 5,
    "vary": [
        rule("mass", "uniform", "Ball", min=0.5, max=2.0),
        rule("linear_velocity", "normal", "Ball", mean=0, std=1),
        rule("drive_position", "uniform", "Frame", min=-1, max=1),
        rule("gravity", "choice", values=[[0, -9.81, 0], [0, -1.62, 0]]),
        rule("friction", "uniform", "Ball", min=0.1, max=0.9),
    ],
}


def scene() -> lg.Document:
    """A ball above a floor, a wheel with a drive, and a trigger in the ball's way."""
    limits = [POINT, {"angularAxes": [0, 2], "min": 0, "max": 0}]
    return physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ball", at=(0, 0.75, 0), motion={"mass": 1.0}, shape=BALL),
        node("Frame", at=(5, 1, 0), joint={"joint": 0, "connectedNode": 3}),
        node("Wheel", at=(5, 1, 0), motion={"mass": 2.0, "inertiaDiagonal": [0.1, 0.1, 0.1]}),
        node("Gate", at=(0, 0, 0), trigger=CUBE),
        joints=[{"limits": limits, "drives": [{**DRIVE, "positionTarget": 0.5}]}],
    )


def array(values: Any) -> np.ndarray:
    """Take an array as NumPy does, without a copy."""
    return np.from_dlpack(values)


@pytest.fixture(scope="module", params=ENGINES)
def worlds(request: pytest.FixtureRequest) -> Iterator[lg.Worlds]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options: dict[str, Any] = {"vary": RULES, "contacts": True, "jobs": 2}
        options["substeps"] = SUBSTEPS[request.param]
        if request.param == "mujoco-warp":
            request.getfixturevalue("quick_kernels")
            options["device"] = "cpu"
        with lg.Worlds(scene(), COUNT, engine=request.param, **options) as made:
            yield made


@pytest.fixture(autouse=True)
def at_the_start(worlds: lg.Worlds) -> None:
    worlds.reset()


def expected(worlds: lg.Worlds, world: int, frames: int) -> lg.Simulation:
    """Play one world alone."""
    values = dict(zip(worlds.parameter_names, worlds.parameters[world], strict=True))
    document = scene()
    ball = document.json["nodes"][1]["extensions"]["KHR_physics_rigid_bodies"]
    ball["motion"] |= {
        "mass": values["Ball.mass"],
        "linearVelocity": [values[f"Ball.linear_velocity.{axis}"] for axis in "xyz"],
    }
    document.json["extensions"]["KHR_physics_rigid_bodies"]["physicsMaterials"] = [
        {"staticFriction": values["Ball.friction"], "dynamicFriction": values["Ball.friction"]}
    ]
    ball["collider"]["physicsMaterial"] = 0
    engine = "rapier" if worlds.engine == "rapier" else "mujoco"
    gravity = [values[f"gravity.{axis}"] for axis in "xyz"]
    sim = lg.Simulation(document, engine=engine, gravity=gravity, substeps=SUBSTEPS[engine])
    sim.set_drive_target("Frame", position=values["Frame.drive_position"])
    for _ in range(frames):
        sim.step()
    return sim


def test_a_drive_is_given_targets_by_name(worlds: lg.Worlds) -> None:
    worlds.reset()
    worlds.set_drive_targets(np.zeros((COUNT, 1)), np.zeros((COUNT, 1)))
    goals = np.linspace(-0.5, 0.5, COUNT)
    worlds.set_drive_target("Frame", goals)
    for _ in range(90):
        worlds.step()
    by_name = array(worlds.joint_values.positions)[:, 0].copy()
    worlds.reset()
    worlds.set_drive_targets(goals[:, None], np.zeros((COUNT, 1)))
    for _ in range(90):
        worlds.step()
    np.testing.assert_allclose(by_name, array(worlds.joint_values.positions)[:, 0], atol=1e-5)
    assert np.abs(by_name - goals).max() < 0.1
    with pytest.raises(lg.LigamentError, match="did you mean 'Frame'"):
        worlds.set_drive_target("frame", goals)
    with pytest.raises(lg.LigamentError, match="the joint on 2 has 1 drive"):
        worlds.set_drive_target(2, goals, drive=1)
    with pytest.raises(lg.LigamentError, match="give one of shape"):
        worlds.set_drive_target("Frame", goals[:2])
    worlds.reset()


def test_every_world_is_that_of_a_single_simulation(worlds: lg.Worlds) -> None:
    worlds.step(24)
    is_single = worlds.engine == "mujoco-warp"
    for world in range(COUNT):
        alone = expected(worlds, world, 24)
        tolerance = 2e-4 if is_single else 1e-6
        assert array(worlds.translation)[world] == pytest.approx(alone.translation, abs=tolerance)
        assert array(worlds.rotation)[world] == pytest.approx(alone.rotation, abs=tolerance)
        velocity = array(worlds.linear_velocity)[world]
        assert velocity == pytest.approx(alone.linear_velocity, abs=20 * tolerance)


def test_worlds_of_all_engines_have_the_same_draws(worlds: lg.Worlds) -> None:
    other = lg.Worlds(scene(), 2, engine="mujoco", vary=RULES)
    assert worlds.parameters[:2].tolist() == other.parameters.tolist()
    assert len({tuple(row) for row in worlds.parameters.tolist()}) == COUNT


def test_some_worlds_are_reset_while_others_go_on(worlds: lg.Worlds) -> None:
    start = array(worlds.translation).copy()
    worlds.step(10)
    before = array(worlds.translation).copy()
    worlds.reset(np.array([False, True, False, False]))
    assert array(worlds.translation)[1] == pytest.approx(start[1], abs=1e-6)
    assert array(worlds.translation)[[0, 2, 3]] == pytest.approx(before[[0, 2, 3]], abs=1e-6)
    worlds.step(10)
    assert array(worlds.translation)[1] == pytest.approx(before[1], abs=1e-5)


def test_a_reset_gives_drives_their_targets_back(worlds: lg.Worlds) -> None:
    worlds.step(10)
    before = array(worlds.rotation).copy()
    worlds.reset()
    worlds.set_drive_targets(np.full((COUNT, 1), 2.0), np.full((COUNT, 1), 3.0))
    worlds.step(10)
    assert np.abs(array(worlds.rotation) - before)[:, 1].min(axis=0).max() > 0.05
    worlds.reset(np.array([True, False, True, True]))
    worlds.step(10)
    again = array(worlds.rotation)
    assert again[[0, 2, 3]] == pytest.approx(before[[0, 2, 3]], abs=1e-5)
    assert np.abs(again[1] - before[1]).max() > 0.05


def test_drives_follow_targets_of_each_world(worlds: lg.Worlds) -> None:
    targets = np.linspace(-1, 1, COUNT)[:, None]
    worlds.set_drive_targets(positions=targets, velocities=np.zeros((COUNT, 1)))
    worlds.step(90)
    values = worlds.joint_values
    assert array(values.positions) == pytest.approx(targets, abs=0.01)
    assert array(values.velocities) == pytest.approx(np.zeros((COUNT, 1)), abs=0.02)
    assert array(values.limits)[:, 0] == pytest.approx(np.zeros(COUNT), abs=1e-3)


def test_forces_push_bodies_of_each_world(worlds: lg.Worlds) -> None:
    still = array(worlds.linear_velocity).copy()
    forces = np.zeros((COUNT, 2, 3))
    forces[:, 0, 0] = np.arange(COUNT)
    worlds.apply_forces(forces)
    worlds.step()
    mass = worlds.parameters[:, worlds.parameter_names.index("Ball.mass")]
    gained = array(worlds.linear_velocity)[:, 0, 0] - still[:, 0, 0]
    assert gained == pytest.approx(np.arange(COUNT) / mass / 60, abs=1e-4)
    worlds.step()
    again = array(worlds.linear_velocity)[:, 0, 0] - still[:, 0, 0]
    assert again == pytest.approx(gained, abs=1e-4)


def test_pushes_of_several_calls_add_up(worlds: lg.Worlds) -> None:
    pushes = np.zeros((COUNT, 2, 3))
    pushes[:, 0, 0] = np.arange(COUNT)
    still = array(worlds.linear_velocity)[:, 0, 0].copy()
    for factor in (1.0, 2.0):
        worlds.apply_forces(factor * pushes)
        worlds.apply_impulses(0.1 * factor * pushes)
    worlds.step()
    mass = worlds.parameters[:, worlds.parameter_names.index("Ball.mass")]
    gained = array(worlds.linear_velocity)[:, 0, 0] - still
    expected = 3 * np.arange(COUNT) / mass * (1 / 60 + 0.1)
    assert gained == pytest.approx(expected, abs=1e-3)


def test_arrays_of_other_libraries_and_types_are_taken(worlds: lg.Worlds) -> None:
    torch = pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    still = array(worlds.linear_velocity)[:, 0, 0].copy()
    mass = worlds.parameters[:, worlds.parameter_names.index("Ball.mass")]
    ones = np.zeros((COUNT, 2, 3), np.float32)
    ones[:, 0, 0] = 1.0
    given = [torch.from_numpy(ones).double(), torch.from_numpy(ones).requires_grad_()]
    given += [torch.from_numpy(ones).int(), jax.numpy.asarray(ones), ones.tolist()]
    for each in given:
        worlds.apply_impulses(each)
    worlds.step()
    gained = array(worlds.linear_velocity)[:, 0, 0] - still
    assert gained == pytest.approx(len(given) / mass, abs=1e-3)
    for mask in (torch.ones(COUNT, dtype=torch.bool), jax.numpy.ones(COUNT, bool)):
        worlds.step()
        worlds.reset(mask)
        assert array(worlds.linear_velocity)[:, 0, 0] == pytest.approx(still, abs=1e-6)
    with pytest.raises(lg.LigamentError, match="give 4 booleans"):
        worlds.reset(torch.ones(COUNT))


def test_other_libraries_see_the_poses_without_a_copy(worlds: lg.Worlds) -> None:
    torch = pytest.importorskip("torch")
    address = array(worlds.translation).ctypes.data
    assert torch.from_dlpack(worlds.translation).data_ptr() == address
    if worlds.engine == "mujoco-warp":  # JAX has doubles only on request
        jax = pytest.importorskip("jax")
        assert jax.dlpack.from_dlpack(worlds.translation).unsafe_buffer_pointer() == address


def test_impulses_change_momenta_of_each_world(worlds: lg.Worlds) -> None:
    still = array(worlds.linear_velocity).copy()
    impulses = np.zeros((COUNT, 2, 3))
    impulses[:, 0, 2] = np.arange(COUNT)
    worlds.apply_impulses(impulses, angular=0.01 * impulses)
    worlds.step()
    mass = worlds.parameters[:, worlds.parameter_names.index("Ball.mass")]
    gained = array(worlds.linear_velocity)[:, 0, 2] - still[:, 0, 2]
    assert gained == pytest.approx(np.arange(COUNT) / mass, abs=1e-3)
    inertia = 0.4 * mass * 0.5**2
    spin = array(worlds.angular_velocity)[:, 0, 2]
    assert spin == pytest.approx(0.01 * np.arange(COUNT) / inertia, rel=1e-3, abs=1e-4)


def test_contacts_and_triggers_are_flagged(worlds: lg.Worlds) -> None:
    assert not array(worlds.touching).any()
    worlds.apply_impulses(np.array([[[0, -10.0, 0], [0, 0, 0]]] * COUNT))
    worlds.step(12)
    assert array(worlds.inside)[:, 0].tolist() == [True] * COUNT
    touching = array(worlds.touching)
    assert touching[:, 0].any()
    assert not touching[:, 1].any()


def test_a_world_that_is_not_finite_is_frozen_alone(worlds: lg.Worlds) -> None:
    impulses = np.zeros((COUNT, 2, 3))
    impulses[2, 0] = 1e39
    worlds.apply_impulses(impulses)
    worlds.step(3)
    assert worlds.failed.tolist() == [False, False, True, False]
    assert np.isfinite(array(worlds.translation)).all()
    frozen = array(worlds.translation)[2].copy()
    worlds.step(3)
    assert array(worlds.translation)[2].tolist() == frozen.tolist()
    worlds.reset()
    assert not worlds.failed.any()
    worlds.step(24)
    assert array(worlds.translation)[2] == pytest.approx(
        expected(worlds, 2, 24).translation, abs=2e-4
    )


@pytest.mark.parametrize("given", ["forces", "impulses", "targets"])
def test_nan_inputs_fail_only_their_world(worlds: lg.Worlds, given: str) -> None:
    values = np.zeros((COUNT, 2, 3))
    values[1, 0, 1] = np.nan
    if given == "forces":
        worlds.apply_forces(values)
    elif given == "impulses":
        worlds.apply_impulses(values)
    else:
        worlds.set_drive_targets(velocities=values[:, 0, 1:2])
    worlds.step()
    limits = array(worlds.joint_values.limits)[1].copy()
    worlds.step(2)
    assert worlds.failed.tolist() == [False, True, False, False]
    assert np.isfinite(array(worlds.translation)).all()
    assert array(worlds.joint_values.limits)[1].tolist() == limits.tolist()
    worlds.reset()
    worlds.step(3)
    assert not worlds.failed.any()


def test_arrays_stay_in_their_place(worlds: lg.Worlds) -> None:
    before = array(worlds.translation)
    start = before.copy()
    worlds.step(5)
    assert np.shares_memory(before, array(worlds.translation))
    assert not np.array_equal(before, start)


def test_wrong_shapes_are_refused(worlds: lg.Worlds) -> None:
    with pytest.raises(lg.LigamentError, match=r"give one of shape \(4, 1\)"):
        worlds.set_drive_targets(positions=np.zeros(3))
    with pytest.raises(lg.LigamentError, match="give an array of numbers"):
        worlds.set_drive_targets(positions=[[0], [1, 2]])
    with pytest.raises(lg.LigamentError, match="give 4 booleans"):
        worlds.reset(np.zeros(3, bool))
    with pytest.raises(lg.LigamentError, match="use 0 or more"):
        worlds.step(-1)


def test_a_data_set_has_the_rows_of_the_worlds(worlds: lg.Worlds) -> None:
    if worlds.engine != "mujoco-warp":
        pytest.skip("other engines play one world after another")
    from ligament.worlds.device import play_together
    from ligament.worlds.simulator import WorldSimulator, WorldsOptions
    from ligament.worlds.tables import world_columns

    options = WorldsOptions(
        variations=RULES,
        seed=5,
        seconds=0.2,
        engine="mujoco-warp",
        substeps=SUBSTEPS["mujoco-warp"],
        device="cpu",
        dtype="f4",
        first=1,
        last=3,
    )
    simulator = WorldSimulator(scene(), options)
    rows = play_together(simulator, options, world_columns(simulator))
    worlds.step(12)
    assert rows["world"].tolist() == [1, 2]
    assert rows["ok"].all()
    assert rows["parameters"].tolist() == worlds.parameters[1:3].tolist()
    assert rows["translation"][:, -1] == pytest.approx(array(worlds.translation)[1:3], abs=1e-5)
    assert rows["limit_value"].shape == (2, 13, 2)
