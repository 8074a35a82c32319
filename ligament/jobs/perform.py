"""Processing of one task, from the bytes of its input to its entry in the manifest."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from ligament.errors import (
    FileError,
    LigamentError,
    LigamentWarning,
    UnsafePathError,
    described,
)
from ligament.files import make_folder
from ligament.jobs.remote import fetch, is_url
from ligament.jobs.sources import Source, hash_file
from ligament.jobs.stores import Store
from ligament.jobs.task import Entry, Options, Output, Status, Task

_DISK_FAULTS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})


@dataclasses.dataclass(frozen=True)
class Result:
    """The outcome of a command; `shortfall` says what is wrong with the content, if anything."""

    shortfall: str | None = None
    counts: dict[str, int] = dataclasses.field(default_factory=dict)


class Command(Protocol):
    """Reads a source and writes the outputs that the options name."""

    def __call__(
        self, source: Source, paths: Sequence[Path], options: Options, *, shown: str
    ) -> Result:
        """Write to `paths`, in the order of `options.endings`."""


def run_task(task: Task, command: Command) -> Entry:
    """Run a command on a task's input; faults of the file go into the entry.

    If an earlier run did the same with the same bytes, its entry is returned unchanged.
    """
    start = time.perf_counter()
    with _collected_warnings() as messages:
        entry = _attempt(task, command) if task.store is None else _attempt_remote(task, command)
    if entry is task.previous:
        return entry
    seconds = round(time.perf_counter() - start, 6)
    return msgspec.structs.replace(entry, seconds=seconds, warnings=tuple(messages))


def _attempt_remote(task: Task, command: Command) -> Entry:
    """Work in a temporary folder, from which the outputs go to the store."""
    assert task.store is not None
    with tempfile.TemporaryDirectory(prefix="ligament-") as folder:
        entry = _attempt(dataclasses.replace(task, out_dir=folder), command)
        if entry is task.previous or entry.status is not Status.DONE:
            return entry
        try:
            names = [output.path for output in entry.outputs]
            Store(task.store, task.access).put_all(Path(folder), names)
        except LigamentError as fault:
            return task.entry(Status.FAILED, sha256=entry.sha256, reason=str(fault), unwritten=True)
    return entry


def _attempt(task: Task, command: Command) -> Entry:
    source: Source | None = None
    try:
        with _local_copy(task) as path:
            source = task.options.source(path)
            digest = source.sha256()
            if task.previous is not None and _still_holds(task.previous, digest, task):
                return task.previous
            return _work(task, source, digest, command)
    except LigamentError as fault:
        reason, unwritten = _reason(fault, task, source), _is_about_outputs(fault, task)
    except RecursionError:
        reason, unwritten = "it is nested too deeply", False
    except OSError as fault:
        reason = fault.strerror or type(fault).__name__
        unwritten = fault.errno in _DISK_FAULTS
    sha256 = source.known if source else None
    return task.entry(Status.FAILED, sha256=sha256, reason=reason, unwritten=unwritten)


def _is_about_outputs(fault: LigamentError, task: Task) -> bool:
    """Tell whether the output folder is at fault, not the input."""
    if not isinstance(fault, FileError) or fault.file is None:
        return False
    return Path(fault.file).is_relative_to(task.out_dir)


def _work(task: Task, source: Source, digest: str, command: Command) -> Entry:
    """Write the outputs and list them."""
    paths = task.outputs
    _make_own_folder(paths[0].parent, Path(task.out_dir))
    result = command(source, paths, task.options, shown=task.shown)
    return task.entry(
        Status.DONE,
        sha256=digest,
        outputs=tuple(_outputs(paths, Path(task.out_dir))),
        shortfall=result.shortfall,
        counts=result.counts,
    )


def discard_outputs(task: Task, store: Store | None) -> None:
    """Remove the outputs of a task that failed, those of earlier runs included."""
    if store is not None:
        for path in task.outputs:
            store.remove(path.relative_to(task.out_dir).as_posix())
    discard(task.outputs)


def discard(paths: Iterable[Path]) -> None:
    """Remove files and folders as far as possible."""
    for path in paths:
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def crash(task: Task, fault: BaseException, sha256: str | None) -> Entry:
    """Return the entry for an unexpected exception, with the line that raised it."""
    if isinstance(fault, MemoryError):
        reason = "it exceeds the memory limit of a worker"
        return task.entry(Status.CRASHED, sha256=sha256, reason=reason)
    reason = f"unexpected {described(fault, with_place=True)}"
    return task.entry(Status.FAILED, sha256=sha256, reason=reason)


def _still_holds(previous: Entry, digest: str, task: Task) -> bool:
    """Tell whether input and outputs are unchanged since an earlier run."""
    if previous.sha256 != digest:
        return False
    if task.store is not None:  # hashing them would download everything
        store = Store(task.store, task.access)
        return all(store.size(output.path) == output.size for output in previous.outputs)
    folder = Path(task.out_dir)
    return all(_is_same(folder / output.path, output) for output in previous.outputs)


def _is_same(path: Path, output: Output) -> bool:
    try:
        return path.stat().st_size == output.size and hash_file(path) == output.sha256
    except (OSError, ValueError, LigamentError):  # a name may hold a null character
        return False


def _outputs(paths: list[Path], folder: Path) -> Iterator[Output]:
    """Yield the written files, those in folders one by one."""
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file():
                place = file.relative_to(folder).as_posix()
                yield Output(place, file.stat().st_size, hash_file(file))


@contextlib.contextmanager
def _local_copy(task: Task) -> Iterator[Path]:
    """Yield the file itself, or a temporary copy of a remote one under its own name."""
    if not is_url(task.source):
        yield Path(task.source)
        return
    with tempfile.TemporaryDirectory(prefix="ligament-") as name:
        images = task.options.reads_images
        limits = task.options.limits
        yield fetch(task.source, Path(name), task.access, with_images=images, limits=limits)


@contextlib.contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Collect our own warnings; those of other libraries do not concern the file."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LigamentWarning)
        yield messages
    messages.extend(" ".join(str(each.message).split()) for each in caught)


def _reason(fault: LigamentError, task: Task, source: Source | None) -> str:
    """Describe a fault without the input's name, which the entry has; other files are named."""
    file = None
    if fault.file is not None and source is not None and Path(fault.file) != source.path:
        file = os.path.relpath(fault.file, source.path.parent)
    return str(LigamentError(fault.message, file=file, pointer=fault.pointer, remedy=fault.remedy))


def _make_own_folder(folder: Path, out_dir: Path) -> None:
    make_folder(folder)
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(out_dir)):
        raise UnsafePathError(
            f"{folder} points outside the output folder", remedy="remove the link"
        )
