"""Records as bytes: parts of scenes, arrays and numbers, for snapshots.

Reading executes nothing: only the types listed here are created, and only from their own members.
Object identity is preserved.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable
from typing import Any, Final

import msgspec
import numpy as np

from ligament.errors import SimulationError
from ligament.extensions.rigid_bodies import (
    CollisionFilter,
    Combine,
    Drive,
    Limit,
    Material,
    MotionKind,
)
from ligament.extensions.shapes import Box, Capsule, Cylinder, Plane, Sphere
from ligament.physics.collision.tracker import TrackerState
from ligament.physics.engines import Overlap
from ligament.physics.engines.constant_motion import ConstantMotion
from ligament.physics.mass import MassProperties
from ligament.physics.scene import Body, Collider, Frame, Joint, Pose, Scene, Trigger
from ligament.physics.shapes import Hull, Mesh, Origin

_TYPES: Final[tuple[type, ...]] = (
    *(Scene, Body, Collider, Trigger, Joint, Frame, Pose, MassProperties),
    *(Sphere, Box, Capsule, Cylinder, Plane, Hull, Mesh, Origin),
    *(Material, CollisionFilter, Limit, Drive, MotionKind, Combine),
    *(ConstantMotion, Overlap, TrackerState),
)
_NAMES: Final = {kind: kind.__name__ for kind in _TYPES}
_KINDS: Final = {kind.__name__: kind for kind in _TYPES}

_DTYPES: Final = frozenset({"<f8", "<f4", "<i8", "<i4", "<u4", "|u1", "|b1"})

_AGAIN, _LIST, _TUPLE, _SET, _DICT, _ARRAY, _RECORD = range(7)


def encode(value: Any) -> bytes:
    """Return a value as bytes; equal values give equal bytes."""
    return msgspec.msgpack.encode(_Writer().plain(value))


def decode(data: bytes) -> Any:
    """Return the value passed to `encode`; raise SimulationError for any other bytes."""
    try:
        return _Reader().value(msgspec.msgpack.decode(data))
    except (
        *(msgspec.MsgspecError, KeyError, IndexError, TypeError, ValueError, AttributeError),
        *(OverflowError, RecursionError, MemoryError),
    ) as fault:
        raise SimulationError(f"these bytes are not a snapshot ({type(fault).__name__})") from fault


class _Writer:
    """Converts values to lists that begin with a type tag."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._kept: list[Any] = []

    def plain(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str, bytes):
            return value
        if isinstance(value, np.generic):
            return value.item()
        if type(value) is list:
            return [_LIST, *map(self.plain, value)]
        if type(value) is tuple:
            return [_TUPLE, *map(self.plain, value)]
        if type(value) is frozenset or type(value) is set:
            return [_SET, *map(self.plain, sorted(value))]
        if type(value) is dict:
            return [_DICT, *(self.plain(part) for pair in value.items() for part in pair)]
        if id(value) in self._known:
            return [_AGAIN, self._known[id(value)]]
        written = self._array(value) if isinstance(value, np.ndarray) else self._record(value)
        self._known[id(value)] = len(self._kept)
        self._kept.append(value)  # keeps its id from being reused
        return written

    def _array(self, value: np.ndarray[Any, Any]) -> list[Any]:
        return [_ARRAY, value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes()]

    def _record(self, value: Any) -> list[Any]:
        return [_RECORD, _NAMES[type(value)], *map(self.plain, _members(value))]


def _members(value: Any) -> Iterable[Any]:
    if isinstance(value, enum.Enum):
        return (value.value,)
    if isinstance(value, tuple):
        return value
    return (getattr(value, field.name) for field in dataclasses.fields(value))


class _Reader:
    """Converts the lists back, in the order of their creation."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def value(self, plain: Any) -> Any:
        if not isinstance(plain, list):
            return plain
        kind, *parts = plain
        if kind == _AGAIN:
            return self._kept[parts[0]]
        if kind in (_LIST, _TUPLE, _SET, _DICT):
            return self._collection(kind, [self.value(part) for part in parts])
        value = self._array(*parts) if kind == _ARRAY else self._record(*parts)
        self._kept.append(value)
        return value

    def _collection(self, kind: int, parts: list[Any]) -> Any:
        if kind == _DICT:
            return dict(zip(parts[::2], parts[1::2], strict=True))
        return parts if kind == _LIST else tuple(parts) if kind == _TUPLE else frozenset(parts)

    def _array(self, dtype: str, shape: list[int], data: bytes) -> np.ndarray[Any, Any]:
        if dtype not in _DTYPES:
            raise ValueError(dtype)
        return np.frombuffer(data, dtype).reshape(shape).copy()

    def _record(self, name: str, *parts: Any) -> Any:
        kind, values = _KINDS[name], [self.value(part) for part in parts]
        if not dataclasses.is_dataclass(kind):
            return kind(*values)
        names = [field.name for field in dataclasses.fields(kind)]
        return kind(**dict(zip(names, values, strict=True)))
