"""Differences between two recordings: of a body, a joint limit or an event."""

from __future__ import annotations

import dataclasses
from typing import Literal, TypeAlias

from ligament.arrays import Floats
from ligament.physics.events import Event
from ligament.recording import LimitTrack

Verdict: TypeAlias = Literal["same", "chaos", "differs"]


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Difference:
    """One difference between two recordings, and when they diverge [s], if they do.

    `is_chaos` tells whether a nudged start causes such a difference too, None if untested.
    """

    parts_at: float | None
    is_chaos: bool | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether it matters: "same" and "chaos" do not."""
        if self.parts_at is None:
            return "same"
        return "chaos" if self.is_chaos else "differs"


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class BodyDifference(Difference):
    """One body in both recordings: `distance` (F,) [m] and `angle` (F,) [rad] between them.

    They differ until `meets_at` [s], None if to the end. `travel` [m] is its path length in the
    first. `chaos_at` [s] is when a nudged start alone exceeds the tolerances.
    """

    node: int
    distance: Floats
    angle: Floats
    meets_at: float | None = None
    travel: float = 0.0
    chaos_at: float | None = None


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class LimitDifference(Difference):
    """One joint limit in both: its values at the common times, and their difference [m or rad].

    `kind` is None if a recording's file does not say.
    """

    a: LimitTrack
    b: LimitTrack
    gap: Floats

    @property
    def node(self) -> int:
        """The joint's node."""
        return self.a.node

    @property
    def index(self) -> int:
        """The limit's place in the joint."""
        return self.a.index

    @property
    def kind(self) -> Literal["linear", "angular"] | None:
        """Whether values are in metres or radians."""
        return self.a.kind or self.b.kind

    @property
    def difference(self) -> float:
        """The largest difference between their values [m or rad]."""
        return float(self.gap.max(initial=0.0))

    @property
    def violations(self) -> tuple[float, float]:
        """The largest violation [m or rad] of the bounds in each."""
        first, second = (float(track.violation.max(initial=0.0)) for track in (self.a, self.b))
        return first, second


@dataclasses.dataclass(frozen=True, kw_only=True)
class EventDifference(Difference):
    """An event that only one recording has (`a` or `b` is None), or that is late in one."""

    a: Event | None
    b: Event | None

    @property
    def event(self) -> Event:
        """The event, in the first recording that has it."""
        found = self.a or self.b
        assert found is not None
        return found

    @property
    def delay(self) -> float | None:
        """How much later [s] it is in the second, None if one lacks it."""
        return None if self.a is None or self.b is None else self.b.time - self.a.time
