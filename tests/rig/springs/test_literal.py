"""Random documents against the text of the specification, one joint at a time."""

from __future__ import annotations

import numpy as np
import pytest

from ligament.rig import SpringBones
from tests.rig.literal_springs import LiteralSprings
from tests.rig.sprung import branched, chain, degrees_apart, moved

FRAMES = 40


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("center", "carrier"), [(None, 1), (0, 1), (2, 1), (None, 2)], ids=str)
def test_it_does_what_the_text_says(seed: int, center: int | None, carrier: int) -> None:
    """Branches, centers above and at the first joint, and a collider on a joint that moves it."""
    document = branched(np.random.default_rng(seed), center=center, carrier=carrier)
    springs = SpringBones(document)
    pose = moved(springs, FRAMES)
    expected = LiteralSprings(document.json, [2, 3, 7, 8, 4, 5]).run(*pose, 1 / 60)
    assert degrees_apart(springs.solve(*pose), expected).max() < 1e-5


@pytest.mark.parametrize("carrier", [2, 3, 4])
def test_a_chain_that_collides_with_itself_reads_where_its_colliders_stand(carrier: int) -> None:
    ball = {"node": carrier, "shape": {"sphere": {"offset": [0.05, -0.09, 0], "radius": 0.05}}}
    document = chain(4, colliders=[ball], stiffness=0.7, gravityPower=0.4, hitRadius=0.01)
    springs = SpringBones(document)
    assert "SPRING_BONE_CYCLE" in {found.code for found in springs.findings}
    pose = moved(springs, FRAMES)
    expected = LiteralSprings(document.json, [2, 3, 4, 5]).run(*pose, 1 / 60)
    assert degrees_apart(springs.solve(*pose), expected).max() < 1e-5
