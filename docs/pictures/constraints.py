"""Draws docs/images/constraints.png: what each constraint does to the twist bone of a forearm.

python docs/pictures/constraints.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import ligament as lg
from ligament import transforms as tf
from ligament.gltf.tree import NodeTree

mpl.use("Agg")

import matplotlib.pyplot as plt
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

WRIST, MIDDLE, RADIUS = 0.25, 0.125, 0.035
ARM, TWIST, HAND = 0, 1, 2
PANELS: list[tuple[str, dict[str, Any] | None]] = [
    ("no constraint", None),
    ("rotation, weight 0.5", {"rotation": {"source": HAND, "weight": 0.5}}),
    ("roll about X, weight 0.5", {"roll": {"source": HAND, "rollAxis": "X", "weight": 0.5}}),
    ("aim +X at the fingers", {"aim": {"source": 3, "aimAxis": "PositiveX"}}),
]


def forearm(constraint: dict[str, Any] | None) -> lg.Document:
    """An arm of four nodes: arm, twist bone, hand, fingers."""
    twist: dict[str, Any] = {"name": "twist", "translation": [MIDDLE, 0, 0]}
    if constraint:
        extension = {"specVersion": "1.0", "constraint": constraint}
        twist["extensions"] = {"VRMC_node_constraint": extension}
    nodes = [
        {"name": "arm", "children": [TWIST, HAND]},
        twist,
        {"name": "hand", "translation": [WRIST, 0, 0], "children": [3]},
        {"name": "fingers", "translation": [0.12, 0, 0]},
    ]
    used = {"extensionsUsed": ["VRMC_node_constraint"]} if constraint else {}
    return lg.Document({"asset": {"version": "2.0"}, "nodes": nodes, **used})


def posed(document: lg.Document) -> np.ndarray:
    """World matrices with the hand bent by 25° and rolled by 120°, constraints solved."""
    tree = NodeTree(document)
    rotation = np.array(tree.rotation)
    bend = tf.from_axis_angle(np.array([0.0, 0, 1]), np.radians(25))
    roll = tf.from_axis_angle(np.array([1.0, 0, 0]), np.radians(120))
    rotation[HAND] = tf.multiply(bend, roll)
    rotation = lg.NodeConstraints(document).solve(rotation, tree.translation)
    return np.asarray(tree.world_matrices(rotation=rotation))


def skin(world: np.ndarray, *, around: int = 48, along: int = 60) -> np.ndarray:
    """A tube bound to arm, twist bone and hand by linear blend skinning: (along, around, 3)."""
    angle = np.linspace(0, 2 * np.pi, around + 1)
    x = np.linspace(0.02, WRIST + 0.03, along)
    ring = np.stack([0 * angle, RADIUS * np.cos(angle), RADIUS * np.sin(angle)], axis=-1)
    points = ring[None] + x[:, None, None] * np.array([1.0, 0, 0])
    bind = np.array([np.eye(4)] * 3)
    bind[TWIST, 0, 3], bind[HAND, 0, 3] = -MIDDLE, -WRIST
    matrices = world[[ARM, TWIST, HAND]] @ bind
    to_twist = np.clip(x / MIDDLE, 0, 1)
    to_hand = np.clip((x - MIDDLE) / (WRIST - MIDDLE), 0, 1)
    weights = np.stack([1 - to_twist, to_twist - to_hand, to_hand], axis=-1)
    blended = np.einsum("ab,bij->aij", weights, matrices)
    return np.asarray(tf.apply_matrix(blended[:, None], points))


def draw(axes: Any, title: str, constraint: dict[str, Any] | None) -> None:
    """Draw one arm with stripes along it, so that twist can be seen."""
    world = posed(forearm(constraint))
    points = skin(world)
    quads = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2)
    stripe = (np.arange(quads.shape[1]) // 6) % 2
    colours = np.where(stripe[None, :, None], [0.86, 0.62, 0.47], [0.55, 0.33, 0.24])
    normal = np.cross(quads[..., 1, :] - quads[..., 0, :], quads[..., 3, :] - quads[..., 0, :])
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    light = np.abs(normal / np.maximum(length, 1e-12) @ np.array([0.3, -0.5, 0.8]))
    shaded = np.clip(np.broadcast_to(colours, normal.shape) * (0.5 + 0.5 * light[..., None]), 0, 1)
    # matplotlib's third axis points up, glTF's second one does.
    axes.add_collection3d(
        Poly3DCollection(quads.reshape(-1, 4, 3)[..., [0, 2, 1]], facecolors=shaded.reshape(-1, 3))
    )
    for node, size in ((TWIST, 0.07), (HAND, 0.09)):
        for axis, colour in enumerate(("tab:red", "tab:green", "tab:blue")):
            tip = world[node, :3, 3] + world[node, :3, axis] * size
            line = np.stack([world[node, :3, 3], tip])[:, [0, 2, 1]]
            axes.plot(*line.T, color=colour, linewidth=2.5, zorder=10)
    axes.set_title(title, fontsize=11, pad=-4)
    axes.set(xlim=(0.0, 0.34), ylim=(-0.1, 0.1), zlim=(-0.08, 0.1))
    axes.set_box_aspect((0.34, 0.2, 0.18), zoom=1.35)
    axes.view_init(elev=22, azim=-72)
    axes.set_axis_off()


def main() -> None:
    """Draw all panels."""
    figure = plt.figure(figsize=(13, 3))
    for i, (title, constraint) in enumerate(PANELS):
        draw(
            figure.add_subplot(1, 4, i + 1, projection="3d", computed_zorder=False),
            title,
            constraint,
        )
    figure.subplots_adjust(0, 0, 1, 0.92, 0, 0)
    out = Path(__file__).parents[1] / "images" / "constraints.png"
    figure.savefig(out, dpi=110)
    print(out)


if __name__ == "__main__":
    main()
