"""Numba's compiler with the settings of this library."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

SETTINGS = {"error_model": "numpy", "fastmath": {"contract"}}
"""Division by zero is not an error, and products that are added to may be rounded once."""


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, and keep the result on disk where possible.

    It runs without the interpreter's lock, so that threads of Python share the work: those of
    Numba would not survive a fork.
    """
    try:
        return numba.njit(cache=True, nogil=True, **SETTINGS)(function)
    except RuntimeError:  # there is no folder that can be written to
        return numba.njit(nogil=True, **SETTINGS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function of the same module that compiled ones call."""
    return numba.njit(forceinline=True, **SETTINGS)(function)


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array as the one kind that a function is compiled for: in order, not written to."""
    view = np.require(array, requirements=["C", "A"]).view()
    view.flags.writeable = False
    return view


def each(work: Callable[[slice], None], count: int) -> None:
    """Work through items (count,) in parts, one for each thread that Numba may use."""
    threads = min(count, int(numba.config.NUMBA_NUM_THREADS))
    if threads < 2:
        work(slice(0, count))
        return
    bounds = [count * i // threads for i in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, map(slice, bounds[:-1], bounds[1:])))
