"""What a code means."""

from __future__ import annotations

from typing import NamedTuple

from ligament.findings import Severity


class Code(NamedTuple):
    """How bad it is, what it means, the clause it stands on, and what to do about it."""

    severity: Severity
    meaning: str
    clause: str
    remedy: str
