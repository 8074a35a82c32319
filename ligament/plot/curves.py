"""Curves of whole recordings: energy and speeds of bodies, or the motion of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ligament import transforms as tf
from ligament.plot.style import FAINT, KINETIC, POTENTIAL, SERIES, TOTAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ligament.recording import Recording

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST_ENERGY = 1e-6
"""Span [J] of an axis at least: what is smaller is noise."""

LEAST_LENGTH, LEAST_ANGLE = 1e-3, 0.1
"""The same for lengths [m], speeds [m/s], angles [°] and their rates [°/s]."""


def draw_energy(axes: Axes, recording: Recording) -> None:
    """Draw the energy of all bodies together; the potential one counts from the start."""
    kinetic = recording.kinetic_energy.sum(axis=1)
    potential = recording.potential_energy.sum(axis=1)
    potential = potential - potential[0]
    times = recording.times
    draw_curve(axes, times, kinetic + potential, TOTAL, label="total", width=3.5)
    draw_curve(axes, times, kinetic, KINETIC, label="kinetic")
    draw_curve(axes, times, potential, POTENTIAL, label="potential")
    axes.set_title("Energy of all bodies, potential from the start")
    axes.set_ylabel("energy [J]")
    widen(axes, LEAST_ENERGY)
    add_legend(axes)


def draw_speeds(linear: Axes, angular: Axes, recording: Recording, columns: Ints) -> None:
    """Draw how fast some bodies move [m/s] and turn [°/s]."""
    speed, spin = speeds(recording)
    _draw_all(linear, recording.times, speed[:, columns])
    _draw_all(angular, recording.times, spin[:, columns])
    linear.set_title("Speed of the centre of mass")
    linear.set_ylabel("speed [m/s]")
    angular.set_title("Angular speed")
    angular.set_ylabel("angular speed [°/s]")
    _widen_both(linear, angular)


def draw_nodes(shift: Axes, turn: Axes, recording: Recording, columns: Ints) -> None:
    """Draw how far some nodes have moved [m] and turned [°] in their parents since the start."""
    moved, turned = local_motion(recording)
    _draw_all(shift, recording.times, moved[:, columns])
    _draw_all(turn, recording.times, turned[:, columns])
    shift.set_title("Shift in the parent, from the start")
    shift.set_ylabel("distance [m]")
    turn.set_title("Turn in the parent, from the start")
    turn.set_ylabel("angle [°]")
    _widen_both(shift, turn)


def speeds(recording: Recording) -> tuple[Floats, Floats]:
    """Return how fast bodies move [m/s] and turn [°/s], (F, N) each."""
    speed = np.linalg.norm(recording.linear_velocity, axis=-1)
    spin = np.linalg.norm(recording.angular_velocity, axis=-1)
    return speed, np.degrees(spin)


def local_motion(recording: Recording) -> tuple[Floats, Floats]:
    """Return how far nodes have moved [m] and turned [°] since the start, (F, M) each."""
    translation, rotation = recording.local_translation, recording.local_rotation
    moved = np.linalg.norm(translation - translation[:1], axis=-1)
    return moved, np.degrees(tf.angle_between(rotation, rotation[:1]))


def largest(tracks: Sequence[Floats], most: int) -> Ints:
    """Return the columns of tracks (F, N) that reach highest in any of them, in their order.

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
    axes.plot(times, values, color=colour, label=label, linewidth=width, marker=marker)


def widen(axes: Axes, least: float) -> None:
    """Give the vertical axis at least a span, so that noise stays small."""
    low, high = axes.get_ylim()
    missing = max(least - (high - low), 0.0) / 2
    axes.set_ylim(low - missing, high + missing)


def add_legend(*sides: Axes) -> None:
    """Say what the curves are, above the highest of them; `sides` share one panel."""
    handles = [handle for side in sides for handle in side.get_legend_handles_labels()[0]]
    for side in sides:
        low, high = side.get_ylim()
        side.set_ylim(low, high + 0.2 * (high - low))
    sides[-1].legend(handles=handles, loc="upper right", ncols=4, borderaxespad=0.1)


def _draw_all(axes: Axes, times: Floats, values: Floats) -> None:
    for column, colour in zip(values.T, SERIES, strict=False):
        draw_curve(axes, times, column, colour)
    axes.axhline(0, color=FAINT, linewidth=0.6, zorder=1)


def _widen_both(lengths: Axes, angles: Axes) -> None:
    widen(lengths, LEAST_LENGTH)
    widen(angles, LEAST_ANGLE)
