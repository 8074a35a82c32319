"""Bytes of buffer views, and where their faults are reported."""

from typing import Any

import pytest

from ligament.errors import ContentError
from ligament.gltf import Document, loads
from ligament.gltf.accessors import read_view_bytes
from tests.gltf.documents import glb_bytes


def document(**members: Any) -> Document:
    root = {
        "buffers": [{"byteLength": 10}],
        "bufferViews": [{"buffer": 0, "byteLength": 4, **members}],
    }
    return loads(glb_bytes(root, b"0123456789"), path="a.glb")


def test_the_bytes_are_what_the_view_says() -> None:
    assert bytes(read_view_bytes(document(), 0)) == b"0123"
    assert bytes(read_view_bytes(document(byteOffset=6), 0)) == b"6789"
    assert read_view_bytes(document(), 0).readonly


MESHOPT = "EXT_meshopt_compression"


@pytest.mark.parametrize(
    ("members", "pointer"),
    [
        ({"byteOffset": 7}, "/bufferViews/0"),
        ({"byteLength": 11}, "/bufferViews/0"),
        ({"byteLength": 2**52}, "/bufferViews/0"),
        ({"byteLength": 0}, "/bufferViews/0/byteLength"),
        ({"buffer": 1}, "/buffers"),
        ({"extensions": {MESHOPT: 5}}, f"/bufferViews/0/extensions/{MESHOPT}"),
        (
            {"extensions": {MESHOPT: {"buffer": 0, "byteLength": "x"}}},
            f"/bufferViews/0/extensions/{MESHOPT}/byteLength",
        ),
        (
            {"extensions": {MESHOPT: {"buffer": 0, "byteLength": 11}}},
            f"/bufferViews/0/extensions/{MESHOPT}",
        ),
        (
            {"extensions": {MESHOPT: {"buffer": 0, "byteLength": 4, "mode": "NONSENSE"}}},
            f"/bufferViews/0/extensions/{MESHOPT}",
        ),
    ],
)
def test_faults_are_reported_with_place_and_file(members: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ContentError) as caught:
        read_view_bytes(document(**members), 0)
    assert (caught.value.pointer, caught.value.file) == (pointer, "a.glb")
