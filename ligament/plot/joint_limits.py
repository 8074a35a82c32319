"""Joint limits: one panel per joint, bounds as lines, violations shaded."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ligament.arrays import Floats
from ligament.plot.curves import MANY_FRAMES, add_legend, draw_curve, fit
from ligament.plot.style import FAINT, INK, SERIES, VIOLATION

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ligament.recording import LimitTrack

Kind = Literal["linear", "angular"]

HOLDS: Final = {"linear": 1e-4, "angular": 1e-3}
"""Violation [m, rad] above which a figure mentions it."""

SMALL = 0.1
"""Lengths [m] below this are shown in millimetres."""

_SHADE: Final[dict[str, Any]] = {"color": VIOLATION, "alpha": 0.45, "linewidth": 0}

# Dashes by whether the bound is hard.
_DASHES: Final[dict[bool, Literal["solid", "dashed"]]] = {True: "solid", False: "dashed"}


class Unit(NamedTuple):
    """Display unit of values [m, rad]: factor, symbol, and smallest span of an axis."""

    factor: float
    sign: str
    least: float

    def text(self, value: float) -> str:
        """Write a value with two digits."""
        digits = np.format_float_positional(
            self.factor * value, precision=2, fractional=False, trim="-"
        )
        return f"{digits}{'' if self.sign == '°' else ' '}{self.sign}"


_DEGREES, _METRES = Unit(180 / math.pi, "°", 1.0), Unit(1.0, "m", 0.1)
_MILLIMETRES = Unit(1000.0, "mm", 1.0)


def by_joint(tracks: Iterable[LimitTrack]) -> list[list[LimitTrack]]:
    """Group limits by joint, the joint with the largest violation [m or rad] first."""
    joints: dict[int, list[LimitTrack]] = {}
    for track in tracks:
        joints.setdefault(track.node, []).append(track)
    return sorted(joints.values(), key=lambda joint: -max(_worst(track) for track in joint))


def draw_joint(axes: Axes, times: Floats, tracks: Sequence[LimitTrack], title: str) -> None:
    """Draw the limits of one joint; satisfied locks are only counted if others are drawn.

    If both angles and lengths are drawn, lengths have their scale on the right.
    """
    shown = [track for track in tracks if not _is_kept_lock(track)] or list(tracks)
    coloured = list(zip(shown, itertools.cycle(SERIES)))
    angles = [pair for pair in coloured if pair[0].kind == "angular"]
    lengths = [pair for pair in coloured if pair[0].kind == "linear"]
    if angles:
        _draw_kind(axes, times, angles, "upper left")
    if lengths:
        _draw_kind(_right_of(axes) if angles else axes, times, lengths, "upper right")
    axes.set_title(title, pad=14)
    axes.annotate(
        _note(tracks),
        xy=(0, 1),
        xycoords="axes fraction",
        xytext=(0, 4),
        textcoords="offset points",
        color=FAINT,
        fontsize=7.5,
    )


def legend_handles() -> list[Artist]:
    """Return the legend of the marks in joint panels."""
    return [
        Line2D([], [], color=INK, label="value"),
        Line2D([], [], color=INK, linewidth=0.8, linestyle=_DASHES[True], label="hard bound"),
        Line2D([], [], color=INK, linewidth=0.8, linestyle=_DASHES[False], label="soft bound"),
        Patch(**_SHADE, label="beyond the bound"),
    ]


def _draw_kind(
    axes: Axes,
    times: Floats,
    coloured: Sequence[tuple[LimitTrack, str]],
    place: Literal["upper left", "upper right"],
) -> None:
    """Draw all limits of one kind, with their colours, on one scale."""
    tracks = [track for track, _ in coloured]
    unit = _unit(tracks)
    for track, colour in coloured:
        _draw_limit(axes, times, track, unit, colour)
    fit(axes, unit.least, is_signed=any(len(track.axes) == 1 for track in tracks))
    what = "along" if tracks[0].kind == "linear" else "about"
    if len(tracks) == 1:
        axes.set_ylabel(f"{what} {_letters(tracks[0])} [{unit.sign}]", color=coloured[0][1])
    else:
        axes.set_ylabel(f"{what} [{unit.sign}]")
        add_legend(axes, place)


def _draw_limit(axes: Axes, times: Floats, track: LimitTrack, unit: Unit, colour: str) -> None:
    value = unit.factor * track.value
    draw_curve(axes, times, value, colour, label=_letters(track))
    line: dict[str, Any] = {"color": colour, "linewidth": 0.8, "linestyle": _DASHES[track.is_hard]}
    if track.moving_minimum is not None:
        for moving in track.bounds:
            axes.plot(times, unit.factor * moving, **line)
    else:
        for bound in filter(math.isfinite, {track.minimum, track.maximum}):
            axes.axhline(unit.factor * bound, **line)
    if (track.violation > 0).any():
        allowed = unit.factor * np.clip(track.value, *track.bounds)
        area = axes.fill_between(times, allowed, value, **_SHADE)
        area.set_rasterized(len(times) > MANY_FRAMES)


def _right_of(axes: Axes) -> Axes:
    """Add a second scale on the right of a panel."""
    right = axes.twinx()
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    return right


def _unit(tracks: Sequence[LimitTrack]) -> Unit:
    if tracks[0].kind == "angular":
        return _DEGREES
    values = [x for t in tracks for x in (t.minimum, t.maximum, t.value.min(), t.value.max())]
    return _length_unit(max((abs(x) for x in values if math.isfinite(x)), default=0.0))


def _length_unit(largest: float) -> Unit:
    return _MILLIMETRES if largest < SMALL else _METRES


def _note(tracks: Sequence[LimitTrack]) -> str:
    """Note the largest violation, and how many locks hold."""
    worst, notes = max(tracks, key=_worst), []
    if (off := _worst(worst)) > HOLDS[worst.kind or "linear"]:
        unit = _DEGREES if worst.kind == "angular" else _length_unit(off)
        notes.append(f"beyond by {unit.text(off)}")
    if locks := sum(map(_is_kept_lock, tracks)):
        notes.append("1 lock holds" if locks == 1 else f"{locks} locks hold")
    return ", ".join(notes)


def _letters(track: LimitTrack) -> str:
    return " ".join("XYZ"[axis] for axis in sorted(track.axes))


def _is_kept_lock(track: LimitTrack) -> bool:
    return track.minimum == track.maximum and _worst(track) <= HOLDS[track.kind or "linear"]


def _worst(track: LimitTrack) -> float:
    return float(track.violation.max(initial=0.0))
