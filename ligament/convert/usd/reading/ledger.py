"""What of a stage did not come along, noted by the path of its prim."""

from __future__ import annotations

from typing import Any

from ligament.convert.losses import Loss, in_order


class Ledger:
    """Collects losses while a stage is read."""

    def __init__(self) -> None:
        self._losses: list[Loss] = []

    def lose(self, place: Any, what: str, reason: str, effect: str) -> None:
        """Note something that the document does not say; `place` is a prim or a path."""
        path = place.GetPath() if hasattr(place, "GetPath") else place
        self._losses.append(Loss(str(path), what, reason, effect))

    def losses(self) -> tuple[Loss, ...]:
        """Return what was noted, in the order of paths, each once."""
        return in_order(self._losses)
