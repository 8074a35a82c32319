"""Relative URIs of documents, resolved to files in allowed folders."""

from __future__ import annotations

import os
import re
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ligament.errors import UnsafePathError
from ligament.files import local_name

_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_DRIVE = re.compile(r"^[a-zA-Z]:")

_BLOCK = 1 << 20
_HEX = np.full(256, 255, np.uint8)
for _digit in "0123456789abcdefABCDEF":
    _HEX[ord(_digit)] = int(_digit, 16)


_named: ContextVar[tuple[Path, ...]] = ContextVar("named roots", default=())


def named_roots() -> tuple[Path, ...]:
    """Return the folders that documents loaded now may refer to, besides their own roots."""
    return _named.get()


def name_roots(roots: Sequence[Path]) -> None:
    """Name folders that all documents loaded from now on may refer to."""
    _named.set(tuple(root.absolute() for root in roots))


@contextmanager
def roots_named(roots: Sequence[Path]) -> Iterator[None]:
    """Name folders that all documents loaded within a block may refer to."""
    before = _named.get()
    name_roots(roots)
    try:
        yield
    finally:
        _named.set(before)


def resolve(uri: str, folder: Path, roots: Sequence[Path] = ()) -> Path:
    """Return the file that a URI of a document in `folder` names.

    The file must lie in `folder` or in one of the further `roots`, symbolic links followed.
    Raise UnsafePathError for anything else, and for every scheme but a `file:` inside the roots.
    """
    name = _without_scheme(uri, roots)
    for spelling in (file_name(name), local_name(name)):
        path = folder / spelling
        _refuse_outside(uri, spelling, path, folder, roots)
        if os.path.exists(path):  # unlike Path.exists, also false for names that are too long
            return path
    return folder / file_name(name)


def file_name(uri: str) -> str:
    """Return the file name of a relative URI, in the encoding of the file system."""
    return os.fsdecode(percent_decoded(uri))


def quote(name: str) -> str:
    """Write a file name as a relative URI."""
    return urllib.parse.quote(os.fsencode(name))


def percent_decoded(text: str) -> bytes:
    """Decode percent-encoded text to bytes, block by block.

    The standard library makes an object for each escape, of which there may be millions.
    """
    data = text.encode("utf-8", "surrogateescape")
    if b"%" not in data:
        return data
    parts, start = [], 0
    while start < len(data):
        end = start + _BLOCK
        # A block ends before an escape that it would cut in two.
        end -= 2 - data[end - 2 : end].rfind(b"%") if b"%" in data[end - 2 : end] else 0
        parts.append(_unescaped(np.frombuffer(data[start:end], np.uint8)))
        start = end
    return b"".join(parts)


def _unescaped(block: npt.NDArray[np.uint8]) -> bytes:
    marks = np.flatnonzero(block[:-2] == ord("%"))
    digits = _HEX[block[marks + 1]], _HEX[block[marks + 2]]
    is_escape = (digits[0] < 16) & (digits[1] < 16)
    marks, result, kept = marks[is_escape], block.copy(), np.ones(len(block), bool)
    result[marks] = digits[0][is_escape] * 16 + digits[1][is_escape]
    kept[marks + 1] = kept[marks + 2] = False
    return result[kept].tobytes()


def _without_scheme(uri: str, roots: Sequence[Path]) -> str:
    if "\0" in uri or "%00" in uri:
        raise _unsafe(uri, "contains a null character")
    if not _SCHEME.match(uri) or (_DRIVE.match(uri) and roots):
        return uri
    if uri[:8].lower() == "file:///" and roots:
        return uri[7:]
    raise _unsafe(uri, "is not a relative path")


def _refuse_outside(
    uri: str, spelling: str, path: Path, folder: Path, roots: Sequence[Path]
) -> None:
    separators = spelling.replace("\\", "/")
    if not roots and (separators.startswith("/") or _DRIVE.match(separators)):
        raise _unsafe(uri, "is an absolute path")
    if not roots and os.path.normpath(separators).split("/", 1)[0] == "..":
        raise _unsafe(uri, "points outside the folder of the file")
    real = os.path.realpath(path)
    allowed = [os.path.realpath(root) for root in (folder, *roots)]
    if not any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in allowed):
        raise _unsafe(uri, "points outside the folder of the file")


def _unsafe(uri: str, why: str) -> UnsafePathError:
    shown = uri if len(uri) <= 60 else f"{uri[:57]}..."
    return UnsafePathError(
        f"the URI {shown!r} {why}",
        remedy="use a relative path below the file's folder, or allow its folder by name with "
        "--root (in Python `roots`)",
    )
