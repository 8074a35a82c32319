"""Errors and warnings of USD in one line each, without locations in its source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

_SESSION = re.compile(r",@anon:[^@]*@")
_FOLDERS = re.compile(r"@/[^@]*/(?=[^@/]*@)")
_PLACE = re.compile(r"In <(?P<path>/[^>]*)>: (?P<said>.*)")


def _readable(say: Callable[[], object]) -> str:
    """Return a message of USD, which may quote bytes that are not UTF-8."""
    try:
        return str(say())
    except UnicodeDecodeError:
        return "it contains bytes that are not UTF-8"


def first_line(fault: Exception | str) -> str:
    """Return the message of a USD error, without locations in USD's source."""
    said = _readable(lambda: fault).splitlines()
    lines = [line.partition(" : ")[2] or line for line in said if line.strip()]
    text = " ".join(" ".join(lines[:1]).strip(" '").split())
    return text if len(text) <= 200 else f"{text[:120]} ... {text[-60:]}"


def diagnostics_of(diagnostics: Iterable[Any]) -> list[tuple[str, str]]:
    """Return the prim paths and messages of USD's warnings, without duplicates."""
    found: dict[tuple[str, str], None] = {}
    for each in diagnostics:
        said = _readable(partial(getattr, each, "commentary"))
        text = " ".join(said.partition(" (instantiating stage")[0].split())
        text = _FOLDERS.sub("@", _SESSION.sub("", text))
        match = _PLACE.match(text)
        place, said = (match["path"], match["said"]) if match else ("/", text)
        found[place, first_line(said)] = None
    return list(found)
