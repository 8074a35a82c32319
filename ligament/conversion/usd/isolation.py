"""Isolation of binary layers in a separate process.

USD's text parser reports errors. Its parser of crates and packages trusts offsets in the file: a
damaged one can crash the process, which Python cannot catch. Only that process imports USD.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ligament.errors import FormatError, LigamentError, LimitError
from ligament.gltf.load import loads
from ligament.gltf.save import glb_bytes
from ligament.limits import Limits
from ligament.losses import Converted, Loss
from ligament.processes import Bounds, Death, DiedError
from ligament.processes.calls import call

_SIGNATURES = (b"PXR-USDC", b"PK\x03\x04")

SECONDS = 600.0
"""Time limit of reading [s]; a shorter limit for simulations applies here, too."""

MEMORY = 1 << 31
"""Memory [bytes] that reading may take in addition to the limit of decoded data."""


class _Read(msgspec.Struct):
    """A document, as a GLB, and its losses."""

    document: bytes
    losses: tuple[Loss, ...]


def is_binary(path: Path) -> bool:
    """Tell whether a file is a crate or a package; False where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(8).startswith(_SIGNATURES)
    except OSError:
        return False


def read_isolated(path: Path, roots: Sequence[Path], limits: Limits) -> Converted:
    """Read a stage in another process; LigamentError if that process dies."""
    seconds, memory = min(SECONDS, limits.seconds), limits.decoded_bytes + MEMORY
    request = path.absolute(), [root.absolute() for root in roots], limits
    try:
        bounds = Bounds(seconds=seconds, memory=memory)
        read = call(_read_stage, *request, kind=_Read, bounds=bounds)
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__
    except DiedError as fault:
        raise _died(path, fault.death) from fault
    return Converted(loads(read.document, limits=limits), read.losses)


def _read_stage(path: Path, roots: Sequence[Path], limits: Limits) -> _Read:
    from ligament.conversion.usd import require_usd

    require_usd()
    from ligament.conversion.usd.reading import read_document

    found = read_document(path, roots, limits, binary=True)
    return _Read(glb_bytes(found.document), found.losses)


def _died(path: Path, death: Death) -> LigamentError:
    if death.kind in ("time", "memory"):
        remedy = "split the stage, or write it as text (.usda)"
        return LimitError(f"reading it {death.text}", file=path, remedy=remedy)
    return FormatError(
        f"the process that read it {death.text}", file=path, remedy="the file is damaged"
    )
