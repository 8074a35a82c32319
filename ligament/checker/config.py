"""Settings of the checker in `ligament.toml`, or under `tool.ligament` in `pyproject.toml`.

    [check]
    ignore = ["HUMANOID_TPOSE"]
    fail-on = "warning"
    severity = { VRMA_INTERPOLATION = "error" }

    [check.files."drafts/**"]
    fail-on = "never"

Only the nearest such file at or above the folder of the checked file applies.
"""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ligament.errors import ContentError
from ligament.findings import CODES, SEVERITIES, Severity
from ligament.findings.finding import FailOn
from ligament.tables import read_table

FAIL_ON: tuple[FailOn, ...] = (*SEVERITIES, "never")

FIXED_CODES = frozenset({"FILE_UNREADABLE"})
"""Codes that no setting can change: an unread file is an unchecked file."""

NAMES = ("ligament.toml", "pyproject.toml")

_SETTINGS = ("ignore", "fail-on", "severity")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings for one file; `fail_on` None defers to the enclosing settings."""

    ignore: frozenset[str] = frozenset()
    fail_on: FailOn | None = None
    severity: Mapping[str, Severity] = dataclasses.field(default_factory=dict)

    def under(self, other: Settings) -> Settings:
        """Return these settings overridden by those of `other`."""
        return Settings(
            self.ignore | other.ignore,
            self.fail_on if other.fail_on is None else other.fail_on,
            {**self.severity, **other.severity},
        )


@dataclasses.dataclass(frozen=True)
class Config:
    """A settings file: settings for all files below its folder, and for some files by glob."""

    path: Path | None = None
    settings: Settings = Settings()
    files: Mapping[str, Settings] = dataclasses.field(default_factory=dict)

    def settings_for(self, file: Path) -> Settings:
        """Return the settings for one file; later globs override earlier ones."""
        chosen = self.settings
        folder = Path() if self.path is None else self.path.parent
        place = Path(os.path.relpath(_absolute(file), _absolute(folder)))
        for glob, settings in self.files.items():
            chosen = chosen.under(settings) if _matches(place, glob) else chosen
        return chosen


def find_config(file: Path) -> Config:
    """Return the settings nearest to a file, in its folder or above; empty if there are none."""
    for folder in _absolute(file).parents:
        for name in NAMES:
            path = folder / name
            if path.is_file() and (table := _table(path)) is not None:
                return _config(path, table)
    return Config()


def read_config(path: Path) -> Config:
    """Read settings from a file, in the layout of `pyproject.toml` if it has that name."""
    table = _table(path)
    return Config(path) if table is None else _config(path, table)


def require_code(code: str, *, file: Path | None = None, key: str = "--explain") -> str:
    """Return a known code; the error for an unknown one suggests the nearest."""
    if code not in CODES:
        raise _unknown("code", code, CODES, file, key)
    return code


def check_code(code: str, *, file: Path | None = None, key: str = "--ignore") -> str:
    """Return a known code that may be ignored."""
    if require_code(code, file=file, key=key) in FIXED_CODES:
        raise ContentError(
            f"{code} cannot be ignored", file=file, pointer=key, remedy="leave the file out"
        )
    return code


def _table(path: Path) -> dict[str, Any] | None:
    """Return Ligament's table in a settings file, None if it has none."""
    content = read_table(path)
    if path.name != "pyproject.toml":
        return content
    tool = content.get("tool")
    return tool.get("ligament") if isinstance(tool, dict) else None


def _config(path: Path, table: Any) -> Config:
    reader = _Reader(path, "tool.ligament" if path.name == "pyproject.toml" else "")
    return reader.config(table)


class _Reader:
    """Reads settings tables; errors name the file and the key."""

    def __init__(self, path: Path, prefix: str) -> None:
        self.path, self.prefix = path, prefix

    def config(self, table: Any) -> Config:
        """Read a whole settings file."""
        members = self._members(table, self.prefix, ("check",))
        key = self._key(self.prefix, "check")
        check = self._members(members.get("check", {}), key, (*_SETTINGS, "files"))
        files_key = self._key(key, "files")
        files = self._members(check.get("files", {}), files_key, None)
        return Config(
            self.path,
            self._settings({k: v for k, v in check.items() if k != "files"}, key),
            {glob: self._settings(t, self._key(files_key, glob)) for glob, t in files.items()},
        )

    def _settings(self, table: Any, key: str) -> Settings:
        members = self._members(table, key, _SETTINGS)
        return Settings(
            self._codes(members.get("ignore", []), self._key(key, "ignore")),
            self._fail_on(members.get("fail-on"), self._key(key, "fail-on")),
            self._severities(members.get("severity", {}), self._key(key, "severity")),
        )

    def _codes(self, value: Any, key: str) -> frozenset[str]:
        if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
            raise self._wrong(value, key, "an array of codes")
        return frozenset(check_code(code, file=self.path, key=key) for code in value)

    def _fail_on(self, value: Any, key: str) -> FailOn | None:
        if value is None or value in FAIL_ON:
            return value  # type: ignore[no-any-return]
        raise self._wrong(value, key, f"one of {', '.join(FAIL_ON)}")

    def _severities(self, value: Any, key: str) -> dict[str, Severity]:
        members = self._members(value, key, None)
        for code, severity in members.items():
            check_code(code, file=self.path, key=key)
            if severity not in SEVERITIES:
                raise self._wrong(severity, self._key(key, code), f"one of {', '.join(SEVERITIES)}")
        return members

    def _members(self, table: Any, key: str, known: Collection[str] | None) -> dict[str, Any]:
        """Return a table; its keys must be among `known` (None: any)."""
        if not isinstance(table, dict):
            raise self._wrong(table, key, "a table")
        for name in table:
            if known is not None and name not in known:
                raise _unknown("key", name, known, self.path, self._key(key, name))
        return table

    @staticmethod
    def _key(table: str, name: str) -> str:
        """Append a name to the key of a table, as TOML writes it."""
        written = name if _BARE.fullmatch(name) else f'"{name}"'
        return f"{table}.{written}" if table else written

    def _wrong(self, value: Any, key: str, valid: str) -> ContentError:
        return ContentError(
            f"found {value!r}", file=self.path, pointer=key, remedy=f"it must be {valid}"
        )


def _unknown(
    kind: str, name: str, known: Iterable[str], file: Path | None, key: str
) -> ContentError:
    """Return the error for an unknown name, with the nearest known one."""
    known = list(known)
    nearest = difflib.get_close_matches(name, known, n=1) or difflib.get_close_matches(
        name.upper(), known, n=1
    )
    listed = ", ".join(known) if len(known) < 10 else "ligament check --explain all lists them"
    remedy = f"did you mean {nearest[0]}?" if nearest else listed
    return ContentError(f"unknown {kind} {name!r}", file=file, pointer=key, remedy=remedy)


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _matches(place: Path, glob: str) -> bool:
    """Match a path; a glob without a slash matches names in any folder, ** any folders."""
    patterns = glob.split("/")
    if len(patterns) == 1:
        return fnmatchcase(place.name, glob)
    return _match_parts(place.parts, patterns)


def _match_parts(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    reached = {0}  # how many path parts the patterns so far may have matched
    for pattern in patterns:
        if pattern == "**":
            reached = {*range(min(reached, default=len(parts) + 1), len(parts) + 1)}
        else:
            ends = (i for i in reached if i < len(parts))
            reached = {i + 1 for i in ends if fnmatchcase(parts[i], pattern)}
    return len(parts) in reached
