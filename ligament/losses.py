"""Losses: content that a conversion or an engine cannot express, and documents with losses."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from ligament.errors import counted
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.text import Answer, Line, Table, plain


@dataclasses.dataclass(frozen=True)
class Loss:
    """Content that the result does not express, or only approximates.

    `pointer` is its place in the source document, `what` names it, `reason` says why it cannot be
    expressed, and `effect` how large the difference is.
    """

    pointer: str
    what: str
    reason: str
    effect: str

    def __str__(self) -> str:
        """Format the loss as one line."""
        return f"{self.pointer}: {self.what}: {self.reason}; {self.effect}"


@dataclasses.dataclass(frozen=True)
class Converted(Answer):
    """A converted document, and its losses in the order of the source."""

    document: Document
    losses: tuple[Loss, ...] = ()

    def __repr__(self) -> str:
        losses = counted(len(self.losses), "loss", "losses")
        return f"<ligament.Converted {self.document!r}, {losses}>"

    def lines(self) -> Iterator[Line]:
        """Yield a table of the losses."""
        return lines_of(self.losses)


def lines_of(losses: Sequence[Loss]) -> Iterator[Line]:
    """Yield a table of losses, and their count."""
    if losses:
        rows = [tuple(map(plain, dataclasses.astuple(loss))) for loss in losses]
        yield Table(("place", "what", "reason", "effect"), rows)
    yield counted(len(losses), "loss", "losses") if losses else "nothing was lost"


def in_order(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Sort losses by pointer, without duplicates; array indices compare as numbers."""

    def key(loss: Loss) -> list[tuple[int, str]]:
        segments = pointers.split(loss.pointer)
        return [(int(s), "") if s.isdecimal() else (-1, s) for s in segments]

    return tuple(sorted(dict.fromkeys(losses), key=key))
