"""Recordings of any program: world poses of nodes over time and events, as JSON or npz."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ligament.conformance.rotations import Floats
from ligament.errors import ContentError


@dataclasses.dataclass(frozen=True)
class Recording:
    """Times (F,) [s]; world translation (F, 3) [m] and rotation (F, 4) by node; events."""

    times: Floats
    translation: dict[int, Floats]
    rotation: dict[int, Floats]
    events: list[dict[str, Any]]


def read_recording(path: Path) -> Recording:
    """Read what a program wrote, and NAME.events.json beside it where there is one.

    Raises ContentError where that is no recording.
    """
    try:
        content = path.read_bytes()
        found = _npz(content) if content[:2] == b"PK" else json.loads(content)
        events = found.get("events", [])
        beside = path.with_name(f"{path.stem}.events.json")
        if beside.is_file():
            events = json.loads(beside.read_bytes())
        return _checked(found, list(events))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as fault:
        reason = f"is no recording ({type(fault).__name__}: {fault})"
        remedy = "see docs/conformance.md for its form"
        raise ContentError(reason, file=path.name, remedy=remedy) from None


def _npz(content: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def _checked(found: dict[str, Any], events: list[dict[str, Any]]) -> Recording:
    times = np.asarray(found["times"], float)
    nodes = [int(node) for node in found["nodes"]]
    shape = (len(times), len(nodes))
    translation = np.asarray(found["translation"], float).reshape(*shape, 3)
    rotation = np.asarray(found["rotation"], float).reshape(*shape, 4)
    if len(times) < 2 or not (np.diff(times) > 0).all():
        raise ValueError("times do not increase")
    if not (np.isfinite(translation).all() and np.isfinite(rotation).all()):
        raise ValueError("poses that are no numbers")
    length = np.linalg.norm(rotation, axis=-1, keepdims=True)
    if (np.abs(length - 1) > 1e-3).any():
        raise ValueError("rotations that are no unit quaternions")
    rotation = rotation / length
    return Recording(
        times,
        {node: translation[:, i] for i, node in enumerate(nodes)},
        {node: rotation[:, i] for i, node in enumerate(nodes)},
        events,
    )
