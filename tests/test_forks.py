"""Simulations in forked processes, such as the workers of `multiprocessing` on Linux."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import numpy as np
import pytest

import ligament as lg
from ligament.demo import assets
from ligament.errors import SimulationError

ROPE = next(path for path in assets() if path.name == "rope.glb")
SECONDS = 30

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*fork:RuntimeWarning"),  # of JAX
    pytest.mark.parametrize("engine", ["rapier", "mujoco"]),
]


def swung(sim: lg.Simulation) -> bytes:
    """Step a simulation and return where its bodies are."""
    for _ in range(10):
        sim.step()
    return np.asarray(sim.translation).tobytes()


def in_a_fork(work: Callable[[], bytes]) -> bytes:
    """Return the result of a function in a fork of this process."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(SECONDS)
            os.write(writer, work())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as result:
        data = result.read()
    os.waitpid(child, 0)
    return data


def test_a_simulation_goes_on_in_a_fork_to_the_same_bits(engine: str) -> None:
    sim = lg.Simulation(lg.load(ROPE), engine=engine)
    swung(sim)
    found = in_a_fork(lambda: swung(sim))
    assert found == swung(sim)


def test_a_fork_begins_simulations_of_its_own(engine: str) -> None:
    wanted = swung(lg.Simulation(lg.load(ROPE), engine=engine))
    assert in_a_fork(lambda: swung(lg.Simulation(lg.load(ROPE), engine=engine))) == wanted


def test_a_fork_of_a_fork_simulates(engine: str) -> None:
    sim = lg.Simulation(lg.load(ROPE), engine=engine)
    wanted = swung(sim)
    fresh = lg.Simulation(lg.load(ROPE), engine=engine)
    assert in_a_fork(lambda: in_a_fork(lambda: swung(fresh))) == wanted


def test_worlds_are_refused_in_a_fork(engine: str) -> None:
    worlds = lg.Worlds(lg.load(ROPE), 4, engine=engine)
    worlds.step()

    def message() -> bytes:
        with pytest.raises(SimulationError) as step:
            worlds.step()
        with pytest.raises(SimulationError) as reset:
            worlds.reset()
        return f"{step.value} {reset.value}".encode()

    found = in_a_fork(message).decode()
    assert found.count("these worlds belong to another process") == 2
    worlds.step()
    worlds.close()
