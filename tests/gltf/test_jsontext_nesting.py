"""Levels of JSON: measured on the text, and refused beyond the limit in every form of file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.errors import FormatError, LigamentError, LimitError
from ligament.gltf import jsontext
from ligament.gltf.load import load, loads
from ligament.limits import DEFAULT, Limits
from tests.gltf.documents import glb_bytes, text_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('[]{}"\\:,a', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('[{"\\', max_size=2), inner)
    ),
    max_leaves=20,
)


def depth_of(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth_of, inside), default=0)


def nested(levels: int) -> dict[str, Any]:
    """A document of so many levels."""
    extras: Any = []
    for _ in range(levels - 2):
        extras = [extras]
    return {"asset": {"version": "2.0"}, "extras": extras}


@given(VALUES)
def test_depth_is_measured_on_the_text(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        assert jsontext.depth(text.encode()) == depth_of(value)


def test_depth_is_measured_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "_BLOCK", 3)
    assert jsontext.depth(b"[[[[[]]],[[[[[[]]]]]]]]") == 8


@pytest.mark.parametrize("suffix", [".gltf", ".glb", ".vrm", ".vrma"])
def test_files_nested_beyond_the_limit_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"deep{suffix}"
    for levels in (DEFAULT.nesting, DEFAULT.nesting + 1):
        root = nested(levels)
        path.write_bytes(text_of(root) if suffix == ".gltf" else glb_bytes(root, b""))
        if levels == DEFAULT.nesting:
            load(path)
    with pytest.raises(LimitError, match="--limit nesting=257 or") as caught:
        load(path)
    assert caught.value.file == os.fspath(path)
    load(path, limits=Limits(nesting=257))


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nesting_beyond_the_interpreter_is_refused_at_any_limit(opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"
    text = b'{"asset":{"version":"2.0"},"extras":' + opening * 200_000 + b"1" + closing * 200_000
    with pytest.raises(LimitError, match="levels of nesting"):
        loads(text + b"}")
    with pytest.raises(FormatError, match="nested too deeply"):
        loads(text + b"}", limits=Limits(nesting=10**9))
    with pytest.raises(LigamentError):
        loads(text)
