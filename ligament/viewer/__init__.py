"""Viewing documents: a live page in the browser, or one self-contained file.

>>> from ligament.viewer import Viewer, save_page, show
>>> save_page(load("door.glb"), "door.html", seconds=3)
>>> show(document, recording)  # in a notebook

The live page and pictures need the extra: pip install 'ligament[view]'. Notebooks show documents
and recordings as players automatically.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

from ligament.errors import MissingExtraError

if TYPE_CHECKING:
    from ligament.viewer.comparison import save_comparison_page as save_comparison_page
    from ligament.viewer.notebook import show as show
    from ligament.viewer.page import save_page as save_page
    from ligament.viewer.pictures import save_film as save_film
    from ligament.viewer.pictures import save_picture as save_picture
    from ligament.viewer.viewer import Viewer as Viewer

# Modules are imported when used, those that need the extra after a check that it is installed.
_HOMES = {
    "Viewer": "ligament.viewer.viewer",
    "save_comparison_page": "ligament.viewer.comparison",
    "save_film": "ligament.viewer.pictures",
    "save_page": "ligament.viewer.page",
    "save_picture": "ligament.viewer.pictures",
    "show": "ligament.viewer.notebook",
}

__all__ = [
    "Viewer",
    "save_comparison_page",
    "save_film",
    "save_page",
    "save_picture",
    "show",
]


def has_viser() -> bool:
    """Tell whether viser is installed."""
    return importlib.util.find_spec("viser") is not None


def require_viser() -> None:
    """Raise MissingExtraError if viser is not installed."""
    if not has_viser():
        raise MissingExtraError(
            "the viewer needs viser, which is not installed",
            remedy="pip install 'ligament[view]'",
        )


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ligament.viewer' has no attribute {name!r}")
    if name in ("Viewer", "save_film", "save_picture"):
        require_viser()
    return getattr(importlib.import_module(home), name)
