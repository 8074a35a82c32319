"""Load → save → load loses nothing, in both containers, and other programs read the result."""

import copy
import json
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import LigamentError, LigamentWarning
from ligament.gltf import Document, load, loads, save
from ligament.gltf.accessors import read_accessor
from ligament.gltf.mesh import read_mesh
from tests.gltf.documents import data_uri, glb_bytes, text_of, write_everything
from tests.gltf.json_values import OBJECTS, VALUES, same
from tests.judges import judge

SUFFIXES = {".gltf", ".glb", ".vrm", ".vrma"}


def bytes_of(document: Document) -> list[bytes]:
    count = len(document.array("buffers"))
    return [bytes(document.read_buffer(i)) for i in range(count) if document.buffer(i).exists]


def without_uris(root: dict[str, Any]) -> dict[str, Any]:
    """The JSON without what a change of container or folder may change: URIs of files."""
    root = copy.deepcopy(root)
    for name in ("buffers", "images"):
        for item in root.get(name, []):
            if isinstance(item, dict) and isinstance(item.get("uri", ""), str):
                item.pop("uri", None)
    return root


@st.composite
def documents(draw: st.DrawFn) -> tuple[dict[str, Any], bytes | None]:
    """Any JSON with buffers in it: the BIN chunk, data URIs, or none."""
    root: dict[str, Any] = dict(draw(OBJECTS))
    binary = draw(st.none() | st.binary(min_size=1, max_size=9))
    buffers = []
    if binary is not None:
        buffers.append({**draw(OBJECTS), "byteLength": len(binary)})
    for data in draw(st.lists(st.binary(max_size=9), max_size=2)):
        buffers.append({"uri": data_uri(data), **draw(OBJECTS), "byteLength": len(data)})
    for buffer in buffers:
        if "uri" in buffer and not str(buffer["uri"]).startswith("data:"):
            del buffer["uri"]
    if buffers or draw(st.booleans()):
        root["buffers"] = buffers
    for name in draw(st.sets(st.sampled_from(["nodes", "extensions", "asset", "animations"]))):
        root[name] = draw(VALUES)
    return root, binary


@given(documents(), st.booleans())
def test_any_document_survives_both_containers(
    tmp_path_factory: pytest.TempPathFactory,
    generated: tuple[dict[str, Any], bytes | None],
    compact: bool,
) -> None:
    root, binary = generated
    folder = tmp_path_factory.mktemp("any")
    text = json.dumps(root, indent=None if compact else 1, ensure_ascii=compact).encode()
    first = folder / "first.glb"
    first.write_bytes(glb_bytes(text, binary))
    document = load(first)
    assert same(document.json, root)
    held = bytes_of(document)
    for name in ("a.glb", "b.gltf", "c.glb", "d.gltf"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LigamentWarning)  # a spare BIN chunk is left out
            save(document, folder / name)
        document = load(folder / name)
        assert bytes_of(document) == held
        assert same(without_uris(document.json), without_uris(root))
    save(load(first), folder / "again.glb")
    assert (folder / "again.glb").read_bytes() == first.read_bytes()


@given(OBJECTS)
def test_plain_text_survives_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, root: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("plain") / "a.gltf"
    root = {name: value for name, value in root.items() if name not in ("buffers", "images")}
    path.write_bytes(text_of(root))
    save(load(path), path)
    assert path.read_bytes() == text_of(root)


def reference_files(shared: Path) -> list[Path]:
    folders = (shared / "corpus", shared / "golden")
    return sorted(f for folder in folders for f in folder.rglob("*") if f.suffix in SUFFIXES)


def test_the_reference_files_survive(shared: Path, tmp_path: Path) -> None:
    files = reference_files(shared)
    assert len(files) > 200
    for number, file in enumerate(files):
        folder = tmp_path / str(number)
        folder.mkdir()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LigamentWarning)
            _survives(file, folder)


def _survives(file: Path, folder: Path) -> None:
    document = load(file)
    try:
        held = bytes_of(document)
    except LigamentError:
        held = None  # an example of a broken buffer: the JSON must survive all the same
    same_form = ".glb" if document.form == "glb" else ".gltf"
    for suffix in (same_form, ".glb", ".gltf"):
        output = folder / f"out{suffix}"
        try:
            save(document, output)
        except LigamentError:
            assert held is None, file
            continue
        there = load(output)
        assert same(without_uris(there.json), without_uris(document.json)), file
        assert held is None or bytes_of(there) == held, file
        if suffix == same_form:
            _keeps_uris(document, there)


def _keeps_uris(document: Document, there: Document) -> None:
    assert same(there.json, document.json)
    if document.form == "glb":
        assert document.path is not None
        assert there.path is not None
        assert there.path.read_bytes() == document.path.read_bytes()


# Other programs


@pytest.fixture(params=["embedded.glb", "plain.glb", "plain.gltf", "embedded.gltf"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Document, Path]:
    """The sample as this library writes it."""
    document = load(write_everything(tmp_path, "a.gltf"))
    document.json["extras"] = {"a": 1}  # pygltflib takes nothing but objects here
    save(document, tmp_path / request.param, embed=request.param.startswith("embedded"))
    return document, tmp_path / request.param


def test_pygltflib_reads_what_is_written(written: tuple[Document, Path]) -> None:
    import pygltflib

    document, path = written
    other = pygltflib.GLTF2().load(str(path))
    assert [node.name for node in other.nodes] == ["body", "arm", None, None]
    assert other.nodes[1].translation == [1, 2, 3]
    for index, accessor in enumerate(other.accessors):
        if accessor.componentType != 5126 or accessor.sparse is not None:
            continue
        view = other.bufferViews[accessor.bufferView]
        uri = other.buffers[view.buffer].uri
        data = other.binary_blob() if uri is None else other.get_data_from_buffer_uri(uri)
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        first = struct.unpack_from("<f", data, start)[0]
        assert first == read_accessor(document, index).ravel()[0]


def test_trimesh_reads_what_is_written(written: tuple[Document, Path]) -> None:
    import trimesh

    document, path = written
    scene = trimesh.load_scene(str(path))
    (mesh,) = scene.geometry.values()
    (ours,) = read_mesh(document, 0)
    assert np.allclose(mesh.vertices[mesh.faces], ours.points[ours.triangles])


def test_documents_from_bytes_survive_too(tmp_path: Path) -> None:
    root = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4}]}
    document = loads(glb_bytes(root, b"1234"))
    save(document, tmp_path / "a.glb")
    assert (tmp_path / "a.glb").read_bytes() == glb_bytes(root, b"1234")


def test_the_khronos_validator_says_the_same_of_every_reference_file(
    shared: Path, tmp_path: Path
) -> None:
    """Another program reads the written file and finds the same in it as before."""
    originals, copies = [], []
    for number, file in enumerate(reference_files(shared)):
        target = tmp_path / f"{number}{file.suffix}"
        if number % 2:  # every other one in the other container
            target = target.with_suffix(".gltf" if file.suffix != ".gltf" else ".glb")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LigamentWarning)
                save(load(file), target)
        except LigamentError:
            continue  # an example of a broken buffer, which cannot be moved
        originals.append(file)
        copies.append(target)
    assert len(copies) > 200
    before = judge("validate.mjs", *originals)
    after = judge("validate.mjs", *copies)
    for original, written_file in zip(originals, copies, strict=True):
        assert verdicts(after[str(written_file)]) == verdicts(before[str(original)]), original


def verdicts(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted((message["code"], message.get("pointer", "")) for message in messages)


def test_bytes_that_are_not_kept_are_reported(tmp_path: Path) -> None:
    """Bytes after the end of a GLB, and a byte order mark, are no part of a glTF file."""
    text = b'{"asset":{"version":"2.0"}} '
    longer, marked = tmp_path / "longer.glb", tmp_path / "marked.gltf"
    longer.write_bytes(glb_bytes(text) + b"rest")
    marked.write_bytes(b"\xef\xbb\xbf" + text)
    with pytest.warns(LigamentWarning, match="4 bytes after the declared end .* are left out"):
        document = load(longer)
    save(document, tmp_path / "out.glb")
    assert (tmp_path / "out.glb").read_bytes() == glb_bytes(text)
    with pytest.warns(LigamentWarning, match="byte order mark before the JSON is left out"):
        document = load(marked)
    save(document, tmp_path / "out.gltf")
    assert (tmp_path / "out.gltf").read_bytes() == text
