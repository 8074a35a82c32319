"""A disk that fails: the n-th call that would change it says that no space is left."""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from ligament import files

CALLS = ("fsync", "replace", "rename", "link", "mkdir")
"""Calls that change a disk besides opening and writing files."""


class Disk:
    """Counts the calls that change the disk, and fails at one of them and ever after."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.calls, self.fails_at = 0, fails_at

    def tick(self) -> None:
        self.calls += 1
        if self.fails_at is not None and self.calls >= self.fails_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def opened(self, path: Any, mode: str, **options: Any) -> Any:
        if "r" in mode:
            return open(path, mode, **options)
        self.tick()
        return io.BufferedWriter(_Raw(self, path, mode, **options))

    def guarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.tick()
            return function(*arguments, **options)

        return call


class _Raw(io.FileIO):
    """A file whose every write asks the disk first."""

    def __init__(self, disk: Disk, path: Any, mode: str, **options: Any) -> None:
        self._disk = disk
        super().__init__(path, mode.replace("b", ""), **options)

    def write(self, data: Any) -> int:
        self._disk.tick()
        return super().write(data)


@contextlib.contextmanager
def failing_disk(fails_at: int | None = None, *others: ModuleType) -> Iterator[Disk]:
    """Count what changes the disk within the block, and fail from the given call on.

    `others` are modules that open files themselves.
    """
    disk = Disk(fails_at)
    with pytest.MonkeyPatch.context() as patch:
        for module in (files, *others):
            patch.setattr(module, "open", disk.opened, raising=False)
        for name in CALLS:
            patch.setattr(os, name, disk.guarded(getattr(os, name)))
        yield disk
