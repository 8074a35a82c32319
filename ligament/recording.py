"""What was seen while a document was played."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Recording:
    """Poses over time; frame 0 is the start.

    `times` (F,) [s]; `local_nodes` (M,) are all nodes that animation or constraints moved, with
    their local `local_translation` (F, M, 3) [m], `local_rotation` (F, M, 4) xyzw and
    `local_scale` (F, M, 3).
    """

    times: Floats
    local_nodes: npt.NDArray[np.int64]
    local_translation: Floats
    local_rotation: Floats
    local_scale: Floats
