"""Findings, severities, and the entries of the table of codes."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Severity = Literal["error", "warning", "info", "hint"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "hint")
"""From worst to mildest."""

FailOn: TypeAlias = Severity | Literal["never"]
"""The mildest severity that makes a file fail."""


class Finding(NamedTuple):
    """Something wrong or suspicious: code, severity, JSON pointer, what was found, what is valid.

    `times` counts the findings with the same code in the same array that this one represents.
    """

    code: str
    severity: Severity
    pointer: str
    message: str
    remedy: str
    times: int = 1


class Code(NamedTuple):
    """An entry of the table: severity, meaning, clause of the specification, and remedy."""

    severity: Severity
    meaning: str
    clause: str
    remedy: str
