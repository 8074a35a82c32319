"""A local origin: scenes far from the world's origin are simulated around their own middle.

The engine computes in single precision, which resolves 1 mm at 10 km: a pendulum there moves by
less than that in an iteration, and stands still. Around the middle of its free bodies it is as
precise as anywhere. What is far from that middle itself is still rounded, and reported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Final

import numpy as np

from ligament.arrays import Floats
from ligament.errors import counted
from ligament.losses import Loss
from ligament.physics.engines.rapier.state.reader import FARTHEST
from ligament.physics.placement import WORLD
from ligament.physics.scene import Frame, Pose, Scene
from ligament.transforms import conjugate, rotate

DISTANCE_MIN: Final = 100.0
"""Distance [m] of a scene's middle from the origin below which it stays as it is."""

DISTANCE_MAX: Final = 2_000.0
"""Distance [m] of a body from the middle above which its motion is rounded to more than 0.1 mm."""


def middle(scene: Scene) -> Floats:
    """Return the local origin (3,) [m] of a scene: the middle of its free bodies.

    It is zero near the origin, and where a body is closer to that than to the middle.
    """
    places = _places(scene)
    center = np.round(np.median(places, axis=0)) if len(places) else np.zeros(3)
    if np.linalg.norm(center) < DISTANCE_MIN:
        return np.zeros(3)
    distances = np.linalg.norm(places, axis=1), np.linalg.norm(places - center, axis=1)
    return np.asarray(center) if (distances[1] < distances[0]).all() else np.zeros(3)


def shifted(scene: Scene, origin: Floats) -> Scene:
    """Return a scene as seen from a local origin.

    The world itself, which joints may attach to, stays: their frames in it move.
    """
    if not origin.any():
        return scene
    bodies = tuple(
        body
        if body.node == WORLD
        else dataclasses.replace(body, pose=shifted_pose(body.pose, origin))
        for body in scene.bodies
    )

    def shifted_frame(frame: Frame) -> Frame:
        body = scene.bodies[frame.body]
        if body.node != WORLD:
            return frame
        offset = rotate(conjugate(body.pose.rotation), origin)
        return dataclasses.replace(frame, pose=shifted_pose(frame.pose, offset))

    joints = tuple(
        dataclasses.replace(joint, a=shifted_frame(joint.a), b=shifted_frame(joint.b))
        for joint in scene.joints
    )
    return dataclasses.replace(scene, bodies=bodies, joints=joints)


def shifted_pose(pose: Pose, origin: Floats) -> Pose:
    """Return a pose as seen from a local origin."""
    return dataclasses.replace(pose, translation=np.asarray(pose.translation - origin))


def find_losses(scene: Scene) -> Iterator[Loss]:
    """Yield the free body that is farthest, if some are too far from the others to move well."""
    origin = middle(scene)
    distances = {
        body.node: float(np.linalg.norm(body.pose.translation - origin))
        for body in scene.bodies
        if body.is_free
    }
    far = {node: d for node, d in distances.items() if DISTANCE_MAX < d < FARTHEST}
    if far:
        node = max(far, key=far.__getitem__)
        who = f"{counted(len(far), 'body', 'bodies')} up to" if len(far) > 1 else "a body"
        what = f"{who} {far[node] / 1000:.3g} km from the local origin"
        reason = "Rapier computes in single precision"
        step = 1000 * float(np.spacing(np.float32(far[node])))
        yield Loss(f"/nodes/{node}", what, reason, f"it moves in steps of {step:.2g} mm")


def _places(scene: Scene) -> Floats:
    places = np.array([body.pose.translation for body in scene.bodies if body.is_free], float)
    places = places.reshape(-1, 3)
    return np.asarray(places[(np.abs(places) < FARTHEST).all(axis=1)])
