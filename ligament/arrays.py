"""Array types that signatures name."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ligament.arguments import ARRAY

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

Array: TypeAlias = Annotated[Any, ARRAY]
"""An array of any library on any device, or a nested list that NumPy can convert."""
