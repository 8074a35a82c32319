"""Check the words of code and documentation against the lists in docs/writing.md."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "writing.md"
FOLDERS = ("ligament", "docs", "examples", "benchmarks", "fuzz", "tests")
SKIPPED = ("node_modules", "images", "crashes", ".peers")

FOREIGN = ("tell",)
"""Names that other libraries define: a method of files."""

SENTENCES = ("apart", "way")
"""Words that are ordinary in names of tests, which are sentences."""

NO_SUBJECT = ("test_what_", "test_how_")
"""Beginnings of names of tests that name no subject."""

_WORD = re.compile(r"_|(?<=[a-z])(?=[A-Z])")


def avoided() -> tuple[re.Pattern[str], set[str]]:
    """Return a pattern of the words to avoid anywhere, and the words to avoid in names."""
    listed = PAGE.read_text(encoding="utf-8").split("## Words")[1].split("## ")[0]
    anywhere, _, in_names = listed.partition("| not in names |")
    words = [word for cell in _cells(anywhere)[1:] for word in cell.split(", ")]
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    return pattern, {word for cell in _cells(in_names) for word in cell.split(", ")}


def _cells(table: str) -> list[str]:
    return re.findall(r"^\| (.+?) \|", table, re.MULTILINE)


def files() -> Iterator[Path]:
    """Yield all Python and Markdown files but the list itself, and old entries of the changelog."""
    found = [path for name in FOLDERS for path in (ROOT / name).rglob("*.*")]
    for path in sorted([*ROOT.glob("*.md"), *found]):
        is_text = path.suffix in (".py", ".md") and path not in (PAGE, ROOT / "CHANGELOG.md")
        if is_text and not any(part in SKIPPED for part in path.parts):
            yield path


def names(text: str, *, is_test: bool) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every name in code; of tests, only the names of functions."""
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and (not is_test or before == "def"):
            yield token.start[0], token.string
        before = token.string


def faults() -> Iterator[str]:
    """Yield a line for every avoided word, and for module docstrings without a subject."""
    pattern, in_names = avoided()
    for path in files():
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        for number, line in enumerate(text.splitlines(), 1):
            for match in pattern.finditer(line):
                yield f"{name}:{number}: {match[0]!r}; see docs/writing.md"
        if path.suffix == ".py" and name.startswith(("ligament/", "tests/")):
            yield from _names(name, text, in_names)
        if path.suffix == ".py" and (ast.get_docstring(ast.parse(text)) or "").startswith("What"):
            yield f"{name}:1: the docstring begins with 'What'; name the thing"


def _names(name: str, text: str, avoided_words: set[str]) -> Iterator[str]:
    is_test = name.startswith("tests/")
    for number, found in names(text, is_test=is_test):
        words = avoided_words.intersection(_WORD.sub(" ", found).lower().split())
        for word in sorted(words.difference(SENTENCES) if is_test else words):
            if found not in FOREIGN:
                yield f"{name}:{number}: {word!r} in {found!r}; see docs/writing.md"
        if is_test and found.startswith(NO_SUBJECT):
            yield f"{name}:{number}: {found!r} has no subject; name the thing"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "words: fine")
    sys.exit(bool(found))
