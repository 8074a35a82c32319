"""Joint limits: one panel per joint, bounds as lines, what lies beyond them shaded."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ligament.plot.curves import add_legend, draw_curve, widen
from ligament.plot.style import FAINT, INK, SERIES, VIOLATION

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ligament.recording import LimitTrack

Floats = npt.NDArray[np.float64]

HOLDS: Final = {"linear": 1e-4, "angular": 1e-3}
"""How far [m, rad] a lock may be off before it is drawn beside limits that are no locks."""

SMALL = 0.1
"""Lengths [m] below this are told in millimetres."""

# Dashes by whether the bound is hard.
_DASHES: Final[dict[bool, tuple[float, tuple[float, ...]]]] = {True: (0, ()), False: (0, (4, 2))}


class Unit(NamedTuple):
    """How values [m, rad] are shown: times a factor, under a sign, over at least a span."""

    factor: float
    sign: str
    least: float


_DEGREES, _METRES = Unit(180 / math.pi, "°", 1.0), Unit(1.0, "m", 0.1)
_MILLIMETRES = Unit(1000.0, "mm", 1.0)


def by_joint(tracks: Iterable[LimitTrack]) -> list[list[LimitTrack]]:
    """Gather limits by joint, the joint with the largest violation [m or rad] first."""
    joints: dict[int, list[LimitTrack]] = {}
    for track in tracks:
        joints.setdefault(track.node, []).append(track)
    return sorted(joints.values(), key=lambda joint: -max(_worst(track) for track in joint))


def draw_joint(axes: Axes, times: Floats, tracks: Sequence[LimitTrack], title: str) -> None:
    """Draw the limits of one joint; locks that hold are counted where other limits are drawn."""
    shown = [track for track in tracks if not _is_held_lock(track)] or list(tracks)
    sides = _sides(axes, shown)
    labelled = len(shown) > 1
    for track, colour in zip(shown, itertools.cycle(SERIES)):
        side, unit = sides[track.kind]
        _draw_limit(side, times, track, unit, colour, label=_about(track) if labelled else None)
    for side, unit in sides.values():
        widen(side, unit.least)
        side.set_ylabel(f"[{unit.sign}]" if labelled else f"{_about(shown[0])} [{unit.sign}]")
    if labelled:
        add_legend(*(side for side, _ in sides.values()))
    axes.set_title(title)
    axes.set_title(_note(shown, len(tracks) - len(shown), sides), loc="right", color=FAINT, size=7)


def legend_handles() -> list[Artist]:
    """Return what the signs of all panels of joints mean."""
    return [
        Line2D([], [], color=INK, label="value"),
        Line2D([], [], color=INK, linewidth=0.8, linestyle=_DASHES[True], label="hard bound"),
        Line2D([], [], color=INK, linewidth=0.8, linestyle=_DASHES[False], label="soft bound"),
        Patch(color=VIOLATION, alpha=0.45, linewidth=0, label="beyond the bound"),
    ]


def _draw_limit(
    axes: Axes, times: Floats, track: LimitTrack, unit: Unit, colour: str, *, label: str | None
) -> None:
    value = unit.factor * track.value
    draw_curve(axes, times, value, colour, label=label)
    for bound in {track.minimum, track.maximum}:
        if math.isfinite(bound):
            style = _DASHES[track.is_hard]
            axes.axhline(unit.factor * bound, color=colour, linewidth=0.8, linestyle=style)
    allowed = unit.factor * np.clip(track.value, track.minimum, track.maximum)
    if (track.violation > 0).any():
        axes.fill_between(times, allowed, value, color=VIOLATION, alpha=0.45, linewidth=0)


def _sides(axes: Axes, tracks: Sequence[LimitTrack]) -> dict[str, tuple[Axes, Unit]]:
    """Return an axis and a unit for each kind of limit: angles on the left of lengths."""
    kinds = {track.kind for track in tracks}
    lengths = axes
    if len(kinds) == 2:
        lengths = axes.twinx()
        lengths.grid(visible=False)
        lengths.spines["right"].set_visible(True)
    units = {"angular": (axes, _DEGREES), "linear": (lengths, _unit_of_length(tracks))}
    return {kind: side for kind, side in units.items() if kind in kinds}


def _unit_of_length(tracks: Sequence[LimitTrack]) -> Unit:
    linear = [track for track in tracks if track.kind == "linear"]
    values = [x for t in linear for x in (t.minimum, t.maximum, t.value.min(), t.value.max())]
    largest = max((abs(x) for x in values if math.isfinite(x)), default=0.0)
    return _MILLIMETRES if largest < SMALL else _METRES


def _note(shown: Sequence[LimitTrack], held: int, sides: dict[str, tuple[Axes, Unit]]) -> str:
    """Say how far the worst limit is off, and how many locks need no curve."""
    worst = max(shown, key=_worst)
    unit, notes = sides[worst.kind][1], []
    if _worst(worst) > HOLDS[worst.kind]:
        notes.append(f"beyond by {unit.factor * _worst(worst):.2g} {unit.sign}")
    if held:
        notes.append("1 lock holds" if held == 1 else f"{held} locks hold")
    return ", ".join(notes)


def _about(track: LimitTrack) -> str:
    """Say what a limit measures, like "about Y" or "along X Y Z"."""
    axes = " ".join("XYZ"[axis] for axis in track.axes)
    return f"{'along' if track.kind == 'linear' else 'about'} {axes}"


def _is_held_lock(track: LimitTrack) -> bool:
    return track.minimum == track.maximum and _worst(track) <= HOLDS[track.kind]


def _worst(track: LimitTrack) -> float:
    return float(track.violation.max(initial=0.0))
