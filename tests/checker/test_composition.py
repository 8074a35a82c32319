"""Limits and drives that make up a joint together are legal, and nothing is noted about them."""

from __future__ import annotations

from typing import Any

import pytest

import ligament as lg
from ligament.gltf.document import Document
from tests.checker.test_rules import Json, joined, reported

WITHIN: Json = {"linearAxes": [0, 1, 2], "min": 0, "max": 9}


def push(**members: Any) -> Json:
    return {"type": "linear", "mode": "force", "axis": 0, **members}


LEGAL: dict[str, tuple[list[Json], list[Json]]] = {
    "a radius with a plane": (
        [
            {"linearAxes": [0, 1], "min": 0, "max": 4},
            {"linearAxes": [0], "min": 0, "max": 5},
            {"linearAxes": [2], "min": 0, "max": 0},
        ],
        [],
    ),
    "a distance with a plane": ([WITHIN, {"linearAxes": [0], "min": 0, "max": 5}], []),
    "a cone with a twist": (
        [
            {"angularAxes": [0, 1], "min": 0, "max": 0.5},
            {"angularAxes": [2], "min": -1, "max": 1},
            {"angularAxes": [0, 1, 2], "min": 0, "max": 1},
        ],
        [],
    ),
    "a spring inside a stop": (
        [
            {"linearAxes": [0], "min": 0, "max": 5},
            {"linearAxes": [0], "min": 3, "max": 3, "stiffness": 50, "damping": 2},
        ],
        [],
    ),
    "a progressive spring": (
        [
            {"linearAxes": [0], "min": 3, "max": 3, "stiffness": 50},
            {"linearAxes": [0], "min": 1, "max": 4, "stiffness": 500},
        ],
        [],
    ),
    "a stop on either side": (
        [{"linearAxes": [0], "min": 0}, {"linearAxes": [0], "max": 5}],
        [],
    ),
    "a capped spring with a damper": (
        [WITHIN],
        [
            push(positionTarget=1, stiffness=100, maxForce=20),
            push(velocityTarget=0, damping=5),
        ],
    ),
    "a capped spring with damping in one": (
        [WITHIN],
        [push(positionTarget=1, stiffness=100, damping=5, maxForce=20)],
    ),
    "a spring and a motor with a bounded force": (
        [WITHIN],
        [
            push(positionTarget=1, stiffness=100, damping=5),
            push(velocityTarget=2, damping=9, maxForce=3),
        ],
    ),
    "a damper whose other members are 0": (
        [WITHIN],
        [push(positionTarget=0, stiffness=0, velocityTarget=0, damping=5)],
    ),
}


@pytest.mark.parametrize(("limits", "drives"), LEGAL.values(), ids=LEGAL)
def test_legal_composition_is_not_noted(limits: list[Json], drives: list[Json]) -> None:
    report = lg.check(Document(joined(*limits, drives=drives)))
    assert [issue for issue in report if issue.severity != "hint"] == []


@pytest.mark.parametrize(
    "limits",
    [
        [{"linearAxes": [0], "min": 0, "max": 5}, {"linearAxes": [0], "min": 1, "max": 4}],
        [{"linearAxes": [0], "min": 0, "max": 5}, {"linearAxes": [0], "max": 4}],
        [WITHIN, WITHIN],
        [{"linearAxes": [0, 1], "max": 5}, {"linearAxes": [1, 0], "max": 4}],
    ],
)
def test_bounds_that_never_act_are_noted(limits: list[Json]) -> None:
    assert len(reported(joined(*limits), "PHYSICS_LIMITS_OVERLAP")) == 1


@pytest.mark.parametrize(
    "drives",
    [
        [push(positionTarget=1, stiffness=9), push(positionTarget=2, stiffness=9)],
        [push(velocityTarget=1, damping=9), push(velocityTarget=2, damping=9)],
    ],
)
def test_drives_that_fight_are_noted(drives: list[Json]) -> None:
    assert len(reported(joined(WITHIN, drives=drives), "PHYSICS_DRIVES_OVERLAP")) == 1
