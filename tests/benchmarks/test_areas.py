"""The benchmarks of bodies and joints run through, also where no other engine is installed."""

import itertools
import json
import math

import pytest

from benchmarks import bodies, install, joints
from benchmarks.engines import BULLET, HAVOK, MUJOCO, OWN
from benchmarks.harness import Unavailable, console

BRIEF = bodies.Length(4, warm_up=1, limit=5.0)
BODIES = bodies.Extent(8, 8, 4, 2, length=BRIEF, rest=BRIEF, sleep=BRIEF, rounds=1, sizes=(2, 4, 8))
MISSING = (HAVOK, MUJOCO, *(contender.name for contender in joints.CAREFUL))
JOINTS = joints.Extent(1, 3, 2, length=BRIEF, swing=BRIEF, rounds=1)


@pytest.fixture
def alone(monkeypatch):
    """A machine that has none of the other engines."""

    def absent():
        raise Unavailable("not installed: no network")

    for name in ("node_peers", "mujoco", "pybullet"):
        monkeypatch.setattr(install, name, absent)


def test_every_world_has_a_row_of_finite_figures_for_each_engine(alone):
    with console.capture() as printed:
        findings = bodies.measure_extent(BODIES)
    tables = [
        value for name, value in findings.sections.items() if name not in ("machine", "set-up")
    ]
    assert len(tables) == 5
    for table in tables:
        assert_rows(table, OWN, missing=(HAVOK, MUJOCO, BULLET))
    assert len(findings.goals) == 5 + 1
    assert math.isfinite(findings.sections["set-up"]["exponent"])
    assert printed.get().count("not installed") == 5 * 3


def test_every_jointed_world_has_a_row_of_finite_figures_for_each_engine(alone):
    with console.capture() as printed:
        findings = joints.measure_extent(JOINTS)
    tables = [value for name, value in findings.sections.items() if name != "machine"]
    assert len(tables) == 3
    for table in tables:
        assert_rows(table, (*OWN, joints.QUICKER, joints.LEAST), missing=MISSING)
    assert len(findings.goals) == 2
    assert printed.get().count("not installed") == 3 * len(MISSING)


def assert_rows(table, own, *, missing):
    """Own engines have figures that JSON can hold, those that are missing say so."""
    rows = {name: row for name, row in table.items() if name != "settings"}
    present = [contender.name for contender in own]
    assert set(rows) == {*present, *missing}
    for name in present:
        (run,) = rows[name].pop("runs")
        assert run["step"] > 0
        assert run["build"] > 0
        assert all(map(math.isfinite, itertools.chain(*rows[name].values())))
    for name in missing:
        assert rows[name] == {"missing": "not installed: no network"}
    assert len({tuple(rows[name]) for name in present}) == 1
    json.dumps(table, allow_nan=False)
