"""The quick way to read nodes gives what the careful way gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings

from ligament.extensions import vrmc_node_constraint
from ligament.extensions.physics import read_physics
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES
from ligament.extensions.rigid_bodies import Physics, extension
from ligament.extensions.spring_bones import read_spring_bones
from ligament.extensions.tables import regular
from ligament.extensions.tables.table import Table
from ligament.gltf.document import Document
from tests.checker.changed_extensions import mutants
from tests.checker.valid import CONSTRAINED, PHYSICS, Json

T = TypeVar("T")


def refuse(contents: list[Any], kind: Any) -> Iterator[None]:
    return iter([None] * len(contents))


def carefully(read: Callable[[Document], T], file: Json) -> T:
    with pytest.MonkeyPatch.context() as patch:
        for module in (extension, regular):
            patch.setattr(module, "convert_all", refuse)
        patch.setattr(Table, "read", Table.read_carefully)
        return read(Document(file))


def read_carefully(file: Json) -> Physics:
    return carefully(read_physics, file)


@pytest.mark.parametrize("name", PHYSICS)
def test_both_ways_agree_on_valid_files(name: str) -> None:
    assert read_physics(Document(PHYSICS[name])) == read_carefully(PHYSICS[name])


def test_most_of_a_valid_file_is_read_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but what has a form of its own: a compound trigger."""
    read: list[int] = []
    careful = Table.read_carefully

    def note(self: Table, fields: Any, arrays: Any, index: int = 0) -> Any:
        if self is extension.NODE:
            read.append(index)
        return careful(self, fields, arrays, index)

    monkeypatch.setattr(Table, "read_carefully", note)
    read_physics(Document(PHYSICS["newest"]))
    assert read == [2]


@settings(max_examples=5 * settings().max_examples)
@given(file=mutants())
def test_both_ways_agree_on_files_with_faults(file: Json) -> None:
    assert read_physics(Document(file)) == read_carefully(file)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400, 1.0, True, "1", None, -0.0])
@pytest.mark.parametrize("member", ["mass", "gravityFactor", "isKinematic", "centerOfMass"])
def test_numbers_at_the_edge(member: str, value: Any) -> None:
    for content in (value, [value] * 3):
        file = {
            "nodes": [{"extensions": {KHR_PHYSICS_RIGID_BODIES: {"motion": {member: content}}}}]
        }
        assert repr(read_physics(Document(file))) == repr(read_carefully(file))


@settings(max_examples=2 * settings().max_examples)
@given(file=mutants(CONSTRAINED))
def test_both_ways_agree_on_node_constraints(file: Json) -> None:
    inspect = vrmc_node_constraint.inspect
    assert inspect(Document(file)) == carefully(inspect, file)


def limit(**kinds: Any) -> Json:
    return {"VRMC_springBone_limit": {"specVersion": "1.0-draft", "limit": kinds}}


def extended(**kinds: Any) -> Json:
    return {"VRMC_springBone_extended_collider": {"specVersion": "1.0", "shape": kinds}}


GRAVITY = {"gravityPower": 0.5, "gravityDir": [0, -1, 0]}
JOINTS = [
    {"node": 2, "hitRadius": 0.1, "stiffness": 2, "dragForce": 0.3, **GRAVITY},
    {"node": 3, "extensions": limit(cone={"angle": 1, "rotation": [0, 0, 0, 1]})},
    {"node": 4, "extensions": limit(spherical={"pitch": 1, "yaw": 2})},
]
BALL = {"sphere": {"offset": [1, 2, 3], "radius": 0.2}}
COLLIDERS = [
    {"node": 0, "shape": BALL},
    {"node": 1, "shape": {"capsule": {"tail": [1, 1, 1]}}},
    {"node": 1, "shape": BALL, "extensions": extended(plane={"normal": [0, 1, 0]})},
]
SPRINGS = {
    "specVersion": "1.0",
    "colliders": COLLIDERS,
    "colliderGroups": [{"colliders": [0, 1]}, {"colliders": [2]}],
    "springs": [{"name": "hair", "joints": JOINTS, "colliderGroups": [0, 1], "center": 0}],
}
SPHERES = [{"offset": {"x": 0.1, "y": 0.2, "z": 0.3}, "radius": 0.05}, {}]
SPRINGS_0 = {
    "colliderGroups": [{"node": 1, "colliders": SPHERES}, {"node": 0, "colliders": []}],
    "boneGroups": [
        {
            "comment": "hair",
            "bones": [2],
            "stiffiness": 2,
            "hitRadius": 0.1,
            "gravityPower": 0.5,
            "gravityDir": {"x": 0, "y": -1, "z": 0.5},
            "dragForce": 0.3,
            "center": -1,
            "colliderGroups": [0, 1],
        },
        {"bones": [], "colliderGroups": [], "center": 0},
    ],
}
NODES = [{"children": [i + 1]} for i in range(4)] + [{}]
SPRUNG: dict[str, Json] = {
    "1.0": {"nodes": NODES, "extensions": {"VRMC_springBone": SPRINGS}},
    "0.x": {"nodes": NODES, "extensions": {"VRM": {"secondaryAnimation": SPRINGS_0}}},
}


@pytest.mark.parametrize("version", SPRUNG)
def test_valid_springs_have_no_faults(version: str) -> None:
    found = read_spring_bones(Document(SPRUNG[version]))
    assert {finding.code for finding in found.findings} <= {"SPRING_BONE_LIMIT_DRAFT"}
    assert len(found.springs[0].joints) == 3
    assert len(found.springs[0].colliders) == len(found.colliders) >= 2


@settings(max_examples=2 * settings().max_examples)
@given(file=mutants(SPRUNG))
def test_both_ways_agree_on_springs(file: Json) -> None:
    assert read_spring_bones(Document(file)) == carefully(read_spring_bones, file)
