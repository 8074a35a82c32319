"""Plots of recordings: joint limits, energy, speeds and events over time; and comparisons.

Drawing needs matplotlib (`pip install ligament[plot]`), which is imported when a picture is drawn.
"""

from ligament.plot.save import (
    check_picture,
    draw_recording,
    plot_comparison,
    plot_recording,
)

__all__ = [
    "check_picture",
    "draw_recording",
    "plot_comparison",
    "plot_recording",
]
