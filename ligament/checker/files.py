"""Checks of files: an unreadable file is a finding too, so that the others are still checked."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ligament.checker.check import check
from ligament.checker.config import Settings
from ligament.checker.report import Issue, Report
from ligament.errors import FileError, LigamentError, LigamentWarning
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.gltf.load import load
from ligament.gltf.source_text import Place, locate
from ligament.gltf.storage import uris
from ligament.limits import DEFAULT, Limits
from ligament.processes import Death
from ligament.processes.calls import calls, result
from ligament.processes.pool import Pool

KINDS = {
    "nodes": "node",
    "meshes": "mesh",
    "skins": "skin",
    "animations": "animation",
    "accessors": "accessor",
    "materials": "material",
    "scenes": "scene",
    "images": "image",
    "textures": "texture",
    "cameras": "camera",
}
"""Top-level arrays of a document, and the noun for their elements."""


@dataclasses.dataclass(frozen=True)
class Owner:
    """An object of the document: its kind, its index, and its name if it has one."""

    kind: str
    index: int
    name: str | None

    def __str__(self) -> str:
        """Format it for people: node 3 "Hips"."""
        return f"{self.kind} {self.index}" + (f' "{self.name}"' if self.name else "")


def owner_of(root: Any, pointer: str) -> Owner | None:
    """Return the element of a top-level array that `pointer` refers to or into.

    >>> owner_of({"nodes": [{"name": "Hips"}]}, "/nodes/0/rotation")
    Owner(kind='node', index=0, name='Hips')
    """
    array, *rest = pointers.split(pointer) or [""]
    if array not in KINDS or not rest or not isinstance(pointers.find(root, f"/{array}"), list):
        return None
    element = pointers.find(root, pointers.join("", array, rest[0]))
    if not isinstance(element, dict):
        return None
    name = element.get("name")
    return Owner(KINDS[array], int(rest[0]), name if isinstance(name, str) and name else None)


T = TypeVar("T")
R = TypeVar("R")


@dataclasses.dataclass(frozen=True)
class CheckedFile:
    """A file and its findings.

    `owners` are the objects that pointers refer into; `places` are lines and columns, if requested
    and the file is text.
    """

    file: Path
    report: Report
    owners: dict[str, Owner] = dataclasses.field(default_factory=dict)
    places: dict[str, Place] = dataclasses.field(default_factory=dict)

    @property
    def is_readable(self) -> bool:
        """Whether the file was checked at all."""
        return all(issue.code != "FILE_UNREADABLE" for issue in self.report)


@dataclasses.dataclass(frozen=True)
class FileTask:
    """A file to check, its settings, whether lines and columns are wanted, and its limits."""

    file: Path
    settings: Settings = dataclasses.field(default_factory=Settings)
    with_places: bool = False
    limits: Limits = DEFAULT


def check_file(task: FileTask) -> CheckedFile:
    """Load a file and check it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LigamentWarning)
            return check_loaded(task, load(task.file, limits=task.limits))
    except LigamentError as fault:
        return unreadable(task.file, fault)


def check_loaded(task: FileTask, document: Document) -> CheckedFile:
    """Check the document of a file."""
    report = check(document).under(task.settings)
    wanted = dict.fromkeys(issue.pointer for issue in report)
    owners = owners_in(document, report)
    origin = document.origin
    has_lines = task.with_places and document.form == "gltf" and origin is not None
    places = locate(origin.text, wanted) if has_lines and origin else {}
    return CheckedFile(task.file, report, owners, places)


def owners_in(document: Document, report: Report) -> dict[str, Owner]:
    """Return the objects that the pointers of a report refer into, by pointer."""
    found = {issue.pointer: owner_of(document.json, issue.pointer) for issue in report}
    return {pointer: owner for pointer, owner in found.items() if owner is not None}


def unreadable(file: Path, fault: LigamentError) -> CheckedFile:
    """Report a file that could not be read, possibly because of another file."""
    other = fault.file if fault.file is not None and Path(fault.file) != file else None
    message = str(LigamentError(fault.message, file=other, remedy=fault.remedy))
    return CheckedFile(
        file, Report([Issue("FILE_UNREADABLE", "error", fault.pointer or "", message)])
    )


def in_processes(
    work: Callable[[T], R],
    tasks: Sequence[T],
    kind: type[R],
    *,
    died: Callable[[T, LigamentError], R],
    jobs: int,
) -> Iterator[R]:
    """Yield the result of `work`, a module-level function, for every task, in order.

    With more than one job, the work is done in worker processes, whose results are of a `kind`;
    `died` gives the result of a task that ends its process.
    """
    if jobs == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    in_roots = functools.partial(_in_roots, work, uris.named_roots())
    answers = Pool(calls(in_roots)).map(((task,) for task in tasks), jobs)
    for task, answer in zip(tasks, answers, strict=True):
        if isinstance(answer, Death):
            remedy = "check it alone, or use fewer --jobs"
            yield died(task, FileError(f"checking it {answer.text}", remedy=remedy))
        else:
            yield result(answer, kind)


def _in_roots(work: Callable[[T], R], roots: Sequence[Path], task: T) -> R:
    with uris.roots_named(roots):
        return work(task)
