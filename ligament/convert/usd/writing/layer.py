"""A stage as the bytes of a file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from pxr import Tf

from ligament.errors import ContentError

_FORMATS: Final = {".usda": "usda", ".usdc": "usdc", ".usd": "usdc"}


def content_of(stage: Any, suffix: str) -> bytes:
    """Return what a file with this suffix holds: text for .usda, binary for the others."""
    form = _FORMATS.get(suffix.lower())
    if form is None:
        names = ", ".join(_FORMATS)
        raise ContentError(f"a suffix of {suffix!r}", remedy=f"name a file that ends in {names}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stage.{form}"
        try:
            stage.GetRootLayer().Export(str(path))
        except Tf.ErrorException as fault:
            raise ContentError(f"USD cannot write the stage ({fault})") from fault
        return path.read_bytes()
