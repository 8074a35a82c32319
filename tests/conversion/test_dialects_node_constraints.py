"""Node constraints of the draft become 1.0 where that is the same function, and only there."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ligament as lg
from ligament import transforms as tf
from ligament.gltf import Document

NAME = "VRMC_node_constraint"


def constrained(content: dict[str, Any]) -> Document:
    nodes = [{}, {"rotation": [0.6, 0, 0, 0.8], "extensions": {NAME: content}}]
    used = {"extensionsUsed": [NAME]}
    return Document({"asset": {"version": "2.0"}, **used, "nodes": nodes})


def draft(**rotation: Any) -> dict[str, Any]:
    return {"specVersion": "1.0-draft", "constraint": {"rotation": {"source": 0, **rotation}}}


@pytest.mark.parametrize("inside", [True, False])
def test_a_full_draft_is_a_rotation(inside: bool) -> None:
    content = draft(weight=0.5, freezeAxes=[True, True, True], extras=1)
    if not inside:
        content = {"specVersion": "1.0-draft", **content["constraint"], "extras": 2}
    result = lg.convert(constrained(content), "vrmc-1.0")
    assert not result.losses
    found = result.document.json["nodes"][1]["extensions"][NAME]
    rotation = {"source": 0, "weight": 0.5, "extras": 1}
    expected = {"specVersion": "1.0", "constraint": {"rotation": rotation}}
    assert found == (expected if inside else {**expected, "extras": 2})


@pytest.mark.parametrize(
    "content",
    [draft(freezeAxes=[True, False, True]), draft(weight=1.5), {"specVersion": "1.0-draft"}],
)
def test_other_drafts_stay_and_are_reported(content: dict[str, Any]) -> None:
    document = constrained(content)
    result = lg.convert(document, "vrmc-1.0")
    assert result.document.json == document.json
    assert len(result.losses) == 1


def test_beta_only_changes_its_version() -> None:
    content = {"specVersion": "1.0-beta", "constraint": {"roll": {"source": 0, "rollAxis": "X"}}}
    result = lg.convert(constrained(content), "vrmc-1.0")
    found = result.document.json["nodes"][1]["extensions"][NAME]
    assert found == {**content, "specVersion": "1.0"}
    assert not result.losses


def test_the_goldens_turn_the_same(shared: Path) -> None:
    lines = (shared / "golden" / "node_constraint_draft" / "scenes.jsonl").read_text().splitlines()
    rng = np.random.default_rng(5)
    compared = 0
    for line in lines:
        document = Document(json.loads(line)["gltf"])
        result = lg.convert(document, "vrmc-1.0")
        if result.losses:
            continue
        count = len(document.json["nodes"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lg.LigamentWarning)
            solvers = [lg.NodeConstraints(d) for d in (document, result.document)]
        rotation = tf.normalize(rng.standard_normal((20, count, 4)))
        translation = np.zeros((20, count, 3))
        before, after = (solver.solve(rotation, translation) for solver in solvers)
        # Logarithm and exponential against slerp: a few digits in the last place.
        assert tf.angle_between(before, after).max() < 1e-12
        compared += 1
    assert compared
