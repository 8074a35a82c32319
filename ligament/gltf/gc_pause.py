"""Keeping Python's garbage collector still while very many objects are made."""

from __future__ import annotations

import contextlib
import gc
import itertools
from collections.abc import Iterator

MANY = 50_000
"""How many new objects take longer to walk than is noticed, a few milliseconds."""

EVERY = 16
"""Of how many times with many new objects one walks everything there is."""

_agings = itertools.count(1)


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
        _let_age()
        gc.enable()


def _let_age() -> None:
    """Count very many new objects among the old, as if the collector had been past them already.

    Otherwise it would walk all of them at once, for nothing. Freezing and thawing moves whole
    lists; where a program has frozen objects of its own, these stay as they are. What the program
    itself has left lying about ages along, so now and then everything is walked after all.
    """
    if gc.get_count()[0] < MANY or gc.get_freeze_count():
        return
    if next(_agings) % EVERY:
        gc.freeze()
        gc.unfreeze()
    else:
        gc.collect()
