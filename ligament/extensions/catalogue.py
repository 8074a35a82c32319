"""Arrays at the root of a file that other objects count in, read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from ligament.extensions.fields import Fields, Target

T = TypeVar("T")


class Catalogue(NamedTuple, Generic[T]):
    """What the elements of an array mean, in their order; None for those of no meaning."""

    target: Target
    items: Sequence[T | None]

    @classmethod
    def read(
        cls, owner: Fields | None, pointer: str, read: Callable[[Fields], T | None]
    ) -> Catalogue[T]:
        """Read every object of the array at `pointer`, a member of `owner` (None: not there)."""
        if owner is None:
            return cls(Target(pointer, None), ())
        elements = owner.objects(pointer.rpartition("/")[2])
        items = [None if element is None else read(element) for element in elements]
        return cls(Target(pointer, len(items)), items)

    def pick(self, fields: Fields, member: str) -> T | None:
        """Return what an index in the array stands for; None if it is absent or leads nowhere."""
        index = fields.index(member, self.target)
        return None if index is None else self.items[index]
