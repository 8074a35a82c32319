"""Files collected from arguments, and the paths of their repaired copies."""

from __future__ import annotations

import dataclasses
import glob
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from ligament.errors import ContentError, FileError
from ligament.files import is_special
from ligament.operations.operation import GLTF
from ligament.text import plain


@dataclasses.dataclass(frozen=True)
class Input:
    """A file to read; `relative` is the path of its copy in an output folder.

    `named` means that it was named explicitly, not found in a folder or by a glob.
    """

    path: Path
    relative: Path
    named: bool = True


def gather(arguments: Sequence[Path]) -> list[Input]:
    """Expand arguments to files, each once, in order within folders.

    A missing file stays in the list and is reported when read.
    """
    found: dict[str, Input] = {}
    for argument in arguments:
        inputs = list(_expand(argument))
        if not inputs:
            raise FileError(
                f"no readable file ({', '.join(sorted(GLTF))})",
                file=plain(argument),
                remedy="name another folder, or the files themselves",
            )
        for entry in inputs:
            found.setdefault(os.path.normpath(entry.path.absolute()), entry)
    return list(found.values())


def targets(inputs: list[Input], out: Path | None, *, in_place: bool) -> list[Path | None]:
    """Return the path of each repaired file; no input is overwritten unless `in_place`."""
    if in_place == (out is not None):
        raise ContentError(
            f"{'no output is' if out is None else 'two outputs are'} given for the repaired files",
            pointer="--fix",
            remedy="use either -o OUT or --in-place",
        )
    if out is None:
        return [_in_place(entry.path) for entry in inputs]
    paths = _output_paths(inputs, out)
    for path, entry in zip(paths, inputs, strict=True):
        if path.exists() and entry.path.exists() and path.samefile(entry.path):
            raise ContentError(
                "the output is the input", file=plain(path), remedy="use --in-place instead of -o"
            )
    return list(paths)


def _in_place(path: Path) -> Path:
    """Refuse links: the file would replace the link instead of its target."""
    if path.is_symlink():
        raise ContentError(
            "it is a symbolic link", file=plain(path), remedy="name the file that it points to"
        )
    return path


def _output_paths(inputs: Sequence[Input], out: Path) -> list[Path]:
    """Return the output of each input: `out`, or a path below it if it must be a folder."""
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
                remedy="give them different names, or separate outputs",
            )
    return paths


def _expand(argument: Path) -> Iterator[Input]:
    if argument.is_dir():
        for path in files_below(argument, GLTF):
            yield Input(path, path.relative_to(argument), named=False)
    elif glob.has_magic(str(argument)) and not os.path.lexists(argument):
        for path in files_like(str(argument), GLTF):
            yield Input(path, Path(path.name), named=False)
    else:
        yield Input(argument, Path(argument.name))


def files_like(pattern: str, suffixes: Collection[str]) -> Iterator[Path]:
    """Yield the files that a glob stands for, in order."""
    # Path.glob takes no absolute patterns, and finds no files by a ** at the end.
    for path in map(Path, sorted(glob.glob(pattern, recursive=True))):  # noqa: PTH207
        if path.suffix.lower() in suffixes and path.is_file():
            yield path


def files_below(folder: Path, suffixes: Collection[str]) -> Iterator[Path]:
    """Yield the files below a folder in order, skipping hidden folders such as .git."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if Path(name).suffix.lower() in suffixes and not is_special(Path(where, name)):
                yield Path(where) / name
