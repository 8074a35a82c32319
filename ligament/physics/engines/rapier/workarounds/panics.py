"""Faults inside the engine, which arrive as a kind of BaseException of their own."""

from __future__ import annotations

from typing import Final

PANIC: Final = "PanicException"
"""The class cannot be imported: the engine's bindings make it when they first need it."""


def is_panic(error: BaseException) -> bool:
    """Tell whether the engine gave up, from what Python itself raises for good reason."""
    return type(error).__name__ == PANIC
