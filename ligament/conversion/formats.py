"""File formats by suffix: reading and writing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ligament.errors import ContentError
from ligament.gltf import Document, load, save
from ligament.limits import DEFAULT, Limits
from ligament.losses import Converted, Loss
from ligament.options.names import MJCF_SUFFIX, USD_PACKAGE, USD_SUFFIXES


def read(path: str | os.PathLike[str], *, limits: Limits = DEFAULT) -> Converted:
    """Read a file in the format of its suffix, with a list of losses."""
    if Path(path).suffix.lower() in (*USD_SUFFIXES, USD_PACKAGE):
        from ligament.conversion.usd import from_usd

        return from_usd(path, limits=limits)
    return Converted(load(path, limits=limits))


def write(
    document: Document,
    path: str | os.PathLike[str],
    *,
    embed: bool = False,
    animations: Sequence[str] | None = None,
) -> Sequence[Loss]:
    """Write a document in the format of the suffix; return the losses.

    `embed` puts all buffers and images into a glTF file. `animations` names those that apply in
    MJCF and USD (None: all), where bodies driven by the others are free; glTF keeps all.
    """
    suffix = Path(path).suffix.lower()
    # Imported here: other formats may need packages that are not installed.
    if suffix == MJCF_SUFFIX:
        from ligament.conversion.mjcf import to_mjcf

        return to_mjcf(document, path, animations=animations)
    if suffix in USD_SUFFIXES:
        from ligament.conversion.usd import to_usd

        return to_usd(document, path, animations=animations)
    if animations is not None:
        formats = ", ".join((MJCF_SUFFIX, *USD_SUFFIXES))
        remedy = f"write one of {formats}, or leave the choice out"
        raise ContentError("glTF keeps all animations", file=path, remedy=remedy)
    save(document, path, embed=embed)
    return ()
