"""Resource limits: amounts far above any honest file, against hostile declarations.

A few bytes can declare any amount of memory and work. Each amount has a limit; a LimitError states
the amount found, the limit, and how to raise it.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Iterable

from ligament.errors import ContentError, LimitError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits on what a document may contain, decode to and simulate; pass them to `load`.

    >>> doc = load("city.glb", limits=Limits(bodies=500_000))

    Images are never decoded, whatever they declare.
    """

    file_bytes: int = 1 << 34
    """Bytes of one file: the document or a buffer."""

    fetched_bytes: int = 1 << 30
    """Bytes fetched from a remote store for one file: itself, its buffers and images."""

    text_bytes: int = 1 << 30
    """Bytes of JSON or BVH text; decoded JSON takes about ten times as much memory."""

    chunks: int = 10_000
    """Chunks of a GLB file besides JSON and BIN; each can be as small as eight bytes."""

    nesting: int = 256
    """Nesting depth of arrays and objects in JSON or TOML text."""

    items: int = 4_000_000
    """Elements of one top-level array of a document: nodes, accessors, meshes, …"""

    accessor_numbers: int = 1 << 31
    """Numbers in all accessors together, even if they share bytes."""

    unbacked_numbers: int = 1 << 27
    """Numbers in all accessors without a buffer (zeros, alone or below sparse values)."""

    unbacked_per_byte: int = 16
    """Numbers without a buffer per byte of the file, beyond the first 4 million."""

    key_numbers: int = 1 << 28
    """Numbers in the keys of all animation channels together, even if they share accessors."""

    decoded_bytes: int = 1 << 31
    """Bytes that all compressed data of a document may decode to (meshopt, Draco)."""

    decoder_bytes: int = 1 << 28
    """Memory of the decoding process (meshopt, Draco), besides 256 times the compressed data."""

    findings: int = 100_000
    """Findings that the checker lists, worst first; the rest are counted and the count reported."""

    prims: int = 500_000
    """Prims of a USD stage, including those from references, variants and instances."""

    bodies: int = 100_000
    """Rigid bodies of any kind that a file declares."""

    colliders: int = 1_000_000
    """Colliders and triggers of a simulation."""

    trigger_members: int = 1_000_000
    """Members of all compound triggers together; nested members count each time."""

    filters: int = 10_000
    """Distinct collision filters of a simulation, each compared with all others."""

    crowded_pairs: int = 50_000
    """Pairs of bodies of similar size that overlap at the start: 316 in one place have as many."""

    overlapping_pairs: int = 10_000_000
    """Pairs of colliders of similar size that overlap at the start, even if nothing moves them."""

    joints: int = 100_000
    """Joints of a simulation."""

    shape_points: int = 1 << 24
    """Points, or indices if more, of all collision meshes; each mesh counts once."""

    frames: int = 1_000_000
    """Frames of a recording."""

    recorded_numbers: int = 1 << 30
    """Numbers in a recording: 13 per body and frame."""

    seconds: float = 86_400.0
    """Wall-clock time of a simulation [s]."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
                raise ContentError(
                    f"the limit {field.name} is {value!r}", remedy="it must be 0 or more"
                )

    def __repr__(self) -> str:
        changed = (
            f"{field.name}={getattr(self, field.name)!r}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        )
        return f"Limits({', '.join(changed)})"

    def require(self, name: str, found: float, what: str, *, pointer: str | None = None) -> None:
        """Raise LimitError if more was found than the named limit allows."""
        limit = getattr(self, name)
        if found > limit:
            found = min(found, sys.float_info.max)  # whole numbers in JSON have any length
            amount = math.ceil(found)
            raise LimitError(
                f"found {found:.15g} {what}",
                pointer=pointer,
                remedy=f"at most {limit:.15g} are allowed; raise it for a file that you trust with"
                f" --limit {name}={amount} or Limits({name}={amount})",
            )


DEFAULT = Limits()


def chosen_limits(limits: Limits) -> dict[str, float]:
    """Return the limits that are not at their defaults."""
    defaults = dataclasses.asdict(DEFAULT)
    return {name: n for name, n in dataclasses.asdict(limits).items() if n != defaults[name]}


def parse_limits(settings: Iterable[str]) -> Limits:
    """Read limits written as NAME=NUMBER.

    >>> parse_limits(["bodies=500000"]).bodies
    500000
    """
    known = {name: type(value) for name, value in dataclasses.asdict(DEFAULT).items()}
    values: dict[str, float] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in known:
            raise ContentError(
                f"unknown limit {name[:60]!r}", remedy=f"use one of {', '.join(known)}"
            )
        try:
            values[name] = known[name](float(text))
        except (ValueError, OverflowError) as fault:
            remedy = f"write it as {name}=NUMBER"
            raise ContentError(f"cannot parse the limit {setting[:60]!r}", remedy=remedy) from fault
    return Limits(**values)  # type: ignore[arg-type]
