"""Curves of whole recordings: energy and speeds of bodies, or the motion of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.plot.style import FAINT, KINETIC, POTENTIAL, SERIES, TOTAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ligament.recording import Recording


LEAST_ENERGY = 1e-3
"""Smallest span [J] of an axis: anything smaller is noise."""

LEAST_LENGTH, LEAST_ANGLE = 1e-3, 0.1
"""The same for lengths [m], speeds [m/s], angles [°] and their rates [°/s]."""

MANY_FRAMES = 5000
"""Number of points above which curves are rasterized in vector formats, to bound file size."""


def draw_energy(axes: Axes, recording: Recording) -> None:
    """Draw the total energy of all bodies; potential energy counts from the start."""
    kinetic = recording.kinetic_energy.sum(axis=1)
    potential = recording.potential_energy.sum(axis=1)
    potential = potential - potential[0]
    times = recording.times
    draw_curve(axes, times, kinetic + potential, TOTAL, label="total", width=3.5)
    draw_curve(axes, times, kinetic, KINETIC, label="kinetic")
    draw_curve(axes, times, potential, POTENTIAL, label="potential")
    axes.set_title("Energy of all bodies, potential from the start")
    axes.set_ylabel("energy [J]")
    fit(axes, LEAST_ENERGY)
    add_legend(axes, "upper right")


def draw_speeds(linear: Axes, angular: Axes, recording: Recording, columns: Ints) -> None:
    """Draw the linear [m/s] and angular [°/s] speed of some bodies."""
    speed, angular_speed = speeds(recording)
    _draw_all(linear, recording.times, speed[:, columns])
    _draw_all(angular, recording.times, angular_speed[:, columns])
    linear.set_title("Speed of the centre of mass")
    linear.set_ylabel("speed [m/s]")
    angular.set_title("Angular speed")
    angular.set_ylabel("angular speed [°/s]")
    _fit_both(linear, angular)


def draw_nodes(shift: Axes, rotation: Axes, recording: Recording, columns: Ints) -> None:
    """Draw how far some nodes have moved [m] and rotated [°] in their parents since the start."""
    moved, turned = local_motion(recording)
    _draw_all(shift, recording.times, moved[:, columns])
    _draw_all(rotation, recording.times, turned[:, columns])
    shift.set_title("Shift in the parent, from the start")
    shift.set_ylabel("distance [m]")
    rotation.set_title("Rotation in the parent, from the start")
    rotation.set_ylabel("angle [°]")
    _fit_both(shift, rotation)


def speeds(recording: Recording) -> tuple[Floats, Floats]:
    """Return the linear [m/s] and angular [°/s] speed of all bodies, (F, N) each."""
    speed = np.linalg.norm(recording.linear_velocity, axis=-1)
    angular_speed = np.linalg.norm(recording.angular_velocity, axis=-1)
    return speed, np.degrees(angular_speed)


def local_motion(recording: Recording) -> tuple[Floats, Floats]:
    """Return how far nodes have moved [m] and rotated [°] since the start, (F, M) each."""
    translation, rotation = recording.local_translation, recording.local_rotation
    moved = np.linalg.norm(translation - translation[:1], axis=-1)
    return moved, np.degrees(tf.angle_between(rotation, rotation[:1]))


def largest(tracks: Sequence[Floats], most: int) -> Ints:
    """Return the columns of tracks (F, N) with the largest values in any of them, in order.

    Each track counts by its own largest value.
    """
    peaks = [np.max(track, axis=0) for track in tracks]
    ranks = np.max([peak / max(peak.max(initial=0), 1e-300) for peak in peaks], axis=0)
    return np.sort(np.argsort(-ranks, kind="stable")[:most])


def draw_curve(
    axes: Axes,
    times: Floats,
    values: Floats,
    colour: str,
    *,
    label: str | None = None,
    width: float = 1.3,
) -> None:
    """Draw a value over time; a single frame is a dot."""
    marker = "o" if len(times) == 1 else None
    (line,) = axes.plot(times, values, color=colour, label=label, linewidth=width, marker=marker)
    line.set_rasterized(len(times) > MANY_FRAMES)


def fit(axes: Axes, least: float, *, is_signed: bool = True) -> None:
    """Fit the vertical axis to the content, over at least a span, so that noise stays small.

    For unsigned values the span extends upwards.
    """
    low, high = axes.dataLim.intervaly
    missing = max(least - (high - low), 0.0)
    below = missing / 2 if is_signed else 0.0
    low, high = low - below, high + missing - below
    margin = 0.05 * (high - low)
    axes.set_ylim(low - margin, high + margin)


def add_legend(axes: Axes, place: Literal["upper left", "upper right"]) -> None:
    """Add a legend above the highest curve."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.2 * (high - low))
    axes.legend(loc=place, ncols=3, borderaxespad=0.1)


def _draw_all(axes: Axes, times: Floats, values: Floats) -> None:
    for column, colour in zip(values.T, SERIES, strict=False):
        draw_curve(axes, times, column, colour)
    axes.axhline(0, color=FAINT, linewidth=0.6, zorder=1)


def _fit_both(lengths: Axes, angles: Axes) -> None:
    fit(lengths, LEAST_LENGTH, is_signed=False)
    fit(angles, LEAST_ANGLE, is_signed=False)
