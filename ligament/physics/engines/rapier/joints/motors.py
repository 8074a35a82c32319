"""How the engine's motors stand for springs: in which form, and with what damping.

The engine's springs are implicit, and brake by h·k more than they should (h being its substep).
That much is taken off again as long as the spring is soft enough for the substep.

A motor acts on one row, and the engine solves it apart from the locks of the joint. Where a body
hangs on a long arm, the two would need many passes to agree: a couple would turn the light body
first, and the locks drag its mass along later. Such motors push along a line through which the
locks have least to do.

A distance or angle that is pulled to zero by a firm spring is pulled along all of its axes. The
force is the same, k times the way to the centre; only damping acts sideways as well. A body that
turns when it is pushed off its centre would mix the axes; it keeps to the direction there is.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

from ligament.arrays import Floats
from ligament.physics.engines.rapier.joints.effective_mass import Yielding

SOFT: Final = (0.1, 0.5)
"""h²k/m up to which a spring is made free of the engine's damping, and where that has faded."""

CALMING: Final = 8.0
"""How many times the engine's own damping the spring of a distance gets on top where it is too
stiff for the substep.

What it has been stretched by since the last substep such a spring would take back at once, with a
blow, and bodies that turn meanwhile gain by that. So it takes back a tenth. Rest is not affected.
"""

_LEAST: Final = 2e-3
"""Part of the engine's own damping that stays in any case: without any it has no spring."""

FIRM: Final = 0.1
"""h²k/m, with the whole step, from which on a spring holds its place as a lock does.

What is left of a distance or angle is then smaller than the way of a step, and has no direction
that would still be the same in the next one.
"""

DISAGREEMENT: Final = (1e-3, 1e-5)
"""How much of a motor's force may be missing after the passes of a substep, and of a firm one's.

What is missing shows as a deflection of its own, however stiff the spring is.
"""


class Form(IntEnum):
    """How the engine applies a spring."""

    FIXED = 0
    """Along or about an axis of the joint's own frames, which never changes."""

    ABOUT = 1
    """About the gradient of the metric."""

    LINE = 2
    """Along the line through which the locks of the joint have least to do."""

    CENTER = 3
    """Along or about all of its axes, towards a centre that it hardly leaves."""


def engine_damping(
    stiffness: Floats,
    damping: Floats,
    mass: Floats,
    substep: Floats,
    calming: Floats | float = 0.0,
) -> Floats:
    """Return the damping to ask of the engine so that a spring has the given one.

    Springs that are too stiff for the substep have `calming` times the engine's own on top.
    """
    own = substep * stiffness
    ratio = np.where(stiffness > 0, substep * own / mass, 0.0)
    share = np.clip((SOFT[1] - ratio) / (SOFT[1] - SOFT[0]), -np.asarray(calming), 1.0)
    return np.maximum(damping - share * own, (_LEAST - 1) * own)


def disagreement(
    stiffness: Floats, damping: Floats, given: Yielding, substep: Floats, passes: int
) -> Floats:
    """Return what part of a motor's force is missing after the passes of a substep.

    Each pass leaves that part by which the row by itself is lighter than with its locks, less
    what the softness of the spring hides of the difference.
    """
    own = engine_damping(stiffness, damping, given.mass, substep)
    softness = 1 / (substep * (own + substep * stiffness))
    left = 1 - (1 / given.mass + softness) / (1 / given.alone + softness)
    return np.asarray(np.nan_to_num(left) ** passes)
