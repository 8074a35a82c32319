"""Text from files made safe to print, and the two consoles: results and messages."""

from __future__ import annotations

from rich.console import Console

from ligament.errors import visible


class _Plain(Console):
    """A console that prints text from files as it is: no markup, no control codes."""

    def __init__(self, *, stderr: bool) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


messages = _Plain(stderr=True)
results = _Plain(stderr=False)


def plain(text: object) -> str:
    """Replace control characters (terminal codes, line ends, direction marks) by visible signs."""
    return visible(text)


def size(count: float) -> str:
    """Write a number of bytes for a person."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
