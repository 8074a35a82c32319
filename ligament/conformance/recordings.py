"""Recordings of any program: world poses of nodes over time and events, as JSON or npz."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ligament.conformance.rotations import Floats
from ligament.errors import ContentError
from ligament.npz import read_arrays


@dataclasses.dataclass(frozen=True)
class Recording:
    """Times (F,) [s]; world translation (F, 3) [m] and rotation (F, 4) by node; events."""

    times: Floats
    translation: dict[int, Floats]
    rotation: dict[int, Floats]
    events: list[dict[str, Any]]


def read_recording(path: Path) -> Recording:
    """Read the recording of a program, and NAME.events.json beside it if there is one.

    The suffix .npz instead of .json, or after it, is accepted. Raises ContentError if there is no
    recording or its format is wrong.
    """
    written = next((name for name in names(path) if name.is_file()), None)
    if written is None:
        remedy = "it must write the file that {output} names"
        raise ContentError(f"the program wrote no {path.name}", remedy=remedy)
    try:
        content = written.read_bytes()
        found: dict[str, Any] = (
            read_arrays(content) if content[:2] == b"PK" else json.loads(content)
        )
        events = found.get("events", [])
        separate = events_path(path)
        if separate.is_file():
            events = json.loads(separate.read_bytes())
        return _checked(found, _checked_events(events))
    except (
        *(OSError, ValueError, KeyError, TypeError, AttributeError),
        *(RecursionError, OverflowError),
    ) as fault:
        fault_words = f"no {fault}" if isinstance(fault, KeyError) else f"{fault}"
        remedy = "`ligament conformance export` writes a README.md with its format"
        raise ContentError(
            f"is not a recording ({fault_words})", file=written.name, remedy=remedy
        ) from None


def names(path: Path) -> tuple[Path, ...]:
    """Return the possible paths of a recording: np.savez appends its own suffix to a name."""
    return path, path.with_suffix(".npz"), path.with_name(f"{path.name}.npz")


def events_path(path: Path) -> Path:
    """Return the file in which a program may write events separately."""
    return path.with_name(f"{path.stem}.events.json")


def _checked(found: dict[str, Any], events: list[dict[str, Any]]) -> Recording:
    times = _numbers(found, "times")
    nodes = np.asarray(found["nodes"])
    if times.ndim != 1 or nodes.ndim != 1:
        raise ValueError("times and nodes must be lists")
    if len(times) < 2 or not (np.isfinite(times).all() and (np.diff(times) > 0).all()):
        raise ValueError("times do not increase")
    if len(nodes) and not np.issubdtype(nodes.dtype, np.integer):
        raise ValueError("nodes must be indices")
    if len(set(nodes.tolist())) < len(nodes):
        raise ValueError("nodes lists a node twice")
    translation = _poses(found, "translation", (len(times), len(nodes), 3))
    rotation = _poses(found, "rotation", (len(times), len(nodes), 4))
    if not (np.isfinite(translation).all() and np.isfinite(rotation).all()):
        raise ValueError("poses are not finite numbers")
    with np.errstate(over="ignore"):
        length = np.linalg.norm(rotation, axis=-1, keepdims=True)
    if (np.abs(length - 1) > 1e-3).any():
        raise ValueError("rotations are not unit quaternions")
    rotation = rotation / length
    return Recording(
        times,
        {node: translation[:, i] for i, node in enumerate(nodes.tolist())},
        {node: rotation[:, i] for i, node in enumerate(nodes.tolist())},
        events,
    )


def _numbers(found: dict[str, Any], name: str) -> Floats:
    values = np.asarray(found[name])
    if values.size and values.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers")
    return values.astype(float)


def _poses(found: dict[str, Any], name: str, shape: tuple[int, int, int]) -> Floats:
    values = _numbers(found, name)
    if not shape[1]:
        return np.zeros(shape)
    if values.shape != shape:
        raise ValueError(f"{name} has the shape {values.shape}, not {shape}")
    return values


def _checked_events(events: Any) -> list[dict[str, Any]]:
    """Check that events have the members that the judge reads; return them."""
    if not isinstance(events, list | np.ndarray):
        raise TypeError("events must be a list")
    for event in events:
        if not isinstance(event, dict):
            raise TypeError("an event must be an object")
        if not isinstance(event["type"], str):
            raise TypeError("the type of an event must be a string")
        time = event["time"]
        if isinstance(time, bool) or not isinstance(time, int | float) or not math.isfinite(time):
            raise TypeError("the time of an event must be a number")
        if not isinstance(event.get("trigger"), int | None):
            raise TypeError("the trigger of an event must be the index of a node")
        event["collider" if event.get("body") is None else "body"]
    return list(events)
