"""The same input gives the same bits: twice, in another process, and from any snapshot on."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ligament.errors import SimulationError
from ligament.physics.engines import Overlap
from tests.physics.engines.rapier.heap import advance, bits, digest, everything
from tests.physics.engines.rapier.scenes import (
    STATIC,
    UPRIGHT,
    Box,
    Maker,
    Sphere,
    mass,
)


def test_two_runs_end_in_the_same_bits() -> None:
    assert digest() == digest()


@pytest.mark.parametrize("threads", ["1", "2"])
def test_another_process_ends_in_the_same_bits(threads: str) -> None:
    code = "from tests.physics.engines.rapier.heap import digest; print(digest())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"RAYON_NUM_THREADS": threads, "PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest()


@pytest.mark.parametrize("when", [0, 1, 37, 100])
def test_a_restored_snapshot_goes_on_to_the_same_bits(when: int) -> None:
    engine = everything()
    advance(engine, range(when))
    snapshot = engine.snapshot()
    before = bits(engine)
    reported = advance(engine, range(when, when + 60))
    expected = bits(engine)
    engine.restore(snapshot)
    assert bits(engine) == before
    assert advance(engine, range(when, when + 60)) == reported
    assert bits(engine) == expected


def test_another_engine_goes_on_from_a_snapshot() -> None:
    """A snapshot holds all that another engine of the same scene needs."""
    first, second = everything(), everything()
    advance(first, range(50))
    second.restore(first.snapshot())
    assert second.gravity == first.gravity
    assert advance(second, range(50, 90)) == advance(first, range(50, 90))
    assert bits(second) == bits(first)


def test_taking_a_snapshot_changes_nothing() -> None:
    plain, watched = everything(), everything()
    advance(plain, range(40))
    reported = []
    for step in range(40):
        reported += advance(watched, range(step, step + 1))
        watched.snapshot()
    assert bits(plain) == bits(watched)


def test_a_snapshot_keeps_what_waits() -> None:
    """Forces, targets and overlaps that were given or found, but not yet used or told."""
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    pushed = maker.body(Sphere(0.2), weight=mass(2), gravity=0)
    driven_body = maker.body(Sphere(0.2), (5, 0, 0), driven=True)
    engine = maker.start(gravity=(0, -1, 0))
    engine.gravity = (0.0, -2.0, 0.0)
    engine.step()
    engine.apply_force(pushed, np.array([120.0, 0, 0]))
    engine.drive_body(driven_body, np.array([6.0, 0, 0]), np.array(UPRIGHT))
    snapshot = engine.snapshot()
    engine.overlaps()
    for _ in range(2):
        engine.step()
    engine.restore(snapshot)
    assert engine.gravity == (0.0, -2.0, 0.0)
    assert engine.overlaps() == [Overlap(0, 1, True, 0)]
    for _ in range(2):
        engine.step()
    state = engine.state()
    np.testing.assert_allclose(state.linear_velocity[pushed], [1, 0, 0], atol=1e-5)
    np.testing.assert_array_equal(state.translation[driven_body], [6, 0, 0])


def test_other_bytes_are_refused() -> None:
    engine = everything()
    with pytest.raises(SimulationError, match="not a snapshot"):
        engine.restore(b"nothing of the kind")
    small = Maker()
    small.body(Sphere(0.2))
    with pytest.raises(SimulationError, match="another scene"):
        engine.restore(small.start().snapshot())
    advance(engine, range(3))
