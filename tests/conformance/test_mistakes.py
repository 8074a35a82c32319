"""The suite bites: deliberate mistakes are caught by the cases made for their sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ligament.conformance.build import all_cases
from tests.conformance.mistakes import REGISTER, Mistake, is_caught, play
from tests.conformance.mistakes.__main__ import PAGE
from tests.sampling import sample


def test_there_are_at_least_sixty_mistakes_each_with_a_case() -> None:
    assert len(REGISTER) >= 60
    known = {case.id for case in all_cases()}
    assert {wrong.case for wrong in REGISTER.values()} <= known


def test_every_family_has_mistakes() -> None:
    families = {case.family for case in all_cases()}
    assert {wrong.case.split("/")[0] for wrong in REGISTER.values()} == families


@pytest.mark.parametrize("wrong", sample(REGISTER.values(), 24), ids=lambda wrong: wrong.name)
def test_a_mistake_is_caught_by_the_case_of_its_sentence(wrong: Mistake, tmp_path: Path) -> None:
    case = next(case for case in all_cases() if case.id == wrong.case)
    assert play(case, tmp_path).outcome == "pass"
    assert is_caught(play(case, tmp_path, wrong))


def test_the_table_of_mistakes_is_current() -> None:
    """`python -m tests.conformance.mistakes` updates it."""
    rows = re.findall(r"^\| (.*?) \| `(.*?)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(wrong.words, wrong.case) for wrong in REGISTER.values()]
    assert "not caught" not in PAGE.read_text(encoding="utf-8")
