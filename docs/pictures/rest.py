"""Draws docs/images/rest.png: one posture, two skeletons, two sets of numbers.

python docs/pictures/rest.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import ligament as lg
from ligament import transforms as tf
from ligament.demo import assets
from ligament.gltf.tree import NodeTree

mpl.use("Agg")

import matplotlib.pyplot as plt

ARM = ("leftUpperArm", "leftLowerArm", "leftHand")
DRAWN = ("hips", "spine", "chest", "neck", "head", "leftShoulder", *ARM)


def with_rest_rotations(document: lg.Document) -> lg.Document:
    """The same avatar with its Y axes along the bones of the left arm, as Blender has them."""
    doc = document.copy()
    tree = NodeTree(document)
    names = {name: i for i, name in enumerate(tree.names)}
    along = tf.from_axis_angle(np.array([0.0, 0, 1]), -np.pi / 2)
    upper, lower, hand = (names[bone] for bone in ARM)
    doc.json["nodes"][upper]["rotation"] = along.tolist()
    for node in (lower, hand):
        place = tf.rotate(tf.conjugate(along), tree.translation[node])
        doc.json["nodes"][node]["translation"] = place.tolist()
    return doc


def draw(axes: Any, avatar: lg.Humanoid, angle: float, title: str) -> None:
    """Draw the skeleton with the arm raised by an angle, and write the numbers of the upper arm."""
    normalized = np.tile([0.0, 0, 0, 1], (len(avatar.bones), 1))
    bone = avatar.bones.index("leftUpperArm")
    normalized[bone] = tf.from_axis_angle(np.array([0.0, 0, 1]), angle)
    local = avatar.from_normalized(normalized).rotation
    rotation = np.array(avatar.tree.rotation)
    rotation[avatar.nodes] = local
    world = avatar.tree.world_matrices(rotation=rotation)[avatar.nodes]
    for name in DRAWN:
        i = avatar.bones.index(name)
        parent = avatar.parents[i]
        if parent >= 0:
            axes.plot(
                *world[[parent, i], :2, 3].T, color="0.35", linewidth=5, solid_capstyle="round"
            )
    for name in ARM:
        frame = world[avatar.bones.index(name)]
        for axis, colour in enumerate(("tab:red", "tab:green", "tab:blue")):
            tip = frame[:2, 3] + 0.09 * frame[:2, axis]
            axes.plot(*np.stack([frame[:2, 3], tip]).T, color=colour, linewidth=2.5)
    numbers = ["leftUpperArm", f"local      {show(local[bone])}"]
    numbers.append(f"normalised {show(avatar.to_normalized(local)[bone])}")
    axes.text(-0.22, 0.86, "\n".join(numbers), fontsize=9.5, va="top", family="monospace")
    axes.set_title(title, fontsize=11)
    axes.set(xlim=(-0.25, 0.95), ylim=(0.68, 1.95), aspect="equal")
    axes.set_axis_off()


def show(quaternion: np.ndarray) -> str:
    """Write a quaternion with two digits."""
    return " ".join(f"{value:5.2f}" for value in np.round(quaternion, 2) + 0.0)


def main() -> None:
    """Draw rest and raised arm, on both skeletons."""
    plain = lg.load(next(path for path in assets() if path.name == "avatar.vrm"))
    avatars = (lg.Humanoid(plain), lg.Humanoid(with_rest_rotations(plain)))
    figure, grid = plt.subplots(1, 4, figsize=(15, 4.1), layout="tight")
    for column, (avatar, kind) in enumerate(
        zip(avatars, ("identity rest rotations", "Y axes along the bones"), strict=True)
    ):
        draw(grid[2 * column], avatar, 0.0, f"{kind}: at rest")
        draw(grid[2 * column + 1], avatar, np.radians(50), f"{kind}: arm raised by 50°")
    out = Path(__file__).parents[1] / "images" / "rest.png"
    figure.savefig(out, dpi=100)
    print(out)


if __name__ == "__main__":
    main()
