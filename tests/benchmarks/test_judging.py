"""The judge, on poses whose errors are known."""

import math

import numpy as np
import pytest

from benchmarks.judging import depth_below_floor, joint_errors, overlaps, share_in_motion
from benchmarks.world import Ball, Body, ConeTwist, Hinge, Joint, Part, Spring, World
from ligament.extensions.shapes import Box, Capsule
from ligament.transforms import from_axis_angle, rotate

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
BOX = (Part(Box((1.0, 1.0, 1.0))),)


def world_of(kind):
    body = Body((0.0, 0.0, 0.0), BOX)
    return World("one", (body,), (Joint(None, 0, (0.0, 0.5, 0.0), UPRIGHT, kind),))


def poses(*states):
    return np.array([[[0.0, 0.0, 0.0, *UPRIGHT]], *([[*p, *q]] for p, q in states)])


def turned(axis, angle):
    """The pose after a turn [rad] about the joint, which is half a metre above the box."""
    rotation = from_axis_angle(np.array(axis, float), angle)
    joint = np.array([0.0, 0.5, 0.0])
    return joint - rotate(rotation, joint), rotation


def test_a_gap_is_the_distance_of_the_two_anchors():
    errors = joint_errors(world_of(Ball()), poses(((0.3, 0.0, 0.4), UPRIGHT)))
    assert errors.gap.worst == pytest.approx(0.5, abs=1e-15)


def test_the_mean_is_a_root_mean_square_over_frames():
    moved = poses(((0.3, 0.0, 0.0), UPRIGHT), ((0.0, 0.4, 0.0), UPRIGHT))
    errors = joint_errors(world_of(Ball()), moved)
    assert errors.gap.mean == pytest.approx(math.sqrt((0.09 + 0.16) / 2), abs=1e-15)
    assert errors.gap.worst == pytest.approx(0.4, abs=1e-15)


@pytest.mark.parametrize(
    ("axis", "angle", "beyond"),
    [((1, 0, 0), 0.9, 0.2), ((1, 0, 0), -0.9, 0.2), ((0, 1, 0), 1.2, 0.5), ((0, 0, 1), 0.6, 0.0)],
)
def test_cone_and_twist_are_exceeded_by_what_lies_beyond(axis, angle, beyond):
    errors = joint_errors(world_of(ConeTwist(0.7)), poses(turned(axis, angle)))
    assert errors.gap.worst == pytest.approx(0.0, abs=1e-15)
    assert errors.angle.worst == pytest.approx(beyond, abs=1e-12)


@pytest.mark.parametrize(
    ("axis", "angle", "beyond"),
    [((1, 0, 0), 2.5, 0.5), ((1, 0, 0), -0.3, 0.2), ((0, 0, 1), 0.1, 0.1), ((1, 0, 0), 1.0, 0.0)],
)
def test_a_hinge_is_off_by_tilt_and_by_angle(axis, angle, beyond):
    errors = joint_errors(world_of(Hinge(-0.1, 2.0)), poses(turned(axis, angle)))
    assert errors.angle.worst == pytest.approx(beyond, abs=1e-12)


def test_a_weight_on_a_spring_falls_as_its_equation_says():
    stiffness, damping, mass = 40_000.0, 2_000.0, 1000.0
    y, v, step, heights = 0.0, 0.0, 1 / 60_000, []
    for _ in range(60):
        for _ in range(1000):
            v += (-9.81 - (stiffness * y + damping * v) / mass) * step
            y += v * step
        heights.append(y)
    falling = poses(*(((0.0, height, 0.0), UPRIGHT) for height in heights))
    errors = joint_errors(world_of(Spring(stiffness, damping)), falling)
    # One step of the integration is off by at most its speed, 1.6 m/s, times 1/60000 s.
    assert errors.spring.worst < 3e-5
    resting = poses(*[((0.0, 0.0, 0.0), UPRIGHT)] * 60)
    stuck = joint_errors(world_of(Spring(stiffness, damping)), resting)
    assert stuck.spring.worst == pytest.approx(-min(heights), abs=3e-5)


def test_the_lowest_corner_of_a_tilted_box_counts():
    world = World("one", (Body((0.0, 1.0, 0.0), BOX),))
    tilted = from_axis_angle(np.array([0.0, 0.0, 1.0]), math.pi / 4)
    depth = depth_below_floor(world, poses(((0.0, 0.5, 0.0), tilted)))
    assert depth == pytest.approx(math.sqrt(0.5) - 0.5, abs=1e-12)


def test_a_capsule_reaches_down_by_its_radius_and_half_its_height():
    world = World("one", (Body((0.0, 1.0, 0.0), (Part(Capsule(1.0, 0.25, 0.25)),)),))
    assert depth_below_floor(world, poses(((0.0, 0.7, 0.0), UPRIGHT))) == pytest.approx(0.05)
    assert depth_below_floor(world, poses(((0.0, 0.8, 0.0), UPRIGHT))) == 0.0


def test_half_of_the_bodies_move():
    still = np.zeros((2, 4, 7))
    still[1, :2, 0] = 0.01
    assert share_in_motion(still) == 0.5


EIGHTH = math.pi / 4


@pytest.mark.parametrize(
    ("place", "turn", "depth"),
    [
        ((0.9, 0.3, 0.2), ((1, 0, 0), 0.0), 0.1),
        ((0.0, 1.1, 0.0), ((1, 0, 0), EIGHTH), 0.5 + math.sqrt(0.5) - 1.1),  # an edge in a face
        ((0.0, 1.3, 0.0), ((1, 0, 0), EIGHTH), 0.0),
        ((0.0, 5.0, 0.0), ((1, 0, 0), 0.0), 0.0),
    ],
)
def test_boxes_are_in_each_other_by_the_least_way_out(place, turn, depth):
    world = World("two", (Body((0.0, 0.0, 0.0), BOX), Body(place, BOX)))
    rotation = from_axis_angle(np.array(turn[0], float), turn[1])
    stand = np.array([[[0.0, 0.0, 0.0, *UPRIGHT], [*place, *rotation]]])
    assert overlaps(world, stand).max() == pytest.approx(depth, abs=1e-12)


def test_crossed_edges_are_parted_across_both():
    """Two boxes on edge, the edges at right angles: apart by what their corners leave."""
    world = World("two", (Body((0.0, 0.0, 0.0), BOX), Body((0.0, 1.4, 0.0), BOX)))
    below = from_axis_angle(np.array([1.0, 0, 0]), EIGHTH)
    above = from_axis_angle(np.array([0.0, 0, 1]), EIGHTH)
    stand = np.array([[[0.0, 0.0, 0.0, *below], [0.0, 1.4, 0.0, *above]]])
    assert overlaps(world, stand).max() == pytest.approx(math.sqrt(2) - 1.4, abs=1e-12)
