"""Embedding: every buffer and image inside the file, every reference still right."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ligament.extensions  # noqa: F401  (fills the table of members that name buffers)
from ligament.errors import ContentError, LigamentWarning
from ligament.gltf import Document, load, loads, save
from ligament.gltf.accessors import read_accessor, read_view_bytes
from ligament.gltf.storage.byte_sources import decode_data_uri
from tests.gltf.documents import PNG, data_uri, text_of, write_everything


def image_bytes(document: Document, image: dict[str, Any]) -> bytes:
    if "bufferView" in image:
        return bytes(read_view_bytes(document, image["bufferView"]))
    return decode_data_uri(image["uri"])


@pytest.mark.parametrize("source", ["a.gltf", "a.glb"])
@pytest.mark.parametrize("suffix", [".gltf", ".glb"])
def test_an_embedded_file_stands_alone(tmp_path: Path, source: str, suffix: str) -> None:
    document = load(write_everything(tmp_path, source))
    out = tmp_path / "out"
    out.mkdir()
    save(document, out / f"b{suffix}", embed=True)
    assert [file.name for file in out.iterdir()] == [f"b{suffix}"]
    there = load(out / f"b{suffix}")
    for index in range(len(document.array("accessors"))):
        assert (read_accessor(there, index) == read_accessor(document, index)).all()
    images = [image_bytes(there, image) for image in there.json["images"]]
    assert images == [PNG] * len(document.json["images"])
    uris = [item.get("uri", "") for name in ("buffers", "images") for item in there.json[name]]
    assert all(uri == "" or (uri.startswith("data:") and suffix == ".gltf") for uri in uris)
    assert len(there.json["buffers"]) == (1 if suffix == ".glb" else 2)


def test_the_document_itself_stays_as_it_is(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    before = json.dumps(document.json)
    save(document, tmp_path / "b.glb", embed=True)
    save(document, tmp_path / "c.gltf", embed=True)
    assert json.dumps(document.json) == before


def test_buffers_are_packed_at_aligned_offsets(tmp_path: Path) -> None:
    root = {
        "buffers": [{"byteLength": len(d), "uri": data_uri(d)} for d in (b"abc", b"defgh", b"i")],
        "bufferViews": [
            {"buffer": 1, "byteLength": 3, "byteOffset": 2},
            {"buffer": 0, "byteLength": 3},
            {"buffer": 2, "byteLength": 1},
        ],
    }
    save(loads(text_of(root)), tmp_path / "a.glb", embed=True)
    there = load(tmp_path / "a.glb")
    found = [bytes(read_view_bytes(there, index)) for index in range(3)]
    assert found == [b"fgh", b"abc", b"i"]
    assert [view.get("byteOffset", 0) for view in there.json["bufferViews"]] == [18, 0, 32]


def test_a_buffer_without_bytes_stays_apart(tmp_path: Path) -> None:
    """EXT_meshopt_compression: the fallback is never stored, but views point into it."""
    compressed = {"buffer": 1, "byteOffset": 4, "byteLength": 4}
    root = {
        "buffers": [
            {"byteLength": 100, "extensions": {"EXT_meshopt_compression": {"fallback": True}}},
            {"byteLength": 8, "uri": data_uri(b"12345678")},
        ],
        "bufferViews": [
            {
                "buffer": 0,
                "byteLength": 16,
                "extensions": {"EXT_meshopt_compression": compressed},
            },
            {"buffer": 1, "byteLength": 4, "byteOffset": 4},
        ],
    }
    save(loads(text_of(root)), tmp_path / "a.glb", embed=True)
    there = load(tmp_path / "a.glb")
    assert [buffer["byteLength"] for buffer in there.json["buffers"]] == [8, 100]
    assert there.json["bufferViews"][0]["buffer"] == 1
    assert there.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["buffer"] == 0
    assert bytes(read_view_bytes(there, 1)) == b"5678"


def test_data_uris_are_embedded_unchanged(tmp_path: Path) -> None:
    root = {
        "buffers": [{"byteLength": 100}],
        "images": [{"uri": "data:image/x;odd=1,%41"}, {"uri": data_uri(PNG, "image/y")}],
    }
    save(loads(text_of(root)), tmp_path / "a.gltf", embed=True)
    assert load(tmp_path / "a.gltf").json == root


def test_an_image_that_cannot_be_had_is_left_by_its_uri(tmp_path: Path) -> None:
    root = {"images": [{"uri": "missing.png"}, {"uri": "../out.png"}, {"uri": "data:nonsense"}]}
    (tmp_path / "a.gltf").write_bytes(text_of(root))
    with pytest.warns(LigamentWarning):
        document = load(tmp_path / "a.gltf")
    for name in ("b.glb", "b.gltf"):
        with pytest.warns(LigamentWarning):
            save(document, tmp_path / name, embed=True)
        with pytest.warns(LigamentWarning):
            there = load(tmp_path / name)
        assert there.json["images"][:2] == root["images"][:2]


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"\xabKTX 20", "image/ktx2"),
        (b"RIFF1234WEBP", "image/webp"),
        (b"?", "image/gif"),
    ],
)
def test_the_media_type_follows_from_content_then_name(
    tmp_path: Path, content: bytes, media_type: str
) -> None:
    (tmp_path / "a.gif").write_bytes(content)
    root = {"images": [{"uri": "a.gif"}, {"uri": "a.gif", "mimeType": "image/x"}]}
    (tmp_path / "a.gltf").write_bytes(text_of(root))
    save(load(tmp_path / "a.gltf"), tmp_path / "b.glb", embed=True)
    there = load(tmp_path / "b.glb")
    assert [image["mimeType"] for image in there.json["images"]] == [media_type, "image/x"]
    save(load(tmp_path / "a.gltf"), tmp_path / "b.gltf", embed=True)
    uris = [image["uri"] for image in load(tmp_path / "b.gltf").json["images"]]
    assert [uri.partition(";")[0] for uri in uris] == [f"data:{media_type}", "data:image/x"]


def test_a_view_of_a_buffer_that_is_not_there_stays_wrong(tmp_path: Path) -> None:
    root = {
        "buffers": [{"byteLength": 1, "uri": data_uri(b"1")}, {"byteLength": 1, "uri": "data:,2"}],
        "bufferViews": [{"buffer": 7, "byteLength": 1}],
    }
    save(loads(text_of(root)), tmp_path / "a.glb", embed=True)
    assert load(tmp_path / "a.glb").json["bufferViews"] == root["bufferViews"]


def test_an_offset_that_is_not_a_number_is_reported_with_its_place(tmp_path: Path) -> None:
    root = {
        "buffers": [{"byteLength": 1, "uri": "data:,1"}, {"byteLength": 1, "uri": "data:,2"}],
        "bufferViews": [{"buffer": 1, "byteLength": 1, "byteOffset": "x"}],
    }
    with pytest.raises(ContentError) as caught:
        save(loads(text_of(root)), tmp_path / "a.glb", embed=True)
    assert caught.value.pointer == "/bufferViews/0/byteOffset"


def test_compressed_views_follow_their_buffer_without_further_imports(tmp_path: Path) -> None:
    root = {
        "buffers": [{"byteLength": 9}, {"byteLength": 4, "uri": data_uri(b"1234")}],
        "bufferViews": [
            {
                "buffer": 0,
                "byteLength": 9,
                "extensions": {"EXT_meshopt_compression": {"buffer": 1, "byteLength": 4}},
            }
        ],
    }
    (tmp_path / "a.gltf").write_bytes(text_of(root))
    script = "import ligament as lg, sys; lg.save(lg.load(sys.argv[1]), sys.argv[2], embed=True)"
    arguments = [str(tmp_path / name) for name in ("a.gltf", "b.glb")]
    subprocess.run([sys.executable, "-c", script, *arguments], check=True)
    view = load(tmp_path / "b.glb").json["bufferViews"][0]
    assert view["extensions"]["EXT_meshopt_compression"]["buffer"] == 0
