"""Figure of a comparison: divergence of bodies, joint limits and events of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.lines import Line2D

from ligament.plot.curves import LEAST_ANGLE, LEAST_LENGTH, draw_curve, fit
from ligament.plot.figure import (
    HEADING,
    JOINT_COLUMNS,
    JOINT_HEIGHT,
    LANE_HEIGHT,
    MOST_BODIES,
    MOST_JOINTS,
    MOST_LANES,
    PANEL_HEIGHT,
    Labels,
    Section,
    add_heading,
    compose,
    divide,
    explain,
    name_series,
)
from ligament.plot.style import FAINT, SERIES, can_draw, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from ligament.comparison import Comparison, EventDifference, LimitDifference

FIRST, SECOND = SERIES[0], SERIES[2]
"""Colours of the two recordings."""

_TOLERANCE: Final = (0, (4, 3))
_DISTANCE, _ANGLE = "Distance between both", "Angle between both"


def draw(comparison: Comparison, titles: tuple[str, str], names: Sequence[str | None]) -> Figure:
    """Draw where, when and how far two recordings diverge."""
    labels = Labels(names, can_draw)
    with look():
        sections = [Section(PANEL_HEIGHT + HEADING, partial(_draw_bodies, comparison, labels))]
        if comparison.limits:
            shown = min(len(comparison.limits), MOST_JOINTS)
            height = math.ceil(shown / JOINT_COLUMNS) * JOINT_HEIGHT + HEADING
            sections.append(Section(height, partial(_draw_limits, comparison, labels, titles)))
        if comparison.events:
            rows = min(len(comparison.events), MOST_LANES)
            sections.append(
                Section(
                    rows * LANE_HEIGHT + 0.4 + HEADING,
                    partial(_draw_events, comparison, labels, titles),
                )
            )
        return compose(sections)


def _draw_bodies(comparison: Comparison, labels: Labels, part: SubFigure) -> None:
    bodies = comparison.bodies[:MOST_BODIES]
    distance, angle = divide(part, comparison.times, 1, 2)[0]
    for body, colour in zip(bodies, SERIES, strict=False):
        draw_curve(distance, comparison.times, body.distance, colour)
        draw_curve(angle, comparison.times, np.degrees(body.angle), colour)
        if body.parts_at is not None:
            for axes in (distance, angle):
                axes.axvline(body.parts_at, color=colour, linewidth=0.8, linestyle=":")
    _finish(distance, _DISTANCE, "distance [m]", comparison.tolerance.distance, LEAST_LENGTH)
    _finish(angle, _ANGLE, "angle [°]", math.degrees(comparison.tolerance.angle), LEAST_ANGLE)
    which = "bodies, in the order in which they part"
    add_heading(part, "Bodies", len(bodies), len(comparison.bodies), which)
    marks = {"same": "", "chaos": " (chaos)", "differs": " (differs)"}
    name_series(part, [labels(body.node) + marks[body.verdict] for body in bodies])


def _finish(axes: Axes, title: str, label: str, tolerance: float, least: float) -> None:
    axes.axhline(tolerance, color=FAINT, linewidth=0.8, linestyle=_TOLERANCE)
    axes.set_title(f"{title}; the tolerance is dashed")
    axes.set_ylabel(label)
    fit(axes, least, is_signed=False)


def _draw_limits(
    comparison: Comparison, labels: Labels, titles: tuple[str, str], part: SubFigure
) -> None:
    shown = comparison.limits[:MOST_JOINTS]
    columns = min(len(shown), JOINT_COLUMNS)
    rows = math.ceil(len(shown) / columns)
    panels = divide(part, comparison.times, rows, columns).ravel()
    for axes, limit in zip(panels, shown, strict=False):
        _draw_limit(axes, comparison, limit, f"{labels(limit.node)}, limit {limit.index}")
    for axes in panels[len(shown) :]:
        axes.set_visible(False)
    which = "limits, in the order in which they part"
    add_heading(part, "Joint limits", len(shown), len(comparison.limits), which)
    explain(part, _titles(titles, labels))


def _draw_limit(axes: Axes, comparison: Comparison, limit: LimitDifference, title: str) -> None:
    factor, unit = {
        "linear": (1.0, "m"),
        "angular": (math.degrees(1.0), "°"),
    }.get(limit.kind or "", (1.0, "m or rad"))
    for track, colour in ((limit.a, FIRST), (limit.b, SECOND)):
        draw_curve(axes, comparison.times, factor * track.value, colour)
    if limit.parts_at is not None:
        axes.axvline(limit.parts_at, color=FAINT, linewidth=0.8, linestyle=":")
    axes.set_title(title)
    axes.set_ylabel(f"value [{unit}]")
    fit(axes, LEAST_LENGTH if limit.kind == "linear" else LEAST_ANGLE)


def _draw_events(
    comparison: Comparison, labels: Labels, titles: tuple[str, str], part: SubFigure
) -> None:
    shown = comparison.events[:MOST_LANES]
    (axes,) = divide(part, comparison.times, 1, 1)[0]
    for row, found in enumerate(shown):
        for event, colour in ((found.a, FIRST), (found.b, SECOND)):
            if event is not None:
                axes.plot([event.time], [row], color=colour, marker="o", linestyle="none")
    axes.set_yticks(range(len(shown)), [_event_title(found, labels) for found in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    which = "events, the earliest"
    add_heading(part, "Events that differ", len(shown), len(comparison.events), which)
    explain(part, _titles(titles, labels))


def _event_title(found: EventDifference, labels: Labels) -> str:
    event = found.event
    other = event.other_collider if event.trigger is None else event.trigger
    return f"{event.type.replace('_', ' ')}: {labels(event.collider)}, {labels(other or 0)}"


def _titles(titles: tuple[str, str], labels: Labels) -> list[Line2D]:
    return [
        Line2D([], [], color=colour, label=labels.clean(title))
        for colour, title in zip((FIRST, SECOND), titles, strict=True)
    ]
