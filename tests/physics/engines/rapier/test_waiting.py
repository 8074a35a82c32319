"""Rows that wait for a rotation: due in time, and not before."""

from __future__ import annotations

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.physics.engines.rapier import RapierSettings
from ligament.physics.engines.rapier.joints.angular_limits import AngularLimits
from ligament.physics.engines.rapier.joints.dampers import Dampers
from ligament.physics.engines.rapier.joints.waiting import Rotations, Waiting
from tests.physics.engines.rapier.joined import BALL, Run, fixed, make_body, make_joint

STEP = 1 / 240
TWIST = Limit(angular_axes=(0,), minimum=-1.0, maximum=1.0)


def test_rows_are_due_as_many_steps_ahead_as_they_ask_for():
    slow, fast = Rotations((4.0,), np.array([0])), Rotations((4.0, 1.0), np.array([1]))
    waiting = Waiting([slow, fast])
    slow.left[:], fast.left[:] = 1.0, [[1.0], [0.375]]
    due = []
    for step in range(1, 12):
        waiting.pass_step(np.array([0.015625, 0.125]))
        due.append((step, slow.near.any(), fast.near[0, 0], fast.near[1, 0]))
    # Of steps of 1/8 rad, four are left of 1 rad after the fourth, one of 3/8 rad after the second.
    assert [step for step, _, is_due, _ in due if is_due] == list(range(4, 12))
    assert [step for step, _, _, is_due in due if is_due] == list(range(2, 12))
    assert not any(is_near for _, is_near, *_ in due)


def test_infinite_waits_are_never_due():
    rotations = Rotations((4.0,), np.array([0]))
    waiting = Waiting([rotations])
    rotations.left[:] = np.inf
    assert not any(waiting.pass_step(np.array([1e3])) for _ in range(100))


def counted(monkeypatch, kind):
    """Count the steps in which rows of a kind are looked at."""
    looks = []
    update = kind.update

    def count(self, now, some, bodies):
        looks.append(now)
        update(self, now, some, bodies)

    monkeypatch.setattr(kind, "update", count)
    return looks


@pytest.mark.parametrize("kind", [AngularLimits, Dampers])
def test_still_joints_are_hardly_examined(monkeypatch, kind):
    looks = counted(monkeypatch, kind)
    drives = [Drive(type="angular", mode="force", axis=axis, damping=0.1) for axis in range(3)]
    settings = RapierSettings(step=STEP, iterations=16)
    weightless = (0.0, 0.0, 0.0)
    joint = make_joint(0, 1, (*BALL, TWIST), drives)
    run = Run([fixed(), make_body()], [joint], settings, weightless)
    run.follow(240)
    assert 1 <= len(looks) <= 10


def test_a_joint_that_starts_to_turn_is_examined_before_its_bound(monkeypatch):
    """A push gives 6 rad/s after a second at rest; the bound at 1 rad holds to a millirad."""
    looks = counted(monkeypatch, AngularLimits)
    settings = RapierSettings(step=STEP, iterations=16)
    run = Run([fixed(), make_body()], [make_joint(0, 1, (*BALL, TWIST))], settings, (0.0, 0.0, 0.0))
    run.follow(240)
    before = len(looks)
    run.engine.set_velocity(1, np.zeros(3), np.array([6.0, 0.0, 0.0]))
    values = []
    for _ in range(120):
        run.engine.step()
        values.append(run.measure(TWIST))
    assert max(values) == pytest.approx(1.0, abs=1e-3)
    assert 2 <= len(looks) - before <= 60
