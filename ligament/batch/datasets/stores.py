"""What every form of data set can do while it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy.typing as npt

from ligament.batch.datasets.columns import Attributes, Column


class Table(Protocol):
    """A table that grows by rows."""

    def append(self, rows: Mapping[str, npt.ArrayLike]) -> None:
        """Add rows: column → (n, …), the same n for all."""

    def close(self) -> None:
        """Write what is left; nothing can be added afterwards."""


class Store(Protocol):
    """A data set in the making."""

    def table(
        self, name: str, columns: Mapping[str, Column], attributes: Attributes | None = None
    ) -> Table:
        """Begin a table; `name` may have steps, as `motions/hero/walk`."""

    def close(self) -> None:
        """Write what is left of all tables."""

    def abandon(self) -> None:
        """Let go of all files; what was written is of no use."""
