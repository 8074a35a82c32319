"""Signals that checks are about, as the JSON that the judge reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

Signal = dict[str, Any]


def position(node: int, axis: Sequence[float], point: Sequence[float] | None = None) -> Signal:
    """Return the position [m] of a node, or of a point in it, along an axis of the world."""
    found = {"kind": "position", "node": node, "axis": list(axis)}
    return found | ({} if point is None else {"point": list(point)})


def velocity(node: int, axis: Sequence[float]) -> Signal:
    """Return the velocity [m/s] of a node along an axis of the world."""
    return {"kind": "velocity", "node": node, "axis": list(axis)}


def speed(node: int) -> Signal:
    """Return the speed [m/s] of a node."""
    return {"kind": "speed", "node": node}


def rotation(node: int) -> Signal:
    """Return the rotation of a node in the world."""
    return {"kind": "rotation", "node": node}


def local_rotation(node: int) -> Signal:
    """Return the rotation of a node relative to its parent."""
    return {"kind": "local_rotation", "node": node}


def angle(node: int, axis: Sequence[float]) -> Signal:
    """Return the angle [rad] that a node has turned about an axis of the world since the start."""
    return {"kind": "angle", "node": node, "axis": list(axis)}


def tilt(node: int, local: Sequence[float], world: Sequence[float]) -> Signal:
    """Return the angle [rad] between an axis of a node and one of the world."""
    return {"kind": "tilt", "node": node, "local": list(local), "world": list(world)}


def distance(node: int, other: int) -> Signal:
    """Return the distance [m] between two nodes."""
    return {"kind": "distance", "node": node, "other": other}


def kinetic_energy(*nodes: int) -> Signal:
    """Return the kinetic energy [J] of some bodies, whose mass and inertia are given."""
    return {"kind": "kinetic_energy", "node": nodes[0], "nodes": [*nodes]}


def linear(node: int, connected: int, *axes: int) -> Signal:
    """Return the metric [m] of a linear limit on some axes of a joint's node."""
    return {"kind": "linear_limit", "node": node, "connected": connected, "axes": list(axes)}


def angular(node: int, connected: int, *axes: int) -> Signal:
    """Return the metric [rad] of an angular limit on some axes of a joint's node."""
    return {"kind": "angular_limit", "node": node, "connected": connected, "axes": list(axes)}
