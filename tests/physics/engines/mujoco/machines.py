"""Machines of bars in the plane z = 0, as documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import ligament as lg
from tests.play.files import KHR, node, physics_file

POINT = {"linearAxes": [0, 1, 2], "min": 0, "max": 0}
HINGE = [POINT, {"angularAxes": [0, 1], "min": 0, "max": 0}]
SLIDER = [
    {"linearAxes": [1, 2], "min": 0, "max": 0},
    {"angularAxes": [0, 1, 2], "min": 0, "max": 0},
]


class Machine:
    """Bodies, and joints between them at points of the world; None is the world."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.joints: list[dict[str, Any]] = []
        self._places: dict[str, tuple[np.ndarray, float]] = {}
        self._held: list[tuple[str | None, str | None, np.ndarray, float]] = []

    def bar(self, name: str, start: Any, end: Any, mass: float, **motion: Any) -> None:
        """Add a thin bar between two points (2,) [m], along its own X."""
        start, end = np.asarray(start, float), np.asarray(end, float)
        length, angle = float(np.hypot(*(end - start))), math.atan2(*(end - start)[::-1])
        moments = [1e-3 * mass, mass * length**2 / 12, mass * length**2 / 12]
        self.body(name, (start + end) / 2, mass, moments, angle, **motion)

    def body(
        self,
        name: str,
        at: Any,
        mass: float,
        moments: Sequence[float],
        angle: float = 0.0,
        **motion: Any,
    ) -> None:
        """Add a body at a point (2,) [m], turned about Z by an angle [rad]."""
        place = np.append(np.asarray(at, float), 0.0)[:3]
        values = {"mass": mass, "inertiaDiagonal": list(moments), "centerOfMass": [0, 0, 0]}
        turn = [0, 0, math.sin(angle / 2), math.cos(angle / 2)]
        self.nodes.append(
            node(name, at=place.tolist(), rotation=turn, motion=values | motion, children=[])
        )
        self._places[name] = place, angle

    def join(
        self, a: str | None, b: str | None, at: Any, angle: float = 0.0, **description: Any
    ) -> None:
        """Join two bodies at a point (2,) [m], in axes that are turned about Z."""
        self.joints.append(description)
        self._held.append((a, b, np.append(np.asarray(at, float), 0.0)[:3], angle))

    def document(self, order: Sequence[int] | None = None) -> lg.Document:
        """Return the machine with its joints in an order; bodies keep theirs."""
        nodes = [{**each, "children": []} for each in self.nodes]
        index = {each["name"]: i for i, each in enumerate(nodes)}
        for j in range(len(self.joints)) if order is None else order:
            a, b, at, angle = self._held[j]
            for body, is_joint in ((a, True), (b, False)):
                place, turned = self._places.get(body or "", (np.zeros(3), 0.0))
                x, y, z = at - place
                c, s = math.cos(turned), math.sin(turned)
                local, rest = [c * x + s * y, c * y - s * x, z], (angle - turned) / 2
                joint = {"joint": j, "connectedNode": len(nodes) + 1} if is_joint else None
                turn = [0, 0, math.sin(rest), math.cos(rest)]
                nodes.append(node(f"frame {len(nodes)}", at=local, rotation=turn, joint=joint))
                if body is not None:
                    nodes[index[body]]["children"].append(len(nodes) - 1)
        full = [{k: v for k, v in each.items() if v != []} for each in nodes]
        document = physics_file(*full)
        document.json["extensions"].setdefault(KHR, {})["physicsJoints"] = self.joints
        return document


def angle_of(recording: Any, body: int) -> np.ndarray:
    """Return the angles [rad] about Z of a body that does not leave the plane."""
    x, w = recording.rotation[:, body, 2], recording.rotation[:, body, 3]
    return np.unwrap(2 * np.arctan2(x, w))
