"""How every world is played, and which of them a task is about."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Literal, Self

from ligament.batch.options import GLTF_SUFFIXES
from ligament.limits import DEFAULT, Limits
from ligament.physics.engines import EARTH


@dataclasses.dataclass(frozen=True, kw_only=True)
class WorldsOptions:
    """Worlds `first` to `last` (not included), played as `lg.simulate` does.

    `variations` is the plain form of the rules; `dtype` that of numbers in the data set.
    """

    command: ClassVar[str] = "worlds"
    suffixes: ClassVar[frozenset[str]] = GLTF_SUFFIXES
    reads_images: ClassVar[bool] = False

    variations: dict[str, Any]
    seed: int
    seconds: float
    rate: float = 60.0
    substeps: int | None = None
    gravity: tuple[float, float, float] = EARTH
    animations: tuple[str, ...] | None = None
    loop: bool = False
    scene: int | None = None
    omi_stiffness: Literal["auto", "literal"] = "auto"
    contacts: bool = False
    dtype: Literal["f8", "f4"] = "f8"
    limits: Limits = DEFAULT
    first: int = 0
    last: int = 0

    @property
    def name(self) -> str:
        """The name of the task."""
        return f"worlds/{self.first:08d}-{self.last:08d}"

    def prepared(self) -> Self:
        """Return them as they are: they are checked when the document is played."""
        return self

    def playing(self) -> dict[str, Any]:
        """Return what `Simulation` takes."""
        names = (
            *("rate", "substeps", "gravity", "animations", "loop"),
            *("scene", "omi_stiffness", "contacts"),
        )
        return {name: getattr(self, name) for name in names}

    def fingerprint(self) -> dict[str, Any]:
        """Return what a world depends on beside the document and its number, as plain JSON."""
        plain = dataclasses.asdict(self)
        return {name: v for name, v in plain.items() if name not in ("first", "last", "limits")}

    def endings(self, name: str) -> tuple[str, ...]:
        """Name the part of the data set."""
        return (".part",)
