"""Repairs of animations: keys at equal times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ligament.errors import LigamentError, counted
from ligament.gltf.accessors import append_accessor, read_accessor
from ligament.gltf.animation import separate_keys
from ligament.gltf.document import Document
from ligament.gltf.references import read_index
from ligament.repair.changes import Change, elements


def separate_equal_keys(document: Document) -> Iterator[Change]:
    """Move the earlier of two keys at one time by one unit; drop keys without any duration.

    The data of others that use the same accessors stays as it is.
    """
    written: dict[tuple[int, ...], int] = {}

    def append(key: tuple[int, ...], values: Any, *, bounds: bool = False) -> int:
        if key not in written:
            written[key] = append_accessor(document, values.astype(np.float32), bounds=bounds)
        return written[key]

    for pointer, animation in elements(document.json, "", "animations"):
        for place, sampler in elements(animation, pointer, "samplers"):
            source, output = (read_index(sampler.get(name)) for name in ("input", "output"))
            times = None if source is None else _times(document, source)
            if times is None or source is None or output is None:
                continue
            separate, kept = separate_keys(times, np.float32)
            values = None if len(kept) == len(times) else _values(document, output, len(times))
            if len(kept) < len(times):
                if values is None:
                    continue
                rest = values[kept].reshape(-1, *values.shape[2:])
                sampler["output"] = append((output, source), rest)
            sampler["input"] = append((source,), separate, bounds=True)
            count = int((np.diff(times) == 0).sum())
            keys = counted(count, "key")
            yield Change(f"{place}/input", f"{keys} moved off the time of another")


def _times(document: Document, accessor: int) -> Any:
    """Read key times of which some are equal, None if there are none or something else is wrong."""
    try:
        times = read_accessor(document, accessor)
    except LigamentError:
        return None
    steps = np.diff(times) if times.ndim == 1 and times.dtype.kind == "f" else np.zeros(0)
    return times if (steps == 0).any() and (steps >= 0).all() else None


def _values(document: Document, accessor: int, keys: int) -> Any:
    """Read key values (K, n, …), None if they do not fit."""
    try:
        values = read_accessor(document, accessor)
    except LigamentError:
        return None
    return None if len(values) % keys else values.reshape(keys, -1, *values.shape[1:])
