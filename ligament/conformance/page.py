"""One HTML page of verdicts: failing cases move beside the curve that was expected."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

from ligament.conformance.judge import Finding, Verdict, words
from ligament.conformance.report import counts
from ligament.conformance.rotations import Floats, apart

_TEMPLATE: Final = Path(__file__).parent / "page.html"
_DIGITS: Final = 5
MOST_POINTS: Final = 400
"""Points of a curve, and frames of a motion, that the page keeps."""


def html_page(verdicts: Sequence[Verdict], title: str) -> str:
    """Return the page, which loads nothing from elsewhere."""
    rows = "\n".join(_row(verdict) for verdict in verdicts)
    totals = "; ".join(
        f"{tier} {found['pass']} of {found['pass'] + found['fail']}"
        for tier, found in counts(verdicts).items()
    )
    failing = [_motion(v) for v in verdicts if v.outcome == "fail" and v.times is not None]
    data = json.dumps(failing, ensure_ascii=True).replace("<", "\\u003c")
    page = _TEMPLATE.read_text(encoding="utf-8")
    for name, value in {
        "TITLE": escape(title),
        "TOTALS": escape(totals),
        "ROWS": rows,
        "DATA": data,
    }.items():
        page = page.replace(f"@{name}@", value)
    return page


def _row(verdict: Verdict) -> str:
    case = verdict.case
    source = f"{case['source']['document']}, {case['source']['section']}"
    cells = (case["id"], case["tier"], verdict.outcome, case["sentence"], source, verdict.message)
    return (
        f'<tr class="{verdict.outcome.replace(" ", "-")}">'
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        + "</tr>"
    )


def _motion(verdict: Verdict) -> dict[str, Any]:
    """Return what the page draws of a failing case: curves, and places of nodes over time."""
    assert verdict.times is not None
    step = max(1, math.ceil(len(verdict.times) / MOST_POINTS))
    pairs = zip(verdict.case["checks"], verdict.findings, strict=True)
    return {
        "id": verdict.case["id"],
        "sentence": verdict.case["sentence"],
        "message": verdict.message,
        "times": _short(verdict.times[::step]),
        "curves": [
            _curve(check, finding, step) for check, finding in pairs if finding.curve is not None
        ],
        "places": {str(node): _short(way[::step]) for node, way in sorted(verdict.places.items())},
    }


def _curve(check: dict[str, Any], finding: Finding, step: int) -> dict[str, Any]:
    assert finding.curve is not None
    seen, expected = finding.curve, np.asarray(check.get("expected", ()), float)
    if seen.ndim == 2:  # a rotation is shown as its angle from the last one expected
        last = expected[-1]
        seen, expected = apart(seen, last), apart(expected, last)
    found = {
        "name": words(check["signal"]),
        "holds": finding.holds,
        "seen": _short(seen[::step]),
        "tolerance": check["tolerance"],
    }
    if "window" in check:
        bounds = {key: check[key] for key in ("window", "least", "most") if key in check}
        return found | bounds
    return found | {"at": list(check["times"]), "expected": _short(expected)}


def _short(values: Floats) -> Any:
    return np.round(values, _DIGITS).tolist()
