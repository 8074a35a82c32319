"""JSON pointers, and messages that name JSON types and places."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.gltf import jsontext, pointers
from tests.gltf.json_values import OBJECTS


@given(st.lists(st.text(max_size=5), min_size=1, max_size=4))
def test_splitting_undoes_joining(segments: list[str]) -> None:
    assert pointers.split(pointers.join("", *segments)) == segments


@given(OBJECTS)
def test_find_returns_what_walk_visits(value: dict[str, Any]) -> None:
    for pointer, item in jsontext.walk(value):
        assert pointers.find(value, pointer) is item


@pytest.mark.parametrize(
    "pointer", ["a", "/b", "/a/3", "/a/-1", "/a/00", "/a/x", "/a/٣", "/a/" + "9" * 5000, "/a/0/0"]
)
def test_find_gives_the_default_where_nothing_stands(pointer: str) -> None:
    assert pointers.find({"a": [1, 2, 3]}, pointer, "nothing") == "nothing"


def test_replaced_copies_only_the_way_and_keeps_neighbours() -> None:
    root = {"x": {"deep": 1}, "a": [{"keep": None, "old": 1, "gone": 2}, {"other": 3}]}
    changed = pointers.replaced(root, "/a/0", old=5, gone=None, new=6)
    assert changed == {
        "x": {"deep": 1},
        "a": [{"keep": None, "old": 5, "new": 6}, {"other": 3}],
    }
    assert list(changed["a"][0]) == ["keep", "old", "new"]
    assert changed["x"] is root["x"]
    assert changed["a"][1] is root["a"][1]
    assert root["a"][0] == {"keep": None, "old": 1, "gone": 2}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "a boolean"),
        ("x", "a string"),
        (1, "a number"),
        (1.5, "a number"),
        ({}, "an object"),
        ([], "an array"),
    ],
)
def test_json_types_have_names(value: Any, name: str) -> None:
    assert pointers.kind_of(value) == name


def test_wrong_values_are_shown_and_containers_named() -> None:
    assert str(pointers.wrong("x", "/a", "a number")) == "/a: found 'x'; it must be a number"
    assert str(pointers.wrong([1], "/a", "a number")) == "/a: found an array; it must be a number"


def test_long_values_are_shortened_in_messages() -> None:
    assert len(str(pointers.wrong("x" * 1000, "/a", "short"))) < 100


@pytest.mark.parametrize(
    ("text", "message", "pointer"),
    [
        ("Expected `int`, got `str` - at `$.a.b`", "Expected `int`, got `str`", "/base/a/b"),
        ("Wrong - at `$[3].name`", "Wrong", "/base/3/name"),
        ("Wrong - at `$.a[...].b`", "Wrong", "/base/a"),
        ("Wrong - at `key in $.a`", "Wrong", "/base/a"),
        ("Wrong", "Wrong", "/base"),
    ],
)
def test_places_in_msgspec_messages_become_pointers(text: str, message: str, pointer: str) -> None:
    assert pointers.from_msgspec(text, "/base") == (message, pointer)
