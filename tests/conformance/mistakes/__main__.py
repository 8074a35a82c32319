"""Writes docs/mistakes.md: every mistake, the case that catches it, and what the case says.

Usage: python -m tests.conformance.mistakes [WORD...]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ligament.conformance.build import all_cases
from tests.conformance.mistakes import REGISTER, Mistake, is_caught, play

PAGE = Path(__file__).parents[3] / "docs" / "mistakes.md"
HEAD = """\
# Mistakes that the suite catches

Each line is a player that reads one sentence wrongly, and the case of the
[conformance suite](conformance.md) that was made for that sentence: {caught} of {count} are caught.
The player is Ligament itself, given a file that was rewritten so that the right behaviour on it is
the wrong one on the original. Written by `python -m tests.conformance.mistakes`.

| mistake | case that catches it | what it says |
|-|-|-|
"""


def line(wrong: Mistake, message: str) -> str:
    """Return a line of the table."""
    said = (message or "not caught").replace("|", "\\\\|")
    return f"| {wrong.words} | `{wrong.case}` | {said} |\n"


def main(words: list[str]) -> int:
    """Play all mistakes; returns how many were not caught."""
    cases = {case.id: case for case in all_cases()}
    lines, missed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for wrong in REGISTER.values():
            if words and not any(word in wrong.name or word in wrong.case for word in words):
                continue
            verdict = play(cases[wrong.case], Path(folder), wrong)
            if not is_caught(verdict):
                missed += 1
                print(f"NOT CAUGHT {wrong.name} ({wrong.case})")
            lines.append(line(wrong, verdict.message))
    print(f"{len(lines) - missed} of {len(lines)} mistakes caught")
    if not words:
        text = HEAD.format(caught=len(lines) - missed, count=len(lines)) + "".join(lines)
        PAGE.write_text(text, encoding="utf-8")
    return missed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
