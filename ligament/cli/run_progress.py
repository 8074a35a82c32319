"""Progress of a run of many tasks: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import threading
import time
from typing import Self

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from ligament.cli.console import messages, plain
from ligament.options.running import Watch

INTERVAL = 30.0
"""Seconds between two lines in a log."""


class RunProgress(Watch):
    """What a run has done so far, on stderr, from the search for its inputs to the end.

    In a log the lines come whether or not anything has changed, so that a run that waits is not
    taken for a dead one.
    """

    def __init__(self, what: str, unit: str, *, quiet: bool) -> None:
        self._what, self._unit = what, unit
        self._text = "starting"
        self._start = time.monotonic()
        self._is_over = threading.Event()
        self._is_quiet = quiet
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._lines: threading.Thread | None = None
        if quiet:
            return
        if messages.is_terminal:
            columns = (TextColumn(what), BarColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, TimeRemainingColumn(), console=messages, transient=True)
            self._task = self._bar.add_task(self._text, total=None)
        else:
            self._lines = threading.Thread(target=self._print_lines, daemon=True)

    def found(self, count: int) -> None:
        """Show how many inputs have been found so far."""
        self._show(f"{count} {self._unit} found")

    def advance(self, finished: int, total: int) -> None:
        """Show how many of all are finished."""
        self._show(f"{finished} of {total} {self._unit}", finished, total)

    def say(self, line: str) -> None:
        """Print a line."""
        if not self._is_quiet:
            messages.print(plain(line))

    def _show(self, text: str, finished: int = 0, total: int | None = None) -> None:
        self._text = text
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text, completed=finished, total=total)

    def _print_lines(self) -> None:
        while not self._is_over.wait(INTERVAL):
            seconds = time.monotonic() - self._start
            messages.print(f"{self._what}: {self._text} after {seconds:.0f} s")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        if self._lines is not None:
            self._lines.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._bar is not None:
            self._bar.stop()
        if self._lines is not None:
            self._lines.join()
