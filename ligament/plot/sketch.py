"""Sketch of a recording: its most telling curves, in one small figure."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from ligament.plot.curves import (
    LEAST_ANGLE,
    draw_curve,
    draw_energy,
    fit,
    largest,
    local_motion,
)
from ligament.plot.style import SERIES, look
from ligament.recording import Recording

SIZE = 4.6, 2.7
"""Of the figure [inch]."""

MOST_NODES = 4
"""Nodes whose motion is drawn."""


def draw(recording: Recording, names: Sequence[str | None], nodes: Sequence[int] = ()) -> Figure:
    """Draw the energy of bodies, or how far nodes turn: the given ones, else those that turn most.

    >>> draw(recording, NodeTree(document).names).savefig("door.png")
    """
    with look():
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        if len(recording.nodes) and not nodes:
            draw_energy(axes, recording)
        else:
            _, turned = local_motion(recording)
            listed = recording.local_nodes.tolist()
            columns = [listed.index(node) for node in nodes if node in listed]
            for column, colour in zip(
                columns or largest([turned], MOST_NODES).tolist(), SERIES, strict=False
            ):
                node = listed[column]
                label = names[node] if node < len(names) else None
                draw_curve(
                    axes, recording.times, turned[:, column], colour, label=label or f"node {node}"
                )
            axes.set_title("Turn in the parent, from the start")
            axes.set_ylabel("angle [°]")
            fit(axes, LEAST_ANGLE, is_signed=False)
            axes.legend(loc="upper right", fontsize=7)
        axes.set_xlabel("time [s]")
    return figure
