"""Repairing files: what was found stays found, less what could be put right."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path

from ligament.check.files import CheckedFile, FileTask, check_file, check_loaded, unreadable
from ligament.cli.inputs import Input, output_paths
from ligament.cli.printing import plain
from ligament.errors import ContentError, FileError, LigamentError, LigamentWarning
from ligament.gltf import Document, load, save
from ligament.repair import Change, repair


@dataclasses.dataclass(frozen=True)
class FixTask:
    """A file to check, and where its repaired copy goes (None: it is only checked)."""

    check: FileTask
    target: Path | None = None


@dataclasses.dataclass(frozen=True)
class FixedFile:
    """What is left to find in a file, what was changed, and what was odd in writing it."""

    checked: CheckedFile
    changes: list[Change] = dataclasses.field(default_factory=list)
    warnings: list[str] = dataclasses.field(default_factory=list)


def targets(inputs: list[Input], out: Path | None, *, in_place: bool) -> list[Path | None]:
    """Return where each repaired file goes; no input is overwritten unless `in_place`."""
    if in_place == (out is not None):
        raise ContentError(
            f"{'no place is' if out is None else 'two places are'} named for what is repaired",
            pointer="--fix",
            remedy="use either -o OUT or --in-place",
        )
    if out is None:
        return [_in_place(entry.path) for entry in inputs]
    paths = output_paths(inputs, out)
    for path, entry in zip(paths, inputs, strict=True):
        if path.exists() and entry.path.exists() and path.samefile(entry.path):
            raise ContentError(
                "the output is the input", file=plain(path), remedy="use --in-place instead of -o"
            )
    return list(paths)


def fix_file(task: FixTask) -> FixedFile:
    """Check a file, with all repairs made first if it has a target."""
    if task.target is None:
        return FixedFile(check_file(task.check))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LigamentWarning)
        try:
            document, changes = repair(load(task.check.file, limits=task.check.limits))
        except LigamentError as fault:
            return FixedFile(unreadable(task.check.file, fault))
        checked = check_loaded(task.check, document)
    is_same = task.target == task.check.file
    told = [] if is_same and not changes else _save(document, task.target)
    return FixedFile(checked, changes, told)


def _save(document: Document, target: Path) -> list[str]:
    """Write a file, into a folder that is made if need be; returns what was odd."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise FileError(
            f"the folder cannot be made ({fault.strerror})",
            file=plain(target.parent),
            remedy="name another",
        ) from fault
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LigamentWarning)
        save(document, target)
    return [str(warning.message) for warning in caught]


def _in_place(path: Path) -> Path:
    """Refuse links: the file would take the place of the link, not of what it leads to."""
    if path.is_symlink():
        raise ContentError(
            "it is a symbolic link", file=plain(path), remedy="name the file that it leads to"
        )
    return path
