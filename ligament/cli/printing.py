"""Printing of commands: safe text, reports, progress."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from ligament.cli.console import messages, plain, print_any_text, progress_bar, results
from ligament.cli.run_progress import RunProgress
from ligament.operations import supervise
from ligament.operations.operation import Operation, Report
from ligament.processes import Bounds
from ligament.text import Line

_FINDINGS: Final = (
    (r"^[^\s{].*", "bold"),
    (r"^  error  ", "bold red"),
    (r"^  warning", "yellow"),
    (r"^  info   ", "cyan"),
    (r"^  hint   ", "dim"),
    (r"^  fixed  ", "green"),
    (r"^  (?:error|warning|info|hint) +(?P<bold>[A-Z0-9_]+)(?:.*?(?P<dim> /\S+)$)?", None),
)

STYLES: Final = {
    "check": _FINDINGS,
    "fix": _FINDINGS,
    "compare": ((r"^same$", "green"), (r"^chaos$", "yellow"), (r"^differs$|only one of", "red")),
    "diff": ((r"^added", "green"), (r"^removed", "red"), (r"^changed", "yellow")),
}
"""Patterns in the lines of operations, and their styles on a terminal."""

print_any_text()


def message(line: str) -> None:
    """Print a line on stderr."""
    messages.print(plain(line))


def print_json(value: Any) -> None:
    """Print JSON in ASCII, so that no text of a file reaches the terminal raw.

    Numbers that are not finite are null.
    """
    try:
        text = json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False)
    except ValueError:
        from ligament.gltf.jsontext import rebuild

        finite = rebuild(value, lambda x: x if not isinstance(x, float) or isfinite(x) else None)
        text = json.dumps(finite, indent=2, ensure_ascii=True)
    print_lines([text], "")


def print_report(
    made: Operation[Any, Any],
    sources: Sequence[Path],
    outputs: Mapping[str, Path],
    report: Report,
    *,
    as_json: bool,
    is_quiet: bool,
) -> None:
    """Print what an operation did."""
    if as_json:
        named = {name: str(path) for name, path in outputs.items()}
        print_json({**named, **report.counts} if report.data is None else report.data)
    elif not made.has_file or not is_quiet:  # where the answer is a file, a text is about it
        console = messages if made.has_file else results
        print_lines(report.text, made.command, console)
        if report.verdict and not is_quiet:
            console.print(report.verdict, style="bold")
    for note in report.notes if not is_quiet else ():
        message(note)
    if report.line and not is_quiet:
        message(f"{next(iter(outputs.values()), None) or sources[0]}: {report.line}")


def print_lines(lines: Iterable[Line], command: str, console: Console = results) -> None:
    """Print what a command answers, in the colours and the width of a terminal."""
    try:
        for line in lines:
            if console.is_terminal:
                console.print(_styled(line, STYLES.get(command, ())))
            else:
                console.file.write(f"{line}\n")
        console.file.flush()
    except BrokenPipeError:
        console.on_broken_pipe()  # who reads has enough


def _styled(line: Line, styles: Sequence[tuple[str, str | None]]) -> Text | Grid:
    if isinstance(line, str):
        text = Text(line)
        for pattern, style in styles:
            text.highlight_regex(pattern, style)
        return text
    grid = Grid(*line.heads, box=None, pad_edge=False)
    for row in line.rows:
        grid.add_row(*row)
    return grid


def followed(task: supervise.Task[Report], bounds: Bounds, *, is_quiet: bool) -> Report:
    """Do a task in another process, show its progress and warnings, and return its end."""
    with (
        supervise.ended_by_signals(),
        contextlib.closing(supervise.events(task, bounds)) as said,
    ):
        event = next(said)  # the process runs: from here on, threads may start
        with progress_bar(task.name, quiet=is_quiet) as advance:
            while not isinstance(event, supervise.Finished):
                if isinstance(event, supervise.Warned):
                    message(f"warning: {event.line}")
                elif advance is not None:
                    advance(event.done - 1, event.total)
                event = next(said)
    return event.report


def overseen(made: Operation[Any, Any], sources: Sequence[Path], *, is_quiet: bool) -> Report:
    """Do an operation that supervises its tasks itself, and show its progress and warnings."""
    with (
        shown_warnings(),
        supervise.ended_by_signals(),
        RunProgress(made.doing, made.unit, quiet=is_quiet) as watch,
    ):
        heard: Operation[Any, Any] = dataclasses.replace(made, watch=watch)  # type: ignore[type-var]
        return heard.perform(sources, {})


@contextlib.contextmanager
def shown_warnings() -> Iterator[None]:
    """Print warnings as messages."""
    before = warnings.showwarning
    warnings.showwarning = lambda text, *_, **__: message(f"warning: {text}")
    try:
        yield
    finally:
        warnings.showwarning = before
