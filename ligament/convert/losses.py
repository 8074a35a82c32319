"""What a conversion gives back: the new document, and everything that did not come along."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ligament.gltf import pointers
from ligament.gltf.document import Document


@dataclasses.dataclass(frozen=True)
class Loss:
    """Something that the result does not say, or says only nearly.

    `pointer` is its place in the document that was converted, `what` it is, `reason` why it could
    not come along, and `effect` how large the difference is.
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
    """A document in another form, and the losses on the way, in the order of the file."""

    document: Document
    losses: tuple[Loss, ...] = ()


def in_order(losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Return losses by their place, each once; elements of arrays go by their number."""

    def key(loss: Loss) -> list[tuple[int, str]]:
        segments = pointers.split(loss.pointer)
        return [(int(s), "") if s.isdecimal() else (-1, s) for s in segments]

    return tuple(sorted(dict.fromkeys(losses), key=key))
