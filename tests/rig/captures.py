"""BVH texts made for tests, and their meaning computed number by number in plain Python."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ligament import transforms as tf
from ligament.extensions.humanoid.bones import BONES, nearest_parent
from tests.rig import scalar
from tests.rig.skeletons import t_pose

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


def capture_places(bones: Sequence[str]) -> dict[str, np.ndarray]:
    """A T-pose [m] whose feet slope as those of an aligned one do, down to the ground."""
    places = {bone: place for bone, place in t_pose().items() if bone in bones}
    for side in ("left", "right"):
        if f"{side}Toes" in places:
            places[f"{side}Foot"][1] = 0.07
            slope = np.array([0.0, -0.5, math.sqrt(0.75)])
            places[f"{side}Toes"] = places[f"{side}Foot"] + 0.14 * slope
    return places


@dataclasses.dataclass
class Capture:
    """A skeleton to write: `turns` (bone → rotation) take its zero pose to the T-pose."""

    bones: tuple[str, ...]
    names: Mapping[str, str]
    turns: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    orders: Mapping[str, str] = dataclasses.field(default_factory=dict)
    scale: float = 1.0
    offset: Sequence[float] | None = None

    def parent(self, bone: str) -> str | None:
        return nearest_parent(bone, set(self.bones))

    def turn(self, bone: str | None) -> np.ndarray:
        return self.turns.get(bone or "", IDENTITY)

    def offset_of(self, bone: str) -> list[float]:
        """Offset of a joint in the zero pose, in the unit of the file."""
        places, parent = capture_places(self.bones), self.parent(bone)
        if parent is None:
            root = places[bone] if self.offset is None else np.array(self.offset)
            return (root * self.scale).tolist()
        way = (places[bone] - places[parent]).tolist()
        back = scalar.inverse(self.turn(parent).tolist())
        return [x * self.scale for x in scalar.rotated(back, way)]

    def text(self, rotation: Mapping[str, np.ndarray], hips: np.ndarray, step: float = 0.05) -> str:
        """Write a motion given as rotations from the T-pose (F, 4) and hips (F, 3) [m]."""
        lines = ["HIERARCHY"]
        self._joint("hips", 0, lines)
        rows = [[] for _ in range(len(hips))]
        for bone in self._order("hips"):
            outer, inner = self.turn(self.parent(bone)), self.turn(bone)
            order = self.orders.get(bone, "ZXY")
            for frame, row in enumerate(rows):
                turn = rotation.get(bone, np.tile(IDENTITY, (len(hips), 1)))[frame]
                local = scalar.product(scalar.inverse(outer.tolist()), turn.tolist())
                local = scalar.product(local, inner.tolist())
                angles = np.degrees(tf.to_euler(np.array(local), order))  # type: ignore[arg-type]
                place = (hips[frame] * self.scale).tolist() if bone == "hips" else []
                row.extend([*place, *angles.tolist()])
        lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {step:.6f}"]
        lines += [" ".join(f"{value:.9f}" for value in row) for row in rows]
        return "\n".join(lines) + "\n"

    def _order(self, bone: str) -> list[str]:
        """Joints in the order in which they are written: depth first."""
        result = [bone]
        for child in (b for b in BONES if b in self.bones and self.parent(b) == bone):
            result += self._order(child)
        return result

    def _joint(self, bone: str, depth: int, lines: list[str]) -> None:
        pad, word = "\t" * depth, "ROOT" if bone == "hips" else "JOINT"
        offset = " ".join(f"{value:.9f}" for value in self.offset_of(bone))
        order = self.orders.get(bone, "ZXY")
        channels = [f"{axis}rotation" for axis in order]
        if bone == "hips":
            channels = ["Xposition", "Yposition", "Zposition", *channels]
        lines += [
            f"{pad}{word} {self.names.get(bone, bone)}",
            f"{pad}{{",
            f"{pad}\tOFFSET {offset}",
            f"{pad}\tCHANNELS {len(channels)} {' '.join(channels)}",
        ]
        children = [b for b in BONES if b in self.bones and self.parent(b) == bone]
        for child in children:
            self._joint(child, depth + 1, lines)
        if not children:
            lines += [f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET 0 0 0", f"{pad}\t}}"]
        lines.append(f"{pad}}}")


@dataclasses.dataclass
class Reading:
    """Return the world positions and rotations of all joints of a BVH text, frame by frame."""

    places: list[dict[str, list[float]]]
    turns: list[dict[str, list[float]]]


def read(text: str) -> Reading:
    """Work a BVH text out with nothing but plain numbers; names have no spaces."""
    head, motion = text.split("MOTION")
    tokens = head.replace("{", " { ").replace("}", " } ").split()
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float]] = []
    channels: list[tuple[int, str]] = []
    stack: list[int] = []
    i, pending = 1, -1
    while i < len(tokens):
        match tokens[i]:
            case "ROOT" | "JOINT":
                names.append(tokens[i + 1])
                parents.append(stack[-1] if stack else -1)
                pending = len(names) - 1
                i += 1
            case "End":
                pending = -2
                i += 1
            case "{":
                stack.append(pending)
            case "}":
                stack.pop()
            case "OFFSET":
                if stack[-1] >= 0:
                    offsets.append([float(value) for value in tokens[i + 1 : i + 4]])
                i += 3
            case "CHANNELS":
                count = int(tokens[i + 1])
                channels += [(stack[-1], name) for name in tokens[i + 2 : i + 2 + count]]
                i += 1 + count
        i += 1
    lines = [line for line in motion.strip().splitlines()[2:] if line.strip()]
    reading = Reading([], [])
    for line in lines:
        local = [list(IDENTITY) for _ in names]
        place = [list(offset) for offset in offsets]
        for (joint, name), value in zip(channels, map(float, line.split()), strict=True):
            axis = name[0].upper()
            if name[1:].lower() == "position":
                place[joint]["XYZ".index(axis)] = value
            else:
                local[joint] = scalar.product(local[joint], scalar.about(axis, value))
        _walk(names, parents, place, local, reading)
    return reading


def _walk(
    names: Sequence[str], parents: Sequence[int], place: Any, local: Any, reading: Reading
) -> None:
    places: dict[str, list[float]] = {}
    turns: dict[str, list[float]] = {}
    for joint, name in enumerate(names):
        if parents[joint] < 0:
            places[name], turns[name] = place[joint], local[joint]
            continue
        above = names[parents[joint]]
        way = scalar.rotated(turns[above], place[joint])
        places[name] = [a + b for a, b in zip(places[above], way, strict=True)]
        turns[name] = scalar.product(turns[above], local[joint])
    reading.places.append(places)
    reading.turns.append(turns)
