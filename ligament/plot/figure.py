"""Figure of a recording: one section below the other, each with heading and legend."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.plot import curves, event_lanes, joint_limits
from ligament.plot.style import SERIES, can_draw, look

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import SubFigure

    from ligament.recording import LimitTrack, Recording

WIDTH = 12.0
"""Size of the figure [inch], as are all sizes here."""

PANEL_HEIGHT, JOINT_HEIGHT, LANE_HEIGHT, HEADING = 2.5, 1.8, 0.26, 0.75
MOST_BODIES, MOST_JOINTS, MOST_LANES = len(SERIES), 12, 16
JOINT_COLUMNS, NAME_COLUMNS = 3, 4


class Section(NamedTuple):
    """A part of the figure: its height, and the function that draws it."""

    height: float
    draw: Callable[[SubFigure], None]


def draw(recording: Recording, names: Sequence[str | None]) -> Figure:
    """Draw everything in a recording."""
    with look():
        sections = list(_sections(recording, Labels(names, can_draw)))
        if not sections:
            raise ContentError(
                "nothing moves in this recording, so there is nothing to draw",
                remedy="play a file with an animation, node constraints or rigid bodies",
            )
        return compose(sections)


def compose(sections: Sequence[Section]) -> Figure:
    """Draw sections one below the other."""
    heights = [section.height for section in sections]
    figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    parts = figure.subfigures(len(sections), 1, height_ratios=heights, squeeze=False)
    for section, part in zip(sections, parts[:, 0], strict=True):
        section.draw(part)
    return figure


def _sections(recording: Recording, labels: Labels) -> Iterator[Section]:
    if not len(recording.times):
        return
    if len(recording.nodes):
        yield Section(PANEL_HEIGHT + HEADING, partial(_draw_bodies, recording, labels))
    elif len(recording.local_nodes):
        yield Section(PANEL_HEIGHT + HEADING, partial(_draw_nodes, recording, labels))
    joints = joint_limits.by_joint(recording.limits)
    if joints:
        rows = math.ceil(min(len(joints), MOST_JOINTS) / JOINT_COLUMNS)
        yield Section(
            rows * JOINT_HEIGHT + HEADING, partial(_draw_joints, recording, labels, joints)
        )
    lanes = event_lanes.by_pair(recording.events)
    if lanes:
        rows = min(len(lanes), MOST_LANES)
        yield Section(
            rows * LANE_HEIGHT + 0.4 + HEADING, partial(_draw_events, recording, labels, lanes)
        )


def _draw_bodies(recording: Recording, labels: Labels, part: SubFigure) -> None:
    energy, linear, angular = divide(part, recording.times, 1, 3)[0]
    columns = curves.largest(curves.speeds(recording), MOST_BODIES)
    curves.draw_energy(energy, recording)
    curves.draw_speeds(linear, angular, recording, columns)
    add_heading(part, "Bodies", len(columns), len(recording.nodes), "bodies, the fastest")
    name_series(part, [labels(node) for node in recording.nodes[columns].tolist()])


def _draw_nodes(recording: Recording, labels: Labels, part: SubFigure) -> None:
    shift, rotation = divide(part, recording.times, 1, 2)[0]
    columns = curves.largest(curves.local_motion(recording), MOST_BODIES)
    curves.draw_nodes(shift, rotation, recording, columns)
    nodes = recording.local_nodes
    add_heading(part, "Nodes", len(columns), len(nodes), "nodes, those that move most")
    name_series(part, [labels(node) for node in nodes[columns].tolist()])


def _draw_joints(
    recording: Recording, labels: Labels, joints: list[list[LimitTrack]], part: SubFigure
) -> None:
    shown = joints[:MOST_JOINTS]
    columns = min(len(shown), JOINT_COLUMNS)
    panels = divide(part, recording.times, math.ceil(len(shown) / columns), columns).ravel()
    for axes, tracks in zip(panels, shown, strict=False):
        joint_limits.draw_joint(axes, recording.times, tracks, labels(tracks[0].node))
    for axes in panels[len(shown) :]:
        axes.set_visible(False)
    for axes in panels[: len(shown)][-columns:]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("time [s]")
    add_heading(
        part, "Joint limits", len(shown), len(joints), "joints, the largest violations first"
    )
    explain(part, joint_limits.legend_handles())


def _draw_events(
    recording: Recording, labels: Labels, lanes: list[event_lanes.Lane], part: SubFigure
) -> None:
    shown = lanes[:MOST_LANES]
    event_lanes.draw_lanes(
        divide(part, recording.times, 1, 1)[0, 0], shown, labels, float(recording.times[-1])
    )
    add_heading(part, "Events", len(shown), len(lanes), "pairs, the earliest")
    explain(part, event_lanes.legend_handles(shown))


def divide(part: SubFigure, times: Floats, rows: int, columns: int) -> npt.NDArray[np.object_]:
    """Divide a section into panels (rows, columns) that share the times (F,) [s]."""
    panels: npt.NDArray[np.object_] = part.subplots(rows, columns, sharex=True, squeeze=False)
    end = float(times[-1]) or 1.0
    panels[0, 0].set_xlim(-0.01 * end, 1.01 * end)
    for axes in panels[-1]:
        axes.set_xlabel("time [s]")
    return panels


def add_heading(part: SubFigure, title: str, shown: int, total: int, which: str) -> None:
    """Add the title of a section, which says what was left out."""
    left_out = f"  ·  {shown} of {total} {which}" if shown < total else ""
    part.suptitle(f"{title}{left_out}", x=0.008, ha="left", fontsize=10.5, weight="bold")


def name_series(part: SubFigure, names: Sequence[str]) -> None:
    """Add a colour legend below the panels."""
    handles = [Line2D([], [], color=colour) for colour in SERIES[: len(names)]]
    part.legend(handles, names, loc="outside lower center", ncols=NAME_COLUMNS)


def explain(part: SubFigure, handles: Sequence[Artist]) -> None:
    """Explain the marks next to the title."""
    part.legend(handles=handles, loc="outside upper right", ncols=len(handles))


LONGEST = 28


class Labels:
    """Labels of nodes in a figure, by index.

    A name that is not unique, or cannot be drawn exactly, is followed by the index. Control
    characters are left out; `can_draw` tells which others the font has.
    """

    def __init__(self, names: Sequence[str | None], can_draw: Callable[[str], bool]) -> None:
        self._names, self._can_draw = names, can_draw
        self._counts = Counter(names)

    def __call__(self, node: int) -> str:
        """Name a node."""
        name = self._names[node] if 0 <= node < len(self._names) else None
        shown = self.clean(name or "")
        if not shown:
            return f"node {node}"
        if shown != name or self._counts[name] > 1:
            return f"{shown} (node {node})"
        return shown

    def clean(self, name: str) -> str:
        """Return a displayable name of at most 28 characters."""
        seen = "".join(c if c.isspace() else self._character(c) for c in name)
        seen = " ".join(seen.split())
        return seen if len(seen) <= LONGEST else f"{seen[: LONGEST - 1]}…"

    def _character(self, character: str) -> str:
        if unicodedata.category(character).startswith("C"):
            return ""
        return character if self._can_draw(character) else "□"
