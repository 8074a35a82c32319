"""Saving: what was not edited stays, what fails leaves no trace, nothing else is overwritten."""

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from ligament.errors import ContentError, FileError, LigamentError, LigamentWarning
from ligament.gltf import Document, load, loads, save
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.storage.byte_sources import Memory
from ligament.gltf.storage.container import Chunk
from ligament.gltf.storage.uris import quote
from tests.gltf.documents import (
    PNG,
    data_uri,
    everything,
    glb_bytes,
    text_of,
    write_everything,
)
from tests.gltf.json_values import same

ODD_TEXT = b"""{ "asset" : {"version":"2.0"},
 "extras": [1.50, 1E5, -0, 1e-400, 100000000000000000000000000000, "\\u00e9\\/", null] ,
 "b": {"z": 1, "a": 2}, "buffers": [ {"byteLength" : 4.0, "uri": "a.bin"} ] }
"""


def names(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def snapshot(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names(folder)}


def tokens(text: bytes) -> bytes:
    return re.sub(rb"\s+(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", b"", text)


# Unedited documents


def test_unedited_text_is_written_back_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    path.write_bytes(ODD_TEXT)
    save(load(path), tmp_path / "b.gltf")
    assert (tmp_path / "b.gltf").read_bytes() == ODD_TEXT
    save(load(path), path)
    assert path.read_bytes() == ODD_TEXT


def test_an_unedited_glb_is_written_back_byte_for_byte(tmp_path: Path) -> None:
    text = ODD_TEXT.replace(b', "uri": "a.bin"', b"")
    whole = glb_bytes(text, b"\1\2\3\4\5", (0x1234, b"unknown!"), (0x99, b""), (0x1234, b"x"))
    path = tmp_path / "a.glb"
    path.write_bytes(whole)
    save(load(path), tmp_path / "b.vrm")
    assert (tmp_path / "b.vrm").read_bytes() == whole
    save(load(path), path)
    assert path.read_bytes() == whole


def test_only_the_byte_order_mark_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    path.write_bytes(b"\xef\xbb\xbf" + ODD_TEXT)
    with pytest.warns(LigamentWarning, match="the byte order mark before the JSON is left out"):
        document = load(path)
    save(document, tmp_path / "b.gltf")
    assert (tmp_path / "b.gltf").read_bytes() == ODD_TEXT


def test_tokens_survive_a_change_of_form_where_no_uri_changes(tmp_path: Path) -> None:
    text = ODD_TEXT.replace(b'"uri": "a.bin"', f'"uri": "{data_uri(b"1234")}"'.encode())
    text = text.replace(b'"buffers": [ {', b'"buffers": [ {"byteLength":1}, {')
    (tmp_path / "a.gltf").write_bytes(text)
    save(load(tmp_path / "a.gltf"), tmp_path / "b.glb")
    there = load(tmp_path / "b.glb")
    assert there.origin is not None
    assert tokens(there.origin.text) == tokens(text)
    save(there, tmp_path / "c.gltf")
    assert tokens((tmp_path / "c.gltf").read_bytes()) == tokens(text)


def test_values_survive_a_change_of_form_where_the_uri_changes(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"1234")
    (tmp_path / "a.gltf").write_bytes(ODD_TEXT)
    save(load(tmp_path / "a.gltf"), tmp_path / "b.glb")
    there = load(tmp_path / "b.glb")
    expected = json.loads(ODD_TEXT)
    del expected["buffers"][0]["uri"]
    assert same(there.json, expected)
    assert bytes(there.read_buffer(0)) == b"1234"
    save(there, tmp_path / "c.gltf")
    expected["buffers"][0]["uri"] = "c.bin"
    assert same(load(tmp_path / "c.gltf").json, expected)


@pytest.mark.parametrize("name", ["a.gltf", "a.glb", "a.vrm"])
@pytest.mark.parametrize("suffix", [".gltf", ".glb"])
@pytest.mark.parametrize("embed", [False, True])
def test_saving_twice_gives_the_same_bytes(
    tmp_path: Path, name: str, suffix: str, embed: bool
) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    out.mkdir()
    document = load(write_everything(source, name))
    document.json["nodes"][0]["name"] = "edited"
    append_accessor(document, [1.0, 2.0])
    save(document, out / f"x{suffix}", embed=embed)
    first = snapshot(out)
    save(document, out / f"x{suffix}", embed=embed)
    assert snapshot(out) == first
    save(load(out / f"x{suffix}"), out / f"x{suffix}")
    assert snapshot(out) == first


def test_saving_leaves_the_document_as_it_is(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    before = json.dumps(document.json)
    (tmp_path / "out").mkdir()
    for name in ("out/a.gltf", "out/b.glb"):
        for embed in (False, True):
            save(document, tmp_path / name, embed=embed)
    assert json.dumps(document.json) == before
    assert (document.path, document.form) == (tmp_path / "a.gltf", "gltf")


# Edited documents


def test_an_edit_changes_nothing_else(tmp_path: Path) -> None:
    for name in ("a.gltf", "a.glb"):
        document = load(write_everything(tmp_path, name))
        expected = json.loads(json.dumps(document.json))
        document.json["nodes"][1]["translation"] = expected["nodes"][1]["translation"] = [9, 8, 7.5]
        save(document, tmp_path / f"b{Path(name).suffix}")
        assert same(load(tmp_path / f"b{Path(name).suffix}").json, expected)


def test_a_document_edited_and_edited_back_is_unedited(tmp_path: Path) -> None:
    (tmp_path / "a.gltf").write_bytes(ODD_TEXT)
    document = load(tmp_path / "a.gltf")
    document.json["b"]["z"] = 2
    document.json["b"]["z"] = 1
    save(document, tmp_path / "b.gltf")
    assert (tmp_path / "b.gltf").read_bytes() == ODD_TEXT


def test_compact_text_stays_compact_and_indented_text_indented(tmp_path: Path) -> None:
    for text in (b'{"asset":{"version":"2.0"}}', b'{\n\t"asset": {\n\t\t"version": "2.0"}\n}'):
        (tmp_path / "a.gltf").write_bytes(text)
        document = load(tmp_path / "a.gltf")
        document.json["extras"] = 1
        save(document, tmp_path / "a.gltf")
        assert (b"\n" in (tmp_path / "a.gltf").read_bytes()) == (b"\n" in text)


def test_non_finite_numbers_are_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    document = Document()
    save(document, path)
    before = path.read_bytes()
    document.json["nodes"] = [{"translation": [0, float("nan"), 0]}]
    with pytest.raises(ContentError, match="found nan") as caught:
        save(document, path)
    assert (caught.value.pointer, caught.value.file) == ("/nodes/0/translation/1", str(path))
    assert snapshot(tmp_path) == {"a.glb": before}


# Containers


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    before = names(tmp_path)
    with pytest.raises(ContentError, match=r"'\.x' is not a glTF suffix; use one of \.gltf, \.glb"):
        save(document, tmp_path / "b.x")
    assert names(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "form"),
    [("b.glb", "glb"), ("b.vrm", "glb"), ("b.VRMA", "glb"), ("b.gltf", "gltf"), ("b", None)],
)
@pytest.mark.parametrize("source", ["a.gltf", "a.glb"])
def test_the_suffix_says_the_form(tmp_path: Path, name: str, form: str | None, source: str) -> None:
    document = load(write_everything(tmp_path, source))
    save(document, tmp_path / name)
    again = load(tmp_path / name)
    assert again.form == (form or document.form)
    assert bytes(again.read_buffer(0)).startswith(everything()[1])


def test_gltf_to_glb_takes_in_the_first_buffer_only(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    (tmp_path / "third.bin").write_bytes(b"1234")
    document.json["buffers"].append({"byteLength": 4, "uri": "third.bin", "extras": None})
    before = json.loads(json.dumps(document.json))
    save(document, tmp_path / "b.glb")
    del before["buffers"][0]["uri"]
    assert same(load(tmp_path / "b.glb").json, before)
    assert names(tmp_path) == {"a.gltf", "b.glb", "side.bin", "third.bin", "picture one.png"}


def test_a_data_uri_moves_into_the_glb_too(tmp_path: Path) -> None:
    document = loads(text_of({"buffers": [{"byteLength": 4, "uri": data_uri(b"data")}]}))
    save(document, tmp_path / "a.glb")
    again = load(tmp_path / "a.glb")
    assert again.json["buffers"] == [{"byteLength": 4}]
    assert bytes(again.read_buffer(0)) == b"data"


def test_a_data_uri_stays_one_and_grows_with_its_buffer(tmp_path: Path) -> None:
    uri = "data:application/gltf-buffer;base64,MTIzNA=="
    root = {"buffers": [{"byteLength": 4, "uri": uri}, {"byteLength": 4, "uri": uri}]}
    document = loads(text_of(root))
    index = append_accessor(document, [5.0])
    save(document, tmp_path / "a.gltf")
    assert names(tmp_path) == {"a.gltf"}
    there = load(tmp_path / "a.gltf")
    assert bytes(there.read_buffer(0))[:4] == b"1234"
    assert read_accessor(there, index).tolist() == [5.0]
    assert there.json["buffers"][0]["uri"].startswith("data:application/octet-stream;base64,")
    assert there.json["buffers"][1]["uri"] == uri


def test_glb_to_gltf_writes_a_bin_of_the_same_name(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.glb"))
    save(document, tmp_path / "my scene.gltf")
    again = load(tmp_path / "my scene.gltf")
    assert again.json["buffers"][0]["uri"] == "my%20scene.bin"
    assert (tmp_path / "my scene.bin").read_bytes()[: len(everything()[1])] == everything()[1]
    expected = everything()[0]
    expected["buffers"][0]["uri"] = "my%20scene.bin"
    assert same(again.json, expected)


def test_a_glb_keeps_its_external_buffers(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"1234")
    root = {"buffers": [{"byteLength": 4, "uri": "a.bin"}]}
    (tmp_path / "a.glb").write_bytes(glb_bytes(root, b"spare"))
    save(load(tmp_path / "a.glb"), tmp_path / "b.glb")
    assert (tmp_path / "b.glb").read_bytes() == (tmp_path / "a.glb").read_bytes()


def test_unknown_chunks_are_dropped_from_gltf_with_a_warning(tmp_path: Path) -> None:
    document = loads(glb_bytes({}, b"spare", (0xABC, b"data")))
    with pytest.warns(LigamentWarning, match="0x004e4942, 0x00000abc have no place"):
        save(document, tmp_path / "a.gltf")
    save(document, tmp_path / "a.glb")
    assert (tmp_path / "a.glb").read_bytes() == glb_bytes({}, b"spare", (0xABC, b"data"))


def test_chunks_can_be_added(tmp_path: Path) -> None:
    document = Document()
    document.chunks.append(Chunk(0xABC, Memory(b"data!")))
    save(document, tmp_path / "a.glb")
    again = load(tmp_path / "a.glb")
    assert [(c.type, bytes(c.data.read())) for c in again.chunks] == [(0xABC, b"data!\0\0\0")]


def test_a_bin_chunk_goes_with_its_buffer(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.glb"))
    document.json = {"asset": {"version": "2.0"}}
    save(document, tmp_path / "b.glb")
    assert (tmp_path / "b.glb").stat().st_size < 100


# Overwriting


def test_a_file_can_be_saved_over_itself(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.glb")
    document, bystander = load(path), load(path)
    document.json["nodes"][0]["name"] = "edited"
    append_accessor(document, [1.0])
    save(document, path)
    binary = everything()[1]
    assert bytes(bystander.read_buffer(0)) == binary
    assert bytes(document.read_buffer(0)).startswith(binary)
    assert bytes(load(path).read_buffer(0)).startswith(binary)
    assert load(path).json["nodes"][0]["name"] == "edited"


def test_another_documents_chunks_are_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    path.write_bytes(glb_bytes({}, b"bin!", (7, b"more")))
    bystander = load(path)
    save(Document(), path)
    save(bystander, tmp_path / "b.glb")
    assert (tmp_path / "b.glb").read_bytes() == glb_bytes({}, b"bin!", (7, b"more"))


def test_a_document_whose_file_is_gone_does_not_stop_others(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.glb")
    lost = load(path)
    path.write_bytes(glb_bytes({"asset": {}}, b"changed by somebody else"))
    save(load(path), path)
    with pytest.raises(FileError, match="has changed since it was loaded"):
        lost.read_buffer(0)


def test_bytes_that_are_lost_are_not_saved_over_the_rest(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.glb")
    document = load(path)
    path.write_bytes(glb_bytes({"asset": {}}, b"changed by somebody else"))
    before = snapshot(tmp_path)
    for name in ("a.glb", "b.glb", "c.gltf"):
        with pytest.raises(FileError, match="has changed since it was loaded"):
            save(document, tmp_path / name)
    assert snapshot(tmp_path) == before


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    real = write_everything(tmp_path, "real.glb")
    link = tmp_path / "link.glb"
    link.symlink_to(real)
    before = real.read_bytes()
    document = load(link)
    document.json["extras"] = "edited"
    save(document, link)
    assert not link.is_symlink()
    assert real.read_bytes() == before
    assert bytes(load(link).read_buffer(0)).startswith(everything()[1])


# Files beside the document


def test_the_same_folder_keeps_every_uri_and_file(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    before = names(tmp_path)
    save(document, tmp_path / "b.gltf")
    assert names(tmp_path) == before | {"b.gltf"}
    assert (tmp_path / "a.gltf").read_bytes() == (tmp_path / "b.gltf").read_bytes()


def test_the_same_folder_is_known_through_a_link(tmp_path: Path) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    document = load(write_everything(folder, "a.gltf"))
    before = names(folder)
    save(document, link / "b.gltf")
    assert names(folder) == before | {"b.gltf"}


@pytest.mark.parametrize("name", ["b.gltf", "b.glb"])
def test_another_folder_gets_copies_of_the_files(tmp_path: Path, name: str) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "more.bin").write_bytes(b"1234")
    document.json["buffers"].append({"byteLength": 4, "uri": "deep/more.bin"})
    out = tmp_path / "out"
    out.mkdir()
    save(document, out / name)
    there = load(out / name)
    assert {"deep/more.bin", "picture one.png"} <= names(out)
    assert ("side.bin" in names(out)) == (name == "b.gltf")
    for index in range(3):
        assert there.read_buffer(index) == document.read_buffer(index)
    assert (out / "picture one.png").read_bytes() == PNG
    uris = [image.get("uri") for image in there.json["images"]]
    assert uris == [image.get("uri") for image in document.json["images"]]


def test_a_missing_image_is_not_copied_but_kept(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.gltf")
    (tmp_path / "picture one.png").unlink()
    with pytest.warns(LigamentWarning, match="kept by its URI"):
        document = load(path)
    (tmp_path / "out").mkdir()
    save(document, tmp_path / "out" / "b.gltf")  # warned of once
    with pytest.warns(LigamentWarning, match="nor copied"):
        there = load(tmp_path / "out" / "b.gltf")
    assert there.json["images"][2]["uri"] == "picture%20one.png"


def test_a_missing_buffer_stops_the_copy(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    (tmp_path / "side.bin").unlink()
    (tmp_path / "out").mkdir()
    with pytest.raises(FileError, match=r"side\.bin"):
        save(document, tmp_path / "out" / "b.gltf")
    assert names(tmp_path / "out") == set()
    save(document, tmp_path / "b.gltf")


def test_existing_files_are_never_overwritten(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    out.mkdir()
    document = load(write_everything(source, "a.gltf"))
    (out / "side.bin").write_bytes(b"somebody else's")
    (out / "picture one.png").mkdir()
    save(document, out / "b.gltf")
    assert (out / "side.bin").read_bytes() == b"somebody else's"
    there = load(out / "b.gltf")
    assert re.fullmatch(r"side\.[0-9a-f]{12}\.bin", there.json["buffers"][0]["uri"])
    assert re.fullmatch(r"picture%20one\.[0-9a-f]{12}\.png", there.json["images"][2]["uri"])
    assert there.read_buffer(0) == document.read_buffer(0)
    before = snapshot(out)
    save(document, out / "b.gltf")
    assert snapshot(out) == before


def test_a_bin_of_the_same_size_in_the_way_is_distinguished(tmp_path: Path) -> None:
    document = load(write_everything(tmp_path, "a.glb"))
    save(document, tmp_path / "first.gltf")
    size = (tmp_path / "first.bin").stat().st_size
    (tmp_path / "b.bin").write_bytes(b"\xff" * size)
    save(document, tmp_path / "b.gltf")
    assert (tmp_path / "b.bin").read_bytes() == b"\xff" * size
    assert bytes(load(tmp_path / "b.gltf").read_buffer(0)) == everything()[1]


@pytest.mark.parametrize("target", ["../elsewhere.bin", "missing.bin", "same.bin"])
def test_a_link_in_the_way_is_never_written_through(tmp_path: Path, target: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for file in (tmp_path / "elsewhere.bin", out / "same.bin"):
        file.write_bytes(b"1234")
    (out / "b.bin").symlink_to(target)
    document = loads(glb_bytes({"buffers": [{"byteLength": 4}]}, b"1234"))
    save(document, out / "b.gltf")
    assert (tmp_path / "elsewhere.bin").read_bytes() == b"1234"
    assert (out / "b.bin").is_symlink()
    assert bytes(load(out / "b.gltf").read_buffer(0)) == b"1234"


def test_a_changed_buffer_gets_a_new_name_and_the_old_file_stays(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.gltf")
    old = (tmp_path / "side.bin").read_bytes()
    document = load(path)
    append_accessor(document, [1.0, 2.0])
    save(document, path)
    again = load(path)
    assert re.fullmatch(r"side\.[0-9a-f]{12}\.bin", again.json["buffers"][0]["uri"])
    assert (tmp_path / "side.bin").read_bytes() == old
    assert bytes(again.read_buffer(0)) == bytes(document.read_buffer(0))


def test_names_do_not_grow_with_every_save(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.gltf")
    for number in range(30):
        document = load(path)
        append_accessor(document, [float(number)])
        save(document, path)
    assert re.fullmatch(r"side\.[0-9a-f]{12}\.bin", load(path).json["buffers"][0]["uri"])


@pytest.mark.parametrize("folder", [".", "out"])
@pytest.mark.parametrize("name", ["side.bin", "picture one.png"])
def test_no_companion_takes_the_name_of_the_output(tmp_path: Path, folder: str, name: str) -> None:
    path = write_everything(tmp_path, "a.gltf")
    taken = Path(name).with_suffix(".gltf")
    (tmp_path / name).rename(tmp_path / taken)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(quote(name), quote(str(taken))), encoding="utf-8")
    document = load(path)
    (tmp_path / folder).mkdir(exist_ok=True)
    output = tmp_path / folder / taken
    save(document, output)
    there = load(output)
    assert there.read_buffer(0) == document.read_buffer(0)
    assert there.external(there.json["images"][2]["uri"]).read() == PNG


def test_uris_that_lead_out_are_brought_in(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    out.mkdir()
    (tmp_path / "far.bin").write_bytes(b"1234")
    root = {"buffers": [{"byteLength": 4, "uri": "../far.bin"}]}
    (source / "a.gltf").write_bytes(text_of(root))
    document = load(source / "a.gltf", roots=[tmp_path])
    save(document, out / "b.gltf")
    there = load(out / "b.gltf")
    assert there.json["buffers"][0]["uri"] == "far.bin"
    assert bytes(there.read_buffer(0)) == b"1234"
    save(document, source / "c.gltf")
    assert (source / "c.gltf").read_bytes() == text_of(root)


def test_two_files_of_one_name_both_find_a_place(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    (source / "sub").mkdir(parents=True)
    out.mkdir()
    (tmp_path / "a.bin").write_bytes(b"1111")
    (source / "a.bin").write_bytes(b"2222")
    uris = ["../a.bin", "a.bin"]
    root = {"buffers": [{"byteLength": 4, "uri": uri} for uri in uris]}
    (source / "a.gltf").write_bytes(text_of(root))
    save(load(source / "a.gltf", roots=[tmp_path]), out / "a.gltf")
    there = load(out / "a.gltf")
    assert [bytes(there.read_buffer(i)) for i in (0, 1)] == [b"1111", b"2222"]


# Failures


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for document in (Document(), load(write_everything(tmp_path, "a.glb"))):
        append_accessor(document, [1.0])
        for name in ("b.gltf", "b.glb"):
            with pytest.raises(FileError, match="missing does not exist; create it first"):
                save(document, tmp_path / "missing" / name)
    assert not (tmp_path / "missing").exists()


def test_a_document_from_a_folder_that_is_gone_can_be_saved(tmp_path: Path) -> None:
    document = loads(glb_bytes({}), path=tmp_path / "gone" / "a.glb")
    save(document, tmp_path / "b.glb")
    assert load(tmp_path / "b.glb").json == {}


def fail(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", ["a.gltf", "a.glb", "new.gltf", "new.glb"])
@pytest.mark.parametrize("call", range(1, 7))
@pytest.mark.parametrize("function", ["fsync", "replace", "open", "link"])
def test_a_failed_save_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, call: int, name: str
) -> None:
    """Whichever call of the system fails, and however many came before."""
    out = tmp_path / "out"
    out.mkdir()
    write_everything(out, "a.glb")
    write_everything(out, "a.gltf")
    document = load(write_everything(tmp_path, "b.gltf"))
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "c.png").write_bytes(PNG)
    document.json["images"].append({"uri": "deep/er/c.png"})
    append_accessor(document, [1.0])
    before = snapshot(out)
    folders = {file for file in out.rglob("*") if file.is_dir()}
    really, calls = getattr(os, function), []

    def fail_late(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return fail() if len(calls) >= call else really(*arguments, **options)

    monkeypatch.setattr(os, function, fail_late)
    try:
        save(document, out / name)
    except LigamentError:
        monkeypatch.undo()
        assert snapshot(out) == before
        assert {file for file in out.rglob("*") if file.is_dir()} == folders
    else:
        monkeypatch.undo()
        assert function == "link" or len(calls) < call
        assert load(out / name).read_buffer(0) == document.read_buffer(0)
    assert not list(out.rglob("*.part"))


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    script = """if True:
        import resource, signal, sys
        from ligament import LigamentError, load, save
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        document = load(sys.argv[1])
        document.json["extras"] = "x" * 2000
        for name in sys.argv[2:]:
            try:
                save(document, name)
            except LigamentError as fault:
                print(fault)
    """
    path = write_everything(tmp_path, "a.glb")
    before = snapshot(tmp_path)
    outputs = [str(tmp_path / name) for name in ("a.glb", "b.glb", "c.gltf")]
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), *outputs],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("cannot be written (File too large)") == 3
    assert snapshot(tmp_path) == before


def test_an_interrupt_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = load(write_everything(tmp_path, "a.glb"))
    before = snapshot(tmp_path)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(document, tmp_path / "b.gltf")
    assert snapshot(tmp_path) == before


def test_the_json_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = load(write_everything(tmp_path, "a.glb"))
    really, seen = os.replace, []

    def look(source: Any, target: Any) -> None:
        seen.append((Path(target).name, names(tmp_path)))
        really(source, target)

    monkeypatch.setattr(os, "replace", look)
    save(document, tmp_path / "b.gltf")
    name, there = seen[-1]
    assert name == "b.gltf"
    assert "b.bin" in there


WRITER = """if True:
    import sys
    from pathlib import Path
    from ligament import Document, load, save
    from ligament.gltf.accessors import append_accessor
    folder, mark = Path(sys.argv[1]), int(sys.argv[2])
    for count in range(40):
        document = Document()
        document.json["extras"] = [mark, count]
        append_accessor(document, [mark] * (1000 + count))
        save(document, folder / "same.gltf")
        save(document, folder / "same.glb")
"""


def test_two_processes_never_leave_a_mixture(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), str(mark)])
        for mark in (1, 2)
    ]
    seen = set()
    while any(writer.poll() is None for writer in writers) or not seen:
        for name in ("same.gltf", "same.glb"):
            if (tmp_path / name).exists():
                try:
                    document = load(tmp_path / name)
                    data = bytes(document.read_buffer(0))
                except FileError as fault:
                    # A GLB may be replaced between the two reads of it, and that is said.
                    if "has changed since it was loaded" not in str(fault):
                        raise
                    continue
                mark, count = document.json["extras"]
                assert data == bytes([mark]) * (1000 + count)
                seen.add(mark)
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen
    assert not list(tmp_path.rglob("*.part"))


# New documents


def test_a_new_document_can_be_saved_in_both_forms(tmp_path: Path) -> None:
    document = Document()
    index = append_accessor(document, [[1.0, 2.0, 3.0]])
    for name in ("a.glb", "a.gltf"):
        save(document, tmp_path / name)
        assert load(tmp_path / name).json["accessors"][index]["type"] == "VEC3"
    assert names(tmp_path) == {"a.glb", "a.gltf", "a.bin"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(Document(form="gltf"), tmp_path / "plain")
    assert load(tmp_path / "plain").form == "gltf"
