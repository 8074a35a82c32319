"""Array types that signatures name."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

ARRAY = "array"
"""Marker of annotations that accept arrays of any library."""

Array: TypeAlias = Annotated[Any, ARRAY]
"""An array of any library on any device, or a nested list that NumPy can convert."""
