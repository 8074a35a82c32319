"""URIs in files reach what stands beside the file, and nothing else, in reading and in writing."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from ligament.checker import check
from ligament.errors import LigamentError, LigamentWarning, UnsafePathError
from ligament.gltf.load import load
from ligament.gltf.save import save
from tests.gltf.documents import PNG, text_of

SECRET = b"secret bytes, 16"

HOSTILE = [
    "../secret.bin",
    "a/../../secret.bin",
    "%2e%2e/secret.bin",
    "%2e%2e%2fsecret.bin",
    "..%5csecret.bin",
    "..\\secret.bin",
    "{secret}",
    "%2F{secret}",
    "file://{secret}",
    "FILE:{secret}",
    "//host/share/secret.bin",
    "\\\\host\\share\\secret.bin",
    "C:\\secret.bin",
    "http://127.0.0.1:9/secret.bin",
    "link.bin",
    "linked/secret.bin",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder beside a secret, with links that lead to it."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.bin").write_bytes(SECRET)
    (inside / "link.bin").symlink_to(tmp_path / "secret.bin")
    (inside / "linked").symlink_to(tmp_path)
    return inside


def with_buffer(folder: Path, uri: str) -> Path:
    path = folder / "file.gltf"
    view = {"buffer": 0, "byteLength": 16}
    accessor = {"bufferView": 0, "componentType": 5121, "count": 16, "type": "SCALAR"}
    path.write_bytes(
        text_of(
            {
                "asset": {"version": "2.0"},
                "buffers": [{"byteLength": 16, "uri": uri}],
                "bufferViews": [view],
                "accessors": [accessor],
            }
        )
    )
    return path


@pytest.mark.parametrize("uri", HOSTILE)
def test_buffers_elsewhere_are_refused(folder: Path, uri: str) -> None:
    path = with_buffer(folder, uri.replace("{secret}", str(folder.parent / "secret.bin")))
    with pytest.raises(UnsafePathError) as caught:
        load(path)
    assert caught.value.file == str(path)
    assert caught.value.pointer == "/buffers/0/uri"


@pytest.mark.parametrize("uri", HOSTILE)
@pytest.mark.parametrize("output", ["copy.glb", "copy.gltf"])
def test_images_elsewhere_are_never_copied(
    folder: Path, tmp_path: Path, uri: str, output: str
) -> None:
    uri = uri.replace("{secret}", str(folder.parent / "secret.bin"))
    path = folder / "file.gltf"
    path.write_bytes(text_of({"asset": {"version": "2.0"}, "images": [{"uri": uri}]}))
    target = tmp_path / "out" / output
    target.parent.mkdir()
    with pytest.warns(LigamentWarning, match="kept by its URI, but neither read nor copied"):
        document = load(path)
    _save(document, target, embed=True)
    _save(document, target, embed=False)
    for file in target.parent.rglob("*"):
        assert SECRET not in file.read_bytes()


def _save(document: Any, target: Path, *, embed: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        try:
            save(document, target, embed=embed)
        except LigamentError:
            assert not target.exists()


def test_a_file_made_to_lead_away_after_loading_is_not_read(folder: Path, tmp_path: Path) -> None:
    """The link is put there between the look at the file and its reading."""
    (folder / "data.bin").write_bytes(bytes(16))
    document = load(with_buffer(folder, "data.bin"))
    (folder / "data.bin").unlink()
    (folder / "data.bin").symlink_to(tmp_path / "secret.bin")
    with pytest.raises(LigamentError):
        document.read_buffer(0)


def test_companion_files_are_written_beside_the_output(folder: Path, tmp_path: Path) -> None:
    """A buffer from an allowed folder elsewhere gets a plain name beside the copy."""
    (tmp_path / "secret.bin").write_bytes(SECRET)
    path = with_buffer(folder, "../secret.bin")
    document = load(path, roots=[tmp_path])
    target = tmp_path / "deep" / "er" / "copy.gltf"
    target.parent.mkdir(parents=True)
    save(document, target)
    written = {file.relative_to(tmp_path) for file in tmp_path.rglob("*") if file.is_file()}
    fresh = {file for file in written if file.parts[0] != "inside"} - {Path("secret.bin")}
    assert fresh == {Path("deep/er/copy.gltf"), Path("deep/er/secret.bin")}


def test_pictures_are_never_decoded(tmp_path: Path) -> None:
    """One that declares 65,535 by 65,535 pixels is bytes like others."""
    huge = PNG[:16] + (0xFFFF).to_bytes(4, "big") * 2 + PNG[24:]
    (tmp_path / "huge.png").write_bytes(huge)
    path = tmp_path / "file.gltf"
    path.write_bytes(text_of({"asset": {"version": "2.0"}, "images": [{"uri": "huge.png"}]}))
    document = load(path)
    assert check(document).ok
    save(document, tmp_path / "out.glb", embed=True)
    assert huge in (tmp_path / "out.glb").read_bytes()


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
def test_devices_are_no_files(device: str) -> None:
    with pytest.raises(LigamentError, match="device"):
        load(device)
