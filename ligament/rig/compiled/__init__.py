"""Loops compiled by Numba, where that is installed (`ligament[numba]`), for NumPy arrays.

They repeat formulas that other modules have for the arrays of all libraries, and their results
agree to rounding. Importing Numba and loading a compiled loop takes about a second; compiling it
the first time on a machine takes some more, after which it is kept beside the module or, where that
folder cannot be written to, in the user's cache (Numba's `NUMBA_CACHE_DIR` names another). So
loops are compiled where the work would otherwise take about as long. The work alone decides, so
that the same call always gives the same bytes.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

WORTH = 0.5
"""Compiled loops are used for work that is estimated to take at least as long [s] without."""


@cache
def is_installed() -> bool:
    """Tell whether Numba is installed; it is not imported for that."""
    return find_spec("numba") is not None
