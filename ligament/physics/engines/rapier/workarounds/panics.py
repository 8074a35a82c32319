"""Panics of the engine, which its bindings raise as a separate subclass of BaseException."""

from __future__ import annotations

from typing import Final

PANIC: Final = "PanicException"
"""Name of the class, which cannot be imported: the bindings create it on first use."""


def is_panic(error: BaseException) -> bool:
    """Tell whether an exception is a panic of the engine."""
    return type(error).__name__ == PANIC
