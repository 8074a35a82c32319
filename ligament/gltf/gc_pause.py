"""Garbage collection paused while very many objects are created."""

from __future__ import annotations

import contextlib
import gc
import itertools
from collections.abc import Iterator

MANY = 50_000
"""New objects above which walking them takes noticeable time, a few milliseconds."""

EVERY = 16
"""One of this many pauses with many new objects ends in a full collection."""

_agings = itertools.count(1)


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector, which would walk all objects after every few new ones.

    Decoded JSON and lists of references are many objects without cycles: there is nothing to
    collect, and creating them takes half the time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        _let_age()
        gc.enable()


def _let_age() -> None:
    """Move very many new objects to the oldest generation, as if they had survived collections.

    Otherwise the collector would walk all of them at once, for nothing. Freezing and unfreezing
    moves whole lists; objects that the program itself has frozen stay so. Garbage of the program
    ages along, so that now and then a full collection is due.
    """
    if gc.get_count()[0] < MANY or gc.get_freeze_count():
        return
    if next(_agings) % EVERY:
        gc.freeze()
        gc.unfreeze()
    else:
        gc.collect()
