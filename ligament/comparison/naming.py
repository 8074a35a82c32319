"""Common numbering of nodes for recordings of two different documents, by name."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from ligament.physics.events import Event
from ligament.recording import LimitTrack, Recording

Names = Sequence[str | None]


def same_nodes(a: Names, b: Names) -> dict[int, int]:
    """Return the node of `a` with the same name for each node of `b`, or a number beyond `a`.

    Nodes with the same name, or without one, are matched in order. Node i of `b` that `a` lacks
    becomes len(a) + i.
    """
    waiting: dict[str | None, list[int]] = defaultdict(list)
    for node in reversed(range(len(a))):
        waiting[a[node]].append(node)
    return {
        node: waiting[name].pop() if waiting[name] else len(a) + node for node, name in enumerate(b)
    }


def renumbered(recording: Recording, numbers: Mapping[int, int]) -> Recording:
    """Return a recording with other node numbers."""
    return dataclasses.replace(
        recording,
        nodes=np.array([numbers[node] for node in recording.nodes.tolist()], np.int64),
        events=tuple(_event(event, numbers) for event in recording.events),
        find_limits=lambda: tuple(_limit(track, numbers) for track in recording.limits),
    )


def _event(event: Event, numbers: Mapping[int, int]) -> Event:
    def new(node: int | None) -> int | None:
        return None if node is None else numbers[node]

    return event._replace(
        trigger=new(event.trigger),
        collider=numbers[event.collider],
        body=new(event.body),
        other_collider=new(event.other_collider),
        other_body=new(event.other_body),
    )


def _limit(track: LimitTrack, numbers: Mapping[int, int]) -> LimitTrack:
    return dataclasses.replace(track, node=numbers[track.node])
