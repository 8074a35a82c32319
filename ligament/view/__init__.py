"""Seeing a document move: a live page in the browser, or one file that plays by itself.

>>> from ligament.view import Viewer, save_page, show
>>> save_page(load("door.glb"), "door.html", seconds=3)
>>> show(document, recording)  # in a notebook

It needs the extra: pip install 'ligament[view]'. Notebooks show documents and recordings as players
without being asked.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ligament.view.extra import require_viser

if TYPE_CHECKING:
    from ligament.view.notebook import show as show
    from ligament.view.page import save_page as save_page
    from ligament.view.viewer import Viewer as Viewer

# What imports viser is imported when it is used, after a look at whether it is there.
_HOMES = {
    "Viewer": "ligament.view.viewer",
    "save_page": "ligament.view.page",
}
_WITHOUT_VISER = {"show": "ligament.view.notebook"}

__all__ = ["Viewer", "save_page", "show"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        require_viser()
    home = _HOMES.get(name) or _WITHOUT_VISER.get(name)
    if home is None:
        raise AttributeError(f"module 'ligament.view' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
