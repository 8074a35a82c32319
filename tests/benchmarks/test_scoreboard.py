"""The scoreboard: every disagreement on the page is explained, and its words are current."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest

from benchmarks.scoreboard import COLUMNS, EXPLAINED, PAGE, cases, marks

SECTIONS = re.split(r"^\*\*(.+?)\*\* ", EXPLAINED.read_text(encoding="utf-8"), flags=re.MULTILINE)
EXPLANATIONS = dict(zip(SECTIONS[1::2], SECTIONS[2::2], strict=True))


def test_the_page_has_every_case_with_its_sentence() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [*marks()] == [case["id"] for case in cases()]
    for case in cases():
        assert f"| `{case['id'].split('/')[1]}` {case['sentence']} |" in text
    assert EXPLAINED.read_text(encoding="utf-8").strip() in text


@pytest.mark.parametrize("place", range(len(COLUMNS)), ids=[column.name for column in COLUMNS])
def test_every_disagreement_is_explained(place: int) -> None:
    title = COLUMNS[place].title
    texts = [text for name, text in EXPLANATIONS.items() if title.startswith(name)]
    patterns = [word for text in texts for word in re.findall(r"`([\w*/]+)`", text)]
    failing = [name for name, row in marks().items() if "fail" in row[title]]
    bare = {name: name.split("/")[1] for name in failing}
    assert [
        name
        for name in failing
        if not any(fnmatchcase(word, each) for word in (name, bare[name]) for each in patterns)
    ] == []
