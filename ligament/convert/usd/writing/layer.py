"""A stage as the bytes of a file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from pxr import Tf

from ligament.errors import ContentError, FileError

_FORMATS: Final = {".usda": "usda", ".usdc": "usdc", ".usd": "usdc"}


def content_of(stage: Any, suffix: str) -> bytes:
    """Return what a file with this suffix holds: text for .usda, binary for the others."""
    form = _FORMATS.get(suffix.lower())
    if form is None:
        names = ", ".join(_FORMATS)
        raise ContentError(f"a suffix of {suffix!r}", remedy=f"name a file that ends in {names}")
    try:
        return _exported(stage, form)
    except Tf.ErrorException as fault:
        raise ContentError(f"USD cannot write the stage ({fault})") from fault
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "USD needs room in the system's folder for temporary files"
        raise FileError(f"the stage cannot be written ({reason})", remedy=remedy) from fault


def _exported(stage: Any, form: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stage.{form}"
        stage.GetRootLayer().Export(str(path))
        return path.read_bytes()
