"""Bones and arrows: as long as they should be, and where they should point."""

import numpy as np
import pytest

from ligament import transforms as tf
from ligament.physics.engines import Contacts
from ligament.view.marks import BONE_SHAPE, along, contact_arrows


def test_bones_reach_from_joint_to_joint() -> None:
    ways = np.array([[0, 2, 0], [0, -3, 0], [1, 1, 1], [0, 0, 0.0]])
    turn, length = along(ways)
    tips = tf.rotate(turn, np.array([0.0, 1.0, 0.0])) * length[:, None]
    assert tips == pytest.approx(ways, abs=1e-12)
    assert BONE_SHAPE.points[:, 1].min() == 0
    assert BONE_SHAPE.points[:, 1].max() == 1


def test_the_hardest_contact_has_the_longest_arrow() -> None:
    points = np.arange(6.0).reshape(2, 3)
    normals = np.array([[0, 1, 0], [1, 0, 0.0]])
    arrows = contact_arrows(Contacts(points, normals, np.array([4.0, 1.0])), 0.5)
    assert arrows[:, 0] == pytest.approx(points)
    assert arrows[:, 1] - arrows[:, 0] == pytest.approx(np.array([[0, 0.5, 0], [0.25, 0, 0]]))
    none = Contacts(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    assert contact_arrows(none, 1.0).shape == (0, 2, 3)
