"""Degrees of freedom of joints, as slides, hinges and balls."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import Limit
from ligament.physics.freedom import Freedom, freedom, from_angles
from ligament.physics.metrics import Relative, measure
from ligament.physics.scene import Frame, Joint, Pose

STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def free_to(*limits: Limit) -> Freedom:
    frame = Frame(node=0, body=0, pose=Pose(np.zeros(3), STRAIGHT))
    joint = Joint(node=0, a=frame, b=frame, limits=limits, drives=())
    return freedom(joint, Relative(np.zeros(3), STRAIGHT))


@pytest.mark.parametrize(("free", "bounded"), [*itertools.permutations(range(3), 2)])
def test_rotation_about_a_free_axis_changes_no_swing(free: int, bounded: int) -> None:
    """One axis is locked and one bounded: both measure what the hinges say, however it spins."""
    swing = Limit(angular_axes=(bounded,), free_axis=free, minimum=-0.5, maximum=0.5)
    lock = Limit(angular_axes=(3 - free - bounded,), free_axis=free, minimum=0.0, maximum=0.0)
    order = free_to(swing, lock).order
    values = np.zeros(3)
    values[bounded] = 0.4
    for spin in np.linspace(-math.pi, math.pi, 9):
        values[free] = spin
        rotation = from_angles(values, order)
        assert np.isclose(measure(swing, np.zeros(3), rotation), 0.4)
        assert np.isclose(measure(lock, np.zeros(3), rotation), 0.0)
