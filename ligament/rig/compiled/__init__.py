"""Loops on NumPy arrays, compiled by Numba if it is installed (`ligament[numba]`).

They repeat formulas that other modules implement for arrays of any library. Importing Numba and
loading a compiled loop takes about a second; compiling it for the first time on a machine takes
longer, after which it is cached next to the module or, if that folder is not writable, in the
user's cache (Numba's `NUMBA_CACHE_DIR` names another). So compiled loops are used only if the work
would otherwise take about as long. The same call always gives the same bytes:

- Compiled spring bones agree with the arrays to rounding; the amount of work of a call alone
  decides.
- Compiled interpolation has the bits of the arrays, so that work may add up over calls
  (`DeferredLoops`).
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

COMPILE_THRESHOLD = 0.5
"""Estimated time [s] of the work without compilation above which compiled loops are used."""


@cache
def works() -> bool:
    """Import Numba if it is installed; tell whether that succeeds and it is not disabled."""
    if find_spec("numba") is None or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    try:
        import_module("numba")
    except ImportError:  # NumPy is too new for it, say
        return False
    return True


class DeferredLoops:
    """A module of compiled loops, loaded once the work of all calls without them is worth it.

    Only for loops with the bits of what they replace: calls before and after give the same.
    """

    def __init__(self, name: str, worth: float = COMPILE_THRESHOLD) -> None:
        """Name a module of this package; `worth` is the estimated time [s] from which to load."""
        self._name, self._left = f"{__name__}.{name}", worth
        self._loops: ModuleType | None = None

    def after(self, seconds: float) -> ModuleType | None:
        """Return the loops if they are loaded, given the time [s] that this call takes without."""
        if self._loops is None:
            self._left -= seconds
            if self._left <= 0:
                return self.load()
        return self._loops

    def load(self) -> ModuleType | None:
        """Load the loops; return None if Numba is not installed, does not work or is disabled."""
        if self._loops is None and works():
            self._loops = import_module(self._name)
        return self._loops
