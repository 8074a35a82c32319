"""State of spring bones between two frames."""

from __future__ import annotations

from typing import NamedTuple

from ligament.transforms.components import Array


class State(NamedTuple):
    """Tails (J, 3, avatars) [m], current and previous, in the space of their centers.

    `seen` are the directions of the bones relative to rest, `length` (J, avatars or 1) [m]. `spent`
    [s] estimates the time of all previous updates without compilation.
    """

    current: Array
    previous: Array
    seen: Array
    length: Array
    spent: float = 0.0
