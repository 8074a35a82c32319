"""Boxes around shapes: what they say of distances, overlaps and ways is never too much."""

from __future__ import annotations

import numpy as np
import pytest

from ligament.extensions.shapes import Box, Capsule, Cylinder, Sphere
from ligament.physics.collision.convex import convex
from ligament.physics.collision.distance import gap, touched
from ligament.physics.collision.situation import Boxes, Situation

FORMS = [
    convex(shape)
    for shape in (
        Box((1, 0.4, 2)),
        Sphere(0.6),
        Capsule(1.0, 0.3, 0.3),
        Capsule(1.0, 0.2, 0.5),
        Cylinder(0.8, 0.5, 0.2),
    )
]
COUNT = 400
FIRST, SECOND = np.arange(COUNT), np.arange(COUNT, 2 * COUNT)


def situation(rng: np.random.Generator, before: Situation | None = None) -> Situation:
    """Return random places; after others, those that a step may lead to."""
    center, rotation = rng.uniform(-1, 1, (2 * COUNT, 3)), rng.normal(size=(2 * COUNT, 4))
    if before is not None:
        center, rotation = before.center + center, before.rotation + 0.1 * rotation
    rotation /= np.linalg.norm(rotation, axis=1)[:, None]
    upright = np.tile([0.0, 0.0, 0.0, 1.0], (2 * COUNT, 1))
    return Situation(center, rotation, upright, np.zeros((2 * COUNT, 3)))


@pytest.mark.parametrize("seed", range(2))
def test_boxes_never_say_too_much(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = situation(rng)
    now, boxes = situation(rng, before), Boxes(2 * COUNT)
    forms = [FORMS[i] for i in rng.integers(0, len(FORMS), 2 * COUNT).tolist()]
    for i, form in enumerate(forms):
        boxes.set(i, form)
    gaps = boxes.gaps(FIRST, SECOND, boxes.axes(FIRST, SECOND, now), now).max(axis=1)
    depth = boxes.depths(FIRST, SECOND, now)
    stays = boxes.stay_separate(FIRST, SECOND, before, now)
    for i, j in zip(FIRST.tolist(), SECOND.tolist(), strict=True):
        start = before.placed(i, forms[i]), before.placed(j, forms[j])
        end = now.placed(i, forms[i]), now.placed(j, forms[j])
        distance = gap(*end, exact=True).distance
        assert gaps[i] <= max(distance, 0.0) + 1e-9
        assert depth[i] <= 0 or distance <= 1e-9
        if stays[i]:
            assert distance > 0
            assert gap(*start, exact=True).distance > 0
            assert not touched(start, end)
    assert (gaps > 0).mean() > 0.2
    assert (depth > 0).mean() > 0.1
    assert stays.mean() > 0.02
