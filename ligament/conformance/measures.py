"""Measures: the value of a check's signal at every frame of a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from ligament.conformance.recordings import Recording
from ligament.conformance.rotations import (
    IDENTITY,
    Floats,
    inverse,
    log,
    product,
    rotate,
    twist,
)

Signal = Mapping[str, Any]
_KHR: Final = "KHR_physics_rigid_bodies"


class Scene:
    """A recording with the node tree of its file, which gives poses of unrecorded nodes too."""

    def __init__(self, document: Mapping[str, Any], recording: Recording) -> None:
        self.recording, self.times = recording, recording.times
        self._nodes = document["nodes"]
        self._parents = {
            child: index
            for index, node in enumerate(self._nodes)
            for child in node.get("children", ())
        }

    def pose(self, node: int) -> tuple[Floats, Floats]:
        """Return translation (F, 3) [m] and rotation (F, 4) of a node in the world.

        A node that was not recorded follows its nearest recorded ancestor, or stays in place.
        """
        if node in self.recording.translation:
            return self.recording.translation[node], self.recording.rotation[node]
        frames = len(self.times)
        place, turn, scale = np.zeros((frames, 3)), np.tile(IDENTITY, (frames, 1)), np.ones(3)
        parent = self._parents.get(node)
        if parent is not None:
            place, turn = self.pose(parent)
            scale = self._scale(parent)
        own = self._nodes[node]
        offset = scale * np.asarray(own.get("translation", (0, 0, 0)), float)
        rotation = np.asarray(own.get("rotation", IDENTITY), float)
        return place + rotate(turn, offset), product(turn, np.tile(rotation, (frames, 1)))

    def motion(self, node: int) -> Mapping[str, Any]:
        """Return the motion of a node, whose mass and inertia are given."""
        found: Mapping[str, Any] = self._nodes[node]["extensions"][_KHR]["motion"]
        return found

    def parent_rotation(self, node: int) -> Floats:
        """Return the rotation (F, 4) of a node's parent in the world."""
        parent = self._parents.get(node)
        return np.tile(IDENTITY, (len(self.times), 1)) if parent is None else self.pose(parent)[1]

    def _scale(self, node: int | None) -> Floats:
        """Return the world scale of a node, if no rotation lies between the scales."""
        total = np.ones(3)
        while node is not None:
            total = total * np.asarray(self._nodes[node].get("scale", (1, 1, 1)), float)
            node = self._parents.get(node)
        return total


def measure(scene: Scene, signal: Signal) -> Floats:
    """Return a signal at every frame: (F,), or (F, 4) where it is a rotation."""
    return MEASURES[signal["kind"]](scene, signal)


def _position(scene: Scene, signal: Signal) -> Floats:
    place, turn = scene.pose(signal["node"])
    point = place + rotate(turn, signal["point"]) if "point" in signal else place
    return np.asarray(point @ np.asarray(signal["axis"], float))


def _velocity(scene: Scene, signal: Signal) -> Floats:
    found: Floats = np.gradient(_position(scene, signal), scene.times)
    return found


def _speed(scene: Scene, signal: Signal) -> Floats:
    slope = np.gradient(scene.pose(signal["node"])[0], scene.times, axis=0)
    return np.asarray(np.linalg.norm(slope, axis=1))


def _rotation(scene: Scene, signal: Signal) -> Floats:
    return scene.pose(signal["node"])[1]


def _local_rotation(scene: Scene, signal: Signal) -> Floats:
    return product(inverse(scene.parent_rotation(signal["node"])), scene.pose(signal["node"])[1])


def _angle(scene: Scene, signal: Signal) -> Floats:
    turn = scene.pose(signal["node"])[1]
    steps = log(product(turn[1:], inverse(turn[:-1]))) @ np.asarray(signal["axis"], float)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _tilt(scene: Scene, signal: Signal) -> Floats:
    axis = rotate(scene.pose(signal["node"])[1], signal["local"])
    return _between(axis, np.broadcast_to(np.asarray(signal["world"], float), axis.shape))


def _distance(scene: Scene, signal: Signal) -> Floats:
    first, second = (scene.pose(signal[name])[0] for name in ("node", "other"))
    return np.asarray(np.linalg.norm(first - second, axis=1))


def _linear_limit(scene: Scene, signal: Signal) -> Floats:
    (a, turn), (b, _) = scene.pose(signal["node"]), scene.pose(signal["connected"])
    seen = rotate(inverse(turn), b - a)[:, signal["axes"]]
    return seen[:, 0] if len(signal["axes"]) == 1 else np.linalg.norm(seen, axis=1)


def _angular_limit(scene: Scene, signal: Signal) -> Floats:
    (_, a), (_, b) = scene.pose(signal["node"]), scene.pose(signal["connected"])
    axes, relative = signal["axes"], product(inverse(a), b)
    if len(axes) == 1:
        return np.unwrap(twist(relative, axes[0]))
    if len(axes) == 2:
        axis = np.broadcast_to(np.eye(3)[3 - sum(axes)], (len(relative), 3))
        return _between(rotate(relative, axis), axis)
    return np.asarray(np.linalg.norm(log(relative), axis=1))


def _kinetic_energy(scene: Scene, signal: Signal) -> Floats:
    found = np.zeros(len(scene.times))
    for node in signal["nodes"]:
        motion = scene.motion(node)
        place, turn = scene.pose(node)
        centre = place + rotate(turn, motion.get("centerOfMass", (0.0, 0.0, 0.0)))
        slope = np.gradient(centre, scene.times, axis=0)
        found += motion["mass"] / 2 * (slope**2).sum(axis=1)
        steps = log(product(inverse(turn[:-2]), turn[2:]))
        spin = steps / (scene.times[2:] - scene.times[:-2])[:, None]
        spin = np.concatenate([spin[:1], spin, spin[-1:]])
        axes = np.broadcast_to(motion.get("inertiaOrientation", IDENTITY), turn.shape)
        spin = rotate(inverse(axes), spin)
        found += (np.asarray(motion["inertiaDiagonal"]) * spin**2).sum(axis=1) / 2
    return found


def _between(a: Floats, b: Floats) -> Floats:
    """Return the angle [rad] between directions (F, 3)."""
    far, near = np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1)
    return np.asarray(2 * np.arctan2(far, near))


MEASURES: Final[dict[str, Callable[[Scene, Signal], Floats]]] = {
    "position": _position,
    "velocity": _velocity,
    "speed": _speed,
    "rotation": _rotation,
    "local_rotation": _local_rotation,
    "angle": _angle,
    "tilt": _tilt,
    "distance": _distance,
    "linear_limit": _linear_limit,
    "angular_limit": _angular_limit,
    "kinetic_energy": _kinetic_energy,
}
