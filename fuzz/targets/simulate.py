"""Physics, animation and constraints on one time line: a tenth of a second of it."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.mutation import mutate_document as mutate
from fuzz.seeds import demo_files, small_files
from fuzz.steps import attempt, load
from ligament.baking import bake
from ligament.play import simulate

__all__ = ["mutate", "run", "seeds"]


def seeds() -> Sequence[bytes]:
    """Return files with bodies, joints, triggers and constraints."""
    names = (b"igid", b"OMI_", b"onstraint", b"hapes")
    return (*demo_files(), *(data for data in small_files() if any(n in data for n in names)))


def run(data: bytes) -> None:
    """Play a file, read everything that the recording tells, and bake it."""
    document = load(data)
    recording = simulate(document, seconds=0.1)
    for member in ("local_translation", "limits", "kinetic_energy", "potential_energy"):
        attempt(getattr, recording, member)
    attempt(bake, document, recording)
