"""Archives of arrays (.npz), read without running code and within the sizes that they declare."""

from __future__ import annotations

import io
import lzma
import math
import re
import struct
import zipfile
import zlib
from typing import Any, Final

import numpy as np

HEADER_MAX: Final = 10_000
"""Longest header [bytes] of an array: a dictionary of three members."""

_MAGIC: Final = b"\x93NUMPY"
_LENGTHS: Final = {1: "<H", 2: "<I", 3: "<I"}
"""How the length of the header is stored, by the version of the format."""

_HEADER: Final = re.compile(
    r"\{\s*+(?:(?:'descr':\s*+'(?P<descr>[^'\\]*)'|'fortran_order':\s*+(?P<fortran>True|False)"
    r"|'shape':\s*+\((?P<shape>[\dL,\s]*)\))\s*+,?\s*+)+\}\s*+"
)
"""The literal dictionary before an array; members stand in any order."""

_PLAIN: Final = re.compile(r"[<>|=]?[biufU]\d{1,9}")
"""Types of numbers and text; others may hold objects of Python."""

_ZIP_FAULTS: Final = (
    *(OSError, EOFError, RuntimeError, NotImplementedError, ValueError, struct.error),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)
"""What reading a damaged, encrypted or unknown archive raises."""


def unpacked_size(content: bytes) -> int:
    """Return the bytes that an archive declares for all members; ValueError if it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return sum(member.file_size for member in archive.infolist())
    except _ZIP_FAULTS as fault:
        raise ValueError(f"{fault}") from None


def read_arrays(content: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of an archive by name; ValueError says what is wrong with which."""
    arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                name, dot, suffix = member.filename.rpartition(".")
                if dot and suffix == "npy":
                    try:
                        arrays[name] = _array(archive.read(member))
                    except ValueError as fault:
                        raise ValueError(f"{name}: {fault}") from None
    except _ZIP_FAULTS as fault:
        raise ValueError(f"{fault}") from None
    return arrays


def _array(data: bytes) -> np.ndarray[Any, Any]:
    """Read an array of numbers or text in NumPy's format, versions 1 to 3."""
    kind = _LENGTHS.get(data[len(_MAGIC)]) if data[: len(_MAGIC)] == _MAGIC and data[8:] else None
    if kind is None:
        raise ValueError("not an array")
    start = 8 + struct.calcsize(kind)
    (length,) = struct.unpack(kind, data[8:start].ljust(struct.calcsize(kind), b"\0"))
    dtype, is_fortran, shape = _header(data[start : start + min(length, HEADER_MAX)])
    values = data[start + length :]
    count = math.prod(shape)
    if count * dtype.itemsize != len(values):
        raise ValueError(f"{len(values)} bytes for an array of shape {shape} of {dtype}")
    array = np.frombuffer(values, dtype).copy() if values else np.zeros(count, dtype)
    return array.reshape(shape, order="F" if is_fortran else "C")


def _header(text: bytes) -> tuple[np.dtype[Any], bool, tuple[int, ...]]:
    """Return the type, whether the first index runs fastest, and the shape of an array."""
    members = _HEADER.fullmatch(text.decode("latin-1"))
    if members is None or None in members.groups():
        raise ValueError("the header of the array cannot be read")
    descr, fortran, sizes = members.group("descr", "fortran", "shape")
    if not _PLAIN.fullmatch(descr):
        raise ValueError(f"an array of type {descr[:60]!r}, not of numbers")
    try:
        dtype = np.dtype(descr)
    except TypeError:
        raise ValueError(f"an array of the unknown type {descr!r}") from None
    return dtype, fortran == "True", tuple(int(size) for size in re.findall(r"\d+", sizes))
