"""Tables in TOML or JSON (plans, settings, rules), of bounded size and depth."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.errors import FileError, FormatError, LigamentError, LimitError
from ligament.files import read_at_most
from ligament.limits import DEFAULT

MOST_BYTES = 1 << 24
"""Most bytes of such a file; not a configurable limit, since nobody writes that much."""

_DOTTED = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"]*+"|'[^']*+')[ \t]*+\.[ \t]*+)++""")
"""Dotted names, matched as far as they extend."""


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a file: JSON if its suffix says so, else TOML."""
    form = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        content = _parsed(_text(path), form)
        require_shallow(content)
    except RecursionError as fault:
        raise FormatError("is nested too deeply", file=path, remedy="nest it less") from fault
    except UnicodeDecodeError as fault:
        raise FormatError(
            f"is not UTF-8 ({fault.reason} at byte {fault.start})", file=path, remedy="use UTF-8"
        ) from fault
    except ValueError as fault:
        raise FormatError(f"is not {form} ({fault})", file=path, remedy="fix it") from fault
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__
    if not isinstance(content, dict):
        raise FormatError("is not a table", file=path, remedy="write members at the top level")
    return content


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as stream:
            data = read_at_most(stream, MOST_BYTES + 1)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "check the path"
        raise FileError(f"cannot be read ({reason})", remedy=remedy) from fault
    if len(data) > MOST_BYTES:
        raise LimitError("is too large", remedy=f"at most {MOST_BYTES} bytes are read")
    return data.decode()


def _parsed(text: str, form: str) -> Any:
    if form == "JSON":
        return json.loads(text)
    _require_short_names(text)
    return tomllib.loads(text.replace("\r\n", "\n"))


def _require_short_names(text: str) -> None:
    """Refuse names with more parts than allowed levels: parsing is quadratic in their number.

    Such a name inside a string is refused as well; nobody writes that many dots.
    """
    most = DEFAULT.nesting
    for line in text.splitlines():
        if line.count(".") > most and any(r[0].count(".") > most for r in _DOTTED.finditer(line)):
            raise _too_deep()


def require_shallow(content: Any) -> None:
    """Refuse nesting beyond the limit of documents: dotted names nest without recursion."""
    level, depth = [content], 0
    while level := [item for value in level for item in _inside(value)]:
        depth += 1
        if depth > DEFAULT.nesting:
            raise _too_deep()


def _too_deep() -> FormatError:
    return FormatError(f"is nested more than {DEFAULT.nesting} levels deep", remedy="nest it less")


def _inside(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return [*value] if isinstance(value, list | tuple) else []
