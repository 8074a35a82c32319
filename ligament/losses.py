"""Losses: what a conversion or an engine does not express, and documents that have some."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ligament.errors import counted
from ligament.gltf import pointers
from ligament.gltf.document import Document


@dataclasses.dataclass(frozen=True)
class Loss:
    """Something that the result does not express, or only approximates.

    `pointer` is its place in the source document, `what` names it, `reason` says why it cannot be
    expressed, and `effect` how large the difference is.
    """

    pointer: str
    what: str
    reason: str
    effect: str

    def __str__(self) -> str:
        """Join the parts into one line."""
        return f"{self.pointer}: {self.what}: {self.reason}; {self.effect}"


@dataclasses.dataclass(frozen=True)
class Converted:
    """A converted document, and the losses in the order of the source."""

    document: Document
    losses: tuple[Loss, ...] = ()

    def __repr__(self) -> str:
        losses = counted(len(self.losses), "loss", "losses")
        return f"<ligament.Converted {self.document!r}, {losses}>"


def in_order(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Sort losses by their place, without duplicates; array elements are sorted by number."""

    def key(loss: Loss) -> list[tuple[int, str]]:
        segments = pointers.split(loss.pointer)
        return [(int(s), "") if s.isdecimal() else (-1, s) for s in segments]

    return tuple(sorted(dict.fromkeys(losses), key=key))
