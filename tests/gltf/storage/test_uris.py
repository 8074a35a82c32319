"""URIs name files below the document's folder, and nothing else unless it is allowed."""

import os
import urllib.parse
from pathlib import Path

import pytest

from ligament.errors import UnsafePathError
from ligament.gltf.storage import uris
from tests.gltf.unsafe_uris import UNSAFE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in it, beside a secret."""
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    for name in ("a.bin", "sub/b c.bin", "100%.bin", "%41.bin", "..dots.bin", "å.bin"):
        (inside / name).write_bytes(b"")
    (tmp_path / "secret.bin").write_bytes(b"")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "c.bin").write_bytes(b"")
    return inside


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("a.bin", "a.bin"),
        ("./a.bin", "a.bin"),
        ("sub/../a.bin", "sub/../a.bin"),
        ("sub/b%20c.bin", "sub/b c.bin"),
        ("sub/b c.bin", "sub/b c.bin"),
        ("100%.bin", "100%.bin"),
        ("100%25.bin", "100%.bin"),
        ("%41.bin", "%41.bin"),
        ("%C3%A5.bin", "å.bin"),
        ("å.bin", "å.bin"),
        ("..dots.bin", "..dots.bin"),
        ("missing%20file.bin", "missing file.bin"),
    ],
)
def test_relative_paths_below_the_folder(folder: Path, uri: str, name: str) -> None:
    assert uris.resolve(uri, folder) == folder / name


@pytest.mark.parametrize("uri", UNSAFE)
def test_everything_else_is_refused(folder: Path, uri: str) -> None:
    with pytest.raises(UnsafePathError, match="the URI") as caught:
        uris.resolve(uri, folder)
    assert "roots" in str(caught.value)


@pytest.mark.parametrize("uri", UNSAFE)
def test_a_root_does_not_open_what_lies_outside_of_it(folder: Path, uri: str) -> None:
    other = folder.parent / "other"
    try:
        path = uris.resolve(uri, folder, [other])
    except UnsafePathError:
        return
    # A root may only admit strange names inside its folders.
    assert path.resolve().is_relative_to(folder.resolve())


@pytest.mark.parametrize("uri", ["http://a/b", "https://a", "ftp:a", "file:a", "file://host/a"])
def test_roots_are_folders_and_open_no_other_scheme(folder: Path, uri: str) -> None:
    with pytest.raises(UnsafePathError, match="is not a relative path"):
        uris.resolve(uri, folder, [folder.parent])


@pytest.mark.parametrize("uri", ["link.bin", "far/secret.bin"])
def test_links_that_lead_out_are_refused(folder: Path, uri: str) -> None:
    (folder / "link.bin").symlink_to(folder.parent / "secret.bin")
    (folder / "far").symlink_to(folder.parent)
    with pytest.raises(UnsafePathError, match="points outside"):
        uris.resolve(uri, folder)
    assert uris.resolve(uri, folder, [folder.parent]) == folder / uri


def test_links_that_stay_inside_are_followed(folder: Path) -> None:
    (folder / "link.bin").symlink_to(folder / "a.bin")
    assert uris.resolve("link.bin", folder) == folder / "link.bin"


def test_the_folder_itself_may_be_reached_through_a_link(folder: Path) -> None:
    link = folder.parent / "way"
    link.symlink_to(folder)
    assert uris.resolve("a.bin", link) == link / "a.bin"


def test_a_folder_is_not_inside_one_whose_name_it_starts_with(folder: Path) -> None:
    twin = folder.parent / "inside2"
    twin.mkdir()
    (twin / "a.bin").write_bytes(b"")
    with pytest.raises(UnsafePathError):
        uris.resolve("../inside2/a.bin", folder, [folder])


def test_roots_allow_more(folder: Path) -> None:
    target = folder.parent / "other" / "c.bin"
    for uri in ("../other/c.bin", str(target), target.as_uri()):
        path = uris.resolve(uri, folder, [folder.parent / "other"])
        assert path.samefile(target)
        with pytest.raises(UnsafePathError):
            uris.resolve(uri, folder)


def test_quote_undoes_unquoting(folder: Path) -> None:
    for name in ("b c.bin", "100%.bin", "å#?.bin"):
        assert uris.resolve(uris.quote(name), folder) == folder / name


def test_messages_shorten_long_uris(folder: Path) -> None:
    with pytest.raises(UnsafePathError) as caught:
        uris.resolve("http:" + "x" * 10_000, folder)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("block", [3, 4, 5, 1 << 20])
def test_percent_escapes_are_those_of_the_standard_library(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uris, "_BLOCK", block)
    for text in ("", "a", "%", "%4", "%41", "a%41%", "%%41%4g%zz%C3%96ö", "%41%42%43%44", "ab%2"):
        assert uris.percent_decoded(text) == urllib.parse.unquote_to_bytes(text)


def test_a_file_whose_name_is_no_text_is_found(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.bin")).write_bytes(b"")
    assert os.fsencode(uris.resolve("%FF.bin", tmp_path).name) == b"\xff.bin"
