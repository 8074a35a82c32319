"""Numba's compiler with this library's settings.

Numba's disk cache is keyed by the text of the module that a function is in, so after a change here
old results stay in use until that module changes or the cache is deleted (`*.nbi`, `*.nbc`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

EXACT = {"error_model": "numpy"}
"""Division by zero is no error, and every operation is rounded by itself: as in NumPy."""

FUSED = {**EXACT, "fastmath": {"contract"}}
"""The same, but multiply-adds may be fused."""


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function when first called, and cache the result on disk if possible.

    It runs without the GIL, so that Python threads share the work: Numba's own threads would not
    survive a fork.
    """
    return _cached(function, FUSED)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that compiled functions of the same module call."""
    return numba.njit(forceinline=True, **FUSED)(function)


def exact(function: Callable[..., Any]) -> Any:
    """Do as `compiled`, with the bits of NumPy if the operations and their order are the same."""
    return _cached(function, EXACT)


def exact_inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that exact functions of the same module call."""
    return numba.njit(forceinline=True, **EXACT)(function)


def _cached(function: Callable[..., Any], settings: dict[str, Any]) -> Any:
    try:
        return numba.njit(cache=True, nogil=True, **settings)(function)
    except RuntimeError:  # no folder is writable
        return numba.njit(nogil=True, **settings)(function)


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array in the one layout that functions are compiled for: contiguous, read-only."""
    view = np.require(array, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view


def each(work: Callable[[slice], None], count: int) -> None:
    """Process items (count,) in parts, one for each thread that Numba may use."""
    threads = min(count, int(numba.config.NUMBA_NUM_THREADS))
    if threads < 2:
        work(slice(0, count))
        return
    bounds = [count * i // threads for i in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, map(slice, bounds[:-1], bounds[1:])))
