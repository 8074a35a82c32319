"""Loading: the form is reported by content, bytes stay where they are, nothing leads out."""

import os
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import pytest

from ligament.errors import ContentError, FileError, FormatError, LigamentWarning, UnsafePathError
from ligament.gltf import load, loads
from tests.gltf.documents import PNG, data_uri, everything, glb_bytes, text_of, write_everything
from tests.gltf.json_values import same
from tests.gltf.unsafe_uris import UNSAFE


@pytest.mark.parametrize("name", ["a.gltf", "a.glb", "a.vrm", "a.vrma", "a.VRM", "a.bin", "a"])
def test_the_format_follows_from_the_content(tmp_path: Path, name: str) -> None:
    root, binary = everything()
    path = tmp_path / name
    path.write_bytes(glb_bytes(root, binary))
    document = load(path)
    assert document.form == "glb"
    assert same(document.json, root)
    assert bytes(document.read_buffer(0)) == binary
    path.write_bytes(text_of(root))
    document = load(str(path))
    assert document.form == "gltf"
    assert same(document.json, root)


def test_buffers_come_from_the_chunk_a_file_or_the_uri_itself(tmp_path: Path) -> None:
    (tmp_path / "sub dir").mkdir()
    (tmp_path / "sub dir" / "é.bin").write_bytes(b"file")
    root = {
        "buffers": [
            {"byteLength": 4},
            {"byteLength": 4, "uri": "sub%20dir/%C3%A9.bin"},
            {"byteLength": 4, "uri": "sub dir/é.bin"},
            {"byteLength": 4, "uri": data_uri(b"data")},
            {"byteLength": 4},
        ]
    }
    (tmp_path / "a.glb").write_bytes(glb_bytes(root, b"bin!"))
    document = load(tmp_path / "a.glb")
    found = [bytes(document.read_buffer(i)) for i in range(4)]
    assert found == [b"bin!", b"file", b"file", b"data"]
    assert not document.buffer(4).exists
    with pytest.raises(ContentError, match="declares 4 bytes, 0 exist"):
        document.read_buffer(4)


def test_a_byte_order_mark_is_accepted_in_both_forms_and_reported() -> None:
    text = b'\xef\xbb\xbf{"asset":{"version":"2.0"}}'
    with pytest.warns(LigamentWarning, match="byte order mark"):
        one, other = loads(text), loads(glb_bytes(text))
    assert one.json == other.json == {"asset": {"version": "2.0"}}


def test_a_missing_buffer_is_missed_only_when_it_is_read(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.gltf")
    (tmp_path / "side.bin").unlink()
    document = load(path)
    assert document.buffer(0).length > 0
    with pytest.raises(FileError, match=r"side\.bin cannot be read") as caught:
        document.read_buffer(0)
    assert (caught.value.pointer, caught.value.file) == ("/buffers/0", str(path))


def test_loading_reads_no_more_than_the_json(tmp_path: Path) -> None:
    path = tmp_path / "large.glb"
    size = 1 << 30
    start = glb_bytes({"buffers": [{"byteLength": size}]}, b"")
    with path.open("wb") as stream:
        stream.write(start[:8] + (len(start) + size).to_bytes(4, "little") + start[12:-8])
        stream.write(size.to_bytes(4, "little") + start[-4:])
        stream.truncate(len(start) + size)
    tracemalloc.start()
    try:
        document = load(path)
        assert document.buffer(0).size() == size
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_the_working_folder_may_change_after_loading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.gltf", "a.glb"):
        write_everything(tmp_path, name)
        monkeypatch.chdir(tmp_path)
        document = load(name)
        monkeypatch.chdir("/")
        assert bytes(document.read_buffer(0)) == everything()[1]
        assert document.path == Path(name)


def gltf(folder: Path, **members: Any) -> Path:
    path = folder / "a.gltf"
    path.write_bytes(text_of({"asset": {"version": "2.0"}, **members}))
    return path


@pytest.mark.parametrize("uri", UNSAFE)
def test_buffers_may_not_lead_out(tmp_path: Path, uri: str) -> None:
    buffers = [{"byteLength": 4, "uri": data_uri(b"data")}, {"byteLength": 4, "uri": uri}]
    path = gltf(tmp_path, buffers=buffers)
    with pytest.raises(UnsafePathError) as caught:
        load(path)
    assert (caught.value.pointer, caught.value.file) == ("/buffers/1/uri", str(path))


def test_a_buffer_behind_a_link_may_not_lead_out(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"1234")
    (folder / "link.bin").symlink_to(tmp_path / "secret")
    path = gltf(folder, buffers=[{"byteLength": 4, "uri": "link.bin"}])
    with pytest.raises(UnsafePathError, match="points outside"):
        load(path)
    assert bytes(load(path, roots=[tmp_path]).read_buffer(0)) == b"1234"


def test_a_link_made_after_loading_is_not_followed_either(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"1234")
    document = load(gltf(folder, buffers=[{"byteLength": 4, "uri": "late.bin"}]))
    (folder / "late.bin").symlink_to(tmp_path / "secret")
    with pytest.raises(UnsafePathError):
        document.read_buffer(0)


def test_roots_allow_more_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "bins").mkdir()
    (tmp_path / "bins" / "b.bin").write_bytes(b"1234")
    path = gltf(tmp_path / "folder", buffers=[{"byteLength": 4, "uri": "../bins/b.bin"}])
    with pytest.raises(UnsafePathError):
        load(path, roots=[tmp_path / "folder"])
    monkeypatch.chdir(tmp_path)
    document = load(path, roots=["bins"])
    monkeypatch.chdir("/")
    assert bytes(document.read_buffer(0)) == b"1234"


def one_warning(path: Path) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        document = load(path)
    assert [warning.category for warning in caught] == [LigamentWarning]
    assert document.json["images"][0]["uri"]
    return str(caught[0].message)


@pytest.mark.parametrize("uri", [*UNSAFE, "missing.png", "x" * 300, "", ".", "folder"])
def test_an_image_that_cannot_be_had_is_a_warning(tmp_path: Path, uri: str) -> None:
    (tmp_path / "folder").mkdir()
    images = [{"uri": uri or "./"}, {"uri": data_uri(PNG)}, {"uri": "good.png"}]
    (tmp_path / "good.png").write_bytes(PNG)
    message = one_warning(gltf(tmp_path, images=images))
    assert "/images/0/uri" in message
    assert "a.gltf" in message
    assert len(message) < 500


def test_an_unreadable_image_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "permission denied" in one_warning(gltf(tmp_path, images=[{"uri": "a.png"}]))


def test_unsafe_images_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    path = gltf(tmp_path / "folder", images=[{"uri": "../secret.png"}])
    opened: list[str] = []
    really_open = os.open
    monkeypatch.setattr(
        os, "open", lambda p, *a, **k: opened.append(str(p)) or really_open(p, *a, **k)
    )
    with pytest.warns(LigamentWarning, match="points outside"):
        document = load(path)
    with pytest.raises(UnsafePathError):
        document.external("../secret.png").read()
    assert not [name for name in opened if "secret" in name]


def test_bytes_after_the_end_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.glb").write_bytes(glb_bytes({}) + b"rest")
    with pytest.warns(LigamentWarning, match="4 bytes after the declared end"):
        load(tmp_path / "a.glb")


def test_errors_name_the_file(tmp_path: Path) -> None:
    for content, kind in ((b"{", FormatError), (b"glTF", FormatError), (b"[]", FormatError)):
        path = tmp_path / "bad.glb"
        path.write_bytes(content)
        with pytest.raises(kind) as caught:
            load(path)
        assert caught.value.file == str(path)
        with pytest.raises(kind) as caught:
            loads(content, path="somewhere.gltf")
        assert caught.value.file == "somewhere.gltf"
    with pytest.raises(FileError, match="No such file"):
        load(tmp_path / "missing.glb")


def test_a_document_from_bytes_has_no_folder() -> None:
    document = loads(
        text_of({"buffers": [{"byteLength": 1, "uri": "a.bin"}], "images": [{"uri": "b"}]})
    )
    with pytest.raises(ContentError, match="relative to a file") as caught:
        document.read_buffer(0)
    assert caught.value.pointer == "/buffers/0/uri"


def test_a_document_from_bytes_may_be_given_one(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"1234")
    text = text_of({"buffers": [{"byteLength": 4, "uri": "a.bin"}]})
    document = loads(text, path=tmp_path / "imagined.gltf")
    assert bytes(document.read_buffer(0)) == b"1234"
    with pytest.raises(UnsafePathError):
        loads(text.replace(b"a.bin", b"../a.bin"), path=tmp_path / "imagined.gltf")


def test_a_file_that_shrinks_underneath_is_a_file_error(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.glb")
    document = load(path)
    os.truncate(path, path.stat().st_size - 8)
    with pytest.raises(FileError, match="has changed since it was loaded"):
        document.read_buffer(0)


@pytest.mark.parametrize("change", ["shorter", "other", "replaced"])
def test_a_buffer_that_changes_underneath_is_a_file_error(tmp_path: Path, change: str) -> None:
    document = load(write_everything(tmp_path, "a.gltf"))
    side = tmp_path / "side.bin"
    match change:
        case "shorter":
            os.truncate(side, 8)
        case "other":
            side.write_bytes(side.read_bytes()[::-1])
            os.utime(side, ns=(1, 1))
        case "replaced":
            (tmp_path / "new").write_bytes(side.read_bytes())
            os.replace(tmp_path / "new", side)
    for twin in (document, document.copy()):
        with pytest.raises(FileError, match=r"side\.bin .*changed since") as caught:
            twin.read_buffer(0)
        assert caught.value.pointer == "/buffers/0"


def test_a_buffer_may_come_after_the_document(tmp_path: Path) -> None:
    path = write_everything(tmp_path, "a.gltf")
    side = tmp_path / "side.bin"
    data = side.read_bytes()
    side.unlink()
    document = load(path)
    side.write_bytes(data)
    assert bytes(document.read_buffer(0)) == data


@pytest.mark.parametrize("value", [None, 5, "x", {}, [None, 5, "x", {"uri": 5}, {"uri": None}]])
def test_odd_arrays_do_not_stop_loading(value: Any) -> None:
    document = loads(text_of({"buffers": value, "images": value}), path="a.gltf")
    assert document.json["buffers"] == value
