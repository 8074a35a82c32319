"""Two recordings of one scene: where and when they part, and what is chaos."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import ligament as lg
from ligament.comparison import compare
from ligament.errors import ContentError
from ligament.recording import LimitTrack
from tests.play.files import BALL, CUBE, FLOOR, node, physics_file


def falling(height: float = 2.0) -> lg.Recording:
    document = physics_file(
        node("Gate", at=(0, 1, 0), trigger=CUBE),
        node("Ball", at=(0, height, 0), motion={"mass": 1.0}, shape=BALL),
        node("Other", at=(5, 0, 0), motion={"mass": 1.0, "gravityFactor": 0.0}),
        node("Floor", at=(0, -2, 0), shape=FLOOR),
    )
    return lg.simulate(document, seconds=1)


def moved(recording: lg.Recording, offset: float, since: float) -> lg.Recording:
    """Return a recording whose first body is `offset` [m] off from a time [s] on."""
    translation = recording.translation.copy()
    translation[recording.times >= since, 0, 0] += offset
    return dataclasses.replace(recording, translation=translation)


def test_a_recording_is_like_itself() -> None:
    recording = falling()
    same = compare(recording, recording)
    assert same.is_alike
    assert same.parted == ()
    assert same.events == ()
    assert same.same_events == len(recording.events) > 0
    assert all(body.distance.max() == 0 for body in same.bodies)


def test_a_body_parts_at_its_time_and_comes_first() -> None:
    recording = falling()
    found = compare(recording, moved(recording, 0.02, since=0.5))
    assert not found.is_alike
    assert [body.node for body in found.parted] == [1]
    assert found.bodies[0].parts_at == pytest.approx(0.5)
    assert found.bodies[0].distance.max() == pytest.approx(0.02)
    assert compare(recording, moved(recording, 0.02, since=0.5), distance=0.03).is_alike


def test_differences_as_of_a_nudged_start_are_chaos() -> None:
    recording = falling()
    other, nudged = moved(recording, 0.2, since=0.5), moved(recording, -0.1, since=0.4)
    assert compare(recording, other, nudged=nudged).bodies[0].is_chaos
    assert compare(recording, other, nudged=nudged).is_alike
    calm = compare(recording, other, nudged=moved(recording, 1e-6, since=0.4))
    assert calm.bodies[0].is_chaos is False
    assert not calm.is_alike


def test_events_are_paired_in_order() -> None:
    recording = falling()
    late = dataclasses.replace(
        recording, events=tuple(e._replace(time=e.time + 0.1) for e in recording.events)
    )
    found = compare(recording, late)
    assert [each.delay for each in found.events] == pytest.approx([0.1] * len(recording.events))
    none = compare(recording, dataclasses.replace(recording, events=()))
    assert [each.b for each in none.events] == [None] * len(recording.events)
    assert not none.is_alike


def test_common_times_are_compared() -> None:
    recording = falling()
    every_second = dataclasses.replace(
        recording,
        times=recording.times[::2],
        translation=recording.translation[::2],
        rotation=recording.rotation[::2],
        linear_velocity=recording.linear_velocity[::2],
        angular_velocity=recording.angular_velocity[::2],
    )
    found = compare(recording, every_second)
    assert np.array_equal(found.times, recording.times[::2])
    assert found.is_alike


def test_recordings_without_common_times_are_refused() -> None:
    recording = falling()
    shifted = dataclasses.replace(recording, times=recording.times + 0.001)
    with pytest.raises(ContentError, match="no time in common"):
        compare(recording, shifted)
    with pytest.raises(ContentError, match="tolerance distance"):
        compare(recording, recording, distance=0)


def test_bodies_that_one_lacks_are_reported() -> None:
    recording = falling()
    one = dataclasses.replace(
        recording,
        nodes=recording.nodes[:1],
        translation=recording.translation[:, :1],
        rotation=recording.rotation[:, :1],
        linear_velocity=recording.linear_velocity[:, :1],
        angular_velocity=recording.angular_velocity[:, :1],
    )
    found = compare(recording, one)
    assert found.missing == (2,)
    assert not found.is_alike


def pendulum(value: float = 0.0, since: float = 0.0) -> lg.Recording:
    """A recording with one hinge whose value [rad] is another from a time [s] on."""
    recording = falling()
    track = LimitTrack(
        node=3,
        index=0,
        kind="angular",
        axes=(0,),
        minimum=-4.0,
        maximum=4.0,
        is_hard=True,
        value=np.where(recording.times >= since, value, 0.0),
    )
    return dataclasses.replace(recording, find_limits=lambda: (track,))


def test_a_joint_parts_where_its_value_does() -> None:
    found = compare(pendulum(), pendulum(0.1, since=0.5))
    (limit,) = found.limits
    assert (limit.node, limit.index, limit.verdict) == (3, 0, "differs")
    assert limit.parts_at == pytest.approx(0.5)
    assert limit.difference == pytest.approx(0.1)
    assert not found.is_alike
    assert compare(pendulum(), pendulum(0.1), nudged=pendulum(0.05)).limits[0].is_chaos


def test_a_hinge_half_around_is_at_both_ends_of_its_values() -> None:
    found = compare(pendulum(np.pi - 0.001), pendulum(0.001 - np.pi))
    assert found.limits[0].verdict == "same"
    assert found.limits[0].difference == pytest.approx(0.002)


def test_bodies_that_meet_again_are_reported() -> None:
    recording = falling()
    back = moved(moved(recording, 0.02, since=0.5), -0.02, since=0.7)
    body = compare(recording, back).bodies[0]
    assert (body.parts_at, body.meets_at) == pytest.approx((0.5, 0.7))
    assert compare(recording, moved(recording, 0.02, since=0.5)).bodies[0].meets_at is None
    assert body.travel == pytest.approx(np.abs(np.diff(recording.translation[:, 0, 1])).sum())


def test_an_event_that_a_nudge_moves_too_is_chaos() -> None:
    recording = falling()
    late = dataclasses.replace(
        recording, events=tuple(e._replace(time=e.time + 0.1) for e in recording.events)
    )
    assert not compare(recording, late, nudged=recording).is_alike
    found = compare(recording, late, nudged=late)
    assert {event.verdict for event in found.events} == {"chaos"}
    assert (found.verdict, found.is_alike) == ("chaos", True)


def test_the_size_of_the_nudge_is_reported() -> None:
    recording = falling()
    assert compare(recording, recording).nudge is None
    nudged = moved(recording, 1e-6, since=0.0)
    assert compare(recording, recording, nudged=nudged).nudge == pytest.approx(1e-6)


def test_nan_positions_differ() -> None:
    recording = falling()
    assert compare(recording, moved(recording, np.nan, since=0.5)).bodies[0].verdict == "differs"
