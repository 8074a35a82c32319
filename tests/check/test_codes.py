"""One table of codes: every finding is in it, with the severity that the rule gives it."""

import pytest

from ligament.check.codes import CODES
from ligament.extensions import vrmc_node_constraint
from ligament.findings import SEVERITIES, Severity
from ligament.rig import humanoid_rules, motion_rules

RULES: dict[str, Severity] = {
    **vrmc_node_constraint.SEVERITIES,
    **humanoid_rules.SEVERITIES,
    **motion_rules.SEVERITIES,
    "HUMANOID_TPOSE": "hint",
    "FILE_UNREADABLE": "error",
}


def test_table_and_rules_name_the_same_codes_and_severities() -> None:
    assert {code: entry.severity for code, entry in CODES.items()} == RULES


@pytest.mark.parametrize("code", CODES)
def test_every_code_says_what_it_means_where_it_stands_and_what_to_do(code: str) -> None:
    entry = CODES[code]
    assert code == code.upper()
    assert entry.severity in SEVERITIES
    assert all(len(text) > 3 for text in (entry.meaning, entry.clause, entry.remedy))
