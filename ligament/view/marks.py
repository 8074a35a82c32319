"""Marks that are drawn for want of a shape: bones, and the arrows of contacts."""

from __future__ import annotations

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.physics.engines import Contacts
from ligament.view.shapes import Surface

BONE_SHAPE = Surface(
    np.array([[0, 0, 0], [1, 0.2, 0], [0, 0.2, 1], [-1, 0.2, 0], [0, 0.2, -1], [0, 1, 0.0]]),
    np.array(
        [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]]
    ),
)
"""A bone of length 1 along Y, to be scaled."""


def contact_arrows(contacts: Contacts, longest: float) -> Floats:
    """Return arrows (C, 2, 3) [m] out of the surface, the strongest of the longest length."""
    strength = np.sqrt(contacts.forces / contacts.forces.max(initial=1e-12))[:, None]
    return np.stack([contacts.points, contacts.points + longest * strength * contacts.normals], 1)


def along(ways: Floats) -> tuple[Floats, Floats]:
    """Return the rotations (K, 4) from Y to ways (K, 3), and the lengths (K,) of these."""
    length = np.linalg.norm(ways, axis=1)
    unit = np.where(length[:, None] > 0, ways / np.where(length, length, 1.0)[:, None], [0.0, 1, 0])
    return np.asarray(tf.between(np.broadcast_to([0.0, 1.0, 0.0], unit.shape), unit)), length
