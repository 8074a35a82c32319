"""Trigger and contact events, counted by body instead of by shape.

An engine reports pairs of shapes. A body of five shapes that slides into a trigger is one event, as
is the first shape that enters a compound trigger. The log therefore counts the pairs of shapes
behind each reported pair:

- a trigger with a body, or with a collider that belongs to no moving body;
- two colliders that touch.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from ligament.arrays import Bools, Floats, Ints
from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.engines import Overlap
from ligament.physics.scene import Body, Scene

_NO_CAUSE: Final = np.iinfo(np.int64).max
_NONE: Final = -1


class EventType(StrEnum):
    """Kinds of events; simultaneous ones are sorted in this order."""

    TRIGGER_ENTER = "trigger_enter"
    TRIGGER_EXIT = "trigger_exit"
    CONTACT_BEGIN = "contact_begin"
    CONTACT_END = "contact_end"


class Event(NamedTuple):
    """An event at a time [s]; all other members are nodes.

    `body` is the motion node of `collider`, None if it is static. `trigger` is None for contacts,
    `other_collider` and `other_body` for triggers. If several colliders of a body enter or leave at
    once, the one with the lowest node is reported.
    """

    time: float
    type: EventType
    trigger: int | None
    collider: int
    body: int | None
    other_collider: int | None = None
    other_body: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the event's members as in its JSON."""
        members = self._asdict()
        if self.trigger is not None:
            del members["other_collider"], members["other_body"]
        return members


class LogState(NamedTuple):
    """State of an event log: pairs of shapes behind each pair, and past events."""

    triggers: dict[int, int]
    contacts: dict[int, int]
    events: int


def occupied_frames(events: Iterable[Event], times: Floats) -> dict[int, Bools]:
    """Return when (F,), at some times [s], each trigger that was ever entered is occupied."""
    counts: dict[int, Ints] = {}
    for event in events:
        if event.trigger is not None:
            gain = 1 if event.type is EventType.TRIGGER_ENTER else -1
            count = counts.setdefault(event.trigger, np.zeros(len(times), np.int64))
            count[np.searchsorted(times, event.time - 1e-9) :] += gain
    return {trigger: count > 0 for trigger, count in counts.items()}


class EventLog:
    """The events of a scene, sorted by time, then type, then nodes."""

    def __init__(self, scene: Scene) -> None:
        self.events: list[Event] = []
        self._scene = scene
        self._triggers = _Tally()
        self._contacts = _Tally()

    @cached_property
    def _cast(self) -> _Cast:
        return _Cast(self._scene)

    def record(self, time: float, overlaps: list[Overlap]) -> None:
        """Record the overlaps that began and ended in the state at a time [s].

        A pair that begins and ends in one call passed through, and gives both events.
        """
        if not overlaps:
            return
        pairs = _Pairs.of(overlaps)
        happened = [*self._at_triggers(time, pairs), *self._at_contacts(time, pairs)]
        self.events.extend(sorted(happened, key=_place))

    def state(self) -> LogState:
        """Return the current overlaps, for `restore`."""
        return LogState(dict(self._triggers.counts), dict(self._contacts.counts), len(self.events))

    def restore(self, state: LogState) -> None:
        """Return to a state of the same scene, dropping later events."""
        self._triggers.counts = dict(state.triggers)
        self._contacts.counts = dict(state.contacts)
        del self.events[state.events :]

    def _at_triggers(self, time: float, pairs: _Pairs) -> Iterator[Event]:
        cast = self._cast
        sensors, others, started = cast.noticed(pairs)
        repeats = cast.trigger_counts[sensors]
        keys = cast.triggers_of(sensors) * cast.parties + np.repeat(cast.party[others], repeats)
        causes = np.repeat(cast.node[others], repeats)
        for change in self._triggers.apply(keys, np.repeat(started, repeats), causes):
            kind = EventType.TRIGGER_ENTER if change.began else EventType.TRIGGER_EXIT
            trigger = cast.trigger_node[change.key // cast.parties]
            yield Event(time, kind, trigger, change.cause, cast.body_of.get(change.cause))

    def _at_contacts(self, time: float, pairs: _Pairs) -> Iterator[Event]:
        cast = self._cast
        solid = np.flatnonzero(~cast.is_sensor[pairs.a] & ~cast.is_sensor[pairs.b])
        ends = np.sort([cast.node[pairs.a[solid]], cast.node[pairs.b[solid]]], axis=0)
        keys = ends[0] * cast.nodes + ends[1]
        for change in self._contacts.apply(keys, pairs.started[solid], ends[0]):
            kind = EventType.CONTACT_BEGIN if change.began else EventType.CONTACT_END
            one, other = divmod(change.key, cast.nodes)
            bodies = cast.body_of.get(one), cast.body_of.get(other)
            yield Event(time, kind, None, one, bodies[0], other, bodies[1])


class _Pairs(NamedTuple):
    """Overlaps as arrays (p,): indices of two colliders, and whether they began to overlap."""

    a: Ints
    b: Ints
    started: Bools

    @classmethod
    def of(cls, overlaps: list[Overlap]) -> _Pairs:
        flat = np.fromiter(itertools.chain.from_iterable(overlaps), np.int64, 4 * len(overlaps))
        a, b, started, _ = flat.reshape(-1, 4).T
        return cls(a, b, started != 0)


class _Cast:
    """Roles in a scene, by index of the collider (C,).

    A `party` enters and leaves as one: a body that can move, or a static collider.
    """

    def __init__(self, scene: Scene) -> None:
        colliders, bodies = scene.colliders, scene.bodies
        self.node = _integers(c.node for c in colliders)
        self.body = _integers(c.body for c in colliders)
        self.is_sensor = np.array([c.is_sensor for c in colliders], bool)
        self.nodes = int(self.node.max(initial=_NONE)) + 1
        self.parties = self.nodes + len(bodies)
        moving = np.array([_moves(body) for body in bodies], bool)
        self.party = np.where(moving[self.body], self.nodes + self.body, self.node)
        self.body_of = {c.node: bodies[c.body].node for c in colliders if _moves(bodies[c.body])}
        self.trigger_node = [trigger.node for trigger in scene.triggers]
        self._list_triggers(scene)

    def _list_triggers(self, scene: Scene) -> None:
        """Concatenate the triggers of all sensors."""
        members = [(s, t) for t, trigger in enumerate(scene.triggers) for s in trigger.colliders]
        members.sort()
        sensors = _integers(sensor for sensor, _ in members)
        self._triggers = _integers(trigger for _, trigger in members)
        self.trigger_counts = np.bincount(sensors, minlength=len(scene.colliders))
        self._first = np.cumsum(self.trigger_counts) - self.trigger_counts

    def noticed(self, pairs: _Pairs) -> tuple[Ints, Ints, Bools]:
        """Return sensors, what they detected, and whether that began.

        Sensors detect neither each other nor their own body.
        """
        a, b, started = pairs
        counts = (self.is_sensor[a] != self.is_sensor[b]) & (self.body[a] != self.body[b])
        a, b, started = a[counts], b[counts], started[counts]
        first = self.is_sensor[a]
        return np.where(first, a, b), np.where(first, b, a), started

    def triggers_of(self, sensors: Ints) -> Ints:
        """Return the triggers that each sensor belongs to, concatenated."""
        repeats = self.trigger_counts[sensors]
        starts = self._first[sensors] - (np.cumsum(repeats) - repeats)
        slots: Ints = np.repeat(starts, repeats) + np.arange(repeats.sum())
        return self._triggers[slots]


class _Change(NamedTuple):
    """A pair that began or ended, and the node that caused it."""

    key: int
    began: bool
    cause: int


class _Tally:
    """Counts of shape pairs behind each reported pair."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}

    def apply(self, keys: Ints, started: Bools, causes: Ints) -> Iterator[_Change]:
        """Count pairs (p,) up where they started and down where not; yield what that changed.

        Only the states before and after matter, so that one shape may take over from another.
        """
        for key, gain, up, down in _grouped(keys, started, causes):
            before = self.counts.get(key, 0)
            after = max(before + gain, 0)
            if after:
                self.counts[key] = after
            else:
                self.counts.pop(key, None)
            began = not before and up != _NO_CAUSE
            if began:
                yield _Change(key, True, up)
            if not after and (before or began):
                yield _Change(key, False, down)


def _grouped(keys: Ints, started: Bools, causes: Ints) -> Iterable[tuple[int, int, int, int]]:
    """Return for each key: starts less ends, and the lowest causes of a start and of an end."""
    if not len(keys):
        return ()
    order = np.argsort(keys, kind="stable")
    keys, started, causes = keys[order], started[order], causes[order]
    heads = np.flatnonzero(np.diff(keys, prepend=_NONE))
    gains = np.add.reduceat(np.where(started, 1, -1), heads)
    ups = np.minimum.reduceat(np.where(started, causes, _NO_CAUSE), heads)
    downs = np.minimum.reduceat(np.where(started, _NO_CAUSE, causes), heads)
    return zip(*(each.tolist() for each in (keys[heads], gains, ups, downs)), strict=True)


_ORDER: Final = {kind: i for i, kind in enumerate(EventType)}


def _place(event: Event) -> tuple[int, int, int, int]:
    """Return the sort key of simultaneous events."""
    trigger = _NONE if event.trigger is None else event.trigger
    other = _NONE if event.other_collider is None else event.other_collider
    return _ORDER[event.type], trigger, event.collider, other


def _moves(body: Body) -> bool:
    """Tell whether the file declares a movable body, as opposed to a static collider."""
    return body.is_declared and body.kind is not MotionKind.STATIC


def _integers(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)
