"""Comparison of two recordings: where, when and how far they diverge, and whether it matters.

Bodies diverge when their distance or angle first exceeds a tolerance. If a third recording, from a
minimally displaced start, diverges from the first as well, the difference says nothing about what
was compared: it is chaos.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Bools, Floats, Ints
from ligament.comparison.differences import (
    BodyDifference,
    Difference,
    EventDifference,
    LimitDifference,
    Verdict,
)
from ligament.errors import ContentError, counted
from ligament.options.names import DIFFERENT_ANGLE, DIFFERENT_DELAY, DIFFERENT_DISTANCE
from ligament.physics.events import Event
from ligament.recording import LimitTrack, Recording, load_recording

_SAME_TIME: Final = 1e-6
_CHAOS: Final = 0.1
"""Fraction of a difference that a nudged start must cause for it to be chaos."""

_Bare: TypeAlias = tuple[object, ...]
"""An event without its time."""

D = TypeVar("D", bound=Difference)


class Tolerance(NamedTuple):
    """Tolerances: a distance [m], an angle [rad], a delay of events [s]."""

    distance: float = DIFFERENT_DISTANCE
    angle: float = math.radians(DIFFERENT_ANGLE)
    delay: float = DIFFERENT_DELAY

    def of_limit(self, kind: str | None) -> float:
        """Return the tolerance [m or rad] of a limit's value, the wider where its kind is open."""
        if kind is None:
            return max(self.distance, self.angle)
        return self.distance if kind == "linear" else self.angle


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """Where two recordings differ at their common `times` (F,) [s].

    `bodies` and `limits` are sorted by when they diverge, those that do not come last. `events` are
    those that only one recording has, or that differ in time by more than the tolerance;
    `same_events` is the number of all others. `missing` are the nodes of bodies that one recording
    lacks. `nudge` is the largest displacement [m] of the nudged start from the first, None without
    one.
    """

    times: Floats
    bodies: tuple[BodyDifference, ...]
    limits: tuple[LimitDifference, ...]
    events: tuple[EventDifference, ...]
    same_events: int
    missing: tuple[int, ...]
    tolerance: Tolerance
    nudge: float | None = None

    def __repr__(self) -> str:
        bodies = f"{len(self.parted)} of {counted(len(self.bodies), 'body', 'bodies')} part"
        length = f"{self.times[-1]:g} s" if len(self.times) else "nothing"
        return f"<ligament.Comparison of {length}: {self.verdict}, {bodies}>"

    @property
    def parted(self) -> tuple[BodyDifference, ...]:
        """The bodies that diverge."""
        return tuple(body for body in self.bodies if body.parts_at is not None)

    @property
    def verdict(self) -> Verdict:
        """The worst of all verdicts; a body that one recording lacks counts as different."""
        everything: tuple[Difference, ...] = (*self.bodies, *self.limits, *self.events)
        found = {each.verdict for each in everything}
        if self.missing or "differs" in found:
            return "differs"
        return "chaos" if "chaos" in found else "same"

    @property
    def is_alike(self) -> bool:
        """Whether nothing differs beyond the tolerances except for chaos."""
        return self.verdict != "differs"


@checked
def compare(
    a: Recording | str | os.PathLike[str],
    b: Recording | str | os.PathLike[str],
    *,
    nudged: Recording | None = None,
    distance: float = DIFFERENT_DISTANCE,
    angle: float = math.radians(DIFFERENT_ANGLE),
    delay: float = DIFFERENT_DELAY,
) -> Comparison:
    """Compare two recordings of one scene, or their files, at their common times.

    `nudged` is `a` played again from a minimally displaced start (`lg.simulate` with `nudge=`):
    differences it causes as well are chaos. `distance` [m], `angle` [rad] and `delay` [s] are the
    tolerances.

    >>> runs = [lg.simulate(doc, engine=name) for name in ("rapier", "mujoco")]
    >>> lg.compare(*runs, nudged=lg.simulate(doc, nudge=1e-9)).verdict
    """
    tolerance = Tolerance(distance, angle, delay)
    for name, value in tolerance._asdict().items():
        if not value > 0:
            raise ContentError(f"the tolerance {name} is {value}", remedy="it must be above 0")
    a, b = (each if isinstance(each, Recording) else load_recording(each) for each in (a, b))
    pair = _Pair.of(a, b)
    noise = None if nudged is None else _noise(a, nudged, tolerance)
    bodies = [_body(pair, node, noise, tolerance) for node in pair.nodes]
    chaotic = {body.node for body in bodies if body.is_chaos}
    events, same = _events(pair, noise, chaotic, delay)
    missing = np.setxor1d(a.nodes, b.nodes).tolist()
    return Comparison(
        times=pair.times,
        bodies=_in_order(bodies),
        limits=_in_order(_limits(pair, noise, tolerance)),
        events=tuple(events),
        same_events=same,
        missing=tuple(missing),
        tolerance=tolerance,
        nudge=None if noise is None else noise.nudge,
    )


def _in_order(found: Iterable[D]) -> tuple[D, ...]:
    return tuple(sorted(found, key=lambda each: (each.parts_at is None, each.parts_at or 0.0)))


class _Pair(NamedTuple):
    """Two recordings, the rows of their common times, and the columns of their bodies."""

    a: Recording
    b: Recording
    rows_a: Ints
    rows_b: Ints
    columns_a: dict[int, int]
    columns_b: dict[int, int]

    @classmethod
    def of(cls, a: Recording, b: Recording) -> _Pair:
        rows = np.searchsorted(b.times, a.times - _SAME_TIME)
        found = rows < len(b.times)
        found[found] = np.abs(b.times[rows[found]] - a.times[found]) <= _SAME_TIME
        if not found.any():
            remedy = "record both at the same rate"
            raise ContentError("the recordings have no time in common", remedy=remedy)
        columns = ({node: i for i, node in enumerate(each.nodes.tolist())} for each in (a, b))
        return cls(a, b, np.flatnonzero(found), rows[found], *columns)

    @property
    def times(self) -> Floats:
        return self.a.times[self.rows_a]

    @property
    def nodes(self) -> list[int]:
        return sorted(self.columns_a.keys() & self.columns_b.keys())

    def deviation(self, node: int) -> tuple[Floats, Floats]:
        """Return the distance (F,) [m] and angle (F,) [rad] between both tracks of a body."""
        mine = (self.rows_a, self.columns_a[node])
        other = (self.rows_b, self.columns_b[node])
        shift = self.a.translation[mine] - self.b.translation[other]
        angle = tf.angle_between(self.a.rotation[mine], self.b.rotation[other])
        return np.linalg.norm(shift, axis=1), np.asarray(angle)

    def travel(self, node: int) -> float:
        """Return the path length [m] of a body in the first recording."""
        steps = np.diff(self.a.translation[self.rows_a, self.columns_a[node]], axis=0)
        return float(np.linalg.norm(steps, axis=1).sum())

    def limits(self) -> Iterator[tuple[LimitTrack, LimitTrack, Floats]]:
        """Yield the limits of both recordings at the common times, and their differences (F,)."""
        others = {(track.node, track.index): track for track in self.b.limits}
        for mine in self.a.limits:
            other = others.get((mine.node, mine.index))
            if other is None:
                continue
            a, b = _at(mine, self.rows_a), _at(other, self.rows_b)
            gap = np.abs(a.value - b.value)
            if a.kind == "angular":  # a hinge turned by half a turn reads π or -π
                gap = np.minimum(gap, np.abs(2 * math.pi - gap))
            yield a, b, gap

    def events(self) -> list[EventDifference]:
        """Return all events up to the last common time, matching those of the same kind."""
        until = float(self.times[-1]) + _SAME_TIME
        mine, other = ([e for e in r.events if e.time <= until] for r in (self.a, self.b))
        return list(_paired(mine, other))


class _Noise(NamedTuple):
    """Effects of a nudged start on bodies, limits and events of a recording.

    `bodies` holds the largest distance [m] and angle [rad] and when they exceed the tolerances,
    `limits` the largest difference [m or rad], `events` those that appear, disappear or are late.
    """

    nudge: float
    bodies: dict[int, tuple[float, float, float | None]]
    limits: dict[tuple[int, int], float]
    events: frozenset[_Bare]


def _noise(a: Recording, nudged: Recording, tolerance: Tolerance) -> _Noise:
    pair = _Pair.of(a, nudged)
    bodies, starts = {}, [0.0]
    for node in pair.nodes:
        distance, angle = pair.deviation(node)
        parts_at = _first(pair.times, _is_beyond(distance, angle, tolerance))
        bodies[node] = (float(distance.max()), float(angle.max()), parts_at)
        starts.append(float(distance[0]))
    limits = {(mine.node, mine.index): float(gap.max()) for mine, _, gap in pair.limits()}
    unlike = [each for each in pair.events() if _is_late(each, tolerance.delay)]
    return _Noise(max(starts), bodies, limits, frozenset(_bare(each.event) for each in unlike))


def _body(pair: _Pair, node: int, noise: _Noise | None, tolerance: Tolerance) -> BodyDifference:
    distance, angle = pair.deviation(node)
    beyond = _is_beyond(distance, angle, tolerance)
    parts_at = _first(pair.times, beyond)
    is_chaos, chaos_at = None, None
    if noise is not None and node in noise.bodies:
        far, wide, chaos_at = noise.bodies[node]
        is_chaos = parts_at is not None and (
            far > max(_CHAOS * float(distance.max()), tolerance.distance)
            or wide > max(_CHAOS * float(angle.max()), tolerance.angle)
        )
    return BodyDifference(
        node=node,
        distance=distance,
        angle=angle,
        meets_at=_first(pair.times, np.logical_not(np.logical_or.accumulate(beyond[::-1])[::-1]))
        if parts_at is not None
        else None,
        travel=pair.travel(node),
        parts_at=parts_at,
        is_chaos=is_chaos,
        chaos_at=chaos_at,
    )


def _limits(pair: _Pair, noise: _Noise | None, tolerance: Tolerance) -> Iterator[LimitDifference]:
    for mine, other, gap in pair.limits():
        allowed = tolerance.of_limit(mine.kind or other.kind)
        parts_at = _first(pair.times, ~(gap <= allowed))
        is_chaos = None
        if noise is not None:
            wide = noise.limits.get((mine.node, mine.index), 0.0)
            is_chaos = parts_at is not None and wide > max(_CHAOS * float(gap.max()), allowed)
        yield LimitDifference(a=mine, b=other, gap=gap, parts_at=parts_at, is_chaos=is_chaos)


def _events(
    pair: _Pair, noise: _Noise | None, chaotic: set[int], delay: float
) -> tuple[list[EventDifference], int]:
    """Return the events that differ, in order, and the number of all others."""
    pairs = pair.events()
    late = [each for each in pairs if _is_late(each, delay)]
    if noise is not None:
        late = [
            dataclasses.replace(each, is_chaos=_is_chaotic(each.event, noise, chaotic))
            for each in late
        ]
    late.sort(key=lambda each: each.event.time)
    return late, len(pairs) - len(late)


def _is_chaotic(event: Event, noise: _Noise, chaotic: set[int]) -> bool:
    return _bare(event) in noise.events or bool({event.body, event.other_body} & chaotic)


def _paired(a: Sequence[Event], b: Sequence[Event]) -> Iterator[EventDifference]:
    """Match events of the same kind and parties in order."""
    waiting: dict[_Bare, list[Event]] = defaultdict(list)
    for event in reversed(b):
        waiting[_bare(event)].append(event)
    for event in a:
        same = waiting[_bare(event)]
        yield EventDifference(a=event, b=same.pop() if same else None, parts_at=event.time)
    for event in (event for events in waiting.values() for event in events):
        yield EventDifference(a=None, b=event, parts_at=event.time)


def _bare(event: Event) -> _Bare:
    return event[1:]


def _is_late(found: EventDifference, delay: float) -> bool:
    return found.delay is None or abs(found.delay) > delay


def _is_beyond(distance: Floats, angle: Floats, tolerance: Tolerance) -> Bools:
    """Return when (F,) a body differs; NaN counts as different."""
    return ~((distance <= tolerance.distance) & (angle <= tolerance.angle))


def _first(times: Floats, beyond: Bools) -> float | None:
    rows = np.flatnonzero(beyond)
    return float(times[rows[0]]) if len(rows) else None


def _at(track: LimitTrack, rows: Ints) -> LimitTrack:
    """Return a limit at some of its times."""
    low, high = (
        None if bound is None else bound[rows]
        for bound in (track.moving_minimum, track.moving_maximum)
    )
    return dataclasses.replace(
        track, value=track.value[rows], moving_minimum=low, moving_maximum=high
    )
