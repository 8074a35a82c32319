"""Plans, settings and rules from strangers: read, or refused in one line that names the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ligament.author.plan import read_plan
from ligament.checker.config import find_config, read_config
from ligament.errors import FileError, FormatError, LigamentError, LimitError
from ligament.tables import MOST_BYTES, read_table
from ligament.worlds.variations.rules import read_variations

Read = Callable[[Path], object]
READERS: list[Read] = [read_table, read_plan, read_config, read_variations]

HOSTILE = {
    "nested arrays": b"a = " + b"[" * 100_000,
    "closed arrays": b"a = " + b"[" * 300 + b"]" * 300,
    "nested tables": b"a = " + b"{a = " * 100_000,
    "dotted names": b"a." * 50_000 + b"a = 1",
    "a table of dotted names": b"[" + b"a." * 50_000 + b"a]\nb = 1",
    "a number of many digits": b"a = " + b"9" * 100_000,
    "half a character": b"a = '\xff'",
    "not a table": b"hello",
}
HOSTILE_JSON = {
    "nested arrays": b"[" * 100_000,
    "closed arrays": b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}",
    "a number of many digits": b'{"a": ' + b"9" * 100_000 + b"}",
    "not a table": b"[1, 2]",
    "half a character": b'"\xff"',
}
CASES = [("toml", name) for name in HOSTILE] + [("json", name) for name in HOSTILE_JSON]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("suffix", "name"), CASES)
def test_hostile_tables_are_refused(tmp_path: Path, read: Read, suffix: str, name: str) -> None:
    path = tmp_path / f"hostile.{suffix}"
    path.write_bytes((HOSTILE if suffix == "toml" else HOSTILE_JSON)[name])
    with pytest.raises(FormatError) as caught:
        read(path)
    assert caught.value.file == str(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("read", READERS)
def test_huge_files_are_not_read_to_their_end(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "vast.toml"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(LimitError, match=str(MOST_BYTES)):
        read(path)


def test_a_pipe_beside_a_file_is_no_settings(tmp_path: Path) -> None:
    """It would be waited for until somebody writes to it."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes")
    os.mkfifo(tmp_path / "ligament.toml")
    (tmp_path / "pyproject.toml").write_text("[tool.ligament]\n")
    assert find_config(tmp_path / "a.gltf").path == tmp_path / "pyproject.toml"


def test_valid_tables_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"a = 1\r\n[b]\r\nc = [1, [2]]\r\n")
    (tmp_path / "a.json").write_text('{"a": 1, "b": {"c": [1, [2]]}}')
    expected = {"a": 1, "b": {"c": [1, [2]]}}
    assert read_table(tmp_path / "a.toml") == read_table(tmp_path / "a.json") == expected


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read") as caught:
        read_table(tmp_path / "missing.toml")
    assert isinstance(caught.value, LigamentError)
    assert caught.value.file == str(tmp_path / "missing.toml")
