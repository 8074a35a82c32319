"""The optional package that the viewer needs."""

from __future__ import annotations

import importlib.util

from ligament.errors import MissingExtraError


def has_viser() -> bool:
    """Tell whether viser is installed."""
    return importlib.util.find_spec("viser") is not None


def require_viser() -> None:
    """Say how to get viser where it is missing."""
    if not has_viser():
        raise MissingExtraError(
            "the viewer needs viser, which is not installed",
            remedy="pip install 'ligament[view]'",
        )
