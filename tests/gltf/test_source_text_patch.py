"""JSON text changed in place: the meaning is the new one, all other bytes are the old ones."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.gltf import jsontext
from ligament.gltf.source_text import patch
from tests.gltf.json_values import OBJECTS


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ('{"a" :[1.50, 2]}', {"a": [1.5, 3]}, '{"a" :[1.50, 3]}'),
        ('{"a": -0.0}', {"a": 0.0}, '{"a": 0.0}'),
        ('{"a": 1}', {"a": True}, '{"a": true}'),
        ('{\n\t"a" : 1\n}', {"a": 1, "b": [2]}, '{\n\t"a" : 1,\n\t"b" : [2]\n}'),
        ('{"a":\n[1,\n 2]}', {"a": [1, 2, 3, 4]}, '{"a":\n[1,\n 2,\n 3,\n 4]}'),
        ('{"old": {"x":  1}}', {"new": {"x": 1}}, '{"new": {"x":  1}}'),
        ('{"a": [0, 0, 1], "b":  1}', {"a": [0, 1], "b": 1}, '{"a": [0,1], "b":  1}'),
        ('{"a": [], "b": {}}', {"a": [1], "b": {"c": 2}}, '{"a": [1], "b": {"c":2}}'),
        ("{ }", {"a": 1}, '{"a":1}'),
    ],
)
def test_only_what_differs_changes(text: str, after: dict[str, Any], expected: str) -> None:
    assert patch(text.encode(), json.loads(text), after).decode() == expected


@given(OBJECTS, OBJECTS, st.sampled_from([None, 2, "\t"]))
def test_any_text_comes_to_say_anything(
    before: dict[str, Any], after: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=False).encode()
    changed = patch(text, before, after)
    assert jsontext.encode(jsontext.decode(changed).root) == jsontext.encode(after)


@given(OBJECTS, st.sampled_from([None, 2, "\t"]))
def test_text_that_says_it_already_stays(value: dict[str, Any], indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent).encode()
    assert patch(text, value, value) == text
