"""The constants of the formulas, from the rest rotations (k, 4) of sources and destinations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.vrmc_node_constraint import Constraint

Constants = tuple[Floats, ...]

_AXES = {
    f"{sign}{letter}": value * np.eye(3)[index]
    for index, letter in enumerate("XYZ")
    for sign, value in (("", 1.0), ("Positive", 1.0), ("Negative", -1.0))
}


def roll(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """For `kernels.roll`: the two linear forms of the twist, weights, and the way back."""
    axis = _axes(members)
    moved = _matrices(tf.conjugate(own), tf.multiply(tf.conjugate(source), own))
    along = np.einsum("ki,kij->kj", axis, moved[:, :3])
    about = tf.multiply(own, np.pad(axis, ((0, 0), (0, 1))))
    form = np.stack([along, moved[:, 3]], axis=1)
    return form, _weights(members), np.stack([about, own], axis=2)


def rotation(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """For `kernels.rotation`: the matrix of rD·rS⁻¹ above the form δ_w = rS·qS, weights, rD."""
    matrix = _matrices(tf.multiply(own, tf.conjugate(source)), np.array([[0, 0, 0, 1.0]]))
    return np.concatenate([matrix, source[:, None]], axis=1), _weights(members), own[:, :, None]


def freeze(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """For `kernels.freeze`: rS⁻¹ and rD⁻¹, rD, weights of frozen axes, 1 for free ones."""
    frozen = np.array([[member.freeze_axes] for member in members], float)
    unturn = tf.conjugate(np.stack([source, own], axis=1))[:, :, None]
    return unturn, own[:, None], frozen * _weights(members)[:, None], 1 - frozen


def aim(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """For `kernels.aim`: v ↦ (f × v)·rD above v ↦ f·v, weights, rD, and f = rD·axis."""
    forward = tf.rotate(own, _axes(members))
    crossed = np.pad(np.cross(forward[:, None], np.eye(3)), ((0, 0), (0, 0), (0, 1)))
    across = np.swapaxes(tf.multiply(crossed, own[:, None]), 1, 2)
    form = np.concatenate([across, forward[:, None]], axis=1)
    return form, _weights(members), own[:, :, None], forward[:, None]


Maker = Callable[[Sequence[Constraint], Floats, Floats], Constants]
MAKERS: dict[str, Maker] = {"roll": roll, "rotation": rotation, "freeze": freeze, "aim": aim}


def _axes(members: Sequence[Constraint]) -> Floats:
    return np.array([_AXES[member.axis or "X"] for member in members])


def _weights(members: Sequence[Constraint]) -> Floats:
    return np.array([[member.weight] for member in members])


def _matrices(left: Any, right: Any) -> Floats:
    """Matrices (k, 4, 4) of q ↦ left·q·right."""
    images = tf.multiply(left[:, None], tf.multiply(np.eye(4), right[:, None]))
    return np.swapaxes(images, 1, 2)
