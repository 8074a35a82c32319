"""OpenUSD: scenes with UsdPhysics; see docs/usd.md."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ligament.convert.losses import Converted, Loss
from ligament.convert.source import GRAVITY, UpAxis, read_source
from ligament.errors import MissingExtraError
from ligament.gltf.document import Document
from ligament.limits import DEFAULT, Limits

__all__ = ["GRAVITY", "UpAxis", "from_usd", "to_usd"]


def to_usd(
    document: Document,
    path: str | os.PathLike[str],
    *,
    gravity: tuple[float, float, float] = GRAVITY,
    scene: int | None = None,
    up: UpAxis = "y",
    visuals: bool = True,
    animations: bool = True,
    omi_stiffness: Literal["auto", "literal"] = "auto",
) -> list[Loss]:
    """Write a document as a stage of USD with UsdPhysics; returns what the stage does not say.

    The suffix of `path` says how: .usda is text, .usdc and .usd are binary. Textures go to a folder
    beside it, `NAME_textures` for NAME.usda. `up="z"` turns the world so that Z is up; `gravity`
    [m/s²] is in the axes of the document. `visuals` are meshes and materials. `animations` are time
    samples of nodes; without them nodes stand as at rest and the bodies that they would drive are
    free.
    """
    _require_usd()
    # Imported here: the package behind it is heavy, and optional.
    from ligament.convert.usd.writing import Options, write_stage

    source = read_source(
        document,
        scene=scene,
        gravity=gravity,
        up=up,
        omi_stiffness=omi_stiffness,
        animations=None if animations else (),
    )
    return write_stage(source, Path(path), Options(up=up, visuals=visuals))


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
    _require_usd()
    from ligament.convert.usd.reading import read_document
    from ligament.convert.usd.reading.isolation import read_isolated
    from ligament.convert.usd.reading.opening import BinaryLayerError

    file, folders = Path(path), [Path(root) for root in roots]
    try:
        return read_document(file, folders, limits)
    except BinaryLayerError:
        return read_isolated(file, folders, limits)


def _require_usd() -> None:
    """Raise MissingExtraError, which says how to install it, where usd-core is absent."""
    try:
        import pxr.Usd  # noqa: F401
    except ImportError as fault:
        raise MissingExtraError(
            "USD needs the package usd-core", remedy="pip install ligament[usd]"
        ) from fault
