"""Draws docs/images/spring-bones.png: one update of a spring bone, and swings at three rates.

python docs/pictures/springs.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import ligament as lg

mpl.use("Agg")

import matplotlib.pyplot as plt

OUT = Path(__file__).parents[1] / "images" / "spring-bones.png"
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#777777"
RATES = {30: ORANGE, 60: BLUE, 144: GREEN}


def hair(joints: int = 3) -> lg.Document:
    """Return a head with a chain of hair."""
    nodes: list[dict[str, Any]] = [{"name": "head", "children": [1]}]
    for i in range(joints + 1):
        node: dict[str, Any] = {"name": f"hair{i}", "translation": [0, -0.1 if i else 0, 0]}
        nodes.append(node if i == joints else {**node, "children": [2 + i]})
    document = lg.Document({"asset": {"version": "2.0"}, "nodes": nodes})
    lg.Editor(document).add_spring("hair0", stiffness=0.8, drag=0.3, gravity=(0, -0.1, 0))
    return document


def swing(rate: int, mode: Any, seconds: float = 1.0) -> tuple[Any, Any]:
    """Return times, and the angle [°] of the first joint while the head is moved aside."""
    springs = lg.SpringBones(hair())
    times = np.arange(round(seconds * rate) + 1) / rate
    rotation, translation = (
        np.repeat(x[None], len(times), axis=0)
        for x in (springs.tree.rotation, springs.tree.translation)
    )
    translation[:, 0, 0] = 0.25 * np.clip(times / 0.25, 0, 1)
    turned = springs.swing(rotation, translation, rate=rate, mode=mode)[:, 0]
    return times, np.degrees(2 * np.arctan2(turned[:, 2], turned[:, 3]))


def draw_update(axes: Any) -> None:
    """Draw the vectors that make the next tail."""
    head, length, rest = np.zeros(2), 1.0, np.array([0.0, -1.0])
    before, now = (_at(angle, length) for angle in (-72, -46))
    drag, stiffness, gravity = 0.3, 0.34 * rest, np.array([0.0, -0.16])
    coast = now + (1 - drag) * (now - before)
    free = coast + stiffness + gravity
    tail = head + length * free / np.linalg.norm(free)
    circle = np.array([_at(a, length) for a in np.linspace(-80, 60, 90)])
    axes.plot(*circle.T, color=GREY, lw=0.8, ls=":")
    axes.plot(*np.array([head, rest]).T, color=GREY, lw=1.2, ls="--")
    for end, colour, width in ((now, GREY, 2.5), (tail, BLUE, 4)):
        axes.plot(*np.array([head, end]).T, color=colour, lw=width, solid_capstyle="round")
    for start, end, colour, text, shift in (
        (now, coast, ORANGE, "inertia · (1 - drag)", (-0.95, -0.1)),
        (coast, coast + stiffness, GREEN, "stiffness · dt", (-0.52, -0.06)),
        (coast + stiffness, free, "#cc79a7", "gravity · dt", (-0.46, -0.03)),
    ):
        style = {"arrowstyle": "-|>", "color": colour, "lw": 2}
        axes.annotate("", xy=end, xytext=start, arrowprops=style)
        axes.text(*(start + (end - start) / 2 + shift), text, color=colour, fontsize=9)
    axes.plot(*np.array([free, tail]).T, color=BLUE, lw=1, ls=":")
    for point, text, shift in (
        (head, "head", (0.05, 0.04)),
        (before, "tail, two updates ago", (-0.35, 0.1)),
        (now, "tail before", (-0.48, 0.0)),
        (tail, "tail now, at the length", (0.1, -0.22)),
        (rest, "rest", (0.06, -0.03)),
    ):
        axes.plot(*point, "o", color="#222222", ms=4)
        axes.text(*(point + shift), text, fontsize=9)
    axes.set_aspect("equal")
    axes.set_xlim(-1.6, 0.5)
    axes.set_ylim(-1.6, 0.25)
    axes.axis("off")
    axes.set_title("one update", fontsize=11)


def _at(degrees: float, length: float) -> Any:
    angle = np.radians(degrees)
    return length * np.array([np.sin(angle), -np.cos(angle)])


def main() -> None:
    """Draw the picture."""
    figure, (left, *right) = plt.subplots(1, 3, figsize=(12, 4), width_ratios=(1.1, 1, 1))
    draw_update(left)
    for axes, mode in zip(right, ("reference", "steady"), strict=True):
        for rate, colour in RATES.items():
            axes.plot(*swing(rate, mode), color=colour, lw=1.4, label=f"{rate} frames/s")
        axes.set_title(f"{mode} mode", fontsize=11)
        axes.set_xlabel("time [s]")
        axes.grid(alpha=0.3)
        axes.set_xlim(0, 1)
        axes.set_ylim(-32, 14)
    right[0].set_ylabel("swing of the first joint [°]")
    right[1].legend(frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(OUT, dpi=110)


if __name__ == "__main__":
    main()
