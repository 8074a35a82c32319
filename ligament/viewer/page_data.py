"""Data of a page besides its glTF files, as `web/src/data.ts` reads it.

A player element holds, each compressed by gzip and written in base64,

- one script of type `application/json+gzip`: `PageData` as JSON;
- one of type `application/octet-stream+gzip`: all arrays behind each other, float32 little-endian;
- one of type `model/gltf-binary+gzip` for each take: the GLB that `bake` writes.

Arrays are referred to by their `Span` in the floats. Units are for people: angles are in degrees.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

Span = tuple[int, int]
"""Start and length of an array in the floats of a page."""


class Floats:
    """All arrays of a page, collected as float32."""

    def __init__(self) -> None:
        self._arrays: list[npt.NDArray[np.float32]] = []
        self._length = 0

    def add(self, values: npt.ArrayLike) -> Span:
        """Add an array; return its span."""
        with np.errstate(over="ignore"):  # what is too large for a page is infinite in it
            array = np.asarray(values, np.float32).ravel()
        span = (self._length, len(array))
        self._arrays.append(array)
        self._length += len(array)
        return span

    def tobytes(self) -> bytes:
        """Return all arrays as bytes, little-endian."""
        return b"".join(array.astype("<f4").tobytes() for array in self._arrays)


class SeriesData(msgspec.Struct, kw_only=True):
    """Values over time, with optional bounds; `plot` is the title of their plot."""

    plot: str
    name: str
    unit: str
    values: Span
    minimum: Span | None = None
    maximum: Span | None = None


class ObjectData(msgspec.Struct, kw_only=True):
    """A selectable node: its kind, its properties, and its measured values."""

    node: int
    name: str
    kind: str
    rows: Sequence[tuple[str, str]]
    series: Sequence[SeriesData] = ()


class EventData(msgspec.Struct, kw_only=True):
    """An event at a time [s] on some nodes, in words."""

    time: float
    type: str
    nodes: Sequence[int]
    text: str


class FindingData(msgspec.Struct, kw_only=True):
    """A finding of the checker, and the node it concerns, if any."""

    code: str
    severity: str
    message: str
    pointer: str
    node: int | None


class TakeData(msgspec.Struct, kw_only=True):
    """One recording of one file.

    `colour`, if any, is given to everything that moves; `shows_still` tells whether the rest is
    shown. `scene` is the scene of the file, `animation` the one that `bake` added (None where
    nothing moves), `clips` those that move morph targets along with it, repeated if it `loops`.
    `moving` are the nodes that move, `layers` those initially visible.
    """

    title: str
    colour: str | None
    shows_still: bool
    scene: int
    animation: int | None
    clips: Sequence[int]
    loops: bool
    moving: Sequence[int]
    layers: Sequence[str]
    objects: Sequence[ObjectData]
    energies: Sequence[SeriesData]
    events: Sequence[EventData]
    findings: Sequence[FindingData]


class FramingData(msgspec.Struct, kw_only=True):
    """The box that the camera shows initially [m], and the direction from it to the camera.

    `points` are the outermost ones of what is in the box [m], three numbers each; `floor` is the
    height of the grid [m].
    """

    center: Sequence[float]
    half_size: Sequence[float]
    direction: Sequence[float]
    points: Sequence[float]
    floor: float


class PageData(msgspec.Struct, kw_only=True):
    """All data of a page: its title, the times of all frames [s], its takes, its framing.

    `curves` are those shown next to the player, in an element `<ligament-curves>`.
    """

    title: str
    times: Span
    takes: Sequence[TakeData]
    framing: FramingData
    curves: Sequence[SeriesData] = ()
