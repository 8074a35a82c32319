"""Synthetic avatars with node constraints, as authoring tools equip them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

CONSTRAINT = "VRMC_node_constraint"
SIDES = ("left", "right")
SPINE = ("hips", "spine", "chest", "upperChest", "neck", "head")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")

Json = dict[str, Any]


def crowd(avatars: int, *, seed: int = 3) -> Json:
    """A document of avatars of 75 nodes each, 20 of them constrained: 12 roll, 6 rotation, 2 aim.

    Twist helpers of the limbs come in pairs of which the second follows the first; joints have a
    helper that takes half of their turn; a helper at the shoulder aims at the hand.
    """
    rng = np.random.default_rng(seed)
    nodes: list[Json] = []
    for _ in range(avatars):
        index: dict[str, int] = {}
        for name, parent, constraint in _avatar():
            index[name] = len(nodes)
            nodes.append(_node(rng, name, constraint, index))
            if parent is not None:
                nodes[index[parent]].setdefault("children", []).append(index[name])
    return {
        "asset": {"version": "2.0", "generator": "benchmark avatars"},
        "extensionsUsed": [CONSTRAINT],
        "scene": 0,
        "scenes": [{"nodes": [i for i, node in enumerate(nodes) if node["name"] == "hips"]}],
        "nodes": nodes,
    }


def _avatar() -> Iterator[tuple[str, str | None, Json | None]]:
    """Name, parent and constraint of every node; sources go by name."""
    for parent, name in zip((None, *SPINE), SPINE, strict=False):
        yield name, parent, None
    for name in ("leftEye", "rightEye", "jaw"):
        yield name, "head", None
    for side in SIDES:
        for top, *limb in (
            ("hips", "UpperLeg", "LowerLeg", "Foot", "Toes"),
            ("upperChest", "Shoulder", "UpperArm", "LowerArm", "Hand"),
        ):
            names = [top, *(side + part for part in limb)]
            yield from ((name, above, None) for above, name in pairwise(names))
        for finger in FINGERS:
            names = [f"{side}Hand", *(f"{side}{finger}{segment}" for segment in range(3))]
            yield from ((name, above, None) for above, name in pairwise(names))
        yield from _helpers(side)


def _helpers(side: str) -> Iterator[tuple[str, str, Json]]:
    for limb, end in (("UpperArm", "LowerArm"), ("LowerArm", "Hand"), ("UpperLeg", "LowerLeg")):
        first = f"{side}{limb}Twist"
        roll = {"rollAxis": "X", "weight": 0.6, "source": side + end}
        yield first, side + limb, {"roll": roll}
        yield f"{first}2", side + limb, {"roll": {**roll, "weight": 0.5, "source": first}}
    for joint, weight in (("UpperArm", 1.0), ("LowerArm", 0.5), ("LowerLeg", 0.5)):
        rotation = {"source": side + joint, "weight": weight}
        yield f"{side}{joint}Half", side + joint, {"rotation": rotation}
    aim = {"source": f"{side}Hand", "aimAxis": "PositiveX"}
    yield f"{side}Sleeve", f"{side}Shoulder", {"aim": aim}


def _node(
    rng: np.random.Generator, name: str, constraint: Json | None, index: dict[str, int]
) -> Json:
    turn = rng.standard_normal(4)
    node: Json = {
        "name": name,
        "translation": rng.normal(0, 0.2, 3).tolist(),
        "rotation": (turn / np.linalg.norm(turn)).tolist(),
    }
    if constraint:
        ((kind, members),) = constraint.items()
        content = {kind: {**members, "source": index[members["source"]]}}
        node["extensions"] = {CONSTRAINT: {"specVersion": "1.0", "constraint": content}}
    return node
