"""Two recordings of one scene compared: where and when they part, how far, and whether it matters.

Bodies part where their distance or angle first exceeds a tolerance. Where a third recording, made
from a start that differs by next to nothing, parts from the first as well, the difference says
nothing about what was compared: it is chaos.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.errors import ContentError
from ligament.physics.events import Event
from ligament.recording import LimitTrack, Recording

DISTANCE: Final = 0.01
"""Distance [m] from which on bodies count as apart."""

ANGLE: Final = float(np.radians(1.0))
"""Angle [rad] from which on they do."""

DELAY: Final = 0.05
"""Time [s] between events of the same kind that still count as one event."""

_SAME_TIME: Final = 1e-6
_CHAOS: Final = 0.1
"""Part of a difference that a nudged start has to make for it to be chaos."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class BodyDifference:
    """One body in both recordings: `distance` (F,) [m] and `angle` (F,) [rad] between them.

    `parts_at` [s] is when they first exceed the tolerances, None where they never do. `is_chaos`
    tells that a nudged start makes such a difference too, None where nobody tried.
    """

    node: int
    distance: Floats
    angle: Floats
    parts_at: float | None
    is_chaos: bool | None = None


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class LimitDifference:
    """One joint limit in both: by how much [m or rad] each exceeds its bounds at most.

    `difference` is the largest between their values.
    """

    node: int
    index: int
    kind: Literal["linear", "angular"]
    difference: float
    violations: tuple[float, float]


@dataclasses.dataclass(frozen=True, kw_only=True)
class EventDifference:
    """An event that only one recording has (`a` or `b` is None), or that is late in one."""

    a: Event | None
    b: Event | None

    @property
    def delay(self) -> float | None:
        """How much later [s] it is in the second, None where one has none."""
        return None if self.a is None or self.b is None else self.b.time - self.a.time


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """Where two recordings differ at their common `times` (F,) [s].

    `bodies` are in the order in which they part, those that do not last. `events` are those that
    only one recording has, or that differ in time by more than the tolerance; `same_events` is the
    number of all others. `missing` are the nodes of bodies that one recording lacks.
    """

    times: Floats
    bodies: tuple[BodyDifference, ...]
    limits: tuple[LimitDifference, ...]
    events: tuple[EventDifference, ...]
    same_events: int
    missing: tuple[int, ...]

    @property
    def parted(self) -> tuple[BodyDifference, ...]:
        """The bodies that part."""
        return tuple(body for body in self.bodies if body.parts_at is not None)

    @property
    def is_alike(self) -> bool:
        """Whether nothing differs beyond the tolerances, but for chaos."""
        unlike = [body for body in self.parted if not body.is_chaos]
        return not unlike and not self.missing and (not self.events or bool(self.parted))


def compare(
    a: Recording,
    b: Recording,
    *,
    nudged: Recording | None = None,
    distance: float = DISTANCE,
    angle: float = ANGLE,
    delay: float = DELAY,
) -> Comparison:
    """Compare two recordings of one scene at the times that both have.

    `nudged` is `a` again from a start that was moved by next to nothing: what it does as well is
    chaos. `distance` [m], `angle` [rad] and `delay` [s] are the tolerances.
    """
    for name, value in (("distance", distance), ("angle", angle), ("delay", delay)):
        if not value > 0:
            raise ContentError(f"a tolerance {name} of {value}", remedy="it must be above 0")
    rows_a, rows_b = _common(a.times, b.times)
    if not len(rows_a):
        remedy = "record both at the same rate"
        raise ContentError("the recordings have no time in common", remedy=remedy)
    times = a.times[rows_a]
    until = float(times[-1])
    noise = {} if nudged is None else _noise(a, nudged)
    far = (distance, angle)
    bodies = [
        _body(node, times, _tracks(a, node, rows_a), _tracks(b, node, rows_b), noise, far)
        for node in np.intersect1d(a.nodes, b.nodes).tolist()
    ]
    bodies.sort(key=lambda body: (body.parts_at is None, body.parts_at or 0.0, body.node))
    pairs = list(_matched(_until(a.events, until), _until(b.events, until)))
    late = [pair for pair in pairs if pair.delay is None or abs(pair.delay) > delay]
    return Comparison(
        times=times,
        bodies=tuple(bodies),
        limits=tuple(_limits(a.limits, b.limits, rows_a, rows_b)),
        events=tuple(late),
        same_events=len(pairs) - len(late),
        missing=tuple(np.setxor1d(a.nodes, b.nodes).tolist()),
    )


def _common(a: Floats, b: Floats) -> tuple[Ints, Ints]:
    """Return the rows of the times that both have."""
    rows = np.searchsorted(b, a - _SAME_TIME)
    found = rows < len(b)
    found[found] = np.abs(b[rows[found]] - a[found]) <= _SAME_TIME
    return np.flatnonzero(found), rows[found]


def _tracks(recording: Recording, node: int, rows: Ints) -> tuple[Floats, Floats]:
    column = int(np.flatnonzero(recording.nodes == node)[0])
    return recording.translation[rows, column], recording.rotation[rows, column]


def _apart(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the distance (F,) [m] and angle (F,) [rad] between two tracks of poses."""
    return np.linalg.norm(a[0] - b[0], axis=1), np.asarray(tf.angle_between(a[1], b[1]))


def _noise(a: Recording, nudged: Recording) -> dict[int, tuple[Floats, Floats]]:
    """Return what a nudged start does to each body: the largest distance and angle so far."""
    rows_a, rows_n = _common(a.times, nudged.times)
    found = {}
    for node in np.intersect1d(a.nodes, nudged.nodes).tolist():
        apart = _apart(_tracks(a, node, rows_a), _tracks(nudged, node, rows_n))
        found[node] = (np.maximum.accumulate(apart[0]), np.maximum.accumulate(apart[1]))
    return found


def _body(
    node: int,
    times: Floats,
    a: tuple[Floats, Floats],
    b: tuple[Floats, Floats],
    noise: dict[int, tuple[Floats, Floats]],
    tolerance: tuple[float, float],
) -> BodyDifference:
    distance, angle = _apart(a, b)
    beyond = np.flatnonzero((distance > tolerance[0]) | (angle > tolerance[1]))
    parts_at = float(times[beyond[0]]) if len(beyond) else None
    is_chaos = None
    if node in noise:
        far, wide = (float(track[-1]) for track in noise[node])
        is_chaos = parts_at is not None and (
            far > max(_CHAOS * float(distance.max()), tolerance[0])
            or wide > max(_CHAOS * float(angle.max()), tolerance[1])
        )
    return BodyDifference(
        node=node, distance=distance, angle=angle, parts_at=parts_at, is_chaos=is_chaos
    )


def _limits(
    a: Sequence[LimitTrack], b: Sequence[LimitTrack], rows_a: Ints, rows_b: Ints
) -> Iterator[LimitDifference]:
    others = {(track.node, track.index): track for track in b}
    for track in a:
        other = others.get((track.node, track.index))
        if other is not None and len(rows_a):
            gap = np.abs(track.value[rows_a] - other.value[rows_b]).max()
            worst = (float(track.violation.max()), float(other.violation.max()))
            yield LimitDifference(
                node=track.node,
                index=track.index,
                kind=track.kind,
                difference=float(gap),
                violations=worst,
            )


def _until(events: Sequence[Event], time: float) -> list[Event]:
    return [event for event in events if event.time <= time + _SAME_TIME]


def _matched(a: Sequence[Event], b: Sequence[Event]) -> Iterator[EventDifference]:
    """Pair events of the same kind and parties in their order."""
    waiting: dict[tuple[object, ...], list[Event]] = defaultdict(list)
    for event in reversed(b):
        waiting[event[1:]].append(event)
    for event in a:
        same = waiting[event[1:]]
        yield EventDifference(a=event, b=same.pop() if same else None)
    left = [event for events in waiting.values() for event in events]
    for event in sorted(left, key=lambda each: each.time):
        yield EventDifference(a=None, b=event)
