"""The benchmark of engines on the demo's scenes: a row for each scene, a figure for each engine."""

from benchmarks import speeds
from benchmarks.harness import console
from ligament.options.names import ENGINES


def test_every_scene_is_played_on_every_engine(monkeypatch):
    monkeypatch.setattr(speeds, "QUICK", speeds.Extent(1, 1))
    with console.capture() as printed:
        findings = speeds.measure(quick=True)
    assert list(findings.sections) == ["door", "rope", "ragdoll", "stack"]
    for found in findings.sections.values():
        assert list(found) == [*ENGINES, speeds.LOOP]
        assert all(speed > 0 for (speed,) in found.values())
    assert "mujoco / rapier" in printed.get()
    assert len(findings.goals) == len(findings.sections)
