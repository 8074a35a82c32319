"""An hour of a mixed scene: memory, energy and speed stay what they were in the first minute."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import ligament as lg
from examples.building import Scene
from ligament.author import Motor
from ligament.extensions.shapes import Box, Capsule, Sphere
from tests.sampling import IS_SOAK

SECONDS = 3600 if IS_SOAK else 15
PARTS = 10
RATE = 60

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")


def mixed() -> lg.Document:
    """A pendulum, a stack, a rope, a wheel on a motor, a ball in a bowl of walls, and a trigger."""
    scene = Scene()
    editor = lg.Editor(scene.document)

    def body(name: str, at: tuple[float, float, float], shape: object, **options: object) -> str:
        scene.node(name, translation=[*at])
        editor.add_body(name, collider=shape, **options)
        return name

    body("Ground", (0, -0.5, 0), Box((40, 1, 40)), kind="static")
    body("Pivot", (-5, 4, 0), Sphere(0.05), kind="static")
    body("Bob", (-4, 4, 0), Sphere(0.1), mass=1)
    editor.hinge("Pivot", "Bob", at=(-5, 4, 0), axis="z")
    for i in range(5):
        body(f"Box {i}", (0, 0.25 + 0.5 * i, 0), Box((0.5, 0.5, 0.5)), mass=1)
    held = body("Hook", (5, 5, 0), Sphere(0.05), kind="static")
    for i in range(8):
        link = body(f"Link {i}", (5.1 + 0.2 * i, 5, 0), Capsule(0.1, 0.03, 0.03), mass=0.1)
        editor.ball(held, link, at=(5 + 0.2 * i, 5, 0))
        held = link
    body("Axle", (0, 2, 5), Sphere(0.05), kind="static")
    body("Wheel", (0, 2, 5), Box((1, 1, 0.1)), mass=2)
    editor.hinge("Axle", "Wheel", at=(0, 2, 5), axis="z", motor=Motor(speed=180, damping=5))
    body("Ball", (0, 3, -5), Sphere(0.3), mass=1)
    scene.node("Zone", translation=[0, 1, -5])
    editor.add_trigger("Zone", Box((1, 1, 1)))
    return scene.document


class Part(NamedTuple):
    """One part of the run: bytes, CPU seconds, joules, positions."""

    memory: int
    cpu: float
    energy: float
    translation: np.ndarray


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    sim = lg.Simulation(mixed(), rate=RATE)
    return [play(sim, SECONDS * RATE // PARTS) for _ in range(PARTS)]


def play(sim: lg.Simulation, frames: int) -> Part:
    start = time.process_time()
    for _ in range(frames):
        sim.step()
    cpu = time.process_time() - start
    return Part(resident(), cpu, pendulum_energy(sim), sim.translation.copy())


def resident() -> int:
    """Return the memory in use [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def pendulum_energy(sim: lg.Simulation) -> float:
    """Return the energy [J] of the bob, 0 where it started: at rest, level with its pivot."""
    row = body_names(sim).index("Bob")
    speed = sim.linear_velocity[row]
    spin = sim.angular_velocity[row]
    inertia = 0.4 * 0.1**2  # of a ball, 1 kg
    height = sim.translation[row, 1] - 4.0
    return float(0.5 * speed @ speed + 0.5 * inertia * spin @ spin + 9.81 * height)


def body_names(sim: lg.Simulation | None = None) -> list[str]:
    """Return the names of the bodies, in the order of a simulation."""
    sim = sim or lg.Simulation(mixed())
    return [sim.document.json["nodes"][node]["name"] for node in sim.nodes]


def test_memory_stays_flat(parts: list[Part]) -> None:
    growth = parts[-1].memory - parts[1].memory
    assert growth < 4_000_000, f"{growth / 1e6:.1f} MB"


def test_energy_never_grows(parts: list[Part]) -> None:
    """A pendulum without friction: the engine may take energy away, and must not add any."""
    lowest = -9.81  # a bob that hangs still, 1 m below its pivot
    assert all(lowest - 0.05 <= part.energy <= 0.1 for part in parts), [p.energy for p in parts]


def test_everything_stays_where_it_belongs(parts: list[Part]) -> None:
    for part in parts:
        assert np.isfinite(part.translation).all()
        assert np.abs(part.translation).max() < 20
    rows = [row for row, name in enumerate(body_names()) if name.startswith("Box")]
    assert len(rows) == 5
    drift = parts[-1].translation[rows] - parts[0].translation[rows]
    assert np.abs(drift).max() < 1e-3, "the stack stands where it stood"


@pytest.mark.skipif(not IS_SOAK, reason="times say nothing in a run that others share")
def test_nothing_slows_down(parts: list[Part]) -> None:
    assert parts[-1].cpu < 1.5 * np.median([part.cpu for part in parts[:5]])
