"""Relative URIs of documents to files on disk, confined to the folders they may name."""

from __future__ import annotations

import os
import re
import urllib.parse
from collections.abc import Sequence
from pathlib import Path

from ligament.errors import UnsafePathError

_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
_DRIVE = re.compile(r"^[a-zA-Z]:")


def resolve(uri: str, folder: Path, roots: Sequence[Path] = ()) -> Path:
    """Return the file that a URI of a document in `folder` names.

    The file must lie in `folder` or in one of the further `roots`, symbolic links followed.
    Raises UnsafePathError for anything else, and for every scheme but a `file:` inside the roots.
    """
    name = _without_scheme(uri, roots)
    for spelling in (urllib.parse.unquote(name), name):
        path = folder / spelling
        _refuse_outside(uri, spelling, path, folder, roots)
        if os.path.exists(path):  # unlike Path.exists, also false for names that are too long
            return path
    return folder / urllib.parse.unquote(name)


def quote(name: str) -> str:
    """Write a file name as a relative URI."""
    return urllib.parse.quote(name)


def _without_scheme(uri: str, roots: Sequence[Path]) -> str:
    if "\0" in uri or "%00" in uri:
        raise _unsafe(uri, "holds a null character")
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
        raise _unsafe(uri, "leads out of the folder of the file")
    real = os.path.realpath(path)
    allowed = [os.path.realpath(root) for root in (folder, *roots)]
    if not any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in allowed):
        raise _unsafe(uri, "leads out of the folder of the file")


def _unsafe(uri: str, why: str) -> UnsafePathError:
    shown = uri if len(uri) <= 60 else f"{uri[:57]}..."
    return UnsafePathError(
        f"the URI {shown!r} {why}",
        remedy="use a relative path below the file's folder, or allow more folders with `roots`",
    )
