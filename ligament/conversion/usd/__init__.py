"""OpenUSD: scenes with UsdPhysics; see docs/usd.md."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ligament.arguments import checked, names_of
from ligament.conversion.source import GRAVITY, UpAxis, read_source
from ligament.conversion.usd.isolation import is_binary, read_isolated
from ligament.errors import ContentError, MissingExtraError
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.storage import uris
from ligament.limits import DEFAULT, Limits
from ligament.losses import Converted, Loss

__all__ = ["GRAVITY", "UpAxis", "from_usd", "to_usd"]


@checked
def to_usd(
    document: AnyDocument,
    path: str | os.PathLike[str],
    *,
    gravity: Sequence[float] = GRAVITY,
    scene: int | None = None,
    up: UpAxis = "y",
    visuals: bool = True,
    animations: str | Sequence[str] | None = None,
    omi_stiffness: Literal["auto", "literal"] = "auto",
) -> list[Loss]:
    """Write a document as a USD stage with UsdPhysics; return the losses.

    The suffix of `path` selects the encoding: .usda is text, .usdc and .usd are binary. Textures go
    to a folder next to it, `NAME_textures` for NAME.usda. `up="z"` rotates the world so that Z is
    up; `gravity` [m/s²] is in the axes of the document. `visuals` are meshes and materials.
    `animations` names those that are written as time samples (None: all, (): none); nodes of the
    others are at rest, and their bodies free.
    """
    if not Path(path).name:
        raise ContentError("no file is named", remedy="use a name that ends in .usda")
    require_usd()
    # Imported here: the package behind it is heavy, and optional.
    from ligament.conversion.usd.writing import Options, write_stage

    source = read_source(
        as_document(document),
        scene=scene,
        gravity=gravity,
        up=up,
        omi_stiffness=omi_stiffness,
        animations=names_of(animations),
    )
    return write_stage(source, Path(path), Options(up=up, visuals=visuals))


@checked
def from_usd(
    path: str | os.PathLike[str],
    *,
    roots: Sequence[str | os.PathLike[str]] = (),
    limits: Limits = DEFAULT,
) -> Converted:
    """Read a USD stage (.usda, .usdc, .usd, .usdz) into a new document.

    Files that it names must lie in its own folder or in `roots`; `limits` are those of `load`. The
    pointers of losses are paths of prims. Raise LigamentError for files that are unreadable, too
    large, or outside these folders. Binary layers are read in a separate process, since a damaged
    one can crash it.
    """
    file, folders = Path(path), [*map(Path, roots), *uris.named_roots()]
    if is_binary(file):
        return read_isolated(file, folders, limits)
    require_usd()
    from ligament.conversion.usd.reading import read_document
    from ligament.conversion.usd.reading.opening import BinaryLayerError

    try:
        return read_document(file, folders, limits)
    except BinaryLayerError:
        return read_isolated(file, folders, limits)


def require_usd() -> None:
    """Raise MissingExtraError, with how to install it, if usd-core is absent."""
    try:
        import pxr.Usd  # noqa: F401
    except ImportError as fault:
        raise MissingExtraError(
            "USD needs the package usd-core", remedy="pip install ligament[usd]"
        ) from fault
