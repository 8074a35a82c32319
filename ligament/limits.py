"""Resource limits: amounts that no honest file comes near and a hostile one declares.

A few bytes can declare any amount of memory and work. Each amount has a limit, and a LimitError
says what was found, the limit, and how to raise it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from ligament.errors import ContentError, LimitError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limits:
    """Resource limits: how much a document may hold, decode to and simulate; pass them to `load`.

    >>> doc = load("city.glb", limits=Limits(bodies=500_000))

    Images are never decoded, whatever they declare.
    """

    file_bytes: int = 1 << 34
    """Bytes of one file: the document, a buffer."""

    text_bytes: int = 1 << 30
    """Bytes of JSON or BVH text; decoded JSON takes about ten times as much memory."""

    chunks: int = 10_000
    """Chunks of a GLB file beside JSON and BIN, of which every eight bytes can be one."""

    nesting: int = 256
    """Levels of arrays and objects within each other in JSON or TOML text."""

    items: int = 4_000_000
    """Elements of one array at the top of a document: nodes, accessors, meshes, …"""

    accessor_numbers: int = 1 << 31
    """Numbers in all accessors together, however often they share their bytes."""

    unbacked_numbers: int = 1 << 27
    """Numbers in all accessors that stand in no buffer (zeros, under sparse values or alone)."""

    unbacked_per_byte: int = 16
    """Numbers that stand in no buffer for each byte of the file, beyond the first 4 million."""

    key_numbers: int = 1 << 28
    """Numbers in the keys of all animation channels together, however they share accessors."""

    decoded_bytes: int = 1 << 31
    """Bytes that all compressed data of a document decode to (meshopt, Draco)."""

    decoder_bytes: int = 1 << 28
    """Memory of the process that decodes (meshopt, Draco), beside 256 times the compressed data."""

    findings: int = 100_000
    """Findings of the checker that are listed, the worst first; more are counted, and told so."""

    prims: int = 500_000
    """Prims of a stage of USD, with all that references, variants and instances bring."""

    bodies: int = 100_000
    """Rigid bodies that a file declares for a simulation, of any kind."""

    colliders: int = 1_000_000
    """Colliders and triggers of a simulation."""

    trigger_members: int = 1_000_000
    """Members of all compound triggers together, those of members counted each time."""

    filters: int = 10_000
    """Different collision filters of a simulation, each of which is compared with all others."""

    crowded_pairs: int = 50_000
    """Pairs of bodies of like size that start inside one another: 316 in one place have as many."""

    joints: int = 100_000
    """Joints of a simulation."""

    shape_points: int = 1 << 24
    """Points of all meshes and convex hulls in a simulation, each mesh counted once."""

    frames: int = 1_000_000
    """Frames of a recording."""

    recorded_numbers: int = 1 << 30
    """Numbers in a recording: 13 for each body in each frame."""

    seconds: float = 86_400.0
    """Seconds of the clock on the wall that a simulation may take."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
                raise ContentError(
                    f"a limit of {value!r} for {field.name}", remedy="it must be 0 or more"
                )

    def require(self, name: str, found: float, what: str, *, pointer: str | None = None) -> None:
        """Raise LimitError where more was found than the limit of this name allows."""
        limit = getattr(self, name)
        if found > limit:
            amount = math.ceil(found)
            raise LimitError(
                f"found {found:.15g} {what}",
                pointer=pointer,
                remedy=f"at most {limit:.15g} are taken; raise it for a file that you trust with"
                f" --limit {name}={amount} or Limits({name}={amount})",
            )


DEFAULT = Limits()


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
                f"there is no limit {name[:60]!r}", remedy=f"use one of {', '.join(known)}"
            )
        try:
            values[name] = known[name](float(text))
        except (ValueError, OverflowError) as fault:
            remedy = f"write it as {name}=NUMBER"
            raise ContentError(f"found the limit {setting[:60]!r}", remedy=remedy) from fault
    return Limits(**values)  # type: ignore[arg-type]
