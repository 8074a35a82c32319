"""What a rule finds in a document: the same whether it is reported or raised."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "info", "hint"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "hint")
"""From worst to mildest."""


class Finding(NamedTuple):
    """Something wrong or odd: its code, how bad it is, where, what was found, what would do.

    `times` counts those of the same code in the same array that this one stands for.
    """

    code: str
    severity: Severity
    pointer: str
    message: str
    remedy: str
    times: int = 1
