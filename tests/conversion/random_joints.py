"""Documents with random bodies and joints, for Hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.play.files import BALL, node, physics_file

AXES = st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True)

GAIN = st.sampled_from([0.0, 1.0, 50.0, 1e7])

PLACE = st.lists(st.floats(-1, 1), min_size=3, max_size=3)

KINDS = [
    {"mass": 1.0},
    {"mass": 2.0, "inertiaDiagonal": [1, 0, 3]},
    {"mass": 0, "inertiaDiagonal": [0, 2, 0]},
    {"mass": 0},
    {"isKinematic": True},
    {"isKinematic": True, "angularVelocity": [0, 1, 0]},
    {"mass": 1.0, "gravityFactor": -1, "linearVelocity": [1, 2, 3]},
    None,
]


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    found: dict[str, Any] = {draw(st.sampled_from(["linearAxes", "angularAxes"])): draw(AXES)}
    low, high = sorted(draw(st.tuples(*[st.sampled_from([-2.0, -0.5, 0.0, 0.3, 1.0])] * 2)))
    if draw(st.booleans()):
        found["min"] = low
    if draw(st.booleans()):
        found["max"] = high
    if draw(st.booleans()):
        found |= {"stiffness": draw(GAIN), "damping": draw(GAIN)}
    return found


@st.composite
def drives(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "type": draw(st.sampled_from(["linear", "angular"])),
        "mode": draw(st.sampled_from(["force", "acceleration"])),
        "axis": draw(st.integers(0, 2)),
        "stiffness": draw(GAIN),
        "damping": draw(GAIN),
        "positionTarget": draw(st.floats(-1, 1)),
        "velocityTarget": draw(st.floats(-1, 1)),
    }


@st.composite
def rotations(draw: st.DrawFn) -> list[float]:
    if draw(st.booleans()):
        return [0.0, 0.0, 0.0, 1.0]
    turn = np.array(draw(st.lists(st.floats(-1, 1), min_size=3, max_size=3)))
    return list(map(float, [*turn, 1.0] / np.sqrt(1 + turn @ turn)))


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """Three bodies; joints between any of them, the world too, two of which may share a pair."""
    nodes = []
    for i in range(3):
        turn = draw(rotations())
        motion = draw(st.sampled_from(KINDS))
        nodes.append(node(f"Body{i}", at=draw(PLACE), rotation=turn, motion=motion, shape=BALL))
    pairs = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=4))
    for a, b in pairs:
        holder = len(nodes)
        nodes.append(node(f"A{holder}", at=draw(PLACE), rotation=draw(rotations())))
        nodes.append(node(f"B{holder}", at=draw(PLACE)))
        joint = draw(st.integers(0, 2))
        link = {"joint": joint, "connectedNode": holder + 1}
        nodes[holder]["extensions"] = {"KHR_physics_rigid_bodies": {"joint": link}}
        nodes[b].setdefault("children", []).append(holder + 1)
        if a < 3:
            nodes[a].setdefault("children", []).append(holder)
    joints = [
        {
            "limits": draw(st.lists(limits(), min_size=1, max_size=4)),
            "drives": draw(st.lists(drives(), max_size=2)),
        }
        for _ in range(3)
    ]
    return physics_file(*nodes, joints=joints)
