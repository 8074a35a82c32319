"""Options of tasks: the protocol, what every reader needs, and what every simulation needs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self

import msgspec

from ligament.errors import ContentError
from ligament.gltf.storage.container import GLB_SUFFIXES
from ligament.jobs.sources import Source
from ligament.limits import DEFAULT, Limits
from ligament.options.names import EARTH, ENGINES, MAX_SUBSTEPS, QUALITIES, Quality
from ligament.physics.engines import engine_factory
from ligament.recording import frame_times

GLTF_SUFFIXES = frozenset({".gltf", *GLB_SUFFIXES})


class Options(Protocol):
    """Options of one kind of task."""

    command: ClassVar[str]
    suffixes: ClassVar[frozenset[str]]
    reads_images: ClassVar[bool]

    @property
    def limits(self) -> Limits:
        """Resource limits for each file."""

    def prepared(self) -> Self:
        """Return the options with absolute paths; ContentError where a value is invalid."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the options as plain JSON, with hashes in place of the files they name."""

    def endings(self, name: str) -> tuple[str, ...]:
        """Return the suffixes that turn an input's name into its outputs' names, main one first."""

    def source(self, path: Path) -> Source:
        """Open an input."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Options of every task that reads glTF; see `ligament.limits`."""

    reads_images: ClassVar[bool] = False

    limits: Limits = DEFAULT

    def fingerprint(self) -> dict[str, Any]:
        """Return the options as plain JSON; of the limits, only those that are not the defaults."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        defaults = dataclasses.asdict(DEFAULT)
        chosen = dataclasses.asdict(self.limits)
        fields["limits"] = {name: n for name, n in chosen.items() if n != defaults[name]}
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(fields, enc_hook=str))
        return plain

    def source(self, path: Path) -> Source:
        """Open an input."""
        return Source(path, self.limits, reads_images=self.reads_images)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlayOptions(ReadOptions):
    """Options of every task that simulates; see `lg.simulate`."""

    rate: float = 60.0
    substeps: int | None = None
    engine: str = ENGINES[0]
    quality: Quality = "exact"
    gravity: tuple[float, float, float] = EARTH
    animations: tuple[str, ...] | None = None
    loop: bool = False
    scene: int | None = None
    omi_stiffness: Literal["auto", "literal"] = "auto"
    strict: bool = False
    spring_mode: Literal["reference", "steady", "none"] = "reference"

    def prepared(self) -> Self:
        """Refuse values that no file can be simulated with."""
        frame_times(0.0, self.rate)
        require_engine(self.engine, self.quality)
        if self.substeps is not None and not 1 <= self.substeps <= MAX_SUBSTEPS:
            raise ContentError(f"substeps is {self.substeps}", remedy=f"use 1 to {MAX_SUBSTEPS}")
        if len(self.gravity) != 3 or not all(abs(x) < float("inf") for x in self.gravity):
            raise ContentError(f"gravity is {self.gravity}", remedy="give 3 finite numbers")
        if self.scene is not None and self.scene < 0:
            raise ContentError(f"scene is {self.scene}", remedy="it must be 0 or more")
        return self

    def playing(self) -> dict[str, Any]:
        """Return the keyword arguments of `lg.Simulation`."""
        names = {field.name for field in dataclasses.fields(PlayOptions)} - {"limits"}
        return {name: getattr(self, name) for name in names}


def require_engine(engine: str, quality: str) -> None:
    """Refuse an engine or a quality that does not exist."""
    engine_factory(engine)
    if quality not in QUALITIES:
        remedy = f"use one of {', '.join(QUALITIES)}"
        raise ContentError(f"unknown quality {quality!r}", remedy=remedy)
