"""OpenUSD: scenes with UsdPhysics; see docs/usd.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from ligament.convert.losses import Loss
from ligament.convert.source import GRAVITY, UpAxis, read_source
from ligament.convert.usd.extra import require_usd
from ligament.convert.usd.reading import from_usd
from ligament.gltf.document import Document

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
    samples of nodes; without them nodes stand as at rest, and bodies that they would lead are free.
    """
    require_usd()
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
