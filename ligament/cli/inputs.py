"""Files named on the command line: by name, by folder, or by glob."""

from __future__ import annotations

import dataclasses
import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ligament.cli.printing import plain
from ligament.errors import ContentError, FileError
from ligament.files import is_special
from ligament.gltf.storage.container import GLB_SUFFIXES

SUFFIXES = frozenset({".gltf", *GLB_SUFFIXES})
"""What is taken from folders and globs; a file of another name can be named itself."""


@dataclasses.dataclass(frozen=True)
class Input:
    """A file to read; `relative` is where its copy goes in a folder of outputs.

    `named` tells that it was named itself, not found in a folder or by a glob.
    """

    path: Path
    relative: Path
    named: bool = True


def gather(arguments: Sequence[Path]) -> list[Input]:
    """Return the files that arguments stand for, each once, those of a folder in order.

    A name that leads nowhere stays in the list, for its reader to report.
    """
    found: dict[str, Input] = {}
    for argument in arguments:
        inputs = list(_expand(argument))
        if not inputs:
            raise FileError(
                f"there is nothing to read ({', '.join(sorted(SUFFIXES))})",
                file=plain(argument),
                remedy="name another folder, or the files themselves",
            )
        for entry in inputs:
            found.setdefault(os.path.normpath(entry.path.absolute()), entry)
    return list(found.values())


def output_paths(inputs: Sequence[Input], out: Path) -> list[Path]:
    """Return where the output for each input goes: `out`, or below it if it must be a folder."""
    if len(inputs) == 1 and inputs[0].named and not out.is_dir():
        paths = [out]
    else:
        paths = [out / entry.relative for entry in inputs]
    takers: dict[Path, Input] = {}
    for path, entry in zip(paths, inputs, strict=True):
        first = takers.setdefault(path, entry)
        if first is not entry:
            raise ContentError(
                f"{plain(first.path)} and {plain(entry.path)} would both be written there",
                file=plain(path),
                remedy="give them different names, or outputs of their own",
            )
    return paths


def _expand(argument: Path) -> Iterator[Input]:
    if argument.is_dir():
        for path in _below(argument):
            yield Input(path, path.relative_to(argument), named=False)
    elif glob.has_magic(str(argument)) and not os.path.lexists(argument):
        # Path.glob takes no absolute patterns, and finds no files by a ** at the end.
        names = glob.glob(str(argument), recursive=True)  # noqa: PTH207
        for path in map(Path, sorted(names)):
            if path.suffix.lower() in SUFFIXES and path.is_file():
                yield Input(path, Path(path.name), named=False)
    else:
        yield Input(argument, Path(argument.name))


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, leaving out hidden folders such as .git."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if Path(name).suffix.lower() in SUFFIXES and not is_special(Path(where, name)):
                yield Path(where) / name
