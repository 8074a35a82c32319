"""Random documents against the text of the specification, one joint at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ligament.gltf.document import Document
from ligament.rig import SpringBones
from tests.rig.literal_springs import LiteralSprings
from tests.rig.sprung import chain, degrees_apart, moved

FRAMES = 40


def _unit(rng: np.random.Generator, size: int) -> list[float]:
    value = rng.standard_normal(size)
    return list(map(float, value / np.linalg.norm(value)))


def _document(rng: np.random.Generator, *, center: int | None, carrier: int) -> Document:
    """Make two chains, the second of which starts at an inner joint of the first."""
    nodes: list[dict[str, Any]] = [{"children": [1]}, {"translation": [0, 1, 0], "children": [2]}]
    for i in range(2, 10):
        way = (rng.standard_normal(3) * 0.1).tolist()
        nodes.append({"translation": way, "rotation": _unit(rng, 4), "children": [i + 1]})
    del nodes[6]["children"], nodes[9]["children"]
    nodes[3]["children"] = [4, 7]
    springs = []
    for joints in ([7, 8, 9], [2, 3, 4, 5, 6]):
        settings = [
            {
                "node": node,
                "stiffness": float(rng.uniform(0.2, 2)),
                "gravityPower": float(rng.uniform(0, 1)),
                "gravityDir": _unit(rng, 3),
                "dragForce": float(rng.uniform(0.1, 0.9)),
                "hitRadius": 0.02,
            }
            for node in joints
        ]
        own = {} if center is None or joints[0] == 7 else {"center": center}
        springs.append({"joints": settings, "colliderGroups": [1, 0], **own})
    ball = {"sphere": {"offset": (rng.standard_normal(3) * 0.1).tolist(), "radius": 0.08}}
    rod = {"capsule": {"offset": [0, 0, 0], "tail": _unit(rng, 3), "radius": 0.05}}
    extension = {
        "specVersion": "1.0",
        "colliders": [{"node": carrier, "shape": ball}, {"node": 0, "shape": rod}],
        "colliderGroups": [{"colliders": [0]}, {"colliders": [1, 0]}],
        "springs": springs,
    }
    json = {
        "asset": {"version": "2.0"},
        "nodes": nodes,
        "extensionsUsed": ["VRMC_springBone"],
        "extensions": {"VRMC_springBone": extension},
    }
    return Document(json)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("center", "carrier"), [(None, 1), (0, 1), (2, 1), (None, 2)], ids=str)
def test_it_does_what_the_text_says(seed: int, center: int | None, carrier: int) -> None:
    """Branches, centers above and at the first joint, and a collider on a joint that moves it."""
    document = _document(np.random.default_rng(seed), center=center, carrier=carrier)
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
