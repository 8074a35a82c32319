"""Input files, given by name, folder, glob, list or URL."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ligament.errors import ContentError, FileError
from ligament.jobs.remote import Access, is_url, list_store, shown, url_parts
from ligament.operations.inputs import files_below, files_like

Listing = Callable[[int], None]
"""Called with the number of inputs found so far."""

NOTE_EVERY = 1000
"""Inputs found between two such calls."""


class Input(NamedTuple):
    """A file to read.

    `source` is an absolute path or a URL, `shown` its form for messages, `parts` the segments of
    its path, and `root` how many of them its outputs leave out (None: as many as all such inputs
    have in common).
    """

    source: str
    shown: str
    parts: tuple[str, ...]
    root: int | None


def gather(
    arguments: Iterable[str | os.PathLike[str]],
    suffixes: frozenset[str],
    *,
    without: Path,
    access: Access,
    listing: Listing | None = None,
) -> list[Input]:
    """Expand arguments to files, each once, leaving out those in the folder `without`.

    Folders and globs give the files with one of the suffixes; a file that is named is taken
    whatever its suffix, and stays in the list if it is missing, for its reader to report.
    `listing` is called now and then.
    """
    found: dict[tuple[str, ...], Input] = {}
    shut = Path(os.path.realpath(without))
    for argument in arguments:
        text = os.fspath(argument)
        inputs = _remote(text, suffixes, access) if is_url(text) else _local(text, suffixes)
        is_empty = True
        for entry in inputs:
            is_empty = False
            if is_url(entry.source) or not _is_below(entry, shut):
                found.setdefault(entry.parts, entry)
                if listing is not None and len(found) % NOTE_EVERY == 0:
                    listing(len(found))
        if is_empty:
            raise FileError(
                f"no readable file ({', '.join(sorted(suffixes))})",
                file=_printable(shown(text) if is_url(text) else text),
                remedy="name another folder, or the files themselves",
            )
    if listing is not None:
        listing(len(found))
    if not found:
        raise ContentError("there are no input files", remedy="name files or folders")
    return list(found.values())


def read_list(lines: Iterable[str]) -> list[str]:
    """Return the paths and URLs of a list, one on each line."""
    return [text for line in lines if (text := line.strip("\r\n")).strip()]


def common_root(inputs: Sequence[Input]) -> int:
    """Return the number of path segments that all named inputs have in common."""
    folders = [entry.parts[:-1] for entry in inputs if entry.root is None]
    if not folders:
        return 0
    first, last = min(folders), max(folders)
    pairs = zip(first, last, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))


def _local(text: str, suffixes: frozenset[str]) -> Iterator[Input]:
    path = Path(text)
    if "\0" in text:
        raise ContentError("a name contains a null character", remedy="name a file")
    if path.is_dir():
        root = _parts(path)
        for file in files_below(path, suffixes):
            yield _input(file, len(root))
    elif glob.has_magic(text) and not os.path.lexists(path):
        root = _parts(_literal(path))
        for file in files_like(text, suffixes):
            yield _input(file, len(root))
    else:
        yield _input(path, None)


def _remote(url: str, suffixes: frozenset[str], access: Access) -> Iterator[Input]:
    if url.lower().startswith("file://"):
        yield from _local("/".join(("", *url_parts(url)[1:])), suffixes)
        return
    root, urls = list_store(url, suffixes, access)
    depth = None if urls == [url] else len(url_parts(root))
    for each in urls:
        yield Input(each, _printable(shown(each)), url_parts(each), depth)


def _input(path: Path, root: int | None) -> Input:
    parts = _parts(path)
    return Input(os.path.normpath(path.absolute()), _printable(str(path)), parts, root)


def _parts(path: Path) -> tuple[str, ...]:
    return Path(os.path.normpath(path.absolute())).parts


def _literal(pattern: Path) -> Path:
    """Return the folder of a pattern before its first wildcard."""
    steps = []
    for step in pattern.parts[:-1]:
        if glob.has_magic(step):
            break
        steps.append(step)
    return Path(*steps)


def _is_below(entry: Input, folder: Path) -> bool:
    """Tell whether a file that was found, not named, lies in the output folder."""
    return entry.root is not None and Path(os.path.realpath(entry.source)).is_relative_to(folder)


def _printable(text: str) -> str:
    """Escape a name that is not Unicode, for JSON."""
    return text.encode("utf-8", "backslashreplace").decode()
