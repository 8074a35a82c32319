"""Pruning: what nothing reaches goes, and so do the bytes that no view covers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ligament.extensions  # noqa: F401  (fills the table)
from ligament.errors import EditError
from ligament.gltf import load, loads, references, save
from ligament.gltf.document import Document
from ligament.gltf.jsontext import clone
from ligament.gltf.reindex import prune
from ligament.gltf.storage.byte_sources import BufferData, Memory

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"


def with_bytes(json: dict[str, Any], *contents: bytes) -> Document:
    document = Document(json)
    document.set_buffers([BufferData(Memory(content), len(content)) for content in contents])
    return document


def mesh(position: int, **members: Any) -> dict[str, Any]:
    return {"primitives": [{"attributes": {"POSITION": position}, **members}]}


def test_unreachable_objects_are_pruned_with_their_dependencies() -> None:
    document = Document(
        {
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 1}, {"name": "in no scene"}],
            "meshes": [mesh(0, material=0), mesh(1)],
            "accessors": [{"name": "a"}, {"name": "b"}],
            "materials": [{"normalTexture": {"index": 0}}],
            "textures": [{"source": 0, "sampler": 0}],
            "images": [{"uri": "a.png"}],
            "samplers": [{}],
        }
    )
    counts = prune(document)
    assert document.json == {
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}, {"name": "in no scene"}],
        "meshes": [mesh(0)],
        "accessors": [{"name": "b"}],
    }
    assert counts == dict.fromkeys(
        ["/accessors", "/images", "/materials", "/meshes", "/samplers", "/textures"], 1
    )


def test_only_what_is_named_goes() -> None:
    json = {"nodes": [{"name": "a"}], "scenes": [{}], "meshes": [{}], "materials": [{}]}
    document = Document(clone(json))
    assert prune(document, ["materials"]) == {"/materials": 1}
    assert document.json == {k: v for k, v in json.items() if k != "materials"}
    assert prune(document, ["/nodes"]) == {"/nodes": 1}
    assert document.json == {"scenes": [{}], "meshes": [{}]}


def test_arrays_of_extensions_are_pruned_but_content_is_not() -> None:
    document = Document(
        {
            "extensions": {
                "KHR_implicit_shapes": {"shapes": [{}]},
                "KHR_materials_variants": {"variants": [{"name": "chosen by the viewer"}]},
            }
        }
    )
    assert prune(document) == {"/extensions/KHR_implicit_shapes/shapes": 1}
    assert list(document.json["extensions"]) == ["KHR_materials_variants"]


def test_a_texture_that_only_a_dead_material_of_vrm0_uses_goes() -> None:
    properties = [
        {"name": "dead", "textureProperties": {"_MainTex": 0}},
        {"name": "live", "textureProperties": {"_MainTex": 1}},
    ]
    document = Document(
        {
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {}, "material": 1}]}],
            "materials": [{"name": "dead"}, {"name": "live"}],
            "textures": [{"name": "dead"}, {"name": "live"}],
            "extensions": {"VRM": {"materialProperties": properties}},
        }
    )
    assert prune(document) == {"/materials": 1, "/textures": 1}
    assert document.json["textures"] == [{"name": "live"}]
    assert properties == [{"name": "live", "textureProperties": {"_MainTex": 0}}]


def animation() -> dict[str, Any]:
    return {
        "channels": [
            {"sampler": 3, "target": {"node": 0, "path": "scale"}},
            {"sampler": 1, "target": {"node": 0, "path": "rotation"}},
        ],
        "samplers": [{"input": i, "output": i} for i in range(4)],
    }


def test_samplers_count_within_their_animation() -> None:
    document = Document(
        {
            "nodes": [{}],
            "accessors": [{"name": str(i)} for i in range(4)],
            "animations": [animation(), {"name": "b", **animation()}],
        }
    )
    document.json["animations"][1]["channels"][1]["sampler"] = 0
    assert prune(document) == {"/accessors": 1}
    first, second = document.json["animations"]
    assert [channel["sampler"] for channel in first["channels"]] == [1, 0]
    assert [channel["sampler"] for channel in second["channels"]] == [1, 0]
    assert [sampler["input"] for sampler in first["samplers"]] == [1, 2]
    assert [sampler["input"] for sampler in second["samplers"]] == [0, 2]
    assert [accessor["name"] for accessor in document.json["accessors"]] == ["0", "1", "3"]


def test_a_sampler_that_is_not_there_is_refused() -> None:
    document = Document(
        {"nodes": [{}], "accessors": [{} for _ in range(4)], "animations": [animation()]}
    )
    document.json["animations"][0]["channels"][0]["sampler"] = 4
    was = clone(document.json)
    with pytest.raises(EditError, match="/animations/0: a channel names element 4 of samplers"):
        prune(document)
    assert document.json == was


def test_dead_bytes_go_and_offsets_keep_their_alignment() -> None:
    content = bytes(range(64))
    views = [
        {"buffer": 0, "byteOffset": 4, "byteLength": 4},
        {"buffer": 0, "byteOffset": 16, "byteLength": 8},  # nobody reads this one
        {"buffer": 0, "byteOffset": 36, "byteLength": 8},
        {"buffer": 0, "byteOffset": 40, "byteLength": 8},  # overlaps the one before
    ]
    json = {
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"A": 0, "B": 1, "C": 2}}]}],
        "accessors": [{"bufferView": 0}, {"bufferView": 2}, {"bufferView": 3}],
        "bufferViews": views,
        "buffers": [{"byteLength": 64}],
    }
    document = with_bytes(json, content)
    assert prune(document) == {"/bufferViews": 1}
    packed = document.read_buffer(0)
    assert document.json["buffers"] == [{"byteLength": len(packed)}]
    assert len(packed) == 24
    kept = [(4, 4), (36, 8), (40, 8)]
    for view, (start, length) in zip(document.json["bufferViews"], kept, strict=True):
        offset = view["byteOffset"]
        assert offset % 8 == start % 8
        assert bytes(packed[offset : offset + length]) == content[start : start + length]
    assert prune(document) == {}
    assert document.read_buffer(0) is packed


def test_compressed_ranges_count_as_used() -> None:
    meshopt = {"EXT_meshopt_compression": {"buffer": 0, "byteOffset": 8, "byteLength": 4}}
    json = {
        "images": [{"bufferView": 0}],
        "textures": [{"source": 0}],
        "materials": [{"normalTexture": {"index": 0}}],
        "meshes": [{"primitives": [{"attributes": {}, "material": 0}]}],
        "nodes": [{"mesh": 0}],
        "bufferViews": [{"buffer": 1, "byteLength": 100, "extensions": meshopt}],
        "buffers": [{"byteLength": 64}, {"byteLength": 100}],
    }
    document = Document(json)
    document.set_buffers([BufferData(Memory(bytes(range(64))), 64), BufferData(None, 100)])
    prune(document)
    compressed = json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]
    assert compressed["byteOffset"] == 0
    assert json["buffers"] == [{"byteLength": 4}, {"byteLength": 100}]
    assert bytes(document.read_buffer(0)) == bytes(range(8, 12))


def test_a_buffer_without_dead_bytes_is_not_touched() -> None:
    json = {
        "animations": [
            {
                "channels": [{"sampler": 0, "target": {"path": "scale"}}],
                "samplers": [{"input": 0, "output": 0}],
            }
        ],
        "accessors": [{"bufferView": 0}],
        "bufferViews": [{"buffer": 0, "byteLength": 60}],
        "buffers": [{"byteLength": 64}],
    }
    document = with_bytes(json, bytes(64))
    data = document.buffer(0)
    assert prune(document) == {}
    assert document.buffer(0) is data
    assert not data.changed


def test_a_view_outside_of_its_buffer_is_refused() -> None:
    json = {
        "images": [{"bufferView": 0}],
        "extensions": {"VRMC_vrm": {"meta": {"thumbnailImage": 0}}},
        "meshes": [{}],
        "bufferViews": [{"buffer": 0, "byteOffset": 60, "byteLength": 8}],
        "buffers": [{"byteLength": 64}],
    }
    document, was = with_bytes(json, bytes(64)), clone(json)
    with pytest.raises(EditError, match="/bufferViews/0: the bytes do not lie in buffer 0"):
        prune(document)
    assert document.json == was


def test_nothing_of_the_bytes_is_left_in_the_saved_file(tmp_path: Path) -> None:
    document = Document()
    document.append_view(b"secret bytes")
    save(document, tmp_path / "a.glb")
    document = load(tmp_path / "a.glb")
    assert prune(document) == {"/bufferViews": 1, "/buffers": 1}
    save(document, tmp_path / "b.glb")
    assert b"secret" not in (tmp_path / "b.glb").read_bytes()
    assert loads((tmp_path / "b.glb").read_bytes()).json == {"asset": {"version": "2.0"}}


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpus is not beside the project")
def test_real_files_lose_nothing_that_is_used(tmp_path: Path) -> None:
    files = sorted((SHARED / "corpus" / "khr_samples_2024_03").glob("*/*.gltf"))
    assert len(files) == 8
    for file in files:
        document = load(file)
        nodes = clone(document.array("nodes"))
        prune(document)
        assert [n.get("name") for n in document.array("nodes")] == [n.get("name") for n in nodes]
        assert list(references.references(document))
        save(document, tmp_path / file.name)
        again = load(tmp_path / file.name)
        assert again.json["nodes"] == document.json["nodes"]
        for index in range(len(again.array("buffers"))):
            assert again.read_buffer(index) == document.read_buffer(index)
