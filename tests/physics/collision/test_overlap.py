"""Few convex pairs are tested one by one, with what a tracker of all finds."""

from __future__ import annotations

import numpy as np
import pytest

from ligament.extensions.rigid_bodies import CollisionFilter
from ligament.extensions.shapes import Box, Capsule, Cylinder, Sphere
from ligament.physics import static_sides
from ligament.physics.materials import DEFAULT
from ligament.physics.scene import Collider, Pose

SHAPES = (Sphere(0.4), Box((0.8, 0.5, 0.3)), Capsule(0.7, 0.2, 0.1), Cylinder(0.6, 0.3, 0.3))
APART = CollisionFilter(systems=frozenset("a"), not_collide_with=frozenset("a"))


def test_few_pairs_overlap_as_a_tracker_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)

    def collider(node: int) -> Collider:
        rotation = random.normal(size=4)
        return Collider(
            node=node,
            body=min(node, 1),
            shape=SHAPES[random.integers(len(SHAPES))],
            pose=Pose(random.uniform(-0.5, 0.5, 3), rotation / np.linalg.norm(rotation)),
            material=DEFAULT,
            filter=APART if random.random() < 0.5 else None,
            is_sensor=not node,
        )

    count = 0
    for _ in range(100):
        probe, *solids = (collider(node) for node in range(5))
        found = static_sides._overlapped([probe], solids)
        with monkeypatch.context() as patched:
            patched.setattr(static_sides, "_FEW", 0)
            assert found == static_sides._overlapped([probe], solids)
        count += len(found)
    assert 50 < count < 200
