"""Values of one moment in all worlds, as rewards and ends of episodes see them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ligament.arrays import Bools, Floats

if TYPE_CHECKING:
    from ligament.worlds import Worlds

RESERVED = ("action", "time", "pi")
"""Names in expressions that are no observations."""


@dataclasses.dataclass(frozen=True, eq=False)
class Values:
    """Values after a step: `values["angle"]` are those of an observation by its name.

    They have shape (W,) where the observation is one number, else (W, n). `action` (W, A) are the
    actions of the step, `time` (W,) [s] is that since the start of the episode, and `failed` (W,)
    tells worlds that stopped being finite. `worlds` is everything else.
    """

    named: Mapping[str, Floats]
    action: Floats
    time: Floats
    failed: Bools
    worlds: Worlds

    def __getitem__(self, name: str) -> Floats:
        return self.named[name]
