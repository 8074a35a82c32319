"""The energy of every body, from the poses and velocities that were recorded."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.declarations import MotionKind
from ligament.physics.engines import State
from ligament.physics.mass import FIXED, MassProperties
from ligament.physics.scene import Body
from ligament.recording import Energies


def body_energies(bodies: Sequence[Body], gravity: Sequence[float], tracks: State) -> Energies:
    """Return the energies (F, N) [J] of bodies whose `tracks` are (F, N, …).

    Kinetic: ½ m v² of the centre of mass and ½ ω·Iω about it. Potential: -m f g·x with the gravity
    factor f and the centre of mass at x.
    """
    masses = [_pushed(body) for body in bodies]
    mass = _finite([m.mass for m in masses], ())
    inertia = _finite([m.inertia for m in masses], (3,))
    center = _finite([m.center for m in masses], (3,))
    factor = _finite([body.gravity_factor for body in bodies], ())
    axes = tf.multiply(tracks.rotation, _finite([m.orientation for m in masses], (4,)))
    spin = tf.rotate(tf.conjugate(axes), tracks.angular_velocity)
    place = tracks.translation + tf.rotate(tracks.rotation, center)
    moving = mass * np.einsum("fni,fni->fn", tracks.linear_velocity, tracks.linear_velocity)
    turning = np.einsum("ni,fni->fn", inertia, spin**2)
    return Energies(0.5 * (moving + turning), -mass * factor * (place @ np.asarray(gravity)))


def _pushed(body: Body) -> MassProperties:
    """Return how a body resists forces; what forces do not move resists them wholly."""
    return body.mass if body.kind is MotionKind.DYNAMIC and not body.is_driven else FIXED


def _finite(values: Sequence[float | Floats], shape: tuple[int, ...]) -> Floats:
    """Stack the values of all bodies (N, …), with 0 for those without end."""
    array = np.array(values, np.float64).reshape(len(values), *shape)
    return np.where(np.isfinite(array), array, 0.0)
