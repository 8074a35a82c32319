"""Curves shown next to the panels of the tour."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ligament import transforms as tf
from ligament.drawing.geometry import outline
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.recording import Recording
from ligament.viewer.takes import Curve, energy_curves


def curves_of(name: str, document: Document, recording: Recording) -> list[Curve]:
    """Return the curves of one of the simulated examples, by its file name."""
    if name == "door.glb":
        return _hinge(recording)
    if name == "rope.glb":
        return [_widest_gap(recording), *energy_curves(recording)]
    if name == "stack.glb":
        return _heights(recording, NodeTree(document).names)
    if name == "gate.glb":
        return _gate_distance(document, recording)
    return energy_curves(recording)


def turns(recording: Recording, names: Sequence[str | None], nodes: Sequence[int]) -> list[Curve]:
    """Return the rotation of nodes in their parents since the start."""
    columns = np.searchsorted(recording.local_nodes, nodes)
    rotation = recording.local_rotation[:, columns]
    angles = np.degrees(tf.angle_between(rotation, rotation[:1]))
    return [
        Curve("Rotation since the start [°]", names[node] or f"node {node}", "°", angle)
        for node, angle in zip(nodes, angles.T, strict=True)
    ]


def rolls(recording: Recording, names: Sequence[str | None], nodes: Sequence[int]) -> list[Curve]:
    """Return the rotation of nodes about their X axes."""
    columns = np.searchsorted(recording.local_nodes, nodes)
    x, _, _, w = np.moveaxis(recording.local_rotation[:, columns], -1, 0)
    angles = np.degrees(2 * np.arctan(x / w))
    return [
        Curve("Rotation about the arm [°]", names[node] or f"node {node}", "°", angle)
        for node, angle in zip(nodes, angles.T, strict=True)
    ]


def height(recording: Recording, node: int, name: str) -> Curve:
    """Return the height of a node above its parent."""
    column = np.searchsorted(recording.local_nodes, node)
    return Curve(
        "Height of the hips [m]", name, "m", np.asarray(recording.local_translation[:, column, 1])
    )


def separation(first: Recording, second: Recording) -> list[Curve]:
    """Return the distance between two recordings of the same bodies."""
    distance = np.linalg.norm(first.translation - second.translation, axis=2)
    title = "Distance between the two [m]"
    return [
        Curve(title, "farthest link", "m", distance.max(axis=1)),
        Curve(title, "on average", "m", distance.mean(axis=1)),
    ]


def _hinge(recording: Recording) -> list[Curve]:
    """Return the angle of the joint that is free to rotate, with its bounds."""
    (limit,) = (each for each in recording.limits if each.minimum < each.maximum)
    value, low, high = (np.degrees(each) for each in (limit.value, *limit.bounds))
    return [Curve("Angle of the hinge [°]", "now", "°", value, low, high)]


def _widest_gap(recording: Recording) -> Curve:
    gaps = [limit.violation for limit in recording.limits if limit.kind == "linear"]
    return Curve("Widest gap of all joints [mm]", "gap", "mm", 1000 * np.max(gaps, axis=0))


def _heights(recording: Recording, names: Sequence[str | None]) -> list[Curve]:
    bodies = [(names[node], column) for column, node in enumerate(recording.nodes.tolist())]
    return [
        Curve("Height [m]", str(name), "m", recording.translation[:, column, 1])
        for name, column in reversed(bodies[::3])
    ]


def _gate_distance(document: Document, recording: Recording) -> list[Curve]:
    """Return the position of the ball along its path; it touches the gate between the bounds."""
    assert recording.scene is not None
    names = NodeTree(document).names
    shapes = {names[collider.node]: collider.shape for collider in recording.scene.colliders}
    reach = outline(shapes["Ball"]).max() + outline(shapes["Gate"])[..., 0].max()
    edge = np.full(len(recording.times), reach)
    place = recording.translation[:, 0, 0]
    return [Curve("Ball from the middle of the gate [m]", "now", "m", place, -edge, edge)]
