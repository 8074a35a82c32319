"""A comparison as text for people and as plain JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from ligament.comparison.comparison import Comparison
from ligament.comparison.differences import (
    BodyDifference,
    Difference,
    EventDifference,
    LimitDifference,
    Verdict,
)
from ligament.physics.events import Event
from ligament.text import Line, Table, plain

MOST_LISTED = 40
"""Most lines of one table; JSON has all."""

Names = Sequence[str | None]
Titles = tuple[str, str]


def label(node: int, names: Names) -> str:
    """Name a node for people."""
    name = names[node] if 0 <= node < len(names) else None
    return f"node {node}" if not name else f"{plain(name)} (node {node})"


def lines(found: Comparison, titles: Titles, names: Names) -> Iterator[Line]:
    """Yield tables of differences, and a summary."""
    yield f"A: {plain(titles[0])}"
    yield f"B: {plain(titles[1])}"
    yield from _table(
        ("body", "differs", "by", "of its path", "verdict"),
        [_body_row(body, names) for body in found.parted],
    )
    yield from _table(
        ("joint limit", "differs", "by", "beyond its bounds in A, B", "verdict"),
        [_limit_row(limit, names) for limit in found.limits if limit.parts_at is not None],
    )
    yield from _table(
        ("event", "in A", "in B", "verdict"), [_event_row(event, names) for event in found.events]
    )
    for node in found.missing:
        yield f"{label(node, names)}: a body in only one of them"
    yield from _summary(found)


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[Line]:
    if rows:
        yield ""
        yield Table(heads, rows[:MOST_LISTED])
    if len(rows) > MOST_LISTED:
        yield f"{len(rows) - MOST_LISTED} more"


def _body_row(body: BodyDifference, names: Names) -> tuple[str, ...]:
    distance, angle = float(body.distance.max()), math.degrees(float(body.angle.max()))
    share = f"{100 * distance / body.travel:.2g} %" if body.travel > 0 else "-"
    verdict: str = body.verdict
    if body.is_chaos:
        nudged = "" if body.chaos_at is None else f", nudged from {body.chaos_at:.3f} s"
        verdict = f"chaos{nudged}"
    return label(body.node, names), _span(body), f"{distance:.3g} m, {angle:.3g}°", share, verdict


def _span(body: BodyDifference) -> str:
    until = "on" if body.meets_at is None else f"to {body.meets_at:.3f} s"
    return f"from {body.parts_at:.3f} s {until}"


def _limit_row(limit: LimitDifference, names: Names) -> tuple[str, ...]:
    a, b = limit.violations
    name = f"{label(limit.node, names)}, limit {limit.index}"
    when = f"from {limit.parts_at:.3f} s on"
    beyond = f"{_amount(a, limit.kind)}, {_amount(b, limit.kind)}"
    return name, when, _amount(limit.difference, limit.kind), beyond, limit.verdict


def _amount(value: float, kind: str | None) -> str:
    if kind == "angular":
        return f"{math.degrees(value):.3g}°"
    return f"{value:.3g} m" if kind == "linear" else f"{value:.3g} m or rad"


def _event_row(found: EventDifference, names: Names) -> tuple[str, ...]:
    event = found.event
    other = event.other_collider if event.trigger is None else event.trigger
    parties = f"{label(event.collider, names)}, {label(other or 0, names)}"
    times = ["-" if each is None else f"{each.time:.3f} s" for each in (found.a, found.b)]
    return f"{event.type}: {parties}", *times, found.verdict


def _summary(found: Comparison) -> Iterator[str]:
    yield ""
    if found.nudge is not None:
        yield f"nudged by up to {found.nudge:.3g} m: differences that this causes too are chaos"
    else:
        yield "not nudged, so chaos cannot be recognised"
    end = float(found.times[-1])
    counts = [
        _counted(found.bodies, "body", "bodies"),
        _counted(found.limits, "joint limit", "joint limits"),
    ]
    events = len(found.events)
    yield f"{'; '.join(counts)}; events: {found.same_events} same, {events} not; in {end:g} s"
    yield found.verdict


def _counted(parts: Sequence[Difference], one: str, many: str) -> str:
    verdicts = [part.verdict for part in parts]
    counts = [f"{verdicts.count(v)} {v}" for v in get_args(Verdict) if v in verdicts]
    return f"{len(parts)} {one if len(parts) == 1 else many}: {', '.join(counts) or 'none'}"


def data(found: Comparison, titles: Titles, names: Names) -> dict[str, Any]:
    """Return a comparison as plain JSON."""

    def name(node: int) -> str | None:
        return names[node] if 0 <= node < len(names) else None

    return {
        "a": titles[0],
        "b": titles[1],
        "verdict": found.verdict,
        "same": found.is_alike,
        "seconds": float(found.times[-1]),
        "frames": len(found.times),
        "nudge": found.nudge,
        "tolerance": found.tolerance._asdict(),
        "bodies": [{"node": b.node, "name": name(b.node), **_plain_body(b)} for b in found.bodies],
        "limits": [{"node": m.node, "name": name(m.node), **_plain_limit(m)} for m in found.limits],
        "events": [_plain_event(event) for event in found.events],
        "same_events": found.same_events,
        "missing": [{"node": node, "name": name(node)} for node in found.missing],
    }


def _plain_body(body: BodyDifference) -> dict[str, Any]:
    return {
        "verdict": body.verdict,
        "parts_at": body.parts_at,
        "meets_at": body.meets_at,
        "distance": _finite(body.distance.max()),
        "angle": _finite(body.angle.max()),
        "distance_at_end": _finite(body.distance[-1]),
        "angle_at_end": _finite(body.angle[-1]),
        "travel": _finite(body.travel),
        "chaos_at": body.chaos_at,
    }


def _plain_limit(limit: LimitDifference) -> dict[str, Any]:
    return {
        "index": limit.index,
        "kind": limit.kind,
        "verdict": limit.verdict,
        "parts_at": limit.parts_at,
        "difference": _finite(limit.difference),
        "violations": [_finite(value) for value in limit.violations],
    }


def _plain_event(found: EventDifference) -> dict[str, Any]:
    def members(event: Event | None) -> dict[str, Any] | None:
        return None if event is None else event.to_dict()

    return {
        "verdict": found.verdict,
        "delay": found.delay,
        "a": members(found.a),
        "b": members(found.b),
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
