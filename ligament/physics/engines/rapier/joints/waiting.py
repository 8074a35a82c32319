"""Rows that wait for a rotation, examined once their frames may have rotated that far.

The angular velocities of all joints cost a few array operations per step; examining any of their
rows costs a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ligament.arrays import Bools, Floats, Indices


class Rotations:
    """Rotations `left` (k, n) [rad] that n rows wait for, each due `ahead` (k,) steps before it.

    `slots` (n,) are the joints of the rows.
    """

    def __init__(self, ahead: Sequence[float], slots: Indices) -> None:
        self.ahead, self.slots = ahead, slots
        self.left: Floats = np.zeros((len(ahead), len(slots)))
        self.near: Bools = np.ones(self.left.shape, dtype=bool)

    @property
    def is_due(self) -> Bools:
        """The rows (n,) that were due in the last step."""
        return np.asarray(np.logical_or.reduce(self.near))


class Waiting:
    """All rotations that rows of a scene wait for, in one array."""

    def __init__(self, rotations: Sequence[Rotations]) -> None:
        self._slots = np.concatenate([np.tile(r.slots, len(r.ahead)) for r in rotations])
        self._ahead = np.concatenate([np.repeat(r.ahead, len(r.slots)) for r in rotations])
        self._left, self._near = np.zeros(len(self._slots)), np.ones(len(self._slots), dtype=bool)
        start = 0
        for each in rotations:
            part, shape = slice(start, start + each.left.size), each.left.shape
            each.left, each.near = self._left[part].reshape(shape), self._near[part].reshape(shape)
            start += each.left.size

    def pass_step(self, turns: Floats) -> bool:
        """Subtract the joints' rotations (J,) [rad] in a step; return whether rows are due."""
        turn = turns.take(self._slots)
        self._left -= turn
        turn *= self._ahead
        np.less_equal(self._left, turn, out=self._near)
        return bool(np.logical_or.reduce(self._near))
