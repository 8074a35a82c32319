"""Values of wrong types at every place of a JSON value, and commands that must survive them."""

from __future__ import annotations

import contextlib
import copy
import io
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ligament.cli import app
from ligament.errors import LigamentWarning

VALUES: list[Any] = [
    *(None, True, -1, 1.5, 2**70, "x", "\0", [], [None], [[]], [0], {}, {"a": {}}),
]

LONGEST = 4000
"""Most characters of an error: a message of 2,000 with its file and remedy."""

PRINTED_BY_PYTHON = (DeprecationWarning, ResourceWarning)

Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield where something stands in JSON."""
    names: Sequence[str | int] = []
    if isinstance(value, dict):
        names = [*value]
    elif isinstance(value, list):
        names = range(len(value))
    for name in names:
        yield (*path, name)
        yield from places(value[name], (*path, name))


def distinct_places(documents: Mapping[str, Any]) -> list[tuple[str, Path]]:
    """Return the members of all documents: one (document, place) for each, whatever its index."""
    found: dict[Path, tuple[str, Path]] = {}
    for name, document in documents.items():
        for path in places(document):
            pattern = tuple("*" if isinstance(step, int) else step for step in path)
            found.setdefault(pattern, (name, path))
    return [*found.values()]


def changed(document: Any, path: Path, value: Any) -> Any:
    """Return a copy of a document with another value at a place."""
    whole = copy.deepcopy(document)
    holder = whole
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = copy.deepcopy(value)
    return whole


def fault_of(words: Sequence[object]) -> tuple[str, bool]:
    """Run a command in this process; return what is wrong with its end, and if it refused.

    A command may succeed, fall short, or fail in one line. A warning of another library is a
    fault too: it means that a number was not checked.
    """
    out, err, status = io.StringIO(), io.StringIO(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in PRINTED_BY_PYTHON:
            warnings.simplefilter("ignore", category)
        warnings.simplefilter("always", LigamentWarning)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = app.run([*map(str, words)], is_supervised=False)
        except BaseException:
            return traceback.format_exc(), True
    errors = [line for line in err.getvalue().splitlines() if line.startswith("error: ")]
    if status == 2 and len(errors) == 1 and len(errors[0]) <= LONGEST:
        return "", True
    is_fine = status == 1 or (status == 0 and not errors)
    return "" if is_fine else f"status {status}: {err.getvalue()[-2000:]}", status == 2
