"""The time and memory that a command may take for its files.

Limits on what a file may declare apply first and say more. These catch whatever they miss.
"""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from ligament.processes import Bounds
from ligament.processes.bounds import GIBIBYTE

MEBIBYTE: Final = 1 << 20

MEMORY_PER_BYTE: Final = 64
"""Memory [bytes] for each byte of the files."""

LEAST_SIZE: Final = 1 << 16
"""Bytes that each file of a folder counts as, at least."""

GRACE: Final = 2.0
"""CPU time [s] after which the system ends a process that ignores its time limit."""

SECONDS_MAX: Final = 1e8
"""Longest limit [s], three years: systems refuse much longer ones."""

MEMORY_MAX: Final = 1e9
"""Largest limit [GiB], for the same reason."""

_MOST_READ: Final = 64 * MEBIBYTE
_URI: Final = re.compile(rb'"uri"\s*:\s*"([^"\\]{1,500})"')


@dataclasses.dataclass(frozen=True)
class Cost:
    """CPU time [s] per started MiB of the files, and memory [bytes] besides `MEMORY_PER_BYTE`."""

    seconds: float = 600.0
    memory: int = 4 * GIBIBYTE

    def bounds(
        self,
        paths: Iterable[Path],
        *,
        max_seconds: float | None = None,
        max_memory: float | None = None,
    ) -> Bounds:
        """Return the bounds on the work on files, folders and globs.

        Chosen limits [s, GiB] replace those by size; 0 is no limit.
        """
        sizes = [*map(size_of, paths)] or [0]
        seconds = max_seconds
        if seconds is None:
            seconds = self.seconds * sum(max(1.0, size / MEBIBYTE) for size in sizes)
        memory = self.memory + MEMORY_PER_BYTE * sum(sizes)
        if max_memory is not None:
            memory = round(min(max_memory, MEMORY_MAX) * GIBIBYTE)
        seconds = min(seconds, SECONDS_MAX)
        return Bounds(cpu_seconds=seconds or None, memory=memory or None, grace=GRACE)


QUICK: Final = Cost(10.0, 300 * MEBIBYTE)
"""The cost of commands that inspect a file or rewrite it."""


def size_of(path: Path) -> int:
    """Return the size [bytes] of a file, with the files that it refers to, a folder or a glob."""
    try:
        if path.is_dir() or glob.has_magic(str(path)):
            found = path.rglob("*") if path.is_dir() else map(Path, glob.iglob(str(path)))  # noqa: PTH207
            return sum(LEAST_SIZE + each.stat().st_size for each in found if each.is_file())
        size = path.stat().st_size if path.is_file() else 0
        if path.suffix.lower().startswith(".usd"):  # a stage consists of several files around it
            return size + sum(each.stat().st_size for each in path.parent.glob("*.usd*"))
        return size + sum(map(_companion_size, _companions(path))) if size else 0
    except (OSError, ValueError):
        return 0


def _companions(path: Path) -> set[Path]:
    """Return the files that the URIs of a file seem to name."""
    with path.open("rb") as stream:
        found = _URI.findall(stream.read(_MOST_READ))
    names = {unquote(uri.decode(errors="replace")) for uri in found if uri[:5] != b"data:"}
    return {path.parent / name for name in names}


def _companion_size(path: Path) -> int:
    with contextlib.suppress(OSError, ValueError):
        return path.stat().st_size
    return 0
