"""Writes docs/codes.md from the table of codes and the files of its tests.

python docs/make_codes.py
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from ligament.findings import CODES, FAMILIES, Code

HERE = Path(__file__).parent
CASES = HERE.parent / "tests" / "checker" / "cases"
LONGEST_LINE = 100
CONTEXT = 2

HEAD = """# Findings

Every code of `ligament check`. Codes are stable: they are never renamed, and their meaning stays.
Under each of them: how bad it is, what it means, the clause it stands on, what to do, and the two
files of its test as a difference. Lines with `-` are those of the file that has the fault, lines
with `+` take their place in the one that has not. [Checking](checking.md) says more.

This page is written by `docs/make_codes.py` from `ligament/findings` and `tests/checker/cases`.
"""


def page() -> str:
    """Return the page."""
    places = json.loads((CASES / "places.json").read_text(encoding="utf-8"))
    parts = [HEAD, *_contents()]
    for family, codes in FAMILIES.items():
        parts.append(f"\n## {family}\n")
        parts += [_section(code, entry, places[code]) for code, entry in codes.items()]
    return "\n".join(parts)


def _contents() -> Iterator[str]:
    yield "| code | severity | what it means |\n|-|-|-|"
    for code, entry in CODES.items():
        yield f"| [`{code}`](#{code.lower()}) | {entry.severity} | {entry.meaning} |"


def _section(code: str, entry: Code, place: str) -> str:
    where = f"`{place}`" if place else "the file as a whole"
    return "\n".join(
        [
            f"### {code}\n",
            f"**{entry.severity.capitalize()}.** {entry.meaning} {entry.remedy}\n",
            f"Clause: {entry.clause}. In the example, at {where}:\n",
            "```diff",
            *_difference(code),
            "```\n",
        ]
    )


def _difference(code: str) -> Iterator[str]:
    """Yield the lines in which the two files differ, with those around them."""
    failing, passing = (_lines(code, kind) for kind in ("failing", "passing"))
    lines = [*difflib.unified_diff(failing, passing, n=CONTEXT, lineterm="")]
    for line in lines[3:]:
        yield " ..." if line.startswith("@@") else line


def _lines(code: str, kind: str) -> list[str]:
    """Return the lines of a file; bytes in it are cut short."""
    text = (CASES / f"{code}.{kind}.gltf").read_text(encoding="utf-8")
    text = re.sub(r"(base64,.{24})[^\"]{8,}", r"\1...", text)
    return [line.rstrip()[: LONGEST_LINE + 20] for line in text.splitlines()]


if __name__ == "__main__":
    (HERE / "codes.md").write_text(page(), encoding="utf-8")
