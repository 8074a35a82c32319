"""Files of recordings: .npz, .json and .csv to write, .npz and .json to read; events as JSON."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TypeAlias, TypeVar

import msgspec
import numpy as np

from ligament.arguments import checked
from ligament.arrays import Floats
from ligament.errors import ContentError, FileError, FormatError
from ligament.files import open_atomic, write_atomic
from ligament.limits import DEFAULT, Limits
from ligament.npz import read_arrays, unpacked_size
from ligament.physics.events import Event, EventType
from ligament.recording.recording import LimitTrack, Recording

CSV_COLUMNS = ("time", "node", "tx", "ty", "tz", "qx", "qy", "qz", "qw")


@checked
def save_recording(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write the bodies and joint limits of a recording as .npz, .json or .csv.

    .npz and .json hold `times` (F,), `nodes` (N,), `translation` (F, N, 3), `rotation` (F, N, 4),
    `linear_velocity` and `angular_velocity` (F, N, 3), `limit_node`, `limit_index`, `limit_min` and
    `limit_max` (L,) and `limit_value` (F, L); an open bound is infinite, null in JSON. If bounds
    are animated, these are the widest, and `limit_min_at` and `limit_max_at` (F, L) are those of
    every frame. .csv has one line per frame and node with its world pose.
    """
    target = Path(path)
    check_suffix(target)
    _WRITERS[target.suffix.lower()](recording, target)


def check_suffix(path: Path) -> None:
    """Refuse an unknown suffix before anything is simulated."""
    if path.suffix.lower() not in _WRITERS:
        known = ", ".join(_WRITERS)
        raise ContentError(f"{path.name} has no known suffix", remedy=f"use one of {known}")


@checked
def save_events(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write the events of a recording as a JSON list."""
    content = msgspec.json.encode([event.to_dict() for event in recording.events])
    write_atomic(path, [msgspec.json.format(content, indent=1)])


def _arrays(recording: Recording) -> dict[str, np.ndarray[Any, Any]]:
    limits = recording.limits
    frames = len(recording.times)
    values = [limit.value for limit in limits]
    moving: dict[str, np.ndarray[Any, Any]] = {}
    if any(limit.moving_minimum is not None for limit in limits):
        low, high = zip(*(limit.bounds for limit in limits), strict=True)
        moving = {"limit_min_at": np.stack(low, axis=1), "limit_max_at": np.stack(high, axis=1)}
    return moving | {
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
    for name in {"limit_min_at", "limit_max_at"} & lists.keys():
        lists[name] = [[b if np.isfinite(b) else None for b in frame] for frame in lists[name]]
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


# --- reading ---

T = TypeVar("T")

Arrays: TypeAlias = Mapping[str, np.ndarray[Any, Any]]

_SHAPES: Final = {
    "times": ("F",),
    "nodes": ("N",),
    "translation": ("F", "N", 3),
    "rotation": ("F", "N", 4),
    "linear_velocity": ("F", "N", 3),
    "angular_velocity": ("F", "N", 3),
    "limit_node": ("L",),
    "limit_index": ("L",),
    "limit_min": ("L",),
    "limit_max": ("L",),
    "limit_value": ("F", "L"),
}
_MOVING: Final = {"limit_min_at": ("F", "L"), "limit_max_at": ("F", "L")}
POSES: Final = ("translation", "rotation", "linear_velocity", "angular_velocity")
NUMBER_MAX: Final = 1e150
"""Largest number of a pose or velocity: squares of it are finite."""

_WHOLE: Final = frozenset({"nodes", "limit_node", "limit_index"})
_OPEN: Final = {
    "limit_min": -math.inf,
    "limit_min_at": -math.inf,
    "limit_max": math.inf,
    "limit_max_at": math.inf,
}
"""The value that stands for null in JSON."""


@checked
def load_recording(
    path: str | os.PathLike[str],
    *,
    events: str | os.PathLike[str] | None = None,
    limits: Limits = DEFAULT,
) -> Recording:
    """Read a .npz or .json recording written by `save_recording`.

    Saving it again gives the same file. `events` is a file written by `save_events`; by default
    NAME.events.json next to NAME.npz, if it exists. Files do not contain local transforms and
    energies: accessing them raises ContentError.
    """
    source = Path(path)
    suffix = source.suffix.lower()
    if suffix not in _READERS:
        remedy = f"use one of {', '.join(_READERS)}"
        raise ContentError("is not a readable recording", file=source, remedy=remedy)
    content = _read(source, limits)
    found = _checked(_READERS[suffix](content, source, limits), source)
    limits.require("recorded_numbers", found["translation"].size, "numbers in the recording")
    companion = source.with_name(f"{source.stem}.events.json")
    events_file = Path(events) if events is not None else companion if companion.is_file() else None
    return Recording(
        times=found["times"],
        nodes=found["nodes"],
        translation=found["translation"],
        rotation=found["rotation"],
        linear_velocity=found["linear_velocity"],
        angular_velocity=found["angular_velocity"],
        events=() if events_file is None else load_events(events_file, limits=limits),
        find_locals=lambda: _refuse(source, "local transforms"),
        find_energies=lambda: _refuse(source, "energies"),
        find_limits=lambda: _limit_tracks(found),
    )


@checked
def load_events(path: str | os.PathLike[str], *, limits: Limits = DEFAULT) -> tuple[Event, ...]:
    """Read a JSON list of events written by `save_events`."""
    source = Path(path)
    try:
        listed = _decoded(_read(source, limits), source, list[_EventFields])
    except msgspec.ValidationError as fault:
        remedy = "give what --events of `ligament simulate` wrote"
        raise ContentError(
            f"is not a list of events ({fault})", file=source, remedy=remedy
        ) from None
    return tuple(Event(*msgspec.structs.astuple(fields)) for fields in listed)


Node: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class _EventFields(msgspec.Struct):
    """The members of an event, in the order of `Event`."""

    time: float
    type: EventType
    trigger: Node | None
    collider: Node
    body: Node | None
    other_collider: Node | None = None
    other_body: Node | None = None


def _read(source: Path, limits: Limits) -> bytes:
    try:
        limits.require("file_bytes", source.stat().st_size, "bytes in the file")
        return source.read_bytes()
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(
            f"cannot be read ({reason})", file=source, remedy="check the path"
        ) from None


def _read_npz(content: bytes, source: Path, limits: Limits) -> Arrays:
    try:
        limits.require("decoded_bytes", unpacked_size(content), "bytes of arrays")
        return read_arrays(content)
    except ValueError as fault:
        raise _unreadable(source, "is not an .npz file of arrays", fault) from None


Numbers: TypeAlias = list[float | None]
"""Numbers in JSON; null stands for one that is not finite."""


class _Lists(msgspec.Struct):
    """The members of a recording in JSON."""

    times: Numbers
    nodes: list[int]
    translation: list[list[Numbers]]
    rotation: list[list[Numbers]]
    linear_velocity: list[list[Numbers]]
    angular_velocity: list[list[Numbers]]
    limit_node: list[int]
    limit_index: list[int]
    limit_min: Numbers
    limit_max: Numbers
    limit_value: list[Numbers]
    limit_min_at: list[Numbers] | msgspec.UnsetType = msgspec.UNSET
    limit_max_at: list[Numbers] | msgspec.UnsetType = msgspec.UNSET


def _read_json(content: bytes, source: Path, limits: Limits) -> Arrays:
    limits.require("text_bytes", len(content), "bytes of JSON")
    try:
        lists = _decoded(content, source, _Lists)
        return {
            name: _array(name, values)
            for name, values in msgspec.structs.asdict(lists).items()
            if values is not msgspec.UNSET
        }
    except (ValueError, OverflowError) as fault:
        raise _unreadable(source, "is not a recording", fault) from None


def _array(name: str, values: Any) -> np.ndarray[Any, Any]:
    if name in _WHOLE:
        return np.array(values, np.int64)
    numbers: Floats = np.array(values, np.float64)  # null is NaN
    open_end = _OPEN.get(name)
    return numbers if open_end is None else np.where(np.isnan(numbers), open_end, numbers)


def _decoded(content: bytes, source: Path, kind: type[T]) -> T:
    """Decode JSON of a type; JSON of another type is a ValidationError."""
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError:
        raise
    except RecursionError:
        raise _unreadable(source, "is nested too deeply", None) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise _unreadable(source, "is not JSON", fault) from None


def _checked(arrays: Arrays, source: Path) -> Arrays:
    """Return the arrays as doubles and indices; refuse those that do not belong together."""
    sizes: dict[str | int, int] = {3: 3, 4: 4}
    moving = {name: shape for name, shape in _MOVING.items() if name in arrays}
    for name, axes in {**_SHAPES, **moving}.items():
        array = arrays.get(name)
        if array is None:
            raise _unreadable(source, f"has no {name}", None)
        if array.size == 0 and array.ndim < len(axes):  # an empty list carries no shape
            shape = tuple(sizes.get(axis, 0) for axis in axes)
            array = array.reshape(shape) if not math.prod(shape) else array
        wanted = tuple(
            sizes.setdefault(axis, n) for axis, n in zip(axes, array.shape, strict=False)
        )
        if array.shape != wanted or array.ndim != len(axes):
            expected = " by ".join(str(sizes.get(axis, axis)) for axis in axes)
            raise _unreadable(source, f"has {name} of shape {array.shape}, not {expected}", None)
        if array.dtype.kind not in ("iu" if name in _WHOLE else "f") or array.dtype.itemsize > 8:
            raise _unreadable(source, f"has {name} of type {array.dtype}", None)
        arrays = {
            **arrays,
            name: array.astype(np.int64 if name in _WHOLE else np.float64, copy=False),
        }
        if name in _WHOLE and array.size and not 0 <= array.min() <= array.max() < 1 << 63:
            raise _unreadable(source, f"has {name} that are not indices", None)
        numbers = arrays[name]
        if name not in POSES:  # bounds may be open, and values unknown
            numbers = numbers[np.isfinite(numbers)]
        if not (np.abs(numbers) <= NUMBER_MAX).all():
            raise _unreadable(
                source, f"has {name} that is not finite, or beyond {NUMBER_MAX:g}", None
            )
    times, nodes = arrays["times"], arrays["nodes"]
    if not len(times) or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise _unreadable(source, "has times that do not increase", None)
    if len(np.unique(nodes)) < len(nodes):
        raise _unreadable(source, "has a node twice", None)
    return arrays


def _unreadable(source: Path, what: str, fault: Exception | None) -> FormatError:
    reason = "" if fault is None else f" ({fault})"
    remedy = "give a recording that `ligament simulate` wrote"
    return FormatError(f"{what}{reason}", file=source, remedy=remedy)


def _refuse(source: Path, what: str) -> NoReturn:
    remedy = "simulate the document again"
    raise ContentError(f"a recording read from a file has no {what}", file=source, remedy=remedy)


def _limit_tracks(found: Arrays) -> tuple[LimitTrack, ...]:
    low, high = (found.get(name) for name in _MOVING)
    return tuple(
        LimitTrack(
            node=int(found["limit_node"][i]),
            index=int(found["limit_index"][i]),
            kind=None,
            axes=(),
            minimum=float(found["limit_min"][i]),
            maximum=float(found["limit_max"][i]),
            is_hard=True,
            value=found["limit_value"][:, i],
            moving_minimum=None if low is None else low[:, i],
            moving_maximum=None if high is None else high[:, i],
        )
        for i in range(len(found["limit_node"]))
    )


_READERS: dict[str, Callable[[bytes, Path, Limits], Arrays]] = {
    ".npz": _read_npz,
    ".json": _read_json,
}
