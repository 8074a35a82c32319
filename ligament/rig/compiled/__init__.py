"""Loops on NumPy arrays, compiled by Numba if it is installed (`ligament[numba]`).

They repeat formulas that other modules implement for arrays of any library, and agree with them to
rounding. Importing Numba and loading a compiled loop takes about a second; compiling it for the
first time on a machine takes longer, after which it is cached next to the module or, if that folder
is not writable, in the user's cache (Numba's `NUMBA_CACHE_DIR` names another). So compiled loops
are used only if the work would otherwise take about as long. The amount of work alone decides, so
that the same call always gives the same bytes.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

WORTH = 0.5
"""Estimated time [s] of the work without compilation above which compiled loops are used."""


@cache
def is_installed() -> bool:
    """Tell whether Numba is installed, without importing it."""
    return find_spec("numba") is not None
