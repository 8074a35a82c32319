"""One table of codes: every finding is in it, with the severity that its rule gives it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import ligament
from ligament.check.codes import CODES, FAMILIES
from ligament.findings import SEVERITIES, Severity

PACKAGE = Path(ligament.__file__).parent


def tables() -> dict[str, dict[str, Severity]]:
    """Every table of severities in the package, by the name of its module."""
    found = {}
    for module in pkgutil.walk_packages([str(PACKAGE)], "ligament."):
        path = PACKAGE.joinpath(*module.name.split(".")[1:])
        file = path / "__init__.py" if module.ispkg else path.with_suffix(".py")
        if "\nSEVERITIES: dict" in file.read_text():
            found[module.name] = importlib.import_module(module.name).SEVERITIES
    return found


def test_no_reader_builder_or_rule_has_a_code_of_its_own() -> None:
    known = tables()
    assert len(known) >= 6
    for module, severities in known.items():
        for code, severity in severities.items():
            assert CODES[code].severity == severity, (module, code)


def test_rules_of_the_checker_name_codes_of_the_table() -> None:
    """They look severities up there, so a name that is not in it would raise."""
    named = set()
    for file in (PACKAGE / "check" / "rules").glob("*.py"):
        named |= set(re.findall(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"', file.read_text()))
    assert len(named) > 50
    assert named <= CODES.keys()


def test_every_code_is_named_somewhere() -> None:
    """No code without a rule: each is spelled out, or made of a common beginning and its end."""
    text = "".join(
        file.read_text()
        for file in PACKAGE.rglob("*.py")
        if "codes" not in file.relative_to(PACKAGE).parts
    )
    prefixes = ("NODE_CONSTRAINT_", "VRMA_", "PHYSICS_")
    for code in CODES:
        ends = [code, *(code.removeprefix(p) for p in prefixes if code.startswith(p))]
        assert any(f'"{end}"' in text for end in ends), code


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
