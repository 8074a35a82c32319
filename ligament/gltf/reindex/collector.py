"""Keeping Python's garbage collector still while an edit runs."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector: it would walk the whole document after every few references listed.

    An edit lists hundreds of thousands of them, without cycles, and takes half the time this way.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
