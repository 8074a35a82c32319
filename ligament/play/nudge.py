"""Nudged starts: minimally displaced bodies, to see whether their motion is chaotic."""

from __future__ import annotations

import dataclasses

import numpy as np

from ligament.arrays import Floats
from ligament.physics.engines import engine_precision
from ligament.physics.scene import Body, Pose, Scene


def nudged_scene(scene: Scene, distance: float, engine: str) -> Scene:
    """Return a scene whose free bodies start displaced by a distance [m] along each axis.

    The displacement is at least one unit in the last place of the engine's numbers. Its direction
    differs from body to body and is the same in every run.
    """
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (len(scene.bodies), 3))
    precision = engine_precision(engine)
    bodies = tuple(
        _moved(body, sign * np.maximum(distance, _spacing(body, precision)))
        if body.is_free
        else body
        for body, sign in zip(scene.bodies, signs, strict=True)
    )
    return dataclasses.replace(scene, bodies=bodies)


def _spacing(body: Body, precision: type[np.floating]) -> Floats:
    return np.spacing(np.abs(body.pose.translation).astype(precision)).astype(np.float64)


def _moved(body: Body, by: Floats) -> Body:
    pose = Pose(body.pose.translation + by, body.pose.rotation)
    return dataclasses.replace(body, pose=pose)
