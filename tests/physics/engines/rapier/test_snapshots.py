"""The same input gives the same bits: twice, in another process, and from any snapshot on."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from ligament.errors import SimulationError
from ligament.extensions.declarations import Material
from ligament.physics.engines import Overlap
from ligament.physics.engines.rapier import RapierEngine
from tests.physics.engines.rapier.scenes import (
    CUBE,
    CUBE_TRIANGLES,
    KINEMATIC,
    STATIC,
    UPRIGHT,
    Box,
    Capsule,
    Cylinder,
    Hull,
    Maker,
    Mesh,
    Sphere,
    about,
    box_mass,
    mass,
)


def everything() -> RapierEngine:
    """A heap of all shapes on a turntable, with hooks, a sensor, and something that is led."""
    maker = Maker()
    maker.body(Cylinder(1, 4, 4), (0, -0.5, 0), kind=KINEMATIC, spin=(0, 0.4, 0))
    maker.body(Box((3, 1, 3)), (0, 1, 0), kind=STATIC, sensor=True)
    maker.body(Sphere(0.3), (-3, 0.3, 0), driven=True)
    shapes = [
        Box((0.4, 0.3, 0.5)),
        Sphere(0.2),
        Capsule(0.3, 0.2, 0.1),
        Cylinder(0.4, 0.2, 0.2),
        Cylinder(0.4, 0.2, 0.1),
        Hull(CUBE * 0.4),
        Mesh(CUBE * 0.4, CUBE_TRIANGLES),
    ]
    for i in range(21):
        maker.body(
            shapes[i % len(shapes)],
            ((i % 3) * 0.5 - 0.5, 0.5 + 0.5 * (i // 3), (i % 2) * 0.4),
            turned=about((1, i, 3), i),
            weight=box_mass(1, (0.4, 0.4, 0.4)),
            material=Material(0.7, 0.5, 0.2),
        )
    return maker.start(contacts=True)


DRIVEN = 2


def advance(engine: RapierEngine, steps: range) -> list[Overlap]:
    told: list[Overlap] = []
    for step in steps:
        engine.drive_body(DRIVEN, np.array([-3 + 0.02 * step, 0.3, 0]), np.array(UPRIGHT))
        if step % 10 == 3:
            engine.apply_force(5, np.array([0, 30.0, 3.0]))
        engine.step()
        told += engine.overlaps()
    return told


def bits(engine: RapierEngine) -> bytes:
    return b"".join(np.ascontiguousarray(part).tobytes() for part in engine.state())


def digest() -> str:
    engine = everything()
    told = advance(engine, range(150))
    return hashlib.sha256(bits(engine) + repr(told).encode()).hexdigest()


def test_twice_the_same() -> None:
    assert digest() == digest()


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_same_in_another_process(threads: str) -> None:
    code = "from tests.physics.engines.rapier.test_snapshots import digest; print(digest())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"RAYON_NUM_THREADS": threads, "PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest()


@pytest.mark.parametrize("when", [0, 1, 37, 100])
def test_going_back(when: int) -> None:
    engine = everything()
    advance(engine, range(when))
    snapshot = engine.snapshot()
    before = bits(engine)
    told = advance(engine, range(when, when + 60))
    expected = bits(engine)
    engine.restore(snapshot)
    assert bits(engine) == before
    assert advance(engine, range(when, when + 60)) == told
    assert bits(engine) == expected


def test_going_on_elsewhere() -> None:
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
    told = []
    for step in range(40):
        told += advance(watched, range(step, step + 1))
        watched.snapshot()
    assert bits(plain) == bits(watched)


def test_a_snapshot_keeps_what_waits() -> None:
    """Forces, targets and overlaps that were given or found, but not yet used or told."""
    maker = Maker()
    maker.body(Box((1, 1, 1)), kind=STATIC, sensor=True)
    pushed = maker.body(Sphere(0.2), weight=mass(2), gravity=0)
    led = maker.body(Sphere(0.2), (5, 0, 0), driven=True)
    engine = maker.start(gravity=(0, -1, 0))
    engine.gravity = (0.0, -2.0, 0.0)
    engine.step()
    engine.apply_force(pushed, np.array([120.0, 0, 0]))
    engine.drive_body(led, np.array([6.0, 0, 0]), np.array(UPRIGHT))
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
    np.testing.assert_array_equal(state.translation[led], [6, 0, 0])


def test_other_bytes_are_refused() -> None:
    engine = everything()
    with pytest.raises(SimulationError, match="not a snapshot"):
        engine.restore(b"nothing of the kind")
    small = Maker()
    small.body(Sphere(0.2))
    with pytest.raises(SimulationError, match="another scene"):
        engine.restore(small.start().snapshot())
    advance(engine, range(3))
