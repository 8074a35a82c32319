"""A stage as the readers of its parts see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pxr import Usd

from ligament.convert.usd.reading.attributes import Attributes
from ligament.convert.usd.reading.ledger import Ledger
from ligament.convert.usd.reading.units import Units
from ligament.limits import Limits

_EVERYTHING = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)


class Stage:
    """An open stage, its units, the folders that it may read from, and what is lost of it."""

    def __init__(self, raw: Any, folders: Sequence[Path], limits: Limits) -> None:
        self.raw, self.folders, self.limits = raw, folders, limits
        self.ledger = Ledger()
        self.attributes = Attributes(self.ledger, limits)
        self.units = Units.of(raw)
        self.lose = self.ledger.lose

    def prims(self) -> Iterator[Any]:
        """Yield every prim that is active and defined, instances too, parents first."""
        for count, prim in enumerate(Usd.PrimRange(self.raw.GetPseudoRoot(), _EVERYTHING)):
            self.limits.require("prims", count, "prims")
            if not prim.IsPseudoRoot():
                yield prim


def applied(prim: Any) -> list[str]:
    """Return the API schemas that a prim applies, also those that USD here does not know."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def has_api(prim: Any, name: str) -> bool:
    """Tell whether a prim applies a schema of one instance."""
    return name in applied(prim)


def instances(prim: Any, name: str) -> list[str]:
    """Return the instances of a schema that a prim applies many times."""
    return [each.partition(":")[2] for each in applied(prim) if each.startswith(f"{name}:")]
