"""Writes docs/codes.md from the table of codes: python docs/make_codes.py."""

from __future__ import annotations

from pathlib import Path

from ligament.check.codes import CODES

HEAD = """# Findings

Every code of `ligament check`. Codes are stable: they are never renamed, and their meaning stays.
This page is written by `docs/make_codes.py` from `ligament/check/codes`.

| code | severity | what it means | where it stands | what to do |
|-|-|-|-|-|
"""


def page() -> str:
    """Return the page."""
    rows = [
        f"| `{code}` | {entry.severity} | {entry.meaning} | {entry.clause} | {entry.remedy} |"
        for code, entry in CODES.items()
    ]
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "codes.md").write_text(page(), encoding="utf-8")
