"""The two consoles, for results and messages; progress bars."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

from ligament.text import plain as plain


class _Plain(Console):
    """A console that prints text verbatim: no markup, no highlighting."""

    def __init__(self, *, stderr: bool) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


messages = _Plain(stderr=True)
results = _Plain(stderr=False)


def print_any_text() -> None:
    """Let both streams print every character, in UTF-8 if they only support ASCII."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            name = codecs.lookup(stream.encoding).name
            stream.reconfigure(
                encoding="utf-8" if name == "ascii" else name, errors="backslashreplace"
            )


@contextmanager
def progress_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Return a function of (index, total) that advances a bar on stderr, if it is a terminal."""
    if quiet or not messages.is_terminal:
        yield None
        return
    with Progress(console=messages, transient=True) as bar:
        task = bar.add_task(what)
        yield lambda index, total: bar.update(task, completed=index + 1, total=total)
