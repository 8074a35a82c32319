"""Drawn limits are true: poses on a drawn boundary have the value of the bound by the metric."""

import math
from itertools import combinations

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.drawing.limit_lines import boundary, joint_lines, limit_lines
from ligament.extensions.rigid_bodies import Limit
from ligament.physics.metrics import measure

AXES = [axes for count in (1, 2, 3) for axes in combinations(range(3), count)]
TINY = 1e-12
SIZE, REACH = 0.4, 3.0


def ends(limit: Limit) -> np.ndarray:
    return limit_lines(limit, size=SIZE, reach=REACH).reshape(-1, 3)


@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("bound", [0.2, 1.1, 2.9])
def test_boundaries_have_the_value_of_the_bound(axes: tuple[int, ...], bound: float) -> None:
    for limit in (Limit(linear_axes=axes), Limit(angular_axes=axes)):
        poses = boundary(limit, bound)
        values = measure(limit, poses.position, poses.rotation)
        assert values == pytest.approx(bound, abs=TINY)


@pytest.mark.parametrize("axis", range(3))
def test_one_axis_keeps_the_sign(axis: int) -> None:
    for limit in (Limit(linear_axes=(axis,)), Limit(angular_axes=(axis,))):
        poses = boundary(limit, -0.7)
        assert measure(limit, poses.position, poses.rotation) == pytest.approx(-0.7, abs=TINY)


@pytest.mark.parametrize("axis", range(3))
def test_a_rod_goes_from_bound_to_bound(axis: int) -> None:
    limit = Limit(linear_axes=(axis,), minimum=-0.5, maximum=2.0)
    points = ends(limit)
    along = points[:, axis]
    assert along.min() == -0.5
    assert along.max() == 2.0
    # The crosses at the ends stand across the rod, so that all of them is on the bound.
    across = points[np.abs(np.delete(points, axis, axis=1)).max(axis=1) > 0]
    assert set(across[:, axis].tolist()) == {-0.5, 2.0}
    still = np.tile([0.0, 0.0, 0.0, 1.0], (len(across), 1))
    assert np.isin(measure(limit, across, still), [-0.5, 2.0]).all()


def test_a_rod_without_end_is_drawn_as_far_as_it_reaches() -> None:
    points = ends(Limit(linear_axes=(1,), minimum=0.0))
    assert points[:, 1].max() == REACH
    assert points[:, 1].min() == 0.0


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 1, 2)], ids=str)
def test_rings_and_balls_lie_at_both_bounds(axes: tuple[int, ...]) -> None:
    limit = Limit(linear_axes=axes, minimum=0.5, maximum=1.5)
    points = ends(limit)
    values = measure(limit, points, np.tile([0.0, 0.0, 0.0, 1.0], (len(points), 1)))
    assert set(values.round(12).tolist()) == {0.5, 1.5}
    assert len(ends(Limit(linear_axes=axes, minimum=0.0, maximum=1.5))) == len(points) / 2


@pytest.mark.parametrize("axis", range(3))
def test_a_sector_has_its_arc_within_and_its_spokes_on_the_bounds(axis: int) -> None:
    low, high = -0.4, 1.9
    points = ends(Limit(angular_axes=(axis,), minimum=low, maximum=high))
    rim = points[np.linalg.norm(points, axis=1) > SIZE / 2]
    angle = np.arctan2(rim[:, (axis + 2) % 3], rim[:, (axis + 1) % 3])
    assert np.linalg.norm(rim, axis=1) == pytest.approx(SIZE, abs=TINY)
    assert np.abs(rim[:, axis]).max() < TINY
    assert angle.min() == pytest.approx(low, abs=TINY)
    assert angle.max() == pytest.approx(high, abs=TINY)
    # The spokes run from the middle to the two ends of the arc.
    lines = limit_lines(Limit(angular_axes=(axis,), minimum=low, maximum=high), size=SIZE, reach=1)
    spokes = lines[np.linalg.norm(lines[:, 0], axis=1) == 0]
    tips = [
        SIZE * tf.rotate(tf.from_axis_angle(np.eye(3)[axis], bound), np.eye(3)[(axis + 1) % 3])
        for bound in (low, high)
    ]
    assert spokes[:, 1] == pytest.approx(np.array(tips), abs=TINY)


def test_a_whole_turn_has_no_spokes_and_a_half_open_one_has_one() -> None:
    whole = Limit(angular_axes=(2,), minimum=-4.0, maximum=4.0)
    assert np.linalg.norm(ends(whole), axis=1).min() > 0
    half = limit_lines(Limit(angular_axes=(2,), minimum=0.3), size=SIZE, reach=REACH)
    assert (np.linalg.norm(half[:, 0], axis=1) == 0).sum() == 1
    assert len(ends(Limit(angular_axes=(2,)))) == 0


@pytest.mark.parametrize("axes", [(0, 1), (0, 2), (1, 2)], ids=str)
def test_the_rim_of_a_cone_leans_by_the_bound(axes: tuple[int, int]) -> None:
    limit = Limit(angular_axes=axes, minimum=0.0, maximum=0.8)
    points = ends(limit)
    rim = points[np.linalg.norm(points, axis=1) > SIZE / 2]
    cosine = rim[:, 3 - sum(axes)] / SIZE
    assert np.arccos(np.clip(cosine, -1, 1)) == pytest.approx(0.8, abs=1e-9)


def test_a_ball_sector_turns_about_every_axis() -> None:
    points = ends(Limit(angular_axes=(0, 1, 2), minimum=0.0, maximum=1.0))
    rim = points[np.linalg.norm(points, axis=1) > SIZE / 2]
    for axis in range(3):
        swept = rim[np.abs(rim[:, axis]) < TINY]
        angle = np.arctan2(swept[:, (axis + 2) % 3], swept[:, (axis + 1) % 3])
        assert angle.max() >= 1.0 - TINY
        assert angle.min() <= -1.0 + TINY


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_locks_and_what_is_free_have_no_lines(axes: tuple[int, ...]) -> None:
    for kind in ("linear_axes", "angular_axes"):
        assert len(ends(Limit(**{kind: axes}, minimum=0.0, maximum=0.0))) == 0
    free = Limit(angular_axes=axes, minimum=-math.inf, maximum=math.inf)
    assert len(ends(free)) == 0


def test_a_joint_shows_all_its_limits() -> None:
    limits = [
        Limit(linear_axes=(0, 1, 2), minimum=0, maximum=0),
        Limit(angular_axes=(1,), minimum=-1, maximum=1),
    ]
    drawn = joint_lines(limits, size=SIZE, reach=REACH)
    assert len(drawn) == len(limit_lines(limits[1], size=SIZE, reach=REACH)) > 0
    assert joint_lines([], size=SIZE, reach=REACH).shape == (0, 2, 3)
