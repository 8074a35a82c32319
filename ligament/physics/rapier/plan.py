"""What a joint asks of the engine: locks and ranges that it knows, rows that we aim ourselves.

The engine measures some limits exactly on its own (`Part`): locked axes, a coordinate between two
bounds, distances and cones with an upper bound, the angle of a hinge. Everything else becomes a
`Row`: one degree of freedom whose direction is the gradient of the limit's metric and which is
turned along as the bodies move.

Axes of the engine are numbered 0 to 2 (along X, Y, Z) and 3 to 5 (about them).
"""

from __future__ import annotations

import dataclasses
from enum import IntEnum
from typing import TypeAlias

from ligament.extensions.declarations import Limit

WINDOW = 8.0
"""Width [m] at first given to a range with one bound (see `Role.WINDOW`)."""


Turn: TypeAlias = tuple[float, float, float, float]
NO_TURN: Turn = (0.0, 0.0, 0.0, 1.0)


class Role(IntEnum):
    """What a row is for."""

    LANDING = 0
    """The engine holds the limit; we see that it is reached without passing it."""

    HARD = 1
    """A limit that the engine does not know."""

    SOFT = 2
    """A limit with a spring and damper beyond it."""

    DRIVE = 3
    """A spring and damper, or motor, that always acts."""

    TOTAL = 4
    """The angle of the whole rotation, held by cones around axes across that of the rotation."""

    ROD = 5
    """A least or fixed distance."""

    WINDOW = 6
    """The open side of a range, which the engine must be shown some end of."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """One degree of freedom that needs attention before a step.

    `limit` says what is measured; `drive` is the index of a drive of the joint. `part` is the
    part that holds the same limit (role LANDING), `engine_axis` the axis of a frame that never
    needs aiming: linear rows, and twist where nothing else can turn.
    """

    role: Role
    limit: Limit
    drive: int | None = None
    part: int | None = None
    engine_axis: int | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Part:
    """One joint of the engine, with frame A moved by `shift` (3,) [m] and `turn` (4,) in itself.

    `ranges` are bounds per axis. Axes in `coupled` share one distance or cone, whose bounds stand
    at the lowest of them.
    """

    locked: frozenset[int] = frozenset()
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: Turn = NO_TURN
    ranges: tuple[tuple[int, float, float], ...] = ()
    coupled: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Plan:
    """All that a joint becomes; the first part holds the locks."""

    parts: tuple[Part, ...]
    rows: tuple[Row, ...]

    @property
    def locked(self) -> frozenset[int]:
        """All axes that are locked, whatever the value."""
        return frozenset().union(*(part.locked for part in self.parts))

    @property
    def locks_aside(self) -> bool:
        """Whether an axis is locked at another value than zero."""
        return any(
            part.turn != NO_TURN or any(part.shift[i] for i in part.locked if i < 3)
            for part in self.parts
        )
