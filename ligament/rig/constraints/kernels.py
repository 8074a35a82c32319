"""Closed-form constraint formulas for many quaternions at once, and their constants.

Quaternions are arrays (constraints, 4, frames) and vectors (constraints, 3, frames). With q the
current local rotation, r that at rest, S the source and D the destination:

    rotation   D = slerp(rD, rD · rS⁻¹ · qS, weight)
    roll       D = rD · twist(rD⁻¹ · qS · rS⁻¹ · rD, axis)^weight
    aim        D = between(rD·axis, v)^weight · rD,   v = S − D seen in the parent of D

The linear parts are combined into one matrix per constraint. An angle is represented by the tangent
of its half: tan(weight·atan(x)) needs neither sine nor cosine, is exact near zero, and yields a
point on the circle to rounding. Only the NumPy path branches on data, so that everything else can
be traced and differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.vrmc_node_constraint import Constraint
from ligament.transforms.components import Array, Components, epsilon, hamilton, split

Constants: TypeAlias = tuple[Floats, ...]

_AXES = {
    f"{sign}{letter}": value * np.eye(3)[index]
    for index, letter in enumerate("XYZ")
    for sign, value in (("", 1.0), ("Positive", 1.0), ("Negative", -1.0))
}


def roll(xp: Any, source: Array, form: Array, weight: Array, back: Array) -> Array:
    """Return rotations under roll constraints from those of the sources.

    The twist of d = rD⁻¹·qS·rS⁻¹·rD is the direction of (d_axis, d_w): `form` (k, 2, 4) yields
    both, `back` (k, 4, 2) maps sine and cosine to D. If the source swings by half a turn, both
    vanish and the twist is undefined: it counts as none, which gives the rest rotation.
    """
    parts = linear(xp, form, source)
    along, real, square = parts[:, 0, :], parts[:, 1, :], squares(xp, parts)
    limit = (4 * epsilon(xp, square)) ** 2
    if xp is not np or square.min() <= limit:
        lost = square <= limit
        along = xp.where(lost, 0.0, along)
        real, square = (xp.where(lost, 1.0, part) for part in (real, square))
    sine, cosine = share(xp, weight, along / (real + xp.copysign(xp.sqrt(square), real)))
    return linear(xp, back, xp.concat([sine[:, None, :], cosine[:, None, :]], axis=1))


def rotation(xp: Any, source: Array, form: Array, weight: Array, rest: Array) -> Array:
    """Return rotations under rotation constraints from those of the sources.

    δ = rS⁻¹·qS raised to the weight is α + β·δ, so that D = α·rD + β·(rD·rS⁻¹)·qS: `form` (k, 5, 4)
    yields that product and δ_w, `rest` (k, 4, 1) is rD. A source quaternion of length zero counts
    as being at rest.
    """
    moved = linear(xp, form, source)
    real, moved = moved[:, 4, :], moved[:, :4, :]
    square = squares(xp, source)
    size = at_least(xp, least(xp, real), square)
    # α and β are smooth in the square, so cancellation near zero costs no digits.
    slant = xp.sqrt(xp.maximum(square - real * real, epsilon(xp, real) ** 2 * size))
    sine, cosine = share(xp, weight, slant / (xp.sqrt(size) + xp.abs(real)))
    beta = sine / xp.copysign(slant, real)
    return (cosine - real * beta)[:, None, :] * rest + beta[:, None, :] * moved


def freeze(
    xp: Any, source: Array, current: Array, inverse: Array, rest: Array, frozen: Array, free: Array
) -> Array:
    """Return rotations under draft rotation constraints; free axes keep their own rotation.

    D = rD·exp(v), where v is weight·log(rS⁻¹·qS) on frozen axes and log(rD⁻¹·qD) on free ones.
    `inverse` (k, 2, 1, 4) are rS⁻¹ and rD⁻¹, `rest` (k, 1, 4) is rD, `frozen` (k, 1, 3) the
    weights, 0 where free, and `free` (k, 1, 3) is 1 there.
    """
    driving, own = (tf.normalize(swapped(xp, q)) for q in (source, current))
    offset = frozen * tf.log(tf.multiply(inverse[:, 0, ...], driving))
    offset = offset + free * tf.log(tf.multiply(inverse[:, 1, ...], own))
    return swapped(xp, tf.multiply(rest, tf.exp(offset)))


def aim(
    xp: Any, direction: Array, form: Array, weight: Array, rest: Array, forward: Array
) -> Array:
    """Return rotations towards directions of any length, given in the parents' frames.

    With f = rD·axis, the shortest rotation from f to v is along (f × v, |v| + f·v): `form` (k, 5,
    3) yields (f × v)·rD and f·v, `rest` (k, 4, 1) is rD, `forward` (k, 1, 3) is f. A zero direction
    gives the rest rotation; the opposite one half a turn about the axis that `transforms.between`
    chooses.
    """
    across, real = _towards(xp, direction, form, rest, forward)
    square = squares(xp, across)
    size = square + real * real
    slant = xp.sqrt(xp.maximum(square, epsilon(xp, size) ** 2 * size))
    sine, cosine = share(xp, weight, slant / (xp.sqrt(size) + real))
    return cosine[:, None, :] * rest + (sine / slant)[:, None, :] * across


def _towards(
    xp: Any, direction: Array, form: Array, rest: Array, forward: Array
) -> tuple[Array, Array]:
    """Return the vector part, times rD, and the real part of the rotation, up to a common factor.

    On NumPy the plain formula is used except near the opposite direction, where it cancels.
    """
    if xp is np:
        moved = linear(np, form, direction)
        length = np.sqrt(at_least(np, least(np, moved), squares(np, direction)))
        real = length + moved[:, 4]
        # An angle of ε^⅓ from the opposite: there the products still have two thirds of the digits.
        if not (real <= epsilon(np, real) ** (2 / 3) / 2 * length).any():
            return moved[:, :4], real
    *axis, real = split(tf.between(forward, swapped(xp, direction)), 4)
    return xp.stack(hamilton((*axis, 0 * real), rows(rest)), axis=-2), real


def rotate(xp: Any, q: Array, v: Array, *, inverse: bool = False) -> Array:
    """Rotate vectors by quaternions of any length, or their inverses; zero rotates nothing."""
    axis, real = q[:, :3, :], q[:, 3:, :]
    scale = 2 / at_least(xp, least(xp, q), squares(xp, q))
    first = cross(xp, axis, v)
    second = cross(xp, axis, first)
    bend = second - real * first if inverse else second + real * first
    return v + scale[:, None, :] * bend


def cross(xp: Any, a: Array, b: Array) -> Array:
    """Return vector products (k, 3, frames)."""
    a, b = (xp.concat([x, x[:, :2, :]], axis=1) for x in (a, b))
    return a[:, 1:4, :] * b[:, 2:5, :] - a[:, 2:5, :] * b[:, 1:4, :]


def share(xp: Any, weight: Array, tangent: Array) -> tuple[Array, Array]:
    """Return sine and cosine of weight·2·atan(tangent)."""
    half = xp.tan(weight * xp.atan(tangent))
    scale = 2 / (1 + half * half)
    return half * scale, scale - 1


def linear(xp: Any, matrix: Array, vector: Array) -> Array:
    """Return matrices (k, m, n) times vectors (k, n, frames)."""
    if xp is np:
        return np.matmul(matrix, vector)
    # Not matmul: on some devices it rounds float32 to fewer digits by default.
    return xp.sum(matrix[..., None] * vector[:, None, ...], axis=-2)


def rows(array: Array) -> Components:
    """Return the components of arrays (k, n, frames)."""
    return tuple(array[:, i, :] for i in range(array.shape[-2]))


def squares(xp: Any, array: Array) -> Array:
    """Return squared lengths (k, frames) of vectors (k, n, frames)."""
    if xp is np:
        return np.einsum("kif,kif->kf", array, array)
    return xp.sum(array * array, axis=-2)


def swapped(xp: Any, array: Array) -> Array:
    """Move the components to the last axis, or back."""
    return xp.matrix_transpose(array)


def at_least(xp: Any, low: float, values: Array) -> Array:
    """Return values, raised to at least `low`."""
    return np.maximum(values, low) if xp is np else xp.where(values < low, low, values)


def least(xp: Any, array: Array) -> float:
    """Return the squared length below which a vector counts as zero: ε² of it is still a number."""
    limits = xp.finfo(array.dtype)
    return float(limits.smallest_normal) / float(limits.eps) ** 2


def roll_constants(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """Return constants of `roll`: the twist's two linear forms, weights, and the map back to D."""
    axis = _axes(members)
    moved = _matrices(tf.conjugate(own), tf.multiply(tf.conjugate(source), own))
    along = np.einsum("ki,kij->kj", axis, moved[:, :3])
    about = tf.multiply(own, np.pad(axis, ((0, 0), (0, 1))))
    form = np.stack([along, moved[:, 3]], axis=1)
    return form, _weights(members), np.stack([about, own], axis=2)


def rotation_constants(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """Return constants of `rotation`: the matrix of rD·rS⁻¹ and δ_w = rS·qS, weights, rD."""
    matrix = _matrices(tf.multiply(own, tf.conjugate(source)), np.array([[0, 0, 0, 1.0]]))
    return np.concatenate([matrix, source[:, None]], axis=1), _weights(members), own[:, :, None]


def freeze_constants(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """Return constants of `freeze`: rS⁻¹ and rD⁻¹, rD, weights of frozen axes, 1 for free ones."""
    frozen = np.array([[member.freeze_axes] for member in members], float)
    inverse = tf.conjugate(np.stack([source, own], axis=1))[:, :, None]
    return inverse, own[:, None], frozen * _weights(members)[:, None], 1 - frozen


def aim_constants(members: Sequence[Constraint], source: Floats, own: Floats) -> Constants:
    """Return constants of `aim`: v ↦ (f × v)·rD above v ↦ f·v, weights, rD, and f = rD·axis."""
    forward = tf.rotate(own, _axes(members))
    crossed = np.pad(np.cross(forward[:, None], np.eye(3)), ((0, 0), (0, 0), (0, 1)))
    across = np.swapaxes(tf.multiply(crossed, own[:, None]), 1, 2)
    form = np.concatenate([across, forward[:, None]], axis=1)
    return form, _weights(members), own[:, :, None], forward[:, None]


Maker: TypeAlias = Callable[[Sequence[Constraint], Floats, Floats], Constants]
CONSTANTS: dict[str, Maker] = {
    "roll": roll_constants,
    "rotation": rotation_constants,
    "freeze": freeze_constants,
    "aim": aim_constants,
}
"""Constants of each kernel from the rest rotations (k, 4) of sources and destinations."""


def _axes(members: Sequence[Constraint]) -> Floats:
    return np.array([_AXES[member.axis or "X"] for member in members])


def _weights(members: Sequence[Constraint]) -> Floats:
    return np.array([[member.weight] for member in members])


def _matrices(left: Any, right: Any) -> Floats:
    """Return matrices (k, 4, 4) of q ↦ left·q·right."""
    images = tf.multiply(left[:, None], tf.multiply(np.eye(4), right[:, None]))
    return np.swapaxes(images, 1, 2)
