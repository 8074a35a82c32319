"""HTML page of verdicts, with the motion of failing cases beside their expected curves."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

from ligament.conformance.expected import expected_curve
from ligament.conformance.judge import Finding, Verdict, is_event, reported_events, words
from ligament.conformance.recordings import Recording
from ligament.conformance.report import counts
from ligament.conformance.rotations import Floats, angle_between, rotate

_TEMPLATE: Final = Path(__file__).parent / "page.html"
_DIGITS: Final = 5
MOST_POINTS: Final = 400
"""Most points of a curve, and frames of a motion, on the page."""


def html_page(verdicts: Sequence[Verdict], title: str) -> str:
    """Return the page, which loads nothing from elsewhere."""
    rows = "\n".join(_row(verdict) for verdict in verdicts)
    totals = "; ".join(
        f"{tier} {found['pass']} of {found['pass'] + found['fail']}"
        for tier, found in counts(verdicts).items()
        if found["pass"] + found["fail"]
    )
    failing = [_motion(verdict) for verdict in verdicts if verdict.outcome == "fail"]
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
    """Return the data that the page draws of a failing case: curves, events and node poses."""
    case, recording = verdict.case, verdict.recording
    found = {"id": case["id"], "sentence": case["sentence"], "message": verdict.message}
    if recording is None:
        return found
    step = max(1, math.ceil(len(recording.times) / MOST_POINTS))
    pairs = [*zip(case["checks"], verdict.findings, strict=True)]
    return found | {
        "times": _short(recording.times[::step]),
        "curves": [
            _curve(check, finding, recording.times, step)
            for check, finding in pairs
            if finding.curve is not None
        ],
        "events": [_events(check, recording) for check, _ in pairs if is_event(check)],
        "places": {
            str(node): _short(path[::step]) for node, path in sorted(recording.translation.items())
        },
        "axes": {
            str(node): _short(_axes(turn[::step]))
            for node, turn in sorted(recording.rotation.items())
        },
    }


def _axes(rotation: Floats) -> Floats:
    """Return the axes x, y and z (F, 3, 2) of a node, seen along -Z."""
    return np.stack([rotate(rotation, axis)[:, :2] for axis in np.eye(3)], axis=1)


def _events(check: Mapping[str, Any], recording: Recording) -> dict[str, Any]:
    """Return events as lines of words and times: expected ones and reported ones."""
    expected = [(e["type"], e["trigger"], e["other"], e["time"]) for e in check["expected"]]
    reported = reported_events(check["signal"]["triggers"], recording.events)
    return {
        "tolerance": check["tolerance"],
        "expected": [_line(*event) for event in expected],
        "reported": [_line(*event) for event in reported],
    }


def _line(kind: str, trigger: int, other: int, time: float) -> list[Any]:
    return [f"{kind} of node {other} at trigger {trigger}", time]


def _curve(check: Mapping[str, Any], finding: Finding, times: Floats, step: int) -> dict[str, Any]:
    assert finding.curve is not None
    seen, expected = finding.curve, np.asarray(check.get("expected", ()), float)
    path = None if "window" in check else expected_curve(check, times, seen[0])
    when, values = (np.empty(0), np.empty(0)) if path is None else path
    name = words(check["signal"])
    if seen.ndim == 2:  # a rotation is shown as its angle from the last one expected
        name = f"{name}: angle to the last one expected"
        last = expected[-1]
        seen, expected = angle_between(seen, last), angle_between(expected, last)
        values = angle_between(values, last) if len(values) else values
    found: dict[str, Any] = {
        "name": name,
        "holds": finding.holds,
        "seen": _short(seen[::step]),
        "tolerance": check["tolerance"],
    }
    if "window" in check:
        bounds = {key: check[key] for key in ("window", "least", "most") if key in check}
        return found | bounds
    found |= {"at": list(check["times"]), "expected": _short(expected)}
    return found | ({"samples": [_short(when), _short(values)]} if len(values) else {})


def _short(values: Floats) -> Any:
    return np.round(values, _DIGITS).tolist()
