"""How much reading a document would yield, told before anything is read.

Accessors may share their bytes, channels their accessors: a small file can declare, by repeating
itself, more numbers than fit into any memory.
"""

from __future__ import annotations

import weakref
from typing import Any

from ligament.errors import LimitError
from ligament.gltf.document import Document
from ligament.limits import Limits

COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
UNBACKED = "zeros that stand in no buffer"

_verdicts: weakref.WeakKeyDictionary[Document, LimitError | None] = weakref.WeakKeyDictionary()


def refuse_amplified(document: Document) -> None:
    """Raise LimitError where accessors or animations are more than the limits allow in all.

    The document is looked at once, as it was loaded; what is appended later was in memory before.
    """
    if document not in _verdicts:
        _verdicts[document] = _verdict(document.json, document.limits)
    verdict = _verdicts[document]
    if verdict is not None:
        raise LimitError(verdict.message, pointer=verdict.pointer, remedy=verdict.remedy)


def _verdict(json: dict[str, Any], limits: Limits) -> LimitError | None:
    accessors, views = _objects(json.get("accessors")), _objects(json.get("bufferViews"))
    sizes = [_numbers(accessor, views, limits) for accessor in accessors]
    unbacked = sum(n for n, raw in zip(sizes, accessors, strict=True) if "bufferView" not in raw)
    keys = sum(_keys(animation, sizes) for animation in _objects(json.get("animations")))
    try:
        limits.require("unbacked_numbers", unbacked, UNBACKED, pointer="/accessors")
        limits.require("accessor_numbers", sum(sizes), "numbers in all", pointer="/accessors")
        limits.require("key_numbers", keys, "numbers in all keys", pointer="/animations")
    except LimitError as fault:
        return fault
    return None


def _numbers(accessor: dict[str, Any], views: list[dict[str, Any]], limits: Limits) -> int:
    """Return how many numbers an accessor yields; one that is refused for itself yields none."""
    numbers = _whole(accessor.get("count")) * COMPONENTS.get(str(accessor.get("type")), 0)
    if "bufferView" not in accessor:
        return numbers if numbers <= limits.unbacked_numbers else 0
    view = _at(views, accessor["bufferView"]) or {}
    return min(numbers, _whole(view.get("byteLength")))  # a number has a byte at least


def _keys(animation: dict[str, Any], sizes: list[int]) -> int:
    """Return how many numbers the keys of all channels have."""
    samplers, channels = _objects(animation.get("samplers")), _objects(animation.get("channels"))
    used = [_at(samplers, channel.get("sampler")) or {} for channel in channels]
    ends = [sampler.get(name) for sampler in used for name in ("input", "output")]
    return sum(_at(sizes, accessor) or 0 for accessor in ends)


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the elements of an array, an empty object for each that is none."""
    items = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) else {} for item in items]


def _whole(value: Any) -> int:
    """Return a number as an integer; what is none, or beyond all bounds, is 0."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**63 else 0


def _at(items: list[Any], index: Any) -> Any:
    is_index = isinstance(index, int) and not isinstance(index, bool)
    return items[index] if is_index and 0 <= index < len(items) else None
