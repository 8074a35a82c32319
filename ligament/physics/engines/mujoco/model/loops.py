"""Loops: which joints belong into a tree, and which close a loop best."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Final

from ligament.physics.freedom import Freedom

HINGE_LOCKS: Final = 5
"""Locked axes of a joint with a single free one."""


class Closure(IntEnum):
    """How a joint closes a loop, from the one that most needs a tree to the one that least does.

    A carrier is a light body that has the joint, and is welded to the other side: springs and
    drives act on it, and MuJoCo adds their forces before it solves the weld.
    """

    FORCED = 0
    """A carrier with springs or drives."""
    CARRIED = 1
    """A carrier, as MuJoCo has no equality for the bounds or the free axes."""
    AXIS = 2
    """Two points of an axis are held together."""
    FRAME = 3
    """A point is held, or the whole pose."""


def closure_of(freedom: Freedom) -> Closure:
    """Return how a joint with a freedom closes a loop."""
    if freedom.is_weld or freedom.is_connection:
        return Closure.FRAME
    if freedom.drives or any(math.isfinite(bound.stiffness) for bound in freedom.bounds):
        return Closure.FORCED
    is_hinge = len(freedom.locks) == HINGE_LOCKS and freedom.hinge is not None
    return Closure.AXIS if is_hinge and not freedom.bounds else Closure.CARRIED
