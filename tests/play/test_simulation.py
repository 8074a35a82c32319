"""Stepping by hand: forces, targets, rays, snapshots, and what is said of wrong calls."""

from __future__ import annotations

import numpy as np
import pytest

import ligament as lg
from ligament.errors import ContentError, LigamentWarning
from tests.play.files import BALL, CUBE, FLOOR, animate, node, physics_file

WEIGHTLESS = {"mass": 2, "inertiaDiagonal": [1, 1, 1], "gravityFactor": 0}


def floating_ball() -> lg.Simulation:
    return lg.Simulation(physics_file(node("Ball", motion=WEIGHTLESS, shape=BALL)))


def run(sim: lg.Simulation, frames: int) -> None:
    for _ in range(frames):
        sim.step()


def test_time_and_state_of_the_start():
    sim = floating_ball()
    assert sim.time == 0
    assert sim.nodes.tolist() == [0]
    assert sim.translation.tolist() == [[0, 0, 0]]
    run(sim, 30)
    assert sim.time == pytest.approx(0.5)


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_force_lasts_one_frame(substeps):
    doc = physics_file(node("Ball", motion=WEIGHTLESS, shape=BALL))
    sim = lg.Simulation(doc, substeps=substeps)
    for _ in range(60):
        sim.apply_force("Ball", (4, 0, 0))
        sim.step()
    assert sim.linear_velocity[0] == pytest.approx([2, 0, 0], abs=1e-4)  # F t / m
    run(sim, 10)
    assert sim.linear_velocity[0] == pytest.approx([2, 0, 0], abs=1e-4)


def test_a_force_off_the_centre_turns():
    sim = floating_ball()
    sim.apply_force(0, (0, 60, 0), point=(0.5, 0, 0))
    sim.step()
    assert sim.angular_velocity[0] == pytest.approx([0, 0, 0.5], abs=1e-4)  # r × F t / I
    assert sim.linear_velocity[0] == pytest.approx([0, 0.5, 0], abs=1e-4)


def test_torque_and_impulse():
    sim = floating_ball()
    sim.apply_torque(0, (0, 6, 0))
    sim.apply_impulse(0, (2, 0, 0))
    sim.step()
    assert sim.angular_velocity[0] == pytest.approx([0, 0.1, 0], abs=1e-5)
    assert sim.linear_velocity[0] == pytest.approx([1, 0, 0], abs=1e-5)


def test_pose_and_velocity_can_be_set():
    sim = floating_ball()
    sim.set_pose(0, (1, 2, 3), (0, 1, 0, 0))
    sim.set_velocity(0, linear=(0, 0, 6))
    assert sim.translation[0] == pytest.approx([1, 2, 3])
    sim.step()
    assert sim.translation[0] == pytest.approx([1, 2, 3.1], abs=1e-5)
    assert abs(sim.rotation[0, 1]) == pytest.approx(1)


def test_gravity_can_be_changed_while_running():
    doc = physics_file(node("Ball", motion={"mass": 1}, shape=BALL))
    sim = lg.Simulation(doc, gravity=(0, 0, 0))
    run(sim, 10)
    sim.gravity = (0, 3, 0)
    run(sim, 60)
    assert sim.linear_velocity[0] == pytest.approx([0, 3, 0], abs=1e-3)


def test_rays_name_collider_and_body():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Body", at=(0, 2, 0), motion=WEIGHTLESS, children=[2]),
        node("Ball", at=(0, 1, 0), shape=BALL),
        node("Zone", at=(0, 5, 0), trigger=CUBE),
    )
    sim = lg.Simulation(doc)
    hit = sim.cast_ray((0, 10, 0), (0, -2, 0))
    assert hit is not None
    assert (hit.node, hit.body) == (2, 1)
    assert hit.distance == pytest.approx(6.5, abs=1e-4)
    assert hit.point == pytest.approx([0, 3.5, 0], abs=1e-4)
    assert hit.normal == pytest.approx([0, 1, 0], abs=1e-4)
    beside = sim.cast_ray((5, 10, 0), (0, -1, 0))
    assert beside is not None
    assert (beside.node, beside.body) == (0, None)
    assert sim.cast_ray((5, 10, 0), (0, -1, 0), reach=9.9) is None
    assert sim.cast_ray((5, 10, 0), (0, 1, 0)) is None


def test_snapshot_and_restore_continue_to_the_same_bits():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        *(node(f"{i}", at=(0.1 * i, 1 + 1.1 * i, 0), motion={}, shape=CUBE) for i in range(4)),
        node("Zone", at=(0, 0.5, 0), trigger=CUBE),
    )
    sim = lg.Simulation(doc)
    run(sim, 40)
    saved = sim.snapshot()
    run(sim, 60)
    first = (sim.translation.tobytes(), sim.rotation.tobytes(), sim.events)
    sim.restore(saved)
    assert sim.frame == 40
    run(sim, 60)
    assert (sim.translation.tobytes(), sim.rotation.tobytes(), sim.events) == first
    other = lg.Simulation(doc)
    other.restore(saved)
    run(other, 60)
    assert other.translation.tobytes() == first[0]
    assert first[2]


def test_a_snapshot_of_an_animated_scene():
    doc = physics_file(
        node("Ram", at=(-3, 0, 0), motion={"mass": 1}, shape=CUBE),
        node("Ball", motion=WEIGHTLESS, shape=BALL),
    )
    animate(doc, 0, "translation", [0, 3], [[-3, 0, 0], [3, 0, 0]])
    sim = lg.Simulation(doc)
    run(sim, 30)
    saved = sim.snapshot()
    run(sim, 60)
    first = sim.translation.tobytes()
    sim.restore(saved)
    run(sim, 60)
    assert sim.translation.tobytes() == first


def test_events_are_those_up_to_the_present_state():
    doc = physics_file(node("Ball", motion=WEIGHTLESS, shape=BALL), node("Zone", trigger=CUBE))
    sim = lg.Simulation(doc)
    assert [(event.time, event.type) for event in sim.events] == [(0.0, "trigger_enter")]
    sim.set_pose("Ball", (5, 0, 0), (0, 0, 0, 1))
    sim.step()
    assert [event.type for event in sim.events] == ["trigger_enter", "trigger_exit"]
    assert len(sim.events) == 2


def test_events_of_triggers_carry_nodes_and_times():
    doc = physics_file(
        node("Ball", at=(0, 5, 0), motion={"mass": 1}, shape=BALL),
        node("Zone", trigger=CUBE),
    )
    recording = lg.simulate(doc, seconds=2)
    enter, leave = recording.events
    assert (enter.type, enter.trigger, enter.collider, enter.body) == ("trigger_enter", 1, 0, 0)
    assert leave.type == "trigger_exit"
    # The ball meets the box of half size 0.5 at a distance of 1, and leaves it at -1.
    assert enter.time == pytest.approx((2 * 4 / 9.81) ** 0.5, abs=0.05)
    assert leave.time == pytest.approx((2 * 6 / 9.81) ** 0.5, abs=0.05)


def test_contact_events_on_request():
    doc = physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ball", at=(0, 1, 0), motion={"mass": 1}, shape=BALL),
    )
    assert lg.simulate(doc, seconds=1).events == ()
    events = lg.simulate(doc, seconds=1, contacts=True).events
    assert events[0].to_dict() == {
        "time": pytest.approx((2 * 0.5 / 9.81) ** 0.5, abs=0.05),
        "type": "contact_begin",
        "trigger": None,
        "collider": 0,
        "body": None,
        "other_collider": 1,
        "other_body": 1,
    }


def test_an_overlap_at_the_start_is_an_event_at_time_0():
    doc = physics_file(node("Ball", motion=WEIGHTLESS, shape=BALL), node("Zone", trigger=CUBE))
    (event,) = lg.simulate(doc, seconds=0.5).events
    assert event.time == 0


def test_a_body_that_is_not_finite_is_named_and_the_rest_goes_on():
    doc = physics_file(
        node("Fast", motion={"mass": 1, "linearVelocity": [1e38, 1e38, 1e38]}, shape=BALL),
        node("Calm", at=(50, 0, 0), motion={"mass": 1}, shape=BALL),
    )
    with pytest.warns(LigamentWarning, match="'Fast'"):
        recording = lg.simulate(doc, seconds=1)
    assert np.isfinite(recording.translation).all()
    assert recording.translation[-1, 1, 1] == pytest.approx(-4.9, abs=0.1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda sim: sim.apply_force("Bal", (1, 0, 0)), "no node has the name 'Bal'"),
        (lambda sim: sim.apply_force(7, (1, 0, 0)), "no body on 7.*there are 'Ball'"),
        (lambda sim: sim.apply_force(0, (1, 0)), "the force is"),
        (lambda sim: sim.apply_torque(0, (1, 0, float("nan"))), "the torque is"),
        (lambda sim: sim.set_pose(0, (0, 0, 0), (0, 0, 0, 2)), "unit quaternion"),
        (lambda sim: sim.set_drive_target(0, position=1), "no joint on 0"),
        (lambda sim: sim.cast_ray((0, 0, 0), (0, 0, 0)), "zero length"),
        (lambda sim: setattr(sim, "gravity", (1, 2)), "gravity is"),
    ],
)
def test_wrong_calls_say_what_would_be_right(call, message):
    with pytest.raises(ContentError, match=message):
        call(floating_ball())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0}, "rate is 0; give a number"),
        ({"rate": float("nan")}, "rate is nan"),
        ({"substeps": 0}, "substeps is 0; give a whole number"),
        ({"substeps": 100_000}, "substeps is 100000"),
        ({"gravity": (0, float("inf"), 0)}, "gravity is"),
        ({"seconds": -1}, "seconds is -1"),
        ({"animations": ["Walk"]}, "no animation 'Walk'"),
    ],
)
def test_wrong_options_say_what_would_be_right(options, message):
    doc = physics_file(node("Ball", motion=WEIGHTLESS, shape=BALL))
    with pytest.raises(lg.LigamentError, match=message):
        lg.simulate(doc, **options)
