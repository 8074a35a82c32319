"""USD with UsdPhysics into glTF with KHR_physics_rigid_bodies.

The stage is composed by USD itself, after a look at every file that it names. Prims with a place
become nodes; units are worked into all numbers, so that the document is in metres with Y up. The
physics becomes the declarations that all dialects share, and the writer of KHR does the rest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ligament.convert.losses import Converted
from ligament.convert.usd.extra import require_usd
from ligament.limits import DEFAULT, Limits

__all__ = ["from_usd"]


def from_usd(
    path: str | os.PathLike[str],
    *,
    roots: Sequence[str | os.PathLike[str]] = (),
    limits: Limits = DEFAULT,
) -> Converted:
    """Read a stage of USD (.usda, .usdc, .usd, .usdz) into a new document.

    Files that it names must lie in its own folder or in `roots`; `limits` are those of `load`. The
    pointers of losses are paths of prims. Raises LigamentError for what cannot be read, is too
    large, or leads elsewhere. Binary layers are read in a process of their own, which a damaged one
    can end.
    """
    require_usd()
    from ligament.convert.usd.reading.apart import read_apart
    from ligament.convert.usd.reading.document import read_document
    from ligament.convert.usd.reading.opening import BinaryLayerError

    file, folders = Path(path), [Path(root) for root in roots]
    try:
        return read_document(file, folders, limits)
    except BinaryLayerError:
        return read_apart(file, folders, limits)
