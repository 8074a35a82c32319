"""Files of all formats, told apart by their suffix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ligament.convert.losses import Converted, Loss
from ligament.errors import ContentError
from ligament.gltf import Document, load, save
from ligament.limits import DEFAULT, Limits

MJCF_SUFFIX: Final = ".xml"
USD_SUFFIXES: Final = (".usda", ".usdc", ".usd")
USD_PACKAGE: Final = ".usdz"
"""A package of USD, which is read and not written."""


def read(path: str | os.PathLike[str], *, limits: Limits = DEFAULT) -> Converted:
    """Read a file in the format of its suffix, with what glTF cannot say of it."""
    if Path(path).suffix.lower() in (*USD_SUFFIXES, USD_PACKAGE):
        from ligament.convert.usd import from_usd

        return from_usd(path, limits=limits)
    return Converted(load(path, limits=limits))


def write(
    document: Document,
    path: str | os.PathLike[str],
    *,
    embed: bool = False,
    animations: bool = True,
) -> Sequence[Loss]:
    """Write a document in the format of a suffix; returns what that format cannot say.

    `embed` takes all buffers and images into a file of glTF. Without `animations`, what they would
    lead in MJCF and USD is free; a file of glTF keeps them.
    """
    suffix = Path(path).suffix.lower()
    # Imported here: formats that are not asked for may need packages that are not there.
    if suffix == MJCF_SUFFIX:
        from ligament.convert.mjcf import to_mjcf

        return to_mjcf(document, path, animations=animations)
    if suffix in USD_SUFFIXES:
        from ligament.convert.usd import to_usd

        return to_usd(document, path, animations=animations)
    if not animations:
        formats = ", ".join((MJCF_SUFFIX, *USD_SUFFIXES))
        raise ContentError(
            f"{Path(path).name} without animations", remedy=f"write one of {formats}, or keep them"
        )
    save(document, path, embed=embed)
    return ()
