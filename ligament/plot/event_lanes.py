"""Event lanes: overlaps with triggers and contacts as bars on the time axis."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from ligament.arrays import Floats
from ligament.physics.events import Event, EventType
from ligament.plot.style import CONTACT, TRIGGER

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ligament.plot.figure import Labels

ROOM = 0.09
"""Free fraction of the time axis needed to write a mark's time next to it."""


_BEGINS = (EventType.TRIGGER_ENTER, EventType.CONTACT_BEGIN)


@dataclasses.dataclass(eq=False)
class Lane:
    """The events of one pair: a trigger and its visitor, or two colliders; times in [s]."""

    pair: tuple[int, int]
    is_trigger: bool
    begins: list[float] = dataclasses.field(default_factory=list)
    ends: list[float] = dataclasses.field(default_factory=list)

    def spans(self, until: float) -> list[tuple[float, float]]:
        """Return the overlaps as starts and lengths; one may last to the end."""
        ends = [*self.ends, until]
        return [(begin, end - begin) for begin, end in zip(self.begins, ends, strict=False)]


def by_pair(events: Iterable[Event]) -> list[Lane]:
    """Group events by pair: triggers first, then by the time of the first event."""
    lanes: dict[tuple[int, int, bool], Lane] = {}
    for event in events:
        pair = _pair(event)
        is_trigger = event.trigger is not None
        lane = lanes.setdefault((*pair, is_trigger), Lane(pair, is_trigger))
        (lane.begins if event.type in _BEGINS else lane.ends).append(event.time)
    return sorted(lanes.values(), key=lambda lane: not lane.is_trigger)


def draw_lanes(axes: Axes, lanes: list[Lane], labels: Labels, until: float) -> None:
    """Draw one line per pair, from top to bottom; `until` [s] is the end of the recording."""
    for row, lane in enumerate(lanes):
        colour = TRIGGER if lane.is_trigger else CONTACT
        axes.broken_barh(lane.spans(until), (row - 0.14, 0.28), color=colour, alpha=0.3, lw=0)
        marks = np.sort(lane.begins + lane.ends)
        for times, is_begin in ((lane.begins, True), (lane.ends, False)):
            mark = _mark(colour, "", is_begin=is_begin)
            mark.set_data(times, [row] * len(times))
            axes.add_line(mark)
            for time in times:
                if _has_room(time, marks, ROOM * until, is_begin=is_begin):
                    _write_time(axes, time, row, is_begin=is_begin)
    axes.set_yticks(range(len(lanes)), [_title(lane, labels) for lane in lanes])
    axes.set_ylim(len(lanes) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def legend_handles(lanes: Iterable[Lane]) -> list[Artist]:
    """Return the legend of the marks drawn."""
    words = {True: (TRIGGER, "enters", "leaves"), False: (CONTACT, "touch begins", "touch ends")}
    kinds = sorted({lane.is_trigger for lane in lanes}, reverse=True)
    return [
        _mark(colour, label, is_begin=is_begin)
        for colour, *pair in (words[kind] for kind in kinds)
        for label, is_begin in zip(pair, (True, False), strict=True)
    ]


def _has_room(time: float, marks: Floats, width: float, *, is_begin: bool) -> bool:
    """Tell whether a number of some width fits before a start or after an end."""
    low, high = (time - width, time) if is_begin else (time, time + width)
    between = np.searchsorted(marks, high, "left") - np.searchsorted(marks, low, "right")
    return bool(between <= 0) and (low > 0 or not is_begin)


def _write_time(axes: Axes, time: float, row: int, *, is_begin: bool) -> None:
    """Write a time [s] next to its mark, outside the bar."""
    axes.annotate(
        f"{time:.2f} s",
        (time, row),
        xytext=(-6 if is_begin else 6, -0.5),
        textcoords="offset points",
        ha="right" if is_begin else "left",
        va="center",
        fontsize=7,
    )


def _mark(colour: str, label: str, *, is_begin: bool) -> Line2D:
    return Line2D(
        *([], []),
        linestyle="none",
        marker=">" if is_begin else "<",
        markersize=6,
        color=colour,
        markerfacecolor=colour if is_begin else "white",
        label=label,
    )


def _pair(event: Event) -> tuple[int, int]:
    """Return the nodes that an event concerns; a body takes precedence over its collider."""
    if event.trigger is not None:
        return event.trigger, event.collider if event.body is None else event.body
    return event.collider, event.collider if event.other_collider is None else event.other_collider


def _title(lane: Lane, labels: Labels) -> str:
    one, other = map(labels, lane.pair)
    return f"{other} in {one}" if lane.is_trigger else f"{one} and {other}"
