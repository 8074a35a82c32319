"""The benchmark of many files runs through and says something about every way."""

import json
import math

from benchmarks import batch
from benchmarks.harness import console

BRIEF = batch.Extent(files=8, rounds=1, many=8, seconds=0.1, long=0.2)


def test_every_way_has_a_row_of_finite_figures() -> None:
    with console.capture() as printed:
        findings = batch.measure_extent(BRIEF)
    rows = findings.sections["throughput"]
    assert list(rows) == [batch.LOOP, batch.ONE, batch.TWO, batch.DASK]
    for (answer,) in rows.values():
        assert answer["each"] > 0
        assert math.isfinite(answer["processor"])
    assert findings.sections["memory"]["late"] > 0
    assert len(findings.goals) == 4
    json.dumps(findings.sections, allow_nan=False)
    assert "2 jobs" in printed.get()
