"""Keeping Python's garbage collector still while very many objects are made."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector, which would walk everything there is after every few new objects.

    Decoded JSON and lists of references are many objects without cycles: nothing to collect, and
    they take half the time this way.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
