"""Reports: order, counts, and how they show themselves."""

import pytest

from ligament.checker import Issue, Report
from ligament.checker.report import MOST_SHOWN, summary
from ligament.findings import Severity

EVIL = "\x1b[31m<b>&\u202e\n"


def issue(
    severity: Severity = "error", pointer: str = "", code: str = "A", text: str = ""
) -> Issue:
    return Issue(code, severity, pointer, text)


def test_findings_stand_by_severity_then_place_and_indices_count_as_numbers() -> None:
    places = ["", "/nodes/2", "/nodes/2/mesh", "/nodes/10", "/nodes/x", "/scene"]
    issues = [issue("hint")] + [issue(pointer=place) for place in reversed(places)]
    report = Report(issues)
    assert [found.pointer for found in report][:-1] == places
    assert report.issues[-1].severity == "hint"


def test_findings_of_one_place_keep_their_order() -> None:
    issues = [issue(code="B"), issue(code="A"), issue(code="C")]
    assert list(Report(issues)) == issues


def test_counts_and_thresholds() -> None:
    report = Report([issue("warning"), issue("hint"), issue("hint")])
    assert report.ok
    assert report.counts == {"error": 0, "warning": 1, "info": 0, "hint": 2}
    assert [report.has(level) for level in ("error", "warning", "info", "hint")] == [
        *(False, True, True, True)
    ]
    assert not Report([issue("error")]).ok
    assert not Report().has("hint")


def test_findings_can_be_left_out_or_weighed_otherwise() -> None:
    report = Report([issue("error", code="A"), issue("warning", code="B")])
    assert [found.code for found in report.without({"A"})] == ["B"]
    weighed = report.with_severities({"A": "hint"})
    assert [(found.code, found.severity) for found in weighed] == [("B", "warning"), ("A", "hint")]
    assert len(report) == 2


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({}, "nothing found"),
        ({"error": 1, "warning": 0}, "1 error"),
        ({"error": 2, "warning": 1, "info": 2, "hint": 3}, "2 errors, 1 warning, 2 info, 3 hints"),
    ],
)
def test_counts_in_words(counts: dict[Severity, int], words: str) -> None:
    assert summary(counts) == words


def test_a_report_lists_itself_without_control_characters() -> None:
    report = Report(
        [issue("error", "/a", "CODE", EVIL), issue("hint", f"/{EVIL}", "OTHER", "text")]
    )
    assert repr(report).split("\n") == [
        "Report: 1 error, 1 hint",
        "  error   CODE /a: \\x1b[31m<b>&\\u202e\\n",
        "  hint    OTHER /\\x1b[31m<b>&\\u202e\\n: text",
    ]


def test_a_notebook_shows_a_table_of_escaped_text() -> None:
    shown = Report([issue("error", "/a", "CODE", EVIL)])._repr_html_()
    assert "<p><b>1 error</b></p><table><tr>" in shown
    assert "\\x1b[31m&lt;b&gt;&amp;\\u202e\\n</td>" in shown
    assert "\x1b" not in shown
    assert Report()._repr_html_() == "<p><b>nothing found</b></p>"


def test_a_long_report_shows_its_beginning() -> None:
    report = Report([issue()] * (MOST_SHOWN + 3))
    assert repr(report).count("\n") == MOST_SHOWN + 1
    assert repr(report).endswith("and 3 more")
    assert report._repr_html_().count("<tr>") == MOST_SHOWN
    assert report._repr_html_().endswith("<p>and 3 more</p>")
