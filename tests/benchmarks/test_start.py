"""The benchmark of short commands has a row for each, and a goal for each but the yardstick."""

from benchmarks import start
from benchmarks.harness import console


def test_every_call_has_a_figure() -> None:
    with console.capture() as printed:
        findings = start.measure_extent(start.Extent(1))
    assert [*findings.sections] == [*start.CALLS]
    assert all(section["seconds"][0] > 0 for section in findings.sections.values())
    assert {*start.GOALS} == {*start.CALLS} - {start.NUMPY}
    assert len(findings.goals) == len(start.GOALS)
    assert all(name in printed.get() for name in start.CALLS)
