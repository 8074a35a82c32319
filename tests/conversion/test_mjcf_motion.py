"""Documents played by MuJoCo from our MJCF and by ourselves: periods, limits, rest poses.

Both engines work in steps of about a millisecond, and hold limits and loops by stiff springs:
millimetres are agreement. Where a contact or a hard stop is met, the moment of the hit may differ
by a step, and the paths by speed times step until both have come to rest.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from ligament.gltf import Document
from ligament.physics.metrics import cone, relative
from tests.conversion.mujoco_runs import both, compiled, deviation, period
from tests.physics.engines.mujoco.machines import HINGE, SLIDER, Machine
from tests.play.files import BALL, CUBE, FLOOR, node, physics_file
from tests.sampling import sample

SMALL = {"mass": 1.0, "inertiaDiagonal": [0.01, 0.01, 0.01]}
WEIGHTLESS = {**SMALL, "gravityFactor": 0.0}
POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}


def lock(kind: str, *axes: int) -> dict[str, Any]:
    return {f"{kind}Axes": list(axes), "min": 0, "max": 0}


def about_z(angle: float) -> list[float]:
    return [0, 0, math.sin(angle / 2), math.cos(angle / 2)]


def hanging(
    joint: dict[str, Any], *, tilt: float = 0.0, motion: dict[str, Any] = SMALL, drop: float = 1.0
) -> Document:
    """A bob below the world's origin, tilted about Z; its frame is `drop` above it."""
    place = [drop * math.sin(tilt), -drop * math.cos(tilt), 0]
    return physics_file(
        node("Pivot", joint={"joint": 0, "connectedNode": 2}),
        node("Bob", at=place, rotation=about_z(tilt), motion=motion, children=[2]),
        node("Top", at=(0, drop, 0)),
        joints=[joint],
    )


HINGE_Z = [POINT, lock("angular", 0, 1)]


def test_pendulum(tmp_path):
    run, ours = both(hanging({"limits": HINGE_Z}, tilt=0.7), tmp_path, seconds=6)
    assert run.losses == []
    swings = [period(r.times, r.translation[:, 0, 0]) for r in (run, ours)]
    # T = 2π √(I / m g l) · (1 + θ²/16 + 11 θ⁴/3072 + …), I = 1.01 kg m²; the next term is 5e-5.
    wanted = 2 * math.pi * math.sqrt(1.01 / 9.81) * (1 + 0.7**2 / 16 + 11 * 0.7**4 / 3072)
    assert swings == pytest.approx([wanted] * 2, rel=1e-3)
    assert deviation(run, ours) < 0.005


def test_a_joint_on_the_body_is_the_same_seen_from_the_other_side(tmp_path):
    doc = physics_file(
        node("Hook"),
        node("Bob", at=(0.6, -0.8, 0), motion=SMALL, children=[2]),
        node("Top", at=(-0.6, 0.8, 0), joint={"joint": 0, "connectedNode": 0}),
        joints=[{"limits": [POINT, lock("angular", 0, 1), {"angularAxes": [2], "max": 0.5}]}],
    )
    run, ours = both(doc, tmp_path, seconds=2)
    # Seen from the bob the world turns the other way: the bob turns by −0.5 rad at least.
    assert deviation(run, ours) < 0.01
    assert run.model.jnt_range[0] == pytest.approx([-1e6, 0.5])


def test_door_stops_at_its_limit(tmp_path):
    motion = {"mass": 8.0, "angularVelocity": [0, 2, 0], "linearVelocity": [0, 0, -0.8]}
    doc = physics_file(
        node("Frame", joint={"joint": 0, "connectedNode": 2}),
        node("Door", at=(0.4, 0, 0), motion=motion, shape=CUBE, children=[2]),
        node("Edge", at=(-0.4, 0, 0)),
        joints=[{"limits": [POINT, lock("angular", 0, 2), {"angularAxes": [1], "max": 1.2}]}],
    )
    run, ours = both(doc, tmp_path, seconds=2)
    angles = [2 * np.arctan2(r.rotation[:, 0, 1], r.rotation[:, 0, 3]) for r in (run, ours)]
    for (
        angle
    ) in angles:  # the stop gives at most a hundredth of a radian, and 4 % of the speed back
        assert 1.19 < angle.max() < 1.21
    meeting = run.times < 0.55  # both turn with 2 rad/s until then
    assert angles[0][meeting] == pytest.approx(angles[1][meeting], abs=1e-3)


def test_slider_rests_at_its_end(tmp_path):
    limits = [lock("angular", 0, 1, 2), lock("linear", 1, 2), {"linearAxes": [0], "max": 0.5}]
    slope = about_z(-0.5)
    doc = physics_file(
        node("Rail", rotation=slope, joint={"joint": 0, "connectedNode": 1}),
        node("Slider", rotation=slope, motion=SMALL),
        joints=[{"limits": limits}],
    )
    run, ours = both(doc, tmp_path, seconds=3)
    end = [0.5 * math.cos(0.5), -0.5 * math.sin(0.5), 0]
    assert run.translation[-1, 0] == pytest.approx(end, abs=1e-3)
    assert ours.translation[-1, 0] == pytest.approx(end, abs=1e-3)
    free = run.times < 0.4
    assert run.translation[free] == pytest.approx(ours.translation[free], abs=2e-3)


@pytest.mark.parametrize(("low", "high"), sample([(-0.1, 0.1), (0.0, 0.0)], 1))
def test_soft_limits_have_their_stiffness_and_damping(tmp_path, low, high):
    soft = {"linearAxes": [1], "min": low, "max": high, "stiffness": 100.0, "damping": 2.0}
    limits = [lock("angular", 0, 1, 2), lock("linear", 0, 2), soft]
    doc = physics_file(
        node("Hook", joint={"joint": 0, "connectedNode": 1}),
        node("Bob", motion=SMALL),
        joints=[{"limits": limits}],
    )
    run, ours = both(doc, tmp_path, seconds=8)
    assert run.losses == []
    assert run.translation[-1, 0, 1] == pytest.approx(low - 9.81 / 100, abs=1e-3)
    late = run.times < 2
    # The spring is let go by the bound from one step to the next: 3 mm.
    assert np.abs(run.translation - ours.translation)[late].max() < 3e-3


def test_rope_swings_and_does_not_stretch(tmp_path):
    rope = {"limits": [{"linearAxes": [0, 1, 2], "max": 1.0}]}
    doc = physics_file(
        node("Hook", joint={"joint": 0, "connectedNode": 1}),
        node("Bob", at=(0.6, -0.8, 0), motion=SMALL),
        joints=[rope],
    )
    run, ours = both(doc, tmp_path, seconds=3)
    for r in (run, ours):
        assert np.linalg.norm(r.translation[:, 0], axis=1).max() < 1.003
    assert deviation(run, ours) < 0.02


def test_rope_that_becomes_tight_rests(tmp_path):
    rope = {"limits": [{"linearAxes": [0, 1, 2], "max": 1.0}]}
    doc = physics_file(
        node("Hook", joint={"joint": 0, "connectedNode": 1}),
        node("Bob", at=(0, -0.5, 0), motion=SMALL),
        joints=[rope],
    )
    run, ours = both(doc, tmp_path, seconds=2)
    assert run.losses == []
    assert run.translation[-1, 0] == pytest.approx([0, -1, 0], abs=2e-3)
    assert ours.translation[-1, 0] == pytest.approx([0, -1, 0], abs=2e-3)


def test_rod_keeps_its_length(tmp_path):
    rod = {"limits": [{"linearAxes": [0, 1, 2], "min": 1.0, "max": 1.0}]}
    doc = physics_file(
        node("Hook", joint={"joint": 0, "connectedNode": 1}),
        node("Bob", at=(0.6, -0.8, 0), motion=SMALL),
        joints=[rod],
    )
    run, ours = both(doc, tmp_path, seconds=2)
    assert np.linalg.norm(run.translation[:, 0], axis=1) == pytest.approx(1.0, abs=2e-3)
    assert deviation(run, ours) < 0.02


def test_cone_stops_a_swing(tmp_path):
    cone_limit = {"angularAxes": [0, 2], "max": 0.5}
    start = {**SMALL, "linearVelocity": [3.0, 0, 1.0]}
    doc = hanging({"limits": [POINT, cone_limit]}, motion=start)
    run, ours = both(doc, tmp_path, seconds=3)
    assert run.losses == []
    for r in (run, ours):
        turned = relative(np.zeros(3), [0, 0, 0, 1], np.zeros(3), r.rotation[:, 0]).rotation
        assert 0.48 < cone(turned, 1).max() < 0.51


def chain(count: int) -> Document:
    """Links hung on balls whose soft limits pull them straight; the first hangs on the world."""
    straight = {"angularAxes": [0, 1, 2], "max": 0, "stiffness": 2.0, "damping": 0.3}
    body = {"mass": 0.5, "inertiaDiagonal": [0.005, 0.001, 0.005]}
    nodes = [node("Hook", joint={"joint": 0, "connectedNode": 2})]
    for i in range(count):
        first = len(nodes)
        pull = {"joint": {"joint": 0, "connectedNode": first + 4}} if i < count - 1 else {}
        nodes.append(
            node(
                f"Link{i}",
                at=(0.3 * i + 0.15, 0, 0),
                motion=body,
                children=[first + 1, first + 2],
            )
        )
        nodes += [node(f"Start{i}", at=(-0.15, 0, 0)), node(f"End{i}", at=(0.15, 0, 0), **pull)]
    return physics_file(*nodes, joints=[{"limits": [POINT, straight]}])


def test_chain_of_soft_balls_comes_to_the_same_rest(tmp_path):
    run, ours = both(chain(4), tmp_path, seconds=8)
    assert run.losses == []
    early = run.times < 1
    assert np.abs(run.translation - ours.translation)[early].max() < 0.01
    # Damped swings have died down to millimetres.
    assert run.translation[-1] == pytest.approx(ours.translation[-1], abs=5e-3)
    assert run.translation[-1, -1, 1] < -0.6


def test_loop_of_four_bars(tmp_path):
    """Two upright rockers of 1 m and a coupler: a parallelogram whose coupler stays level."""
    hinge = [POINT, lock("angular", 0, 1)]
    doc = physics_file(
        node("Left", joint={"joint": 0, "connectedNode": 3}),
        node("Right", at=(1, 0, 0), joint={"joint": 0, "connectedNode": 6}),
        node("RockerA", at=(0, 0.5, 0), motion=WEIGHTLESS, children=[3, 4]),
        node("FootA", at=(0, -0.5, 0)),
        node("HeadA", at=(0, 0.5, 0), joint={"joint": 0, "connectedNode": 9}),
        node("RockerB", at=(1, 0.5, 0), motion=WEIGHTLESS, children=[6, 7]),
        node("FootB", at=(0, -0.5, 0)),
        node("HeadB", at=(0, 0.5, 0), joint={"joint": 0, "connectedNode": 10}),
        node(
            "Coupler",
            at=(0.5, 1, 0),
            motion={**WEIGHTLESS, "linearVelocity": [1.0, 0, 0]},
            children=[9, 10],
        ),
        node("TailA", at=(-0.5, 0, 0)),
        node("TailB", at=(0.5, 0, 0)),
        joints=[{"limits": hinge}],
    )
    run, ours = both(doc, tmp_path, seconds=1.5)
    assert not run.losses
    coupler = run.rotation[:, 2]
    assert np.abs(coupler[:, :3]).max() < 1e-5
    assert deviation(run, ours) < 0.02


@pytest.mark.parametrize("mode", ["force", "acceleration"])
def test_drives_reach_their_targets(tmp_path, mode):
    drive = {"type": "angular", "mode": mode, "axis": 2, "stiffness": 30.0, "damping": 8.0}
    drives = [{**drive, "positionTarget": 0.8}]
    run, ours = both(
        hanging({"limits": HINGE_Z, "drives": drives}, motion=WEIGHTLESS), tmp_path, seconds=4
    )
    assert deviation(run, ours) < 0.005
    assert run.translation[-1, 0, 0] == pytest.approx(math.sin(0.8), abs=1e-3)


def test_drives_push_with_their_force_at_most(tmp_path):
    drive = {"type": "linear", "mode": "force", "axis": 0, "damping": 100.0, "velocityTarget": 9.0}
    limits = [lock("angular", 0, 1, 2), lock("linear", 1, 2)]
    doc = physics_file(
        node("Rail", joint={"joint": 0, "connectedNode": 1}),
        node("Cart", motion=SMALL),
        joints=[{"limits": limits, "drives": [{**drive, "maxForce": 2.0}]}],
    )
    run, _ = both(doc, tmp_path, seconds=2)
    # x = F t² / 2 m; steps of 1 ms are ahead by F t h / 2 m.
    assert run.translation[-1, 0, 0] == pytest.approx(4.0, abs=5e-3)


def test_ball_rests_on_the_floor_and_boxes_stack(tmp_path):
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ball", at=(3, 1.5, 0), motion={"mass": 2}, shape=BALL),
        node("Lower", at=(0, 0.5, 0), motion={"mass": 1}, shape=CUBE),
        node("Upper", at=(0.1, 1.5, 0), motion={"mass": 1}, shape=CUBE),
    )
    run, ours = both(doc, tmp_path, seconds=2)
    assert run.translation[-1] == pytest.approx(ours.translation[-1], abs=2e-3)
    assert run.translation[-1, 0] == pytest.approx([3, 0.5, 0], abs=1e-3)


@pytest.mark.parametrize("restitution", [0.3, 0.6, 1.0])
def test_bounces_give_back_their_part_of_the_speed(tmp_path, restitution):
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ball", at=(0, 1.5, 0), motion={"mass": 2}, shape=BALL, material=0),
        materials=[{"restitution": restitution}],
    )
    run, _ = both(doc, tmp_path, seconds=1.2)
    assert [loss.what for loss in run.losses] == ["restitution"]
    hit = math.sqrt(2 / 9.81)
    apex = run.translation[run.times > hit + 0.03, 0, 1].max() - 0.5
    # The floor's depth at the hit, up to a step of fall, makes a twentieth of the speed.
    assert math.sqrt(max(apex, 0)) == pytest.approx(restitution, abs=0.05)


def test_bodies_of_constant_velocity_carry_others(tmp_path):
    doc = physics_file(
        node("Belt", shape=FLOOR, motion={"isKinematic": True, "linearVelocity": [1, 0, 0]}),
        node("Load", at=(0, 1.0, 0), motion={"mass": 3}, shape=CUBE),
    )
    run, ours = both(doc, tmp_path, seconds=2)
    assert run.translation[-1, 0] == pytest.approx([2, 0, 0], abs=1e-3)
    assert run.translation[-1, 1] == pytest.approx(ours.translation[-1, 1], abs=0.02)
    assert "a body that nothing slows down" in [loss.what for loss in run.losses]


def test_infinite_inertia_keeps_a_body_upright(tmp_path):
    motion = {"mass": 0, "inertiaDiagonal": [0, 2.0, 0], "angularVelocity": [0, 1.5, 0]}
    doc = physics_file(node("Top", at=(0, 1, 0), motion=motion))
    run, ours = both(doc, tmp_path, seconds=1)
    assert run.losses == []
    assert run.model.nv == 1
    assert run.rotation[-1, 0] == pytest.approx([0, math.sin(0.75), 0, math.cos(0.75)], abs=1e-3)
    assert ours.rotation[-1, 0] == pytest.approx(run.rotation[-1, 0], abs=1e-3)


def test_spring_towards_an_axis_is_one_along_both_others(tmp_path):
    """A bead that slides along X is pulled to the axis by 40 N/m: it swings about m g / k below."""
    pulled = {"linearAxes": [1, 2], "max": 0, "stiffness": 40.0}
    start = {**SMALL, "linearVelocity": [0.5, 0, 1.0]}
    doc = physics_file(
        node("Wire", joint={"joint": 0, "connectedNode": 1}),
        node("Bead", motion=start),
        joints=[{"limits": [lock("angular", 0, 1, 2), pulled]}],
    )
    run, ours = both(doc, tmp_path, seconds=3)
    assert run.losses == []
    rate = math.sqrt(40.0)
    sag = 9.81 / 40 * (np.cos(rate * run.times) - 1)
    wanted = np.stack([0.5 * run.times, sag, np.sin(rate * run.times) / rate], axis=-1)
    # Steps of h are off by ω h / 2 of the amplitude, 0.3 %.
    assert run.translation[:, 0] == pytest.approx(wanted, abs=2e-3)
    assert deviation(run, ours) < 0.01


HELD: dict[str, tuple[list[dict[str, Any]], float]] = {
    "ball": ([POINT], 10),
    "fixed": ([POINT, lock("angular", 0, 1, 2)], 10),
    "hinge": ([POINT, lock("angular", 0, 1)], 40),
    "slider": ([lock("linear", 0, 2), lock("angular", 0, 1, 2)], 40),
}
"""Limits, and the greatest speed [m/s and rad/s] at which they close from 1 m and 2 rad away."""


@pytest.mark.parametrize("kind", HELD)
def test_joints_that_start_open_close_slowly_and_then_hold(kind: str, tmp_path: Path) -> None:
    """Bodies on levers: closed in two steps, they became unstable or left at 200 m/s.

    The hinge still spins when it is closed, and gives way by 2.4 mm.
    """
    limits, most = HELD[kind]
    lever = {**WEIGHTLESS, "centerOfMass": [0.5, 0.2, 0]}
    document = physics_file(
        node("a", motion=lever, joint={"joint": 0, "connectedNode": 1}),
        node("b", at=(1, 0, 0), rotation=[math.sin(1), 0, 0, math.cos(1)], motion=lever),
        joints=[{"limits": limits}],
    )
    model, data, losses = compiled(document, tmp_path)
    assert "a joint that starts violated" in [loss.what for loss in losses]
    fastest = 0.0
    for _ in range(round(5 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        fastest = max(fastest, float(np.abs(data.cvel[1:]).max()))
    assert not any(warning.number for warning in data.warning)
    assert fastest < most
    assert np.abs(data.efc_pos[: data.ne]).max() < 5e-3


@pytest.mark.parametrize("kind", HELD)
def test_joints_that_started_open_bear_weight_as_others_do(kind: str, tmp_path: Path) -> None:
    limits, _ = HELD[kind]
    document = physics_file(
        node("hook", joint={"joint": 0, "connectedNode": 1}, rotation=[0, 0, 0.6**0.5, 0.4**0.5]),
        node("lamp", at=(1, 0, 0), motion={**SMALL, "centerOfMass": [0.1, 0, 0]}),
        joints=[{"limits": limits}],
    )
    model, data, _ = compiled(document, tmp_path)
    for _ in range(round(5 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    assert np.abs(data.efc_pos[: data.ne]).max() < 2e-3


def test_cameras_stay_near_bodies_with_far_tendons(tmp_path):
    """A cone whose pivots part has arms of 10 km."""
    cone = {"angularAxes": [0, 2], "min": 0, "max": 0.4}
    rope = {"linearAxes": [0, 1, 2], "min": 0, "max": 0.3}
    doc = physics_file(
        node("Anchor", joint={"joint": 0, "connectedNode": 1}),
        node("Body", motion=WEIGHTLESS, shape=CUBE),
        joints=[{"limits": [rope, cone]}],
    )
    run, _ = both(doc, tmp_path, seconds=0.1)
    assert not run.losses
    assert run.model.stat.extent < 10


def test_a_strut_in_a_loop_raises_a_boom(tmp_path):
    """A damper of 1e6 N s/m on a rod of 1 kg, in a loop with a boom of 200 kg."""
    machine, eye, foot = Machine(), np.array([1.4, 0.77]), np.array([0.6, -0.8])
    middle, angle = (foot + eye) / 2, math.atan2(*(eye - foot)[::-1])
    machine.bar("boom", (0, 0), 2.5 * eye, 200.0)
    machine.bar("cylinder", foot, middle, 1.0)
    machine.bar("rod", middle, eye, 1.0)
    motor = {"type": "linear", "mode": "force", "axis": 0}
    motor |= {"positionTarget": 0.3, "stiffness": 2e7, "damping": 1e6}
    machine.join("boom", None, (0, 0), limits=HINGE)
    machine.join(None, "cylinder", foot, limits=HINGE)
    machine.join("boom", "rod", eye, limits=HINGE)
    machine.join("cylinder", "rod", middle, angle, limits=SLIDER, drives=[motor])
    model, data, losses = compiled(machine.document(), tmp_path, up="y")
    assert not losses
    speeds = []
    while data.time < 3:
        mujoco.mj_step(model, data)
        speeds.append(np.abs(data.qvel).max())
    boom = data.body("boom")
    place = boom.xpos[:2] + (boom.xmat.reshape(3, 3) @ [-0.5 * np.hypot(*eye) / 2, 0, 0])[:2]
    length = np.hypot(*(place - foot)) - np.hypot(*(eye - foot))
    assert length == pytest.approx(0.3, abs=1e-3)
    assert max(speeds) < 10
    assert speeds[-1] < 1e-3


def test_a_gyroscope_keeps_its_energy(tmp_path):
    motion = {"mass": 1, "inertiaDiagonal": [0.03, 0.02, 0.02], "centerOfMass": [0.3, 0, 0]}
    motion["angularVelocity"] = [100, 0, 0]
    doc = physics_file(
        node("Wheel", motion=motion, joint={"joint": 0, "connectedNode": 1}),
        node("Pivot"),
        joints=[{"limits": [POINT]}],
    )
    model, data, _ = compiled(doc, tmp_path, up="y")
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    mujoco.mj_forward(model, data)
    start = data.energy.sum()
    while data.time < 5:
        mujoco.mj_step(model, data)
    assert data.energy.sum() == pytest.approx(start, rel=1e-5)
