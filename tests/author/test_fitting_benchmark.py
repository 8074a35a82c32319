"""The benchmark of fitting runs through."""

from __future__ import annotations

import json
import math

from benchmarks import fitting
from benchmarks.harness import console


def test_every_kind_has_a_row_of_finite_figures() -> None:
    with console.capture() as printed:
        findings = fitting.measure_extent(fitting.Extent((20, 40, 80), clouds=2, rounds=1))
    assert all(kind in printed.get() for kind in fitting.KINDS)
    rows = len(fitting.KINDS) + len(fitting.WRITTEN)
    assert len(findings.goals) == rows + len(fitting.PEERS) + 2  # hulls, a model
    assert all(math.isfinite(goal.value) for goal in findings.goals)
    assert len(findings.sections["growth"]) == 3 * rows
    assert json.loads(json.dumps(findings.sections))
