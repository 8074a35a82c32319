"""Reports of verdicts: text, JSON and JUnit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final
from xml.etree import ElementTree

from ligament.conformance.judge import Verdict

TIERS: Final = ("must", "should", "decision")


def counts(verdicts: Sequence[Verdict]) -> dict[str, Counter[str]]:
    """Return how many cases of each tier passed, failed or were not run."""
    return {tier: Counter(v.outcome for v in verdicts if v.case["tier"] == tier) for tier in TIERS}


def text_report(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield the lines of a report for a person."""
    for verdict in verdicts:
        if verdict.outcome == "fail":
            case = verdict.case
            yield f"FAIL {case['tier']:8} {case['id']}: {case['sentence']}"
            yield f"     {verdict.message}"
    families = Counter(_family(verdict) for verdict in verdicts)
    passed = Counter(_family(v) for v in verdicts if v.outcome == "pass")
    for family, count in families.items():
        yield f"{family:20} {passed[family]:4} of {count:4} pass"
    for tier, found in counts(verdicts).items():
        judged = found["pass"] + found["fail"]
        left = f", {found['not run']} not run" if found["not run"] else ""
        if judged or left:
            yield f"{tier:20} {found['pass']:4} of {judged:4} pass{left}"


def plain_report(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the report for programs, as JSON."""
    return {
        "counts": {tier: dict(sorted(c.items())) for tier, c in counts(verdicts).items()},
        "cases": [_plain(verdict) for verdict in verdicts],
    }


def _plain(verdict: Verdict) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": verdict.case["id"],
        "tier": verdict.case["tier"],
        "outcome": verdict.outcome,
    }
    if verdict.message:
        found["message"] = verdict.message
    found["checks"] = [
        {"holds": f.holds, "deviation": f.deviation if math.isfinite(f.deviation) else None}
        for f in verdict.findings
    ]
    return found


def junit_report(verdicts: Sequence[Verdict]) -> bytes:
    """Return the report as JUnit XML, a test suite for each family."""
    root = ElementTree.Element("testsuites", name="conformance")
    for family in dict.fromkeys(_family(verdict) for verdict in verdicts):
        mine = [verdict for verdict in verdicts if _family(verdict) == family]
        outcomes = Counter(verdict.outcome for verdict in mine)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=family,
            tests=str(len(mine)),
            failures=str(outcomes["fail"]),
            skipped=str(outcomes["not run"]),
        )
        for verdict in mine:
            _add_junit(suite, verdict)
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _add_junit(suite: ElementTree.Element, verdict: Verdict) -> None:
    name = str(verdict.case["id"]).split("/", 1)[1]
    case = ElementTree.SubElement(suite, "testcase", classname=_family(verdict), name=name)
    if verdict.outcome == "fail":
        kind = str(verdict.case["tier"])
        fault = ElementTree.SubElement(case, "failure", type=kind, message=verdict.message)
        fault.text = str(verdict.case["sentence"])
    elif verdict.outcome == "not run":
        ElementTree.SubElement(case, "skipped", message=verdict.reason)


def _family(verdict: Verdict) -> str:
    return str(verdict.case["id"]).split("/", 1)[0]
