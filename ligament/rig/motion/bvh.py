"""BVH reader: hierarchy, local rotations and translations of the joints."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.errors import FileError, FormatError, LigamentError, warn
from ligament.files import read_at_most
from ligament.limits import DEFAULT, Limits

LARGEST = 1e30
"""Largest number accepted: squares of larger ones would not be finite."""

ENCODINGS = ("utf-8-sig", "cp932", "latin-1")
"""Encodings without a byte order mark: UTF-8, then MMD's, then any."""

_CHANNEL = re.compile(r"^([XYZ])(position|rotation)$", re.IGNORECASE)
_FRAMES = re.compile(r"^\s*Frames\s*:\s*(\d+)\s*$", re.IGNORECASE | re.MULTILINE)
_FRAME_TIME = re.compile(r"^\s*Frame\s*Time\s*:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?:#|//).*$", re.MULTILINE)
_MOTION = re.compile(r"^\s*MOTION\s*$", re.IGNORECASE | re.MULTILINE)


@dataclasses.dataclass(frozen=True, eq=False)
class Bvh:
    """A BVH file, in its own units, with angles in radians.

    `names`, `parents` (J,) and `offsets` (J, 3) are those of the joints, parents first; `ends` are
    (joint, offset) of the end sites. `rotation` is (F, J, 4); `places` (F, J, 3) are local
    positions, equal to the offset if a joint has no position channels; `moved` names the joints
    that have some. `notes` list faults of the text that were tolerated.
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    ends: tuple[tuple[int, Floats], ...]
    frame_time: float
    rotation: Floats
    places: Floats
    moved: frozenset[int]
    notes: tuple[str, ...] = ()

    @functools.cached_property
    def rest(self) -> Floats:
        """Positions of the joints (J, 3) in the zero pose."""
        places = self.offsets.copy()
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                places[joint] += places[parent]
        return places

    def pose(self, frame: int) -> tuple[Floats, Floats]:
        """Return the world rotations (J, 4) and positions (J, 3) of a frame."""
        rotation, places = self.rotation[frame].copy(), self.places[frame].copy()
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                places[joint] = places[parent] + tf.rotate(rotation[parent], places[joint])
                rotation[joint] = tf.multiply(rotation[parent], rotation[joint])
        return rotation, places

    def follow(self, joints: Iterable[int], frames: Ints) -> dict[int, tuple[Floats, Floats]]:
        """Return the world rotations (F, 4) and positions (F, 3) of joints, and of those above."""
        done: dict[int, tuple[Floats, Floats]] = {}
        for joint in joints:
            chain = [joint]
            while chain[-1] >= 0 and chain[-1] not in done:
                chain.append(int(self.parents[chain[-1]]))
            for each in reversed([j for j in chain if j >= 0 and j not in done]):
                rotation, place = self.rotation[frames, each], self.places[frames, each]
                above = done.get(int(self.parents[each]))
                if above is not None:
                    place = above[1] + tf.rotate(above[0], place)
                    rotation = tf.multiply(above[0], rotation)
                done[each] = rotation, place
        return done


@dataclasses.dataclass
class _Hierarchy:
    """A hierarchy being read: joints, and channels in the order of the numbers."""

    names: list[str] = dataclasses.field(default_factory=list)
    parents: list[int] = dataclasses.field(default_factory=list)
    offsets: list[list[float]] = dataclasses.field(default_factory=list)
    ends: list[tuple[int, Floats]] = dataclasses.field(default_factory=list)
    channels: list[tuple[int, str, int]] = dataclasses.field(default_factory=list)


def read_bvh(path: Path, *, limits: Limits = DEFAULT) -> Bvh:
    """Read a BVH file, and warn about faults of its text."""
    try:
        with open(path, "rb") as stream:
            data = read_at_most(stream, limits.text_bytes + 1)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise FileError(f"cannot be read ({reason})", file=path, remedy="check the path") from fault
    try:
        limits.require("text_bytes", len(data), "bytes of text or more")
        bvh = parse_bvh(_decoded(data))
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__
    for note in bvh.notes:
        warn(f"{path}: {note}")
    return bvh


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 decodes all bytes")


def parse_bvh(text: str) -> Bvh:
    """Parse BVH text; raise FormatError, with the line if known, if it is invalid."""
    parts = _MOTION.split(text, maxsplit=1)
    if len(parts) != 2:
        raise FormatError("there is no MOTION section", remedy="a BVH file has two sections")
    hierarchy = _hierarchy(_uncommented(parts[0]))
    values, frame_time, notes = _numbers(_uncommented(parts[1]), len(hierarchy.channels))
    return Bvh(
        tuple(hierarchy.names),
        np.array(hierarchy.parents, np.int64),
        np.array(hierarchy.offsets).reshape(-1, 3),
        tuple(hierarchy.ends),
        frame_time,
        _rotations(hierarchy, values),
        _places(hierarchy, values),
        frozenset(joint for joint, kind, _ in hierarchy.channels if kind == "position"),
        notes,
    )


def _uncommented(text: str) -> str:
    """Blank lines that start with a comment mark; line numbers are preserved."""
    return _COMMENT.sub("", text)


def _hierarchy(text: str) -> _Hierarchy:
    found = _Hierarchy()
    above: list[int | None] = []
    entered: int | None = None
    for number, line in _lines(text):
        word, *rest = line.split()
        match word.upper(), rest:
            case "HIERARCHY", []:
                continue
            case "ROOT" | "JOINT", [_, *_]:
                entered = len(found.names)
                found.names.append(line.split(maxsplit=1)[1])
                found.parents.append(next((j for j in reversed(above) if j is not None), -1))
                found.offsets.append([0.0, 0.0, 0.0])
            case "END", _:
                entered = None
            case "{", []:
                above.append(entered)
            case "}", [] if above:
                above.pop()
            case "OFFSET", [_, _, _] if above:
                _offset(found, above, [_number(value, number) for value in rest])
            case "CHANNELS", [count, *names] if above and above[-1] is not None:
                _channels(found, above[-1], count, names, number)
            case _:
                _refuse(number, line)
    if above or not found.names:
        problem = "a brace is left open" if above else "there is no joint"
        raise FormatError(f"{problem} in the HIERARCHY", remedy="the file may be cut short")
    return found


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines with their numbers; braces get lines of their own.

    Numbers of an OFFSET and names of CHANNELS may continue on the next lines.
    """
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        for piece in re.split(r"([{}])", line):
            if not piece.strip():
                continue
            if lines and _is_continued(lines[-1][1], piece):
                lines[-1] = (lines[-1][0], f"{lines[-1][1]} {piece.strip()}")
            else:
                lines.append((number, piece.strip()))
    return lines


def _is_continued(line: str, piece: str) -> bool:
    """Tell whether a line lacks words and the next one continues it."""
    word, *rest = line.upper().split()
    following = piece.split()
    if word == "CHANNELS":
        wanted = int(rest[0]) + 1 if rest and rest[0].isdecimal() and len(rest[0]) < 4 else 1
        fitting = all(_CHANNEL.match(each) or each.isdecimal() for each in following)
        return len(rest) < wanted and fitting
    return word == "OFFSET" and len(rest) < 3 and all(map(_is_number, following))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _offset(found: _Hierarchy, above: Sequence[int | None], offset: list[float]) -> None:
    if above[-1] is not None:
        found.offsets[above[-1]] = offset
    elif len(above) > 1 and above[-2] is not None:
        found.ends.append((above[-2], np.array(offset)))


def _channels(found: _Hierarchy, joint: int, count: str, names: Sequence[str], number: int) -> None:
    if count != str(len(names)):
        _refuse(number, f"CHANNELS declares {count}, but {len(names)} names follow")
    for name in names:
        match = _CHANNEL.match(name)
        if match is None:
            _refuse(number, name)
        found.channels.append((joint, match[2].lower(), "XYZ".index(match[1].upper())))


def _number(text: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        _refuse(line, text)
    if not abs(value) <= LARGEST:
        _refuse(line, text)
    return value


def _refuse(line: int, found: str) -> NoReturn:
    raise FormatError(f"line {line}: found {found[:60]!r}", remedy="this is not a BVH hierarchy")


def _numbers(text: str, channels: int) -> tuple[Floats, float, tuple[str, ...]]:
    """Return the values (frames, channels), the frame time [s], and notes on wrong declarations.

    All complete frames are read, whatever count the file declares.
    """
    declared, interval = _FRAMES.search(text), _FRAME_TIME.search(text)
    if declared is None or interval is None:
        lacking = "Frame Time:" if declared else "Frames:"
        raise FormatError(f"there is no {lacking} line", remedy="the MOTION section starts with it")
    body = text[max(declared.end(), interval.end()) :]
    if "," in body and "." not in body:
        body = body.replace(",", ".")  # decimal commas
    try:
        values, step = np.array(body.split(), float), float(interval[1].replace(",", "."))
    except ValueError as fault:
        raise FormatError(f"in MOTION: {fault}", remedy="frames are lines of numbers") from None
    declared_count, frames = int(declared[1]), values.size // channels if channels else 0
    if not frames:
        raise FormatError(
            f"{values.size} numbers for {declared_count} frames of {channels} channels",
            remedy="give at least one frame, each with one number per channel",
        )
    if not 0 < step <= LARGEST:
        raise FormatError(f"a Frame Time of {interval[1]} s", remedy="it must be above 0")
    notes = _count_notes(declared_count, frames, values.size - frames * channels)
    values = values[: frames * channels].reshape(frames, channels)
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=1))
    if len(bad):
        raise FormatError(
            f"frame {bad[0]} contains a number that is not finite",
            remedy=f"use numbers of at most {LARGEST:g}",
        )
    return values, step, notes


def _count_notes(declared_count: int, frames: int, spare: int) -> tuple[str, ...]:
    if spare:
        last = f"; the last one is cut short after {spare} numbers and left out"
    else:
        last = "; all of them are taken"
    if declared_count == frames and not spare:
        return ()
    return (f"the file declares {declared_count} frames and contains {frames}{last}",)


def _rotations(hierarchy: _Hierarchy, values: Floats) -> Floats:
    """Return local rotations (F, J, 4), batched by equal channels."""
    axes: dict[int, list[int]] = {joint: [] for joint in range(len(hierarchy.names))}
    columns: dict[int, list[int]] = {joint: [] for joint in axes}
    for column, (joint, kind, axis) in enumerate(hierarchy.channels):
        if kind == "rotation":
            axes[joint].append(axis)
            columns[joint].append(column)
    rotation = np.zeros((len(values), len(axes), 4))
    rotation[..., 3] = 1
    for order in {tuple(own) for own in axes.values()} - {()}:
        joints = [joint for joint, own in axes.items() if tuple(own) == order]
        angles = np.radians(values[:, [columns[joint] for joint in joints]])
        rotation[:, joints] = _euler_rotations(angles, order)
    return rotation


def _euler_rotations(angles: Floats, order: tuple[int, ...]) -> Floats:
    """Return rotations (…, 4) from intrinsic Euler angles [rad] (…, channels)."""
    result: Any
    if sorted(order) == [0, 1, 2]:
        result = tf.from_euler(angles, "".join("XYZ"[axis] for axis in order))  # type: ignore[arg-type]
        return np.asarray(result)
    basis = np.eye(3)
    result = np.array([0.0, 0.0, 0.0, 1.0])
    for i, axis in enumerate(order):
        result = tf.multiply(result, tf.from_axis_angle(basis[axis], angles[..., i]))
    return np.asarray(result)


def _places(hierarchy: _Hierarchy, values: Floats) -> Floats:
    """Return local positions (F, J, 3); position channels replace components of the offset."""
    places = np.repeat(np.array(hierarchy.offsets)[None], len(values), axis=0)
    for column, (joint, kind, axis) in enumerate(hierarchy.channels):
        if kind == "position":
            places[:, joint, axis] = values[:, column]
    return places
