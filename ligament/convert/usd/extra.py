"""The one check for the optional package behind USD."""

from __future__ import annotations

from ligament.errors import MissingExtraError


def require_usd() -> None:
    """Raise MissingExtraError, which says how to install it, where usd-core is absent."""
    try:
        import pxr.Usd  # noqa: F401
    except ImportError as fault:
        raise MissingExtraError(
            "USD needs the package usd-core", remedy="pip install ligament[usd]"
        ) from fault
