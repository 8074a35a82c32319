"""Pointers found in JSON text, as bytes and as lines and columns."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ligament.gltf import jsontext, pointers, source_text
from ligament.gltf.source_text import Place
from tests.gltf.json_values import OBJECTS

TEXT = '{\n  "a": [1, {"b\\u0041": "}\\""}],\r\n\t"ä€😀": {"x": -1e5}, "/~": null}'


def test_places_count_lines_and_characters_from_one() -> None:
    wanted = ["", "/a/0", "/a/1/bA", "/ä€😀/x", "/~1~0"]
    assert source_text.locate(TEXT.encode(), wanted) == {
        "": Place(1, 1, 3, 33),
        "/a/0": Place(2, 9, 2, 10),
        "/a/1/bA": Place(2, 13, 2, 29),
        "/ä€😀/x": Place(3, 10, 3, 19),
        "/~1~0": Place(3, 22, 3, 32),
    }
    assert TEXT.splitlines()[2][9:18] == '"x": -1e5'


def test_a_byte_order_mark_is_no_column() -> None:
    for text in (b'{"a": 1}', b'\xef\xbb\xbf{"a": 1}'):
        assert source_text.locate(text, ["/a"]) == {"/a": Place(1, 2, 1, 8)}


def test_missing_members_get_the_place_of_their_nearest_owner() -> None:
    text = b'{"nodes": [{"mesh": 7}]}'
    found = source_text.locate(text, ["/nodes/0/name", "/nodes/3/x/y", "/nodes/0/mesh/deep", "odd"])
    assert found == {
        "/nodes/0/name": Place(1, 12, 1, 23),
        "/nodes/3/x/y": Place(1, 2, 1, 24),
        "/nodes/0/mesh/deep": Place(1, 13, 1, 22),
        "odd": Place(1, 1, 1, 25),
    }


@given(OBJECTS, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_every_pointer_of_any_text_is_found(
    value: dict[str, Any], indent: int | str | None, escaped: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    lines = text.split("\n")
    everything = dict(jsontext.walk(value))
    for pointer, place in source_text.locate(text.encode(), everything).items():
        part = _cut(lines, place)
        segments = pointers.split(pointer)
        owner = pointers.find(value, pointer.rpartition("/")[0])
        if segments and isinstance(owner, dict):
            part = "{" + part + "}"
            assert json.loads(part) == {segments[-1]: everything[pointer]}
        else:
            assert json.loads(part) == everything[pointer]


def _cut(lines: list[str], place: Place) -> str:
    part = lines[place.line - 1 : place.end_line]
    part[-1] = part[-1][: place.end_column - 1]
    part[0] = part[0][place.column - 1 :]
    return "\n".join(part)
