"""The judge: compares a recording with each check of a case."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ligament.conformance.measures import Scene, measure
from ligament.conformance.recordings import Recording
from ligament.conformance.rotations import Floats, angle_between

TIME_SLACK = 1e-3
"""Time [s] before the last judged time at which a recording may end."""

Outcome = Literal["pass", "fail", "not run"]


@dataclasses.dataclass(frozen=True)
class Finding:
    """A check's result: whether it holds, how far it is off, and its worst deviation in words."""

    holds: bool
    deviation: float
    message: str
    curve: Floats | None = None


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A case's result; `reason` says why it was not run, or why there was no recording.

    A case whose recording fails keeps it.
    """

    case: Mapping[str, Any]
    outcome: Outcome
    findings: Sequence[Finding] = ()
    reason: str = ""
    recording: Recording | None = None

    @property
    def message(self) -> str:
        """The reason, or the message of the first check that does not hold."""
        return self.reason or next((f.message for f in self.findings if not f.holds), "")


def judge(case: Mapping[str, Any], document: Mapping[str, Any], recording: Recording) -> Verdict:
    """Judge a recording of a case's file."""
    last = max((end(check) for check in case["checks"]), default=0.0)
    if recording.times[-1] < last - TIME_SLACK:
        reason = f"the recording ends at {recording.times[-1]:.3g} s, before {last:.3g} s"
        return Verdict(case, "fail", reason=reason)
    missing = [node for node in case["run"]["record"] if node not in recording.translation]
    fixed = _fixed(document)
    if any(node not in fixed for node in missing):
        return Verdict(case, "fail", reason=f"no poses of nodes {missing}")
    scene = Scene(document, recording)
    with np.errstate(all="ignore"):  # beyond numbers is beyond the tolerance
        findings = [_finding(check, scene) for check in case["checks"]]
    holds = all(finding.holds for finding in findings)
    if holds:
        return Verdict(case, "pass", findings)
    return Verdict(case, "fail", findings, recording=recording)


def end(check: Mapping[str, Any]) -> float:
    """Return the last time [s] that a check covers."""
    events = [event["time"] for event in check["expected"]] if is_event(check) else []
    return float(max([*check.get("times", ()), *check.get("window", ()), *events, 0.0]))


def is_event(check: Mapping[str, Any]) -> bool:
    """Tell whether a check is about events of triggers."""
    return bool(check["signal"]["kind"] == "events")


def _fixed(document: Mapping[str, Any]) -> set[int]:
    """Return the nodes that a program need not record: those not moved independently."""
    moving = {
        index
        for index, node in enumerate(document["nodes"])
        if any(_moves(name, content) for name, content in node.get("extensions", {}).items())
    }
    for animation in document.get("animations", ()):
        moving |= {channel["target"].get("node", -1) for channel in animation["channels"]}
    return set(range(len(document["nodes"]))) - moving


def _moves(name: str, content: Mapping[str, Any]) -> bool:
    if name == "VRMC_node_constraint":
        return True
    return "motion" in content or (name == "OMI_physics_body" and content.get("type") == "rigid")


def _finding(check: Mapping[str, Any], scene: Scene) -> Finding:
    if is_event(check):
        return _events(check, scene.recording.events)
    curve = measure(scene, check["signal"])
    if "window" in check:
        return _bounded(check, scene.times, curve)
    return _followed(check, scene.times, curve)


def _followed(check: Mapping[str, Any], times: Floats, curve: Floats) -> Finding:
    expected = np.asarray(check["expected"], float)
    seen = sampled(times, curve, check["times"])
    off = angle_between(seen, expected) if curve.ndim == 2 else np.abs(seen - expected)
    worst = int(np.argmax(off))
    unit = "rad" if curve.ndim == 2 else ""
    message = (
        f"{words(check['signal'])} at {check['times'][worst]:.4g} s is "
        f"{_shown(seen[worst])}, not {_shown(expected[worst])} "
        f"(off by {off[worst]:.3g}{unit and ' ' + unit}, allowed {check['tolerance']:.3g})"
    )
    return Finding(bool(off[worst] <= check["tolerance"]), float(off[worst]), message, curve)


def _bounded(check: Mapping[str, Any], times: Floats, curve: Floats) -> Finding:
    start, stop = check["window"]
    part = curve[(times >= start - TIME_SLACK) & (times <= stop + TIME_SLACK)]
    if not len(part):
        message = f"no frame between {start:.4g} s and {stop:.4g} s"
        return Finding(False, np.inf, message, curve)
    low, high = float(part.min()), float(part.max())
    off, message = -np.inf, ""
    for bound, value, excess, word in (
        ("least", low, check.get("least", -np.inf) - low, "falls to"),
        ("most", high, high - check.get("most", np.inf), "reaches"),
    ):
        if bound in check and excess > off:
            allowed = f"{bound} {check[bound]:.4g}, allowed {check['tolerance']:.3g} beyond"
            off = excess
            message = f"{words(check['signal'])} {word} {_shown(value)} ({allowed})"
    return Finding(bool(off <= check["tolerance"]), max(float(off), 0.0), message, curve)


def _events(check: Mapping[str, Any], reported: Sequence[Mapping[str, Any]]) -> Finding:
    triggers = set(check["signal"]["triggers"])
    seen = reported_events(triggers, reported)
    worst = 0.0
    for event in check["expected"]:
        key = (event["type"], event["trigger"], event["other"])
        same = [one for one in seen if one[:3] == key]
        if not same:
            words_ = f"{key[0]} of node {key[2]} at trigger {key[1]}"
            return Finding(False, np.inf, f"no {words_} near {event['time']:.3g} s")
        nearest = min(same, key=lambda one: abs(one[3] - event["time"]))
        seen.remove(nearest)
        worst = max(worst, abs(nearest[3] - event["time"]))
    if seen:
        kind, trigger, other, time = seen[0]
        message = (
            f"{kind} of node {other} at trigger {trigger} at {time:.3g} s, which is not expected"
        )
        return Finding(False, np.inf, message)
    message = f"an event is {worst:.3g} s off, allowed {check['tolerance']:.3g} s"
    return Finding(worst <= check["tolerance"], worst, message)


def reported_events(
    triggers: Collection[int], reported: Sequence[Mapping[str, Any]]
) -> list[tuple[str, int, int, float]]:
    """Return the events of some triggers: enter or exit, trigger, the other node, time [s]."""
    return [
        (str(event["type"]).removeprefix("trigger_"), event["trigger"], other, event["time"])
        for event in reported
        if event.get("trigger") in triggers
        for other in [event["collider"] if event.get("body") is None else event["body"]]
    ]


def sampled(times: Floats, curve: Floats, wanted: Sequence[float]) -> Floats:
    """Return a curve at some times: numbers interpolated linearly, vectors of the nearest frame."""
    if curve.ndim == 1:
        return np.interp(wanted, times, curve)
    near = [int(np.argmin(np.abs(times - time))) for time in wanted]
    return curve[near]


def words(signal: Mapping[str, Any]) -> str:
    """Name a signal in a message."""
    axis = signal.get("axis") or signal.get("axes")
    where = f" node {signal['node']}"
    return str(signal["kind"]).replace("_", " ") + where + (f" along {axis}" if axis else "")


def _shown(value: Any) -> str:
    if np.ndim(value):
        return "[" + ", ".join(f"{float(item):.4f}" for item in value) + "]"
    return f"{round(float(value), 6) + 0.0:.6g}"
