"""Engines that simulate a scene, behind one protocol and one factory.

An engine is a folder here, named after it, whose `make_engine` is an `EngineFactory`; or, from
outside of the library, "module:factory".
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Final, get_args

from ligament.errors import ContentError, FileError
from ligament.physics.engines.protocol import (
    EARTH,
    Contacts,
    Engine,
    EngineFactory,
    Overlap,
    Problem,
    Quality,
    RayHit,
    Request,
    State,
    Vector,
)
from ligament.physics.scene import Scene

__all__ = [
    "EARTH",
    "ENGINES",
    "MAX_SUBSTEPS",
    "QUALITIES",
    "Contacts",
    "Engine",
    "EngineFactory",
    "Overlap",
    "Problem",
    "Quality",
    "RayHit",
    "Request",
    "State",
    "Vector",
    "engine_factory",
    "make_engine",
]

ENGINES: Final = ("rapier",)
"""Names of the engines of the library; the first is the default."""

QUALITIES: Final[tuple[Quality, ...]] = get_args(Quality)
"""From cheapest to most accurate; the last is the default."""

MAX_SUBSTEPS: Final = 1000
"""Engine steps per frame that a caller may ask for."""


def make_engine(
    scene: Scene,
    engine: str = ENGINES[0],
    *,
    rate: float = 60.0,
    substeps: int | None = None,
    quality: Quality = "exact",
    gravity: Sequence[float] = EARTH,
    contacts: bool = False,
    settings: object | None = None,
) -> Engine:
    """Return the start of a simulation of a scene on an engine, by name or as "module:factory".

    See `Request` for the options. Raises ContentError for values that no engine can take.
    """
    if not (math.isfinite(rate) and rate > 0):
        raise ContentError(f"a rate of {rate} Hz", remedy="it must be above 0")
    if substeps is not None and not 1 <= substeps <= MAX_SUBSTEPS:
        raise ContentError(f"{substeps} substeps", remedy=f"use 1 to {MAX_SUBSTEPS}")
    if quality not in QUALITIES:
        remedy = f"use one of {', '.join(QUALITIES)}"
        raise ContentError(f"there is no quality {str(quality)[:60]!r}", remedy=remedy)
    x, y, z = (float(value) for value in gravity)
    request = Request(
        rate=rate,
        substeps=substeps,
        quality=quality,
        gravity=(x, y, z),
        contacts=contacts,
        settings=settings,
    )
    return engine_factory(engine)(scene, request)


def engine_factory(engine: str) -> EngineFactory:
    """Return what makes an engine of that name."""
    module, _, name = engine.partition(":")
    if engine in ENGINES:
        module, name = f"{__name__}.{engine}", "make_engine"
    elif not name:
        remedy = f'use one of {", ".join(ENGINES)}, or "module:factory" for another one'
        raise ContentError(f"there is no engine {engine[:60]!r}", remedy=remedy)
    try:
        factory: EngineFactory = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as fault:
        message = f"the engine {engine[:60]!r} cannot be imported ({fault})"
        raise FileError(message, remedy="install what it needs, or use another one") from fault
    return factory
