"""Recordings as files: arrays for programs, JSON, or a table."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ligament.errors import ContentError
from ligament.files import open_atomic, write_atomic
from ligament.recording.recording import Recording

CSV_COLUMNS = ("time", "node", "tx", "ty", "tz", "qx", "qy", "qz", "qw")


def save_recording(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write the bodies and joint limits of a recording as .npz, .json or .csv.

    .npz and .json hold `times` (F,), `nodes` (N,), `translation` (F, N, 3), `rotation` (F, N, 4),
    `linear_velocity` and `angular_velocity` (F, N, 3), `limit_node`, `limit_index`, `limit_min`
    and `limit_max` (L,) and `limit_value` (F, L); a bound without an end is infinite, null in
    JSON. .csv has one line per frame and node with its world pose.
    """
    target = Path(path)
    check_suffix(target)
    _WRITERS[target.suffix.lower()](recording, target)


def check_suffix(path: Path) -> None:
    """Refuse a name that says nothing of the format, before anything is simulated."""
    if path.suffix.lower() not in _WRITERS:
        known = ", ".join(_WRITERS)
        raise ContentError(f"{path.name} has no known suffix", remedy=f"use one of {known}")


def save_events(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write the events of a recording as a JSON list."""
    content = msgspec.json.encode([event.to_dict() for event in recording.events])
    write_atomic(path, [msgspec.json.format(content, indent=1)])


def _arrays(recording: Recording) -> dict[str, np.ndarray[Any, Any]]:
    limits = recording.limits
    frames = len(recording.times)
    values = [limit.value for limit in limits]
    return {
        "times": recording.times,
        "nodes": recording.nodes,
        "translation": recording.translation,
        "rotation": recording.rotation,
        "linear_velocity": recording.linear_velocity,
        "angular_velocity": recording.angular_velocity,
        "limit_node": np.array([limit.node for limit in limits], np.int64),
        "limit_index": np.array([limit.index for limit in limits], np.int64),
        "limit_min": np.array([limit.minimum for limit in limits], np.float64),
        "limit_max": np.array([limit.maximum for limit in limits], np.float64),
        "limit_value": np.stack(values, axis=1) if values else np.zeros((frames, 0)),
    }


def _write_npz(recording: Recording, path: Path) -> None:
    with open_atomic(path) as stream:
        np.savez(stream, **_arrays(recording))  # type: ignore[arg-type]


def _write_json(recording: Recording, path: Path) -> None:
    lists = {name: array.tolist() for name, array in _arrays(recording).items()}
    for name in ("limit_min", "limit_max"):
        lists[name] = [bound if np.isfinite(bound) else None for bound in lists[name]]
    write_atomic(path, [msgspec.json.encode(lists)])


def _write_csv(recording: Recording, path: Path) -> None:
    frames, count = len(recording.times), len(recording.nodes)
    table = np.concatenate([recording.translation, recording.rotation], axis=-1).reshape(-1, 7)
    times = np.repeat(recording.times, count)
    nodes = np.tile(recording.nodes, frames)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(
        (time, node, *row)
        for time, node, row in zip(times.tolist(), nodes.tolist(), table.tolist(), strict=True)
    )
    write_atomic(path, [text.getvalue().encode()])


_WRITERS: dict[str, Callable[[Recording, Path], None]] = {
    ".npz": _write_npz,
    ".json": _write_json,
    ".csv": _write_csv,
}
