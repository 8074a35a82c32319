"""The quick way to read nodes gives what the careful way gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings

from ligament.extensions.physics import read_physics
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES
from ligament.extensions.rigid_bodies import Physics, extension
from ligament.extensions.tables import regular
from ligament.extensions.tables.table import Table
from ligament.gltf.document import Document
from tests.check.changed_extensions import mutants
from tests.check.valid import PHYSICS, Json


def refuse(contents: list[Any], kind: Any) -> Iterator[None]:
    return iter([None] * len(contents))


def read_carefully(file: Json) -> Physics:
    with pytest.MonkeyPatch.context() as patch:
        for module in (extension, regular):
            patch.setattr(module, "convert_all", refuse)
        patch.setattr(Table, "read", Table.read_carefully)
        return read_physics(Document(file))


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
