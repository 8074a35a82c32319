"""Writes docs/mistakes.md: every mistake, the case that catches it, and what the case says.

Usage: python -m tests.conformance.mistakes [WORD...]; with words, lines of other mistakes stay as
the page has them.
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
    """Play mistakes, all of them without words; returns how many were not caught."""
    cases = {case.id: case for case in all_cases()}
    lines, missed, played = [], 0, 0
    written = PAGE.read_text(encoding="utf-8").splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        for wrong in REGISTER.values():
            start = line(wrong, "").rsplit("|", 2)[0]
            there = [text for text in written if text.startswith(start)]
            if there and words and not any(word in wrong.name + wrong.case for word in words):
                lines += there
                continue
            verdict = play(cases[wrong.case], Path(folder), wrong)
            played += 1
            if not is_caught(verdict):
                missed += 1
                print(f"NOT CAUGHT {wrong.name} ({wrong.case})")
            lines.append(line(wrong, verdict.message))
    print(f"{played - missed} of {played} mistakes caught")
    text = HEAD.format(caught=len(lines) - missed, count=len(lines)) + "".join(lines)
    PAGE.write_text(text, encoding="utf-8")
    return missed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
