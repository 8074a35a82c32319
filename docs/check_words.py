"""Check the words of code and documentation against the list in docs/writing.md."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "writing.md"
FOLDERS = ("ligament", "docs", "examples", "benchmarks", "fuzz", "tests")
SKIPPED = ("node_modules", "images", "cases", "crashes", ".peers")


def avoided() -> re.Pattern[str]:
    """Return a pattern of the words in the first column of the list."""
    listed = PAGE.read_text(encoding="utf-8").split("## Words")[1].split("## ")[0]
    cells = re.findall(r"^\| (.+?) \|", listed, re.MULTILINE)[1:]
    words = [word for cell in cells for word in cell.split(", ")]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)


def files() -> Iterator[Path]:
    """Yield all Python and Markdown files but the list itself, and old entries of the changelog."""
    found = [path for name in FOLDERS for path in (ROOT / name).rglob("*.*")]
    for path in sorted([*ROOT.glob("*.md"), *found]):
        is_text = path.suffix in (".py", ".md") and path not in (PAGE, ROOT / "CHANGELOG.md")
        if is_text and not any(part in SKIPPED for part in path.parts):
            yield path


def faults() -> Iterator[str]:
    """Yield a line for every avoided word, and for module docstrings without a subject."""
    pattern = avoided()
    for path in files():
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        for number, line in enumerate(text.splitlines(), 1):
            for match in pattern.finditer(line):
                yield f"{name}:{number}: {match[0]!r}; see docs/writing.md"
        if path.suffix == ".py" and (ast.get_docstring(ast.parse(text)) or "").startswith("What"):
            yield f"{name}:1: the docstring begins with 'What'; name the thing"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "words: fine")
    sys.exit(bool(found))
