"""Mass, centre of mass and inertia of rigid bodies: what a file declares, else what follows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.declarations import Motion
from ligament.physics.shapes import Shape
from ligament.physics.solids import Solid, combined, solid

__all__ = [
    "DENSITY",
    "FIXED",
    "MassProperties",
    "Part",
    "Solid",
    "combined",
    "is_mass_known",
    "mass_properties",
    "solid",
]


DENSITY = 1000.0
"""Density [kg/m³] of bodies that declare no mass."""

DEFAULT_MASS = 1.0
"""Mass [kg] of bodies that declare none and have no volume to compute it from."""

# A principal moment of 0 would mean an infinite one. Even a needle has more than this part of
# the largest.
_LEAST_MOMENT = 1e-9


@dataclasses.dataclass(frozen=True, eq=False)
class MassProperties:
    """How a body resists forces.

    `mass` [kg] may be `inf`; `center` (3,) [m] is the centre of mass in the frame of the body;
    `inertia` (3,) [kg m²] holds the principal moments about it, each of which may be `inf`, along
    the axes of the body's frame turned by `orientation` (4,) xyzw. As a matrix it is
    R · diag(inertia) · Rᵀ: the text of KHR_physics_rigid_bodies forgets the second rotation.
    """

    mass: float
    center: Floats
    inertia: Floats
    orientation: Floats


FIXED = MassProperties(math.inf, np.zeros(3), np.full(3, math.inf), np.array([0.0, 0.0, 0.0, 1.0]))
"""What nothing can move."""


class Part(NamedTuple):
    """A shape of a body, scale applied, and where it lies in the frame of the body."""

    shape: Shape
    translation: Floats
    rotation: Floats


def is_mass_known(motion: Motion, parts: Iterable[Part]) -> bool:
    """Tell whether a mass is declared or follows from the shapes; else it is DEFAULT_MASS."""
    return motion.mass is not None or _whole(parts).volume > 0


def mass_properties(motion: Motion, scale: npt.ArrayLike, parts: Iterable[Part]) -> MassProperties:
    """Work out how a body resists forces.

    `scale` (3,) or (3, 3) is that of the body's node in the world; it moves the declared centre
    of mass and changes neither mass nor inertia. What is not declared follows from the shapes:
    mass from DENSITY, the centre from their volume, inertia from their volume scaled to the mass,
    about the centre of mass. A body without volume has its centre in the origin and the inertia
    of a ball of water of its mass, and if it declares no mass either, DEFAULT_MASS.
    """
    whole = _whole(parts)
    center = whole.center
    if motion.center_of_mass is not None:
        factor = np.asarray(scale, np.float64)
        stretch = np.diag(factor) if factor.ndim == 1 else factor
        center = stretch @ np.array(motion.center_of_mass)
    mass = motion.mass
    if mass is None:
        mass = whole.volume * DENSITY if whole.volume > 0 else DEFAULT_MASS
    if motion.inertia_diagonal is not None:
        orientation = tf.normalize(np.array(motion.inertia_orientation))
        return MassProperties(mass, center, np.array(motion.inertia_diagonal), orientation)
    if math.isinf(mass):
        return dataclasses.replace(FIXED, center=center)
    if whole.volume > 0:
        moments, orientation = _principal(whole.about(center) * (mass / whole.volume))
    else:
        moments, orientation = _ball_of_water(mass), FIXED.orientation
    return MassProperties(mass, center, moments, orientation)


def _whole(parts: Iterable[Part]) -> Solid:
    return combined(solid(part.shape).placed(part.translation, part.rotation) for part in parts)


def _principal(tensor: Floats) -> tuple[Floats, Floats]:
    """Return the principal moments (3,) of an inertia (3, 3), and the rotation of their axes."""
    if np.abs(tensor - np.diag(np.diagonal(tensor))).max() <= 1e-12 * np.trace(tensor):
        moments, axes = np.diagonal(tensor), np.eye(3)
    else:
        moments, axes = np.linalg.eigh(tensor)
        axes[:, 2] *= np.sign(tf.determinant(axes))
    return np.maximum(moments, _LEAST_MOMENT * moments.max()), np.asarray(tf.from_matrix(axes))


def _ball_of_water(mass: float) -> Floats:
    radius = (mass / DENSITY * 3 / (4 * math.pi)) ** (1 / 3)
    return np.full(3, 0.4 * mass * radius**2)
