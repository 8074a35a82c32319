"""Conversions play as their source below mirrored nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament.conversion.usd import from_usd, to_usd
from ligament.gltf import Document
from tests.play.files import CUBE, node, physics_file
from tests.sampling import sample

TARGETS = ("omi", "omi-2023", "khr-2024-03", "khr-2024-10")


def turn(rng: np.random.Generator) -> list[float]:
    q = rng.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def mirrored_file(seed: int) -> Document:
    """A jointed pair of bodies and static shapes, each below mirrored and rotated nodes."""
    rng = np.random.default_rng(seed)

    def above(*children: int, size: float = 1.0, y: float = 0.0) -> dict[str, Any]:
        scale = (size * rng.choice([-1.0, 1.0], 3)).tolist()
        at = (rng.uniform(-0.3, 0.3, 3) + np.array([0, y, 0])).tolist()
        return node("above", at=at, rotation=turn(rng), scale=scale, children=[*children])

    def shape(name: str, index: int) -> dict[str, Any]:
        at, scale = rng.uniform(-0.3, 0.3, 3).tolist(), rng.choice([-1.0, 1.0], 3).tolist()
        return node(name, at=at, rotation=turn(rng), scale=scale, shape=index)

    motion = {"mass": 2, "angularVelocity": [1, -2, 0.5], "linearVelocity": [0.2, 0.1, 0]}
    inertia = {"inertiaDiagonal": [0.3, 0.4, 0.5], "centerOfMass": [0.1, 0, 0]}
    limits = [
        {"linearAxes": [0, 1, 2], "min": 0, "max": 0},
        {"angularAxes": [1, 2], "min": 0, "max": 0},
    ]
    document = physics_file(
        above(1, 9, size=1.2),
        node("body", rotation=turn(rng), motion={**motion, **inertia}, children=[2, 4]),
        above(3),
        shape("cone", 3),
        node("frame", at=(0.5, 0, 0), rotation=turn(rng), joint={"connectedNode": 8, "joint": 0}),
        above(6 + 1),
        above(11, y=3),
        shape("capsule", 4),
        node("grip", at=(0.5, 0, 0)),
        node("partner", motion={**motion, **inertia}, children=[8, 5]),
        node("floor", at=(0, -6, 0), shape=CUBE),
        shape("still", 3),
        joints=[{"limits": limits}],
    )
    nodes = document.json["nodes"]
    nodes[8]["rotation"] = nodes[4]["rotation"]
    nodes[9]["rotation"] = nodes[1]["rotation"]
    document.json["extensions"]["KHR_implicit_shapes"]["shapes"] += [
        {"type": "cylinder", "cylinder": {"height": 1, "radiusTop": 0, "radiusBottom": 0.4}},
        {"type": "capsule", "capsule": {"height": 1, "radiusTop": 0.1, "radiusBottom": 0.3}},
    ]
    return document


def hits(document: Document) -> np.ndarray:
    """How far rays toward the middle go, from all sides."""
    sim = lg.Simulation(document)
    rng = np.random.default_rng(1)
    found = []
    for away in rng.normal(size=(60, 3)):
        origin = 6 * away / np.linalg.norm(away)
        aim = np.array([0, 3 * (len(found) % 2), 0]) + rng.uniform(-0.5, 0.5, 3)
        hit = sim.cast_ray(origin, aim - origin)
        found.append(math.inf if hit is None else hit.distance)
    return np.array(found)


def assert_alike(source: Document, result: Document, names: dict[str, str] | None = None) -> None:
    one, two = hits(source), hits(result)
    assert np.isfinite(one).sum() > 10
    near = np.isclose(one, two, rtol=0, atol=0.06)  # of the hulls of tapered shapes
    assert near.mean() > 0.95, (one[~near], two[~near])  # a ray may graze an edge
    runs = [lg.simulate(each, seconds=0.3) for each in (source, result)]
    bodies = [
        {run.document.json["nodes"][node]["name"]: i for i, node in enumerate(run.nodes.tolist())}
        for run in runs
        if run.document is not None
    ]
    for name in ("body", "partner"):
        a, b = (run.translation[:, at[name]] for run, at in zip(runs, bodies, strict=True))
        assert np.abs(a - b).max() < 2e-3, name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("seed", sample(range(60), 4))
def test_dialects_mean_the_same_below_mirrors(seed: int, to: str) -> None:
    source = mirrored_file(seed)
    assert_alike(source, lg.convert(source, to).document)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", sample(range(60), 4))
def test_usd_means_the_same_below_mirrors(seed: int, tmp_path: Path) -> None:
    source = mirrored_file(seed)
    to_usd(source, tmp_path / "scene.usda")
    assert_alike(source, from_usd(tmp_path / "scene.usda").document)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("scale", [(1, -1, 1), (-1, -1, 1), (-1, 1, 1)])
def test_planes_keep_facing_up_whatever_their_own_sign(scale: tuple[int, ...], to: str) -> None:
    ball = node("ball", at=(0, 1, 0), motion={}, shape=0)
    source = physics_file(node("ground", scale=scale, shape=3), ball)
    source.json["extensions"]["KHR_implicit_shapes"]["shapes"][3:] = [{"type": "plane"}]
    run = lg.simulate(lg.convert(source, to).document, seconds=1.0)
    assert run.translation[-1, 0, 1] > 0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("to", ["khr", *TARGETS])
def test_a_shape_of_a_compound_stays_upright_on_a_new_node(to: str) -> None:
    cone = {"height": 2, "radiusTop": 0, "radiusBottom": 1}
    shapes = [{"type": "cylinder", "cylinder": cone}, {"type": "sphere", "sphere": {"radius": 0.1}}]
    source = Document(
        {
            "asset": {"version": "2.0"},
            "extensionsUsed": ["OMI_physics_body", "OMI_physics_shape"],
            "extensions": {"OMI_physics_shape": {"shapes": shapes}},
            "scenes": [{"nodes": [0, 2, 3]}],
            "nodes": [
                omi("zone", trigger={"shape": 0, "nodes": [1]}, scale=[1, -1, 1], children=[1]),
                omi("member", at=(0, -9, 0), trigger={"shape": 1}),
                *(omi(name, at=(0.6, y, -3), **PROBE) for name, y in (("low", -0.7), ("top", 0.7))),
            ],
        }
    )
    for document in (source, lg.convert(source, to).document):
        run = lg.simulate(document, seconds=2.0, gravity=(0, 0, 0))
        names = {document.json["nodes"][event.body]["name"] for event in run.events}
        assert names == {"low"}


PROBE = {
    "motion": {"type": "dynamic", "mass": 1, "linearVelocity": [0, 0, 3]},
    "collider": {"shape": 1},
}


def omi(
    name: str,
    *,
    at: Sequence[float] = (0, 0, 0),
    motion: dict[str, Any] | None = None,
    collider: dict[str, Any] | None = None,
    trigger: dict[str, Any] | None = None,
    **rest: Any,
) -> dict[str, Any]:
    """A node with parts of OMI_physics_body."""
    parts = {"motion": motion, "collider": collider, "trigger": trigger}
    body = {key: part for key, part in parts.items() if part is not None}
    return {"name": name, "translation": list(at), "extensions": {"OMI_physics_body": body}, **rest}
