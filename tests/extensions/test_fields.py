"""Every getter of the cursor: the value, the default, and the one finding that explains it."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.fields import Fields, Target
from ligament.findings import CODES, Finding

NODES = Target("/nodes", 3)
NOWHERE = Target("/extensions/KHR_collision_shapes/shapes", None)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def cursor(raw: Any = None, **members: Any) -> Fields:
    return Fields(members if raw is None else raw, "/here", [])


def codes(fields: Fields) -> list[tuple[str, str]]:
    return [(finding.code, finding.pointer) for finding in fields.findings]


GETTERS: dict[str, Callable[[Fields], Any]] = {
    "number": lambda f: f.number("it", "default"),
    "number at least 0": lambda f: f.number("it", "default", minimum=0),
    "number above 0": lambda f: f.number("it", "default", minimum=0, exclusive=True),
    "number up to 2": lambda f: f.number("it", "default", maximum=2),
    "integer": lambda f: f.integer("it", "default", minimum=0, maximum=2),
    "boolean": lambda f: f.boolean("it", "default"),
    "string": lambda f: f.string("it", "default"),
    "choice": lambda f: f.choice("it", Colour, "default"),
    "choice of meanings": lambda f: f.choice("it", {"ROT": Colour.RED}, "default"),
    "vector": lambda f: f.vector("it", 3, "default", minimum=0),
    "vector of any length": lambda f: f.vector("it", None, "default"),
    "rotation": lambda f: f.rotation("it", "default"),
    "index": lambda f: f.index("it", NODES),
    "indices": lambda f: f.indices("it", NODES),
    "strings": lambda f: f.strings("it"),
    "object": lambda f: f.object("it"),
    "objects": lambda f: f.objects("it"),
}

GOOD = [
    ("number", 2, 2.0),
    ("number", -1.5, -1.5),
    ("number at least 0", 0, 0.0),
    ("number above 0", 1e-300, 1e-300),
    ("number up to 2", 2, 2.0),
    ("integer", 2, 2),
    ("integer", 1.0, 1),
    ("boolean", False, False),
    ("string", "", ""),
    ("choice", "blue", Colour.BLUE),
    ("choice of meanings", "ROT", Colour.RED),
    ("vector", [0, 1, 2.5], (0.0, 1.0, 2.5)),
    ("vector of any length", [], ()),
    ("rotation", [0, 0, 0, 1], (0.0, 0.0, 0.0, 1.0)),
    ("index", 2, 2),
    ("index", 2.0, 2),
    ("indices", [2, 0], (2, 0)),
    ("strings", [], ()),
    ("strings", ["a", "b"], ("a", "b")),
]

BAD = [
    ("number", "1", "default", "TYPE_MISMATCH", ""),
    ("number", True, "default", "TYPE_MISMATCH", ""),
    ("number", None, "default", "TYPE_MISMATCH", ""),
    ("number", 10**400, "default", "VALUE_NOT_IN_RANGE", ""),
    ("number", -(10**5000), "default", "VALUE_NOT_IN_RANGE", ""),
    ("number", math.inf, "default", "VALUE_NOT_IN_RANGE", ""),
    ("number", math.nan, "default", "VALUE_NOT_IN_RANGE", ""),
    ("number at least 0", -1e-9, "default", "VALUE_NOT_IN_RANGE", ""),
    ("number above 0", 0, "default", "VALUE_NOT_IN_RANGE", ""),
    ("number up to 2", 2.1, "default", "VALUE_NOT_IN_RANGE", ""),
    ("integer", 0.5, "default", "TYPE_MISMATCH", ""),
    ("integer", True, "default", "TYPE_MISMATCH", ""),
    ("integer", 3, "default", "VALUE_NOT_IN_RANGE", ""),
    ("integer", 10**5000, "default", "VALUE_NOT_IN_RANGE", ""),
    ("boolean", 0, "default", "TYPE_MISMATCH", ""),
    ("string", 1, "default", "TYPE_MISMATCH", ""),
    ("choice", "green", "default", "VALUE_NOT_IN_LIST", ""),
    ("choice", ["red"], "default", "TYPE_MISMATCH", ""),
    ("choice of meanings", "red", "default", "VALUE_NOT_IN_LIST", ""),
    ("vector", {}, "default", "TYPE_MISMATCH", ""),
    ("vector", [1, 2], "default", "ARRAY_LENGTH_NOT_IN_LIST", ""),
    ("vector", [1, 2, "3"], "default", "TYPE_MISMATCH", "/2"),
    ("vector", [1, -2, 3], "default", "VALUE_NOT_IN_RANGE", "/1"),
    ("rotation", [0, 0, 1], "default", "ARRAY_LENGTH_NOT_IN_LIST", ""),
    ("rotation", [0, 0, 0, 0], "default", "ROTATION_NON_UNIT", ""),
    ("rotation", [0, 0, 0, 2], (0.0, 0.0, 0.0, 1.0), "ROTATION_NON_UNIT", ""),
    ("index", "0", None, "TYPE_MISMATCH", ""),
    ("index", 0.5, None, "TYPE_MISMATCH", ""),
    ("index", -1, None, "INVALID_INDEX", ""),
    ("index", 3, None, "UNRESOLVED_REFERENCE", ""),
    ("index", 10**5000, None, "UNRESOLVED_REFERENCE", ""),
    ("indices", 3, (), "TYPE_MISMATCH", ""),
    ("indices", [], (), "EMPTY_ENTITY", ""),
    ("indices", [1, 2, 1], (1, 2), "DUPLICATE_ELEMENTS", "/2"),
    ("indices", [1, 3], (1,), "UNRESOLVED_REFERENCE", "/1"),
    ("indices", [-1, 0], (0,), "INVALID_INDEX", "/0"),
    ("indices", [{}, 0], (0,), "TYPE_MISMATCH", "/0"),
    ("strings", "a", None, "TYPE_MISMATCH", ""),
    ("strings", ["a", 1], ("a",), "TYPE_MISMATCH", "/1"),
    ("object", [], None, "TYPE_MISMATCH", ""),
    ("objects", [], [], "EMPTY_ENTITY", ""),
    ("objects", [0], [None], "TYPE_MISMATCH", "/0"),
    ("objects", {}, [], "TYPE_MISMATCH", ""),
]


@pytest.mark.parametrize(("getter", "raw", "value"), GOOD)
def test_a_good_member_is_read_without_a_finding(getter: str, raw: Any, value: Any) -> None:
    fields = cursor(it=raw)
    read = GETTERS[getter](fields)
    assert read == value
    assert type(read) is type(value)
    assert fields.findings == []


@pytest.mark.parametrize(("getter", "raw", "value", "code", "below"), BAD, ids=range(len(BAD)))
def test_a_bad_member_has_one_finding(
    getter: str, raw: Any, value: Any, code: str, below: str
) -> None:
    fields = cursor(it=raw)
    assert GETTERS[getter](fields) == value
    assert codes(fields) == [(code, f"/here/it{below}")]
    (finding,) = fields.findings
    assert finding.severity == CODES[code].severity
    assert finding.message
    assert finding.remedy


@pytest.mark.parametrize("getter", GETTERS)
def test_an_absent_member_is_no_finding(getter: str) -> None:
    fields = cursor(other=1)
    assert GETTERS[getter](fields) in ("default", None, (), [])
    assert fields.findings == []


def test_every_bad_component_is_named() -> None:
    fields = cursor(it=[-1, 0, -2])
    assert fields.vector("it", 3, None, minimum=0) is None
    assert codes(fields) == [("VALUE_NOT_IN_RANGE", f"/here/it/{i}") for i in (0, 2)]


def test_a_nearly_unit_rotation_is_made_exact_in_silence() -> None:
    fields = cursor(it=[0, 0, 0.6, 0.804])
    rotation = fields.rotation("it", None)
    assert rotation is not None
    assert math.hypot(*rotation) == pytest.approx(1, abs=1e-15)
    assert fields.findings == []


def test_messages_say_what_was_found_and_what_would_be_valid() -> None:
    fields = cursor(it=-1, index=7, choice="green")
    fields.number("it", None, minimum=0, maximum=2)
    fields.number("it", None, minimum=0, exclusive=True)
    fields.index("index", NODES)
    fields.choice("choice", Colour, None)
    assert [(finding.message, finding.remedy) for finding in fields.findings] == [
        ("found -1", "it must be a finite number of at least 0 and at most 2"),
        ("found -1", "it must be a finite number above 0"),
        ("/nodes has no element 7", "use 0 to 2"),
        ("found 'green'", "it must be one of red, blue"),
    ]


def test_an_index_needs_the_owner_of_its_array() -> None:
    fields = cursor(shape=0)
    assert fields.index("shape", NOWHERE) is None
    assert codes(fields) == [("UNSATISFIED_DEPENDENCY", "/here")]
    assert "/extensions/KHR_collision_shapes" in fields.findings[0].message


@pytest.mark.parametrize(
    ("root", "pointer", "length"),
    [
        ({"nodes": [{}, {}]}, "/nodes", 2),
        ({}, "/nodes", 0),
        ({"nodes": {}}, "/nodes", 0),
        ({"extensions": {"X": {"shapes": [1]}}}, "/extensions/X/shapes", 1),
        ({"extensions": {"X": {}}}, "/extensions/X/shapes", 0),
        ({"extensions": {"X": []}}, "/extensions/X/shapes", None),
        ({"extensions": {}}, "/extensions/X/shapes", None),
        ({}, "/extensions/X/shapes", None),
    ],
)
def test_targets_are_measured(root: Any, pointer: str, length: int | None) -> None:
    assert Target.at(root, pointer) == (pointer, length)


def test_missing_members_share_one_finding() -> None:
    fields = cursor(a=1)
    assert fields.required("a")
    assert not fields.required("a", "b", "c")
    assert codes(fields) == [("UNDEFINED_PROPERTY", "/here")]
    assert fields.findings[0].message == "b and c are missing"


def test_exactly_one_of_several_members() -> None:
    assert cursor(b=1).one_of("a", "b") == "b"
    neither, both = cursor(), cursor(b=1, a=1)
    assert (neither.one_of("a", "b"), both.one_of("a", "b")) == (None, "a")
    assert codes(neither) == codes(both) == [("ONE_OF_MISMATCH", "/here")]


def test_unknown_members_are_named_in_the_order_of_the_file() -> None:
    fields = cursor({"z/y": 1, "known": 1, "extras": 1, "extensions": {}, "a": 1})
    fields.only({"known"})
    assert codes(fields) == [
        ("UNEXPECTED_PROPERTY", "/here/z~1y"),
        ("UNEXPECTED_PROPERTY", "/here/a"),
    ]


def test_a_misplaced_member_is_reported_if_it_is_there() -> None:
    fields = cursor(a=1)
    fields.misplaced("b", "remove it")
    fields.misplaced("a", "remove it")
    assert codes(fields) == [("UNEXPECTED_PROPERTY", "/here/a")]


def test_cursors_go_down_and_share_the_findings() -> None:
    fields = cursor(inner={"list": [{"x": "no"}, 5]}, extensions={"X": {"y": 1}, "Y": 2})
    inner = fields.object("inner")
    assert inner is not None
    first, second = inner.objects("list")
    assert first is not None
    assert second is None
    assert first.number("x", 0.0) == 0.0
    extension = fields.extension("X")
    assert extension is not None
    assert extension.number("y", None) == 1.0
    assert fields.extension("Z") is None
    assert fields.extension("Y") is None
    assert codes(fields) == [
        ("TYPE_MISMATCH", "/here/inner/list/1"),
        ("TYPE_MISMATCH", "/here/inner/list/0/x"),
        ("TYPE_MISMATCH", "/here/extensions/Y"),
    ]


def test_non_objects_have_no_fields() -> None:
    findings: list[Finding] = []
    assert Fields.of([], "/here", findings) is None
    assert [finding.code for finding in findings] == ["TYPE_MISMATCH"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(raw=JSON, getter=st.sampled_from(sorted(GETTERS)))
def test_no_json_makes_a_getter_raise(raw: Any, getter: str) -> None:
    fields = cursor(it=raw)
    read = GETTERS[getter](fields)
    if read == "default" and raw != "default":
        assert fields.findings
