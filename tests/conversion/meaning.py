"""Meaning of a document's physics, for comparing documents in different dialects."""

from __future__ import annotations

import dataclasses
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

import ligament as lg
from ligament import transforms as tf
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Limit, MotionKind, Physics
from ligament.gltf import Document
from ligament.gltf.animation import Pose
from ligament.gltf.tree import NodeTree
from ligament.physics.scene import Body, Scene
from ligament.physics.scene_builder import build_scene

CLOSE = {"rtol": 1e-7, "atol": 1e-9}
"""Poses go through products of quaternions and, in new meshes, through single precision."""


def declared(document: Document) -> dict[str, Any]:
    """Return what a document declares, without the places in the file."""
    return bare(read_physics(document))


def bare(physics: Physics) -> dict[str, Any]:
    """Return declarations without their places in the file."""
    names = ("motions", "colliders", "triggers", "joints")
    return {name: {n: _bare(i) for n, i in getattr(physics, name).items()} for name in names}


def _bare(item: Any) -> Any:
    changes: dict[str, Any] = {"pointer": ""}
    for name in ("limits", "drives"):
        if hasattr(item, name):
            parts = [dataclasses.replace(p, pointer="", index=0) for p in getattr(item, name)]
            changes[name] = tuple(parts)
    return structs.replace(item, **changes)


def scene_of(document: Document) -> Scene:
    tree = NodeTree(document)
    pose = Pose(tree.translation, tree.rotation, tree.scale)
    return build_scene(document, read_physics(document), tree=tree, pose=pose).scene


def assert_same_scene(a: Document, b: Document) -> None:
    """Moving bodies are on the same nodes and alike, shapes and joints at the same places."""
    one, two = scene_of(a), scene_of(b)
    left, right = _moving(one), _moving(two)
    assert left.keys() == right.keys()
    for node, body in left.items():
        other = right[node]
        assert body.kind is other.kind
        assert body.gravity_factor == other.gravity_factor
        for name in ("linear_velocity", "angular_velocity"):
            np.testing.assert_allclose(getattr(body, name), getattr(other, name), **CLOSE)
        if body.kind is MotionKind.DYNAMIC:
            tensor = _tensor(body.mass)
            # Axes are found again from nine numbers: relative to the largest of them.
            atol = 1e-9 * np.abs(tensor).max()
            np.testing.assert_allclose(tensor, _tensor(other.mass), rtol=1e-9, atol=atol)
            np.testing.assert_allclose(body.mass.mass, other.mass.mass, rtol=1e-12)
        np.testing.assert_allclose(body.mass.center, other.mass.center, **CLOSE)
    _assert_matched(_colliders(one), _colliders(two))
    _assert_matched(_joints(one), _joints(two))
    assert sorted(_triggers(one)) == sorted(_triggers(two))


def _moving(scene: Scene) -> dict[int, Any]:
    return {body.node: body for body in scene.bodies if _moves(body)}


def _moves(body: Body) -> bool:
    """A static body of OMI that KHR cannot do without is kinematic at rest there."""
    at_rest = not (body.linear_velocity.any() or body.angular_velocity.any())
    is_still = body.kind is MotionKind.KINEMATIC and at_rest
    return body.is_declared and body.kind is not MotionKind.STATIC and not is_still


def _tensor(mass: Any) -> np.ndarray:
    turn = tf.to_matrix(mass.orientation)
    return turn @ np.diag(1 / mass.inertia) @ turn.T


def _place(scene: Scene, body: int, pose: Any) -> np.ndarray:
    """The world position and axes (12,) of something fixed to a body."""
    frame = scene.bodies[body].pose
    position = frame.translation + tf.rotate(frame.rotation, pose.translation)
    turn = tf.multiply(frame.rotation, pose.rotation)
    return np.concatenate([position, tf.to_matrix(turn).ravel()])


def _owner(scene: Scene, body: int) -> int:
    return scene.bodies[body].node if _moves(scene.bodies[body]) else -1


def _colliders(scene: Scene) -> list[tuple[Any, np.ndarray]]:
    result = []
    for c in scene.colliders:
        numbers = [c.material.static_friction, c.material.dynamic_friction, c.material.restitution]
        key = (_owner(scene, c.body), type(c.shape).__name__, c.filter, c.is_sensor)
        values = [_place(scene, c.body, c.pose), _sizes(c.shape), numbers]
        result.append((key, np.concatenate(values)))
    return result


def _sizes(shape: Any) -> np.ndarray:
    if hasattr(shape, "points"):
        points = shape.points
        return np.concatenate([points.min(axis=0), points.max(axis=0), points.mean(axis=0)])
    parts = [np.ravel(np.array(v, float)) for v in dataclasses.astuple(shape)]
    return np.concatenate(parts)


def _joints(scene: Scene) -> list[tuple[Any, np.ndarray]]:
    result = []
    for joint in scene.joints:
        limits = sorted(part for limit in joint.limits for part in _parts(limit))
        drives = [dataclasses.replace(d, pointer="", index=0) for d in joint.drives]
        names = tuple(part[:3] for part in limits)
        owners = (_owner(scene, joint.a.body), _owner(scene, joint.b.body))
        numbers = [part[3:] for part in limits]
        frames = [_place(scene, f.body, f.pose) for f in (joint.a, joint.b)]
        key = (owners, names, tuple(drives), bool(joint.ignores))
        result.append((key, np.concatenate([*frames, np.ravel(numbers)])))
    return result


def _parts(limit: Limit) -> list[tuple[Any, ...]]:
    """The limits of one axis that a limit stands for, if it is a lock; else itself."""
    kind, axes = (
        ("linear", limit.linear_axes) if limit.linear_axes else ("angular", limit.angular_axes)
    )
    low, high = max(limit.minimum, -1e300), min(limit.maximum, 1e300)
    soft = (limit.stiffness if math.isfinite(limit.stiffness) else -1.0, limit.damping)
    if math.isinf(limit.minimum) and math.isinf(limit.maximum):
        return []
    each = [(axis,) for axis in axes] if high == 0 else [axes]
    free = -1 if limit.free_axis is None else limit.free_axis
    return [(kind, part, free, low, high, *soft) for part in each]


def _triggers(scene: Scene) -> list[list[tuple[float, ...]]]:
    """The places of the sensors of every trigger, to a micrometre."""
    result = []
    for trigger in scene.triggers:
        parts = [scene.colliders[index] for index in trigger.colliders]
        places = [_place(scene, part.body, part.pose)[:3].round(6) + 0.0 for part in parts]
        result.append(sorted(tuple(place.tolist()) for place in places))
    return result


def _assert_matched(a: list[tuple[Any, np.ndarray]], b: list[tuple[Any, np.ndarray]]) -> None:
    """Everything in one list has an equal of its own in the other."""
    rest = list(b)
    for key, values in a:
        equal = [
            i
            for i, (other, numbers) in enumerate(rest)
            if other == key
            and numbers.shape == values.shape
            and np.allclose(numbers, values, **CLOSE)
        ]
        assert equal, (key, values, rest)
        del rest[equal[0]]
    assert not rest


def load(path: Path) -> Document:
    """Load a file; a picture may be missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.LigamentWarning)
        return lg.load(path)


def play(document: Document, **options: Any) -> lg.Recording:
    """Simulate; what a dialect warns of is not of interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lg.LigamentWarning)
        return lg.simulate(document, **{"seconds": 1.0, "rate": 60, **options})


def difference(a: lg.Recording, b: lg.Recording) -> float:
    """The largest difference [m, or of a quaternion] of the bodies that both recordings have."""
    nodes = np.intersect1d(a.nodes, b.nodes)
    if not len(nodes):
        return 0.0
    one, two = (np.searchsorted(r.nodes, nodes, sorter=np.argsort(r.nodes)) for r in (a, b))
    one, two = np.argsort(a.nodes)[one], np.argsort(b.nodes)[two]
    moved = np.abs(a.translation[:, one] - b.translation[:, two]).max()
    turned = tf.angle_between(a.rotation[:, one], b.rotation[:, two]).max()
    return float(max(moved, turned))
