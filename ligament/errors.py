"""Exceptions: what was found, where, and what would be valid."""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

MOST_NAMED = 8
"""Most names that a message lists."""

LONGEST = 2000
"""Most characters of a message: names and pointers from files can have any length."""

MOST_DESCRIBED = 300
"""The same of errors of other libraries."""

_PACKAGE = f"{__name__.partition('.')[0]}."
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: object) -> str:
    """Replace control characters (terminal codes, line ends, direction marks) with visible ones.

    Messages contain names from files and are printed to terminals. File names are read as UTF-8
    even where the system uses another encoding.
    """
    line = str(text)
    if line.isprintable():
        return line
    with contextlib.suppress(UnicodeEncodeError):  # half of a surrogate pair, from a document
        line = line.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(
        f"\\x{ord(character):02x}"
        if unicodedata.category(character) in _INVISIBLE_CATEGORIES
        else character
        for character in line
    )


def shortened(line: str, longest: int = LONGEST) -> str:
    """Shorten a line that is too long by cutting out its middle."""
    half = longest // 2
    return line if len(line) <= longest else f"{line[:half]}…{line[1 - half :]}"


def counted(count: int, word: str, plural: str | None = None) -> str:
    """Format a count with its noun: "1 body", "2 bodies"."""
    return f"{count} {word if count == 1 else plural or f'{word}s'}"


def nearest(word: object, known: Iterable[object]) -> str:
    """Suggest the known name that was probably meant, ignoring case, or list some of them."""
    names = [str(name) for name in known]
    folded = {name.casefold(): name for name in reversed(names)}
    meant = str(word).casefold()
    alike = [name for name in folded if name[:3] == meant[:3]]
    close = difflib.get_close_matches(meant, alike or folded, n=1, cutoff=0.5)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    shown = ", ".join(repr(name) for name in names[:MOST_NAMED])
    more = ", …" if len(names) > MOST_NAMED else ""
    return f"use one of {shown}{more}" if names else "there is none to choose from"


class LigamentError(Exception):
    """Base class of all errors, formatted as one line: file, JSON pointer, fault, remedy.

    Catch this class to catch everything that the library raises on purpose.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | os.PathLike[str] | None = None,
        pointer: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = None if file is None else os.fspath(file)
        self.pointer = pointer
        self.remedy = remedy

    def __str__(self) -> str:
        """Join the known parts into one line."""
        place = [part for part in (self.file, self.pointer) if part]
        line = ": ".join([*place, self.message])
        line = f"{line}; {self.remedy}" if self.remedy else line
        return shortened(visible(" ".join(shortened(line).split())))

    def located(self, file: str | os.PathLike[str] | None) -> LigamentError:
        """Add the file's name if the code that raised did not know it; return self."""
        if self.file is None and file is not None:
            self.file = os.fspath(file)
        return self


class ArgumentError(LigamentError, ValueError):
    """An argument has the wrong type or shape; the remedy says what is expected."""


class FileError(LigamentError):
    """A file could not be read or written (missing, forbidden, disk full, changed meanwhile)."""


class FormatError(LigamentError):
    """The bytes violate the format (container, JSON text, data URI, compression)."""


class ContentError(LigamentError):
    """The JSON is well formed, but a member is missing, of the wrong type or out of range."""


class UnsafePathError(LigamentError):
    """A URI leads outside the folders that the file may refer to."""


class LimitError(LigamentError):
    """A declared size or count exceeds its limit."""


class CycleError(LigamentError):
    """Items that depend on each other in a cycle: `nodes` lists every node on it."""

    def __init__(
        self,
        message: str,
        *,
        nodes: Sequence[int] = (),
        file: str | os.PathLike[str] | None = None,
        pointer: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message, file=file, pointer=pointer, remedy=remedy)
        self.nodes = tuple(nodes)


class SimulationError(LigamentError):
    """The engine failed on a scene, or a snapshot does not belong to this scene."""


class StrictError(LigamentError):
    """The result would not be exact, but exactness was required: `losses` has one line each."""

    def __init__(
        self,
        message: str,
        *,
        losses: Sequence[object] = (),
        file: str | os.PathLike[str] | None = None,
        pointer: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message, file=file, pointer=pointer, remedy=remedy)
        self.losses = tuple(losses)


class EditError(LigamentError):
    """An edit was refused because it would make the document invalid."""


class MissingExtraError(LigamentError):
    """An optional package is needed; the remedy says which extra installs it."""


class RunInterruptedError(LigamentError):
    """A run of many ended early: what was finished is kept, and resuming continues it."""


def described(fault: BaseException, *, with_place: bool = False) -> str:
    """Describe any error in one line, one of other libraries by its kind, and perhaps its place."""
    if isinstance(fault, LigamentError):
        return str(fault)
    import traceback

    text = ": ".join(filter(None, [type(fault).__name__, " ".join(str(fault).split())]))
    frames = traceback.extract_tb(fault.__traceback__) if with_place else ()
    places = [f" at {Path(each.filename).name}:{each.lineno}" for each in frames[-1:]]
    return "".join([shortened(text, MOST_DESCRIBED), *places])


class LigamentWarning(UserWarning):
    """Something in a file is unusual; the message says how Ligament continued."""


def warn(line: str) -> None:
    """Issue a LigamentWarning that points at the caller's own line of code."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(line, LigamentWarning, stacklevel=level)
