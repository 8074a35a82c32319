"""Values of all worlds after a step, as rewards and terminations see them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ligament.arrays import Bools, Floats

if TYPE_CHECKING:
    from ligament.worlds import Worlds

RESERVED = ("action", "time", "pi")
"""Names in expressions that are not observations."""


@dataclasses.dataclass(frozen=True, eq=False)
class Values:
    """Values after a step: `values["angle"]` are those of an observation by its name.

    They have shape (W,) if the observation is one number, else (W, n). `action` (W, A) are the
    actions of the step, `time` (W,) [s] is the time since the start of the episode, and `failed`
    (W,) marks worlds that became non-finite. `worlds` gives access to everything else.
    """

    named: Mapping[str, Floats]
    action: Floats
    time: Floats
    failed: Bools
    worlds: Worlds

    def __getitem__(self, name: str) -> Floats:
        return self.named[name]
