"""The document: raw JSON as the truth, bytes tied to it, copies that are independent."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from ligament.errors import ContentError, LigamentWarning
from ligament.gltf import Document, load, loads, objects
from ligament.gltf.storage.byte_sources import BufferData
from tests.gltf.documents import data_uri, everything, glb_bytes, text_of, write_everything
from tests.gltf.json_values import same


def test_a_new_document_is_a_valid_one() -> None:
    document = Document()
    assert document.json == {"asset": {"version": "2.0"}}
    assert (document.path, document.form) == (None, "glb")
    assert repr(document) == "<ligament.Document new document: 0 nodes, 0 meshes, 0 animations>"


@pytest.mark.parametrize("value", [None, 5, {}, "x"])
def test_a_broken_document_can_still_be_shown(value: Any) -> None:
    document = Document({"nodes": value, "meshes": [{}]}, path=Path("a.glb"))
    assert repr(document) == "<ligament.Document a.glb: 0 nodes, 1 mesh, 0 animations>"


def test_arrays_are_returned_as_they_stand() -> None:
    document = Document({"nodes": [{}]})
    assert document.array("nodes") is document.json["nodes"]
    assert document.array("meshes") == []
    assert "meshes" not in document.json
    document.growing_array("meshes").append({})
    assert document.json["meshes"] == [{}]


@pytest.mark.parametrize("value", [None, 5, {}, "x"])
def test_arrays_of_another_type_are_refused(value: Any) -> None:
    names = ("nodes", "extensionsUsed", "buffers", "bufferViews")
    document = Document(dict.fromkeys(names, value))
    for use in (
        lambda: document.array("nodes"),
        lambda: document.growing_array("nodes"),
        lambda: document.use_extension("X"),
        lambda: document.append_view(b"1234"),
    ):
        with pytest.raises(ContentError, match="it must be an array"):
            use()
    assert document.json == dict.fromkeys(names, value)


def test_views_are_reported_with_place_and_file() -> None:
    document = Document({"nodes": [{}, {"mesh": "x"}]}, path=Path("a.glb"))
    assert document.element("nodes", 0, objects.Node).mesh is None
    for use in (
        lambda: document.element("nodes", 1, objects.Node),
        lambda: document.views("nodes", objects.Node),
    ):
        with pytest.raises(ContentError) as caught:
            use()
        assert (caught.value.pointer, caught.value.file) == ("/nodes/1/mesh", "a.glb")
    for index in (2, -1):
        with pytest.raises(ContentError, match="the array has 2 elements"):
            document.element("nodes", index, objects.Node)


def test_extensions_are_found_and_listed_once() -> None:
    document = Document({"extensions": {"A": {"x": 1}, "B": 5}})
    assert document.extension("A") == {"x": 1}
    assert document.extension("B") is None
    assert document.extension("C") is None
    assert Document({"extensions": 5}).extension("A") is None
    document.use_extension("A")
    document.use_extension("A")
    assert document.json["extensionsUsed"] == ["A"]


def test_bytes_are_appended_to_the_first_buffer_that_has_any() -> None:
    document = loads(glb_bytes({"buffers": [{"byteLength": 3, "extras": 1}]}, b"abc"))
    view = document.append_view(b"hello", alignment=8, target=34962)
    assert view == 0
    assert document.json["buffers"] == [{"byteLength": 13, "extras": 1}]
    assert document.json["bufferViews"] == [
        {"buffer": 0, "byteOffset": 8, "byteLength": 5, "target": 34962}
    ]
    assert bytes(document.read_buffer(0)) == b"abc\0\0\0\0\0hello"


def test_a_buffer_is_made_where_there_is_none() -> None:
    document = Document()
    document.append_view(b"hello")
    assert document.json["buffers"] == [{"byteLength": 5}]
    assert bytes(document.read_buffer(0)) == b"hello"


def test_a_buffer_without_bytes_is_left_alone() -> None:
    """The fallback buffer of EXT_meshopt_compression has a length, but no bytes."""
    document = loads(text_of({"buffers": [{"byteLength": 100}]}))
    assert document.append_view(b"hello") == 0
    assert document.json["buffers"] == [{"byteLength": 100}, {"byteLength": 5}]
    assert document.json["bufferViews"][0]["buffer"] == 1


def test_the_bytes_follow_the_uri() -> None:
    document = loads(text_of({"buffers": [{"byteLength": 3, "uri": data_uri(b"one")}]}))
    assert bytes(document.read_buffer(0)) == b"one"
    document.json["buffers"][0]["uri"] = data_uri(b"two")
    assert bytes(document.read_buffer(0)) == b"two"


def test_rearranged_buffers_can_be_tied_to_new_bytes() -> None:
    document = Document()
    document.json["buffers"] = [{"byteLength": 0}, {"byteLength": 3}]
    data = BufferData(None, 0)
    data.append(b"new")
    document.set_buffers([BufferData(None, 0), data])
    assert bytes(document.read_buffer(1)) == b"new"
    with pytest.raises(ValueError, match="zip"):
        document.set_buffers([data])


@pytest.mark.parametrize("buffer", [None, 5, {}, {"byteLength": -1}, {"byteLength": 4, "uri": 5}])
def test_a_broken_buffer_is_reported_with_its_place(buffer: Any) -> None:
    document = loads(text_of({"buffers": [{"byteLength": 0}, buffer]}))
    with pytest.raises(ContentError) as caught:
        document.buffer(1)
    assert str(caught.value.pointer).startswith("/buffers/1")


def test_copies_go_their_own_way(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.glb"))
    document.read_buffer(0)
    document.append_view(b"both")
    twin = document.copy()
    assert same(twin.json, document.json)
    document.append_view(b"left")
    twin.append_view(b"right")
    twin.json["nodes"][0]["name"] = "changed"
    assert document.json["nodes"][0]["name"] == "body"
    assert bytes(document.read_buffer(0)).endswith(b"bothleft")
    assert bytes(twin.read_buffer(0)).endswith(b"bothright")
    assert (twin.path, twin.form, twin.roots) == (document.path, document.form, document.roots)


def test_one_thing_is_warned_of_once() -> None:
    document = Document(path=Path("a.glb"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            document.warn("odd", "/nodes/1")
            document.copy().warn("odd", "/nodes/1")
        document.warn("odd", "/nodes/2")
    assert [str(w.message) for w in caught] == ["a.glb: /nodes/1: odd", "a.glb: /nodes/2: odd"]
    assert {w.category for w in caught} == {LigamentWarning}


def test_a_chunk_that_no_buffer_uses_belongs_to_no_buffer() -> None:
    document = loads(glb_bytes({"asset": {}}, b"spare"))
    document.append_view(b"hello")
    assert bytes(document.read_buffer(0)) == b"hello"


def test_everything_is_there() -> None:
    """The sample that other tests break really uses every kind of top-level array."""
    root, binary = everything()
    document = loads(glb_bytes(root, binary))
    arrays = {name for name, value in document.json.items() if isinstance(value, list)}
    assert arrays >= {
        "accessors", "animations", "buffers", "bufferViews", "cameras", "images", "materials",
        "meshes", "nodes", "samplers", "scenes", "skins", "textures",
    }  # fmt: skip
