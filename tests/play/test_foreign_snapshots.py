"""Bytes that are no snapshot of a simulation: refused in one line, and never run."""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ligament as lg
from ligament.errors import LigamentError, SimulationError
from tests.play.files import CUBE, FLOOR, node, physics_file
from tests.sampling import IS_SOAK

MAGIC = b"ligament snapshot 1\n"


def falling(engine: str = "rapier", *, boxes: int = 1) -> lg.Simulation:
    nodes = [node(f"Box{i}", at=(2 * i, 1, 0), motion={}, shape=CUBE) for i in range(boxes)]
    document = physics_file(node("Floor", at=(0, -1, 0), shape=FLOOR), *nodes)
    return lg.Simulation(document, engine=engine)


class _Trap:
    """An object that makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
def test_a_pickle_is_refused_and_not_run(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "made"
    for data in (pickle.dumps(_Trap(path)), pickle.dumps((0, 0, {}, [], None, _Trap(path)))):
        with pytest.raises(SimulationError, match="not a snapshot"):
            falling(engine).restore(data)
    assert not path.exists()


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
def test_changed_bytes_are_refused_and_change_nothing(engine: str) -> None:
    sim, rng = falling(engine), np.random.default_rng(0)
    sim.step()
    good, before = sim.snapshot(), sim.translation
    for place in rng.integers(0, len(good), 100).tolist():
        bad = bytearray(good)
        bad[place] ^= int(rng.integers(1, 256))
        with pytest.raises(SimulationError):
            sim.restore(bytes(bad))
    for end in rng.integers(0, len(good), 20).tolist():
        with pytest.raises(SimulationError):
            sim.restore(good[:end])
    for other in (b"", b"\0" * 100, rng.bytes(1000), "text", None):
        with pytest.raises(LigamentError):
            sim.restore(other)  # type: ignore[arg-type]
    np.testing.assert_array_equal(sim.translation, before)
    sim.restore(good)


@pytest.mark.parametrize(("one", "other"), [("rapier", "mujoco"), ("mujoco", "rapier")])
def test_a_snapshot_of_another_engine_is_refused(one: str, other: str) -> None:
    with pytest.raises(SimulationError):
        falling(one).restore(falling(other).snapshot())


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
def test_a_snapshot_of_another_scene_is_refused(engine: str) -> None:
    with pytest.raises(SimulationError, match="another scene"):
        falling(engine).restore(falling(engine, boxes=2).snapshot())


def resealed(snapshot: bytes, rng: np.random.Generator) -> bytes:
    """Change some bytes of what a snapshot holds, and seal it as if it were right."""
    content = bytearray(snapshot[len(MAGIC) + 16 :])
    for place in rng.integers(0, len(content), rng.integers(1, 5)).tolist():
        content[place] = int(rng.choice([0, 1, 127, 128, 255]))
    return MAGIC + hashlib.blake2b(content, digest_size=16).digest() + bytes(content)


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")  # bodies out of range
@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
def test_made_up_snapshots_are_refused_or_go_on(engine: str) -> None:
    sim, rng = falling(engine), np.random.default_rng(3)
    sim.step()
    good = sim.snapshot()
    for _ in range(400 if IS_SOAK else 40):
        try:
            sim.restore(resealed(good, rng))
            sim.step()
        except SimulationError:
            pass
        sim.restore(good)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def overflow() -> None:
    warnings.warn("overflow", RuntimeWarning, stacklevel=1)


@pytest.mark.parametrize("step", [crash, os.abort, lambda: time.sleep(60), overflow])
def test_a_foreign_snapshot_that_ends_the_next_step_is_refused(
    step: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = falling()
    data, before = sim.snapshot(), sim.translation
    monkeypatch.setattr("ligament.play.saved_simulation._own_seals", {})
    monkeypatch.setattr("ligament.play.saved_simulation._SECONDS", 0.5)
    monkeypatch.setattr(sim, "step", step)
    with pytest.raises(SimulationError, match="cannot go on from the snapshot"):
        sim.restore(data)
    np.testing.assert_array_equal(sim.translation, before)


def test_a_foreign_snapshot_beside_threads_warns_of_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """JAX warns of every fork from its import on, whoever makes it."""
    pytest.importorskip("jax").numpy.zeros(1)
    data = falling().snapshot()
    monkeypatch.setattr("ligament.play.saved_simulation._own_seals", {})
    falling().restore(data)


def test_a_snapshot_of_another_process_goes_on_to_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sim, other = falling(), falling()
    sim.step()
    data = sim.snapshot()
    monkeypatch.setattr("ligament.play.saved_simulation._own_seals", {})
    other.restore(data)
    sim.step()
    other.step()
    np.testing.assert_array_equal(sim.translation, other.translation)
    assert sim.snapshot() == other.snapshot()
