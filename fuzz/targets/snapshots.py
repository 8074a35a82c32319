"""Snapshots that somebody made up: what they hold is changed, and sealed as if it were right."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from fuzz.mutation import mutate_bytes as mutate
from fuzz.seeds import DEMO
from ligament.gltf.load import load
from ligament.play import Simulation
from ligament.play.saved_simulation import _DIGEST, _MAGIC

__all__ = ["mutate", "run", "seeds"]

ENGINES = ("rapier", "mujoco")


def seeds() -> Sequence[bytes]:
    """Return what snapshots hold, after the number of their engine."""
    start = len(_MAGIC) + _DIGEST
    return [bytes([i]) + running(i).snapshot()[start:] for i in range(len(ENGINES))]


def run(data: bytes) -> None:
    """Restore a snapshot and go on from it."""
    engine = data[0] % len(ENGINES) if data else 0
    content = data[1:]
    seal = hashlib.blake2b(content, digest_size=_DIGEST).digest()
    simulation = running(engine)
    simulation.restore(_MAGIC + seal + content)
    simulation.step()


@functools.cache
def running(engine: int) -> Simulation:
    """Return a simulation to put snapshots into."""
    simulation = Simulation(load(DEMO / "door.glb"), engine=ENGINES[engine])
    simulation.step()
    return simulation
