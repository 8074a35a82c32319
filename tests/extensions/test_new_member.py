"""A member that is added to the class of an object is in everything that follows from it."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import jsonschema_rs
import pytest

from ligament.extensions.fields import Fields, Vector
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES as NAME
from ligament.extensions.rigid_bodies.extension import KHR, NODE, Extension, Reader
from ligament.extensions.rigid_bodies.motion import MOMENTS, ZERO, Motion
from ligament.extensions.tables import patterns
from ligament.extensions.tables.changes import Difference, differences
from ligament.extensions.tables.page import sections
from ligament.extensions.tables.rows import NOWHERE, Index, Number, Numbers
from ligament.extensions.tables.table import Table
from ligament.gltf import Document
from ligament.gltf.tree import find_carriers

AT = f"/nodes/*/extensions/{NAME}"


class Longer(Motion, frozen=True, kw_only=True, gc=False):
    """A motion with three members more."""

    example: Annotated[float, Number(unit="m", least=0.0, about="A length.")] = 2.0
    drift: Annotated[Vector, Numbers(unit="m/s", turns=True)] = ZERO
    anchor: Annotated[int | None, Index(array="/nodes")] = None


MOTION = Table(Longer, MOMENTS)


@pytest.fixture
def longer() -> Extension:
    rows: Any = {"motion": {"table": MOTION}}
    return dataclasses.replace(KHR, node=NODE.changed(**rows))


def node_of(extension: Extension) -> Table:
    return dict(extension.objects())[AT]


def reader(extension: Extension, motion: dict[str, Any]) -> Reader:
    document = Document({"nodes": [{"extensions": {NAME: {"motion": motion}}}]})
    return Reader(document, find_carriers(document), extension)


def test_both_readers_read_it(longer: Extension, monkeypatch: pytest.MonkeyPatch) -> None:
    motion = {"mass": 1, "example": 3, "drift": [1, 0, 0], "anchor": 0}
    carefully = reader(longer, motion)
    fields = Fields.of({"motion": motion}, f"/nodes/0/extensions/{NAME}", carefully.findings)
    assert fields is not None
    found = longer.node.read_carefully(fields, carefully.arrays, 0).motion
    assert (found.example, found.drift, found.anchor) == (3.0, (1.0, 0.0, 0.0), 0)
    monkeypatch.setattr(Table, "read_carefully", None)
    quickly = reader(longer, motion)
    assert quickly.read().motions[0] == found
    assert quickly.findings == carefully.findings == []


def test_faults_of_it_are_found(longer: Extension) -> None:
    faulty = reader(longer, {"mass": 1, "example": -1, "anchor": 9})
    faulty.read()
    assert {found.pointer.rpartition("/")[2] for found in faulty.findings} == {"example", "anchor"}


def test_it_is_written() -> None:
    written = MOTION.write(Longer(0, example=3.0, drift=(1.0, 0.0, 0.0), anchor=1), NOWHERE)
    assert written == {"example": 3.0, "drift": [1.0, 0.0, 0.0], "anchor": 1}
    assert MOTION.write(Longer(0), NOWHERE) == {}


def test_the_schema_has_it(longer: Extension) -> None:
    schema = node_of(longer).schema()
    valid = jsonschema_rs.Draft202012Validator(schema)
    assert valid.is_valid({"motion": {"example": 1}})
    assert not valid.is_valid({"motion": {"example": -1}})
    assert not jsonschema_rs.Draft202012Validator(NODE.schema()).is_valid(
        {"motion": {"example": 1}}
    )


def test_pointers_lead_to_it(longer: Extension) -> None:
    node = node_of(longer)
    assert patterns.mutable(AT, node)[f"{AT}/motion/example"].attribute == "example"
    assert patterns.indices(AT, node, NAME)[f"{AT}/motion/anchor"] == "/nodes"
    assert f"{AT}/motion/drift" in patterns.turning(AT, node)
    assert "example" in dict(node.objects(AT))[f"{AT}/motion"].names


def test_diff_compares_it() -> None:
    (difference,) = differences(MOTION, Longer(0), Longer(1, example=3.0))
    assert difference == Difference("example [m]", 2.0, 3.0)


def test_the_page_lists_it(longer: Extension) -> None:
    (motion,) = (s for s in sections([(AT, node_of(longer))]) if s.title == "motion")
    assert "| `example` | number from 0 [m] | `2` | yes | A length. |" in motion.text
