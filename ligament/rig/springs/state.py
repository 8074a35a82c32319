"""The state of spring bones between two frames."""

from __future__ import annotations

from typing import NamedTuple

from ligament.transforms.components import Array


class State(NamedTuple):
    """Tails (J, 3, avatars) [m] now and one update before, in the space of their centers.

    `seen` are the directions of the bones as seen from rest, `length` (J, avatars or 1) [m].
    `spent` [s] estimates the time of all updates before, had none been compiled.
    """

    current: Array
    previous: Array
    seen: Array
    length: Array
    spent: float = 0.0
