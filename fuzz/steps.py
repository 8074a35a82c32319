"""Operations on a document; a LigamentError ends one, and the next one runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ligament.errors import LigamentError
from ligament.gltf.document import Document
from ligament.gltf.load import loads
from ligament.limits import Limits

SMALL = Limits(
    text_bytes=1 << 20,
    items=10_000,
    accessor_numbers=1 << 22,
    unbacked_numbers=1 << 20,
    key_numbers=1 << 20,
    decoded_bytes=1 << 24,
    bodies=500,
    colliders=500,
    joints=500,
    shape_points=20_000,
    recorded_numbers=1 << 20,
    seconds=8.0,
)
"""Limits for inputs of a few kilobytes, so that a thousand per second fit into memory."""


def load(data: bytes) -> Document:
    """Load an input; LigamentError escapes."""
    return loads(data, limits=SMALL)


def attempt(step: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return what a step makes, None where it refuses."""
    try:
        return step(*arguments, **options)
    except LigamentError:
        return None


def indices(document: Document, name: str) -> Iterator[int]:
    """Yield the indices of a top-level array, which may be none."""
    array = document.json.get(name)
    yield from range(len(array) if isinstance(array, list) else 0)
