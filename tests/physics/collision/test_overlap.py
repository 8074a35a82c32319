"""Two convex colliders overlap where a tracker of both finds that they do."""

from __future__ import annotations

import numpy as np

from ligament.extensions.rigid_bodies import MotionKind
from ligament.extensions.shapes import Box, Capsule, Cylinder, Sphere
from ligament.physics.collision.tracker import OverlapTracker, overlap
from ligament.physics.mass import FIXED
from ligament.physics.materials import DEFAULT
from ligament.physics.placement import ORIGIN
from ligament.physics.scene import Body, Collider, Pose, Scene

SHAPES = (Sphere(0.4), Box((0.8, 0.5, 0.3)), Capsule(0.7, 0.2, 0.1), Cylinder(0.6, 0.3, 0.3))


def test_two_colliders_overlap_as_a_tracker_finds() -> None:
    random = np.random.default_rng(3)
    still = np.zeros(3)
    bodies = tuple(
        Body(
            node=-1,
            kind=kind,
            pose=ORIGIN,
            mass=FIXED,
            linear_velocity=still,
            angular_velocity=still,
        )
        for kind in (MotionKind.DYNAMIC, MotionKind.STATIC)
    )
    found = []
    for number in range(200):
        rotations = random.normal(size=(2, 4))
        rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
        pair = tuple(
            Collider(
                node=body,
                body=body,
                shape=SHAPES[random.integers(len(SHAPES))],
                pose=Pose(random.uniform(-0.5, 0.5, 3), rotations[body]),
                material=DEFAULT,
                filter=None,
                is_sensor=not body,
            )
            for body in (0, 1)
        )
        tracker = OverlapTracker(Scene(bodies=bodies, colliders=pair))
        tracker.update(0, np.tile([0, 0, 0, 0, 0, 0, 1.0], (2, 1)))
        found.append(bool(tracker.take()))
        assert overlap(*pair) == found[-1], number
    assert 50 < sum(found) < 150
