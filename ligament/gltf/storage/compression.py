"""Decompression: EXT_ and KHR_meshopt_compression, KHR_draco_mesh_compression, and a cache.

Two optional packages, meshopt and DracoPy, decode the data in a separate process. This module
refuses data that declares too large a size, and turns their failures into errors of this library.
Errors carry no JSON pointer: only the caller knows where the extension is.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import struct
import sys
from collections.abc import Callable, Collection, Hashable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ligament.errors import ContentError, FormatError, MissingExtraError
from ligament.gltf.storage.decoders import DamagedError, decode
from ligament.limits import DEFAULT, Limits

Array = npt.NDArray[Any]

# Valid sizes of an element [bytes] for each mode and filter (Specifying compressed views).
_STRIDES: dict[tuple[str, str], Collection[int]] = {
    ("ATTRIBUTES", "NONE"): range(4, 257, 4),
    ("ATTRIBUTES", "OCTAHEDRAL"): (4, 8),
    ("ATTRIBUTES", "QUATERNION"): (8,),
    ("ATTRIBUTES", "EXPONENTIAL"): range(4, 257, 4),
    ("ATTRIBUTES", "COLOR"): (4, 8),
    ("TRIANGLES", "NONE"): (2, 4),
    ("INDICES", "NONE"): (2, 4),
}

# The most bytes that one encoded byte can yield in the bitstreams of Appendix A: 256 elements
# take at least a quarter of a byte for each byte of an element, a triangle or index at least one.
_MESHOPT_EXPANSION = {"ATTRIBUTES": 1024, "TRIANGLES": 12, "INDICES": 4}

_DRACO_HEADER = struct.Struct("<5sBBBBH")
_DRACO_MESH = 1
_DRACO_EDGEBREAKER = 1
_DRACO_METADATA = 0x8000

# Draco has no such bound, but even the most regular mesh, a flat grid of two million triangles,
# was measured at 68 triangles per byte.
_DRACO_FACES_PER_BYTE = 1024

# A triangle has three corners, a point three coordinates, of four bytes each.
_DRACO_BYTES = 12

# Draco's ids of the types that DracoPy widens to uint32 (uint16) or float32 (int8, int16).
_DRACO_WIDENED: dict[int, type[np.integer[Any]]] = {1: np.int8, 3: np.int16, 4: np.uint16}


@dataclasses.dataclass(frozen=True)
class _Layout:
    """Layout of the decoded bytes, from the members of the extension."""

    mode: str
    filter: str
    count: int
    stride: int

    @property
    def size(self) -> int:
        return self.count * self.stride


def decode_meshopt(
    data: memoryview, extension: dict[str, Any], *, limits: Limits = DEFAULT, spent: int = 0
) -> bytes:
    """Decode a buffer view by its EXT_ or KHR_meshopt_compression object: count · byteStride bytes.

    Both versions of the bitstream and all filters are read under either name of the extension.
    `spent` is the number of bytes that the document has decoded so far.
    """
    layout = _meshopt_layout(extension)
    limits.require("decoded_bytes", spent + layout.size, "bytes in compressed data")
    _check_meshopt_ratio(layout, len(data))
    _require_package("meshopt", needed_by="meshopt compression")
    try:
        _, (decoded,) = decode("meshopt", data, limits, **dataclasses.asdict(layout))
    except DamagedError as fault:
        raise FormatError(
            f"{len(data)} bytes do not decode to {layout.count} elements of {layout.stride} bytes"
            f" in mode {layout.mode}",
            remedy="the data is damaged, or mode, count and byteStride are not those it was"
            " encoded with",
        ) from fault
    return decoded.tobytes()


def decode_draco(
    data: memoryview, attributes: dict[str, int], *, limits: Limits = DEFAULT, spent: int = 0
) -> tuple[dict[str, Array], npt.NDArray[np.uint32]]:
    """Decode a KHR_draco_mesh_compression primitive by the unique ids in its `attributes`.

    Return the attributes by name, each (points, components) of the type it was encoded with, and
    the corners of the triangles (3 · triangles,), which stay below the number of points.
    `spent` is the number of bytes that the document has decoded so far.
    """
    if not attributes:
        raise ContentError("found no attributes", remedy="it must name at least one")
    _check_draco_size(data, limits, spent)
    _require_package("DracoPy", needed_by="KHR_draco_mesh_compression")
    ids = [*dict.fromkeys(attributes.values())]
    try:
        answer, (indices, *values) = decode("draco", data, limits, ids=ids)
    except DamagedError as fault:
        raise _draco_fault(f"it does not decode ({fault})") from fault
    # The total includes attributes that the file does not name: they were decoded too.
    limits.require("decoded_bytes", spent + answer["total"], "bytes in compressed data")
    full = [number for number in ids if str(number) in answer["types"]]
    found = dict(zip(full, values, strict=True))
    arrays = {
        name: _draco_attribute(answer, found, name, number) for name, number in attributes.items()
    }
    _check_draco_corners(arrays, indices)
    return arrays, indices


def _require_package(name: str, *, needed_by: str) -> None:
    is_hidden = name in sys.modules and sys.modules[name] is None
    if is_hidden or importlib.util.find_spec(name) is None:
        raise MissingExtraError(
            f"{needed_by} needs the package {name} (it is not installed)",
            remedy="pip install ligament[compress]",
        )


def _meshopt_layout(extension: dict[str, Any]) -> _Layout:
    """Read the members; refuse values that Specifying compressed views does not allow."""
    mode, filter_ = str(extension.get("mode")), str(extension.get("filter", "NONE"))
    strides = _STRIDES.get((mode, filter_))
    if strides is None:
        raise ContentError(
            f"found mode {mode} with filter {filter_}",
            remedy="it must be one of " + ", ".join(f"{m} with {f}" for m, f in _STRIDES),
        )
    stride, count = _positive(extension, "byteStride"), _positive(extension, "count")
    if stride not in strides:
        sizes = f"{strides[0]} to 256 in steps of 4" if isinstance(strides, range) else strides
        raise ContentError(
            f"found byteStride {stride} in mode {mode} with filter {filter_}",
            remedy=f"it must be {sizes}",
        )
    if mode == "TRIANGLES" and count % 3:
        raise ContentError(
            f"found count {count} in mode TRIANGLES", remedy="it must be a multiple of 3"
        )
    return _Layout(mode, filter_, count, stride)


def _positive(extension: dict[str, Any], name: str) -> int:
    value = extension.get(name)
    # In JSON Schema 4.0 is an integer and True is not; in Python it is the other way round.
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 1 or value % 1:
        raise ContentError(f"found {name} {value!r}", remedy="it must be an integer of at least 1")
    return int(value)


def _check_meshopt_ratio(layout: _Layout, encoded: int) -> None:
    if layout.size > encoded * _MESHOPT_EXPANSION[layout.mode]:
        raise FormatError(
            f"{encoded} bytes in mode {layout.mode} cannot hold {layout.count} elements of"
            f" {layout.stride} bytes",
            remedy="count and byteStride must be those that the data was encoded with",
        )


def _check_draco_size(data: memoryview, limits: Limits, spent: int) -> None:
    """Refuse, before decoding, data that is no mesh or declares more than its bytes can hold."""
    try:
        most = _draco_declared(data)
    except (IndexError, struct.error) as fault:
        raise _draco_fault("it ends within its header") from fault
    what = f"bytes in compressed data, which declares {most} triangles or points"
    limits.require("decoded_bytes", spent + most * _DRACO_BYTES, what)
    if most > len(data) * _DRACO_FACES_PER_BYTE:
        raise _draco_fault(f"{len(data)} bytes declare {most} triangles or points")


def _draco_declared(data: memoryview) -> int:
    """Return the larger of the declared counts of triangles and points (Draco bitstream 2.2)."""
    magic, major, minor, kind, method, flags = _DRACO_HEADER.unpack_from(data)
    if magic != b"DRACO" or (major, minor) != (2, 2) or kind != _DRACO_MESH:
        raise _draco_fault(
            f"it begins with {magic!r}, version {major}.{minor}, geometry type {kind}",
            remedy="it must be b'DRACO', version 2.2, geometry type 1 (a triangle mesh)",
        )
    at = _DRACO_HEADER.size
    if flags & _DRACO_METADATA:
        at = _after_geometry_metadata(data, at)
    # Edgebreaker data begins with the traversal type, and has the counts in the other order.
    at += method == _DRACO_EDGEBREAKER
    first, at = _varint(data, at)
    second, at = _varint(data, at)
    return max(first, second)


def _after_geometry_metadata(data: memoryview, at: int) -> int:
    attributes, at = _varint(data, at)
    for _ in range(attributes):
        _, at = _varint(data, at)
        at = _after_metadata(data, at)
    return _after_metadata(data, at)


def _after_metadata(data: memoryview, at: int) -> int:
    """Return the offset after a metadata element and, without recursion, those inside it."""
    unread = 1
    while unread:
        entries, at = _varint(data, at)
        for _ in range(entries):
            size, at = _varint(data, at + 1 + data[at])
            at += size
        inner, at = _varint(data, at)
        unread += inner - 1
        if unread:
            at += 1 + data[at]
    return at


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Read an unsigned LEB128 of at most 32 bits: the number, and the offset of the next byte."""
    value = 0
    for shift in range(0, 35, 7):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise _draco_fault("a number in its header has more than 32 bits")


def _draco_attribute(
    answer: dict[str, Any], found: dict[int, Array], name: str, number: int
) -> Array:
    if number not in found and number not in answer["empty"]:
        known = ", ".join(map(str, answer["known"]))
        raise ContentError(
            f"found attribute {name} with id {number}",
            remedy=f"it must be an id that the Draco data has ({known})",
        )
    if number not in found:
        raise _draco_fault(f"attribute {name} has no values")
    return _as_encoded(found[number], answer["types"][str(number)])


def _as_encoded(values: Array, data_type: int) -> Array:
    """Cast values to the type they were encoded with, where DracoPy widened it."""
    dtype = _DRACO_WIDENED.get(data_type)
    if dtype is None:
        return values
    # DracoPy divides signed integers that are marked as normalised by their largest value.
    if (values != np.rint(values)).any():
        values = np.rint(values * np.iinfo(dtype).max)
    return values.astype(dtype)


def _check_draco_corners(arrays: dict[str, Array], indices: npt.NDArray[np.uint32]) -> None:
    points = {len(values) for values in arrays.values()}
    if len(points) != 1:
        raise _draco_fault(f"its attributes {', '.join(arrays)} differ in their number of points")
    if not len(indices) or indices.max() >= max(points):
        raise _draco_fault("it has no triangles, or a triangle with a corner that is not a point")


def _draco_fault(what: str, *, remedy: str = "the data is damaged") -> FormatError:
    return FormatError(f"the Draco data cannot be used: {what}", remedy=remedy)


T = TypeVar("T")


class _Entry(NamedTuple):
    source: memoryview
    value: Any
    size: int


class DecodedCache:
    """Cache of the decompressed data of one document; `bytes` is its size.

    A view that thousands of accessors share would otherwise be decoded thousands of times.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self.bytes = 0

    def once(self, key: Hashable, source: memoryview, decode: Callable[[int], tuple[T, int]]) -> T:
        """Return the decoded data of `source`, calling `decode` only the first time.

        `key` identifies its place and its decoding; if another source is there, it is decoded
        again. `decode` takes the current size of the cache, and returns a value and its size.
        """
        known = self._entries.get(key)
        if known is not None and _is_same(known.source, source):
            value: T = known.value
            return value
        if known is not None:
            del self._entries[key]
            self.bytes -= known.size
        value, size = decode(self.bytes)
        self._entries[key] = _Entry(source, value, size)
        self.bytes += size
        return value


def _is_same(a: memoryview, b: memoryview) -> bool:
    """Return whether two views with the same offset have the same buffer and length."""
    return a.obj is b.obj and len(a) == len(b)
