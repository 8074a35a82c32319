"""One table of codes: every finding is in it, with the severity that its rule gives it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ligament
from ligament.findings import CODES, FAMILIES, SEVERITIES

PACKAGE = Path(ligament.__file__).parent


def test_no_module_has_a_table_of_severities_of_its_own() -> None:
    """Severities come from the table of codes, through `finding`."""
    for file in PACKAGE.rglob("*.py"):
        judges = PACKAGE / "conformance" in file.parents  # which shares nothing with the rest
        if file.parent != PACKAGE / "findings" and not judges:
            text = file.read_text()
            assert "\nSEVERITIES:" not in text, file
            assert not re.search(r"(?<!class )\bFinding\(", text), file


def test_rules_of_the_checker_name_codes_of_the_table() -> None:
    """They look severities up there, so a name that is not in it would raise."""
    named = set()
    for file in (PACKAGE / "checker" / "rules").glob("*.py"):
        named |= set(re.findall(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"', file.read_text()))
    assert len(named) > 50
    assert named <= CODES.keys()


def test_every_code_is_named_somewhere() -> None:
    """No code without a rule: each is spelled out in full."""
    text = "".join(
        file.read_text()
        for file in PACKAGE.rglob("*.py")
        if file.name == "scenes.py" or file.parent != PACKAGE / "findings"
    )
    for code in CODES:
        assert f'"{code}"' in text, code


def test_no_code_is_in_two_families() -> None:
    assert len(CODES) == sum(map(len, FAMILIES.values()))


@pytest.mark.parametrize("code", CODES)
def test_every_code_says_what_it_means_where_it_stands_and_what_to_do(code: str) -> None:
    entry = CODES[code]
    assert code == code.upper()
    assert entry.severity in SEVERITIES
    assert entry.meaning.endswith(".")
    assert entry.remedy.endswith(".")
    assert len(entry.clause) > 3
