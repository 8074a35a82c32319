"""Cases: a sentence of a specification, the file that tests it, the run and the checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ligament.conformance import reference
from ligament.conformance.assets import Asset
from ligament.conformance.expressions import evaluate, is_rational, uses

Tier: TypeAlias = Literal["must", "should", "decision"]
Signal: TypeAlias = dict[str, Any]

RATE: Final = 60
"""Frames per second that a program is asked for [Hz]."""

GRAVITY: Final = (0.0, -9.81, 0.0)
"""Gravity of every case [m/s²]: the files do not mention it."""

DIGITS: Final = 10
"""Significant digits of expected values: fewer than two mathematical libraries agree on."""

PLACES: Final = 12
"""Decimal places of expected values: smaller differences are rounding noise."""

LEAST_ERROR: Final = 1e-9
"""Smallest stated error of an integration: below it rounding matters as well."""


@dataclasses.dataclass(frozen=True)
class Source:
    """The source of a sentence: a document and its section."""

    document: str
    section: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Check:
    """One quantity: a signal of the recording and its expected values or bounds.

    `expected` are values at `times` [s]; or `least` and `most` bound the signal in `window` [s];
    or, for events, `expected` lists all that the triggers of the signal must report.
    """

    signal: Signal
    derivation: dict[str, Any]
    tolerance: float
    times: tuple[float, ...] = ()
    expected: Any = None
    window: tuple[float, float] | None = None
    least: float | None = None
    most: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain JSON, without members that do not apply."""
        found: dict[str, Any] = {"signal": plain(self.signal)}
        if self.window is not None:
            found["window"] = list(self.window)
            bounds = {"least": self.least, "most": self.most}
            found |= {name: value for name, value in bounds.items() if value is not None}
        else:
            found |= {"times": list(self.times)} if self.times else {}
            found["expected"] = self.expected
        return {**found, "tolerance": self.tolerance, "derivation": self.derivation}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """A sentence, the file that is about it, and its checks.

    `name` is unique within its `family`. `decision` says how an ambiguous text is read, in cases
    of that tier. `motion` is a second file, whose humanoid motion is applied to the first.
    """

    family: str
    name: str
    sentence: str
    source: Source
    asset: Asset
    checks: Sequence[Check]
    seconds: float = 1.0
    tier: Tier = "must"
    decision: str | None = None
    motion: Asset | None = None

    @property
    def id(self) -> str:
        """Family and name."""
        return f"{self.family}/{self.name}"

    def to_dict(self) -> dict[str, Any]:
        """Return the description of the case as plain JSON."""
        decided = {"decision": self.decision} if self.decision else {}
        motion = {"motion": f"{self.name}.motion.vrma"} if self.motion else {}
        return {
            "id": self.id,
            "sentence": self.sentence,
            "source": dataclasses.asdict(self.source),
            "tier": self.tier,
            **decided,
            "features": self.asset.features() + (["retargeting"] if self.motion else []),
            "run": {
                "file": f"{self.name}.gltf",
                **motion,
                "seconds": self.seconds,
                "rate": RATE,
                "gravity": list(GRAVITY),
                "record": self.asset.recorded(self.checks),
            },
            "checks": [check.to_dict() for check in self.checks],
        }


def rounded(value: Any) -> Any:
    """Round numbers, or nested lists of them, to the published digits."""
    if np.ndim(value):
        return [rounded(item) for item in np.asarray(value)]
    return float(f"{round(float(value), PLACES):.{DIGITS}g}") + 0.0


def closed_form(text: str, values: Mapping[str, Any], why: str = "") -> dict[str, Any]:
    """Describe an expression as a derivation."""
    kind = "exact rational" if is_rational(text, values) else "closed form"
    reports = {"why": why} if why else {}
    return {"kind": kind, "expression": text, "values": values, **reports}


def plain(value: Any) -> Any:
    """Return values as plain JSON, with fewer digits than two mathematical libraries agree on."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    return float(f"{value:.12g}") + 0.0 if isinstance(value, float) else value


def frames(*times: float) -> tuple[float, ...]:
    """Return the times [s] of the frames nearest to some times."""
    return tuple(round(time * RATE) / RATE for time in times)


def at(
    signal: Signal,
    times: float | Sequence[float],
    text: str,
    tolerance: float,
    why: str = "",
    /,
    **values: Any,
) -> Check:
    """Expect a closed form at some times [s]: a number, or a rotation for signals of rotations."""
    when = frames(*([times] if isinstance(times, int | float) else times))
    values = plain(values)
    timed = [{"t": time} if uses(text, "t") else {} for time in when]
    expected = [rounded(evaluate(text, values | time)) for time in timed]
    return Check(
        signal=signal,
        times=when,
        expected=expected,
        tolerance=tolerance,
        derivation=closed_form(text, values, why),
    )


def integrated(
    signal: Signal, times: Sequence[float], model: str, tolerance: float, /, **values: Any
) -> Check:
    """Expect the values of a reference model at some times [s]."""
    when, values = frames(*times), plain(values)
    study = reference.study(model, when, values)
    derivation = {
        "kind": "reference integration",
        "model": model,
        "values": values,
        "method": study.method,
        "step": study.step,
        "error": float(f"{max(study.error, LEAST_ERROR):.1g}") if study.error else 0.0,
    }
    return Check(
        signal=signal,
        times=when,
        expected=rounded(study.values),
        tolerance=tolerance,
        derivation=derivation,
    )


def within(
    signal: Signal,
    window: tuple[float, float],
    tolerance: float,
    *,
    least: str | None = None,
    most: str | None = None,
    why: str = "",
    **values: Any,
) -> Check:
    """Expect a signal to stay within closed forms during a window [s]."""
    bounds = {name: text for name, text in (("least", least), ("most", most)) if text is not None}
    values = plain(values)
    found = {name: rounded(evaluate(text, values)) for name, text in bounds.items()}
    derivation = {"kind": "closed form", "expressions": bounds, "values": values}
    return Check(
        signal=signal,
        window=window,
        least=found.get("least"),
        most=found.get("most"),
        tolerance=tolerance,
        derivation=derivation | ({"why": why} if why else {}),
    )


def reports(
    events: Sequence[tuple[str, int, int, str]], tolerance: float, why: str = "", /, **values: Any
) -> Check:
    """Expect events: (enter or exit, trigger, body or static collider, closed form of its time)."""
    triggers = sorted({trigger for _, trigger, _, _ in events})
    return _event_check(triggers, events, tolerance, why, plain(values))


def silent(triggers: Sequence[int], why: str = "") -> Check:
    """Expect triggers to report nothing."""
    return _event_check(list(triggers), (), 0.0, why, {})


def _event_check(
    triggers: list[int],
    events: Sequence[tuple[str, int, int, str]],
    tolerance: float,
    why: str,
    values: Mapping[str, Any],
) -> Check:
    expected = [
        {"type": kind, "trigger": trigger, "other": other, "time": rounded(evaluate(text, values))}
        for kind, trigger, other, text in events
    ]
    derivation = {
        "kind": "closed form",
        "expressions": [text for _, _, _, text in events],
        "values": values,
        "why": why or "the time at which the surfaces meet",
    }
    return Check(
        signal={"kind": "events", "triggers": triggers},
        expected=expected,
        tolerance=tolerance,
        derivation=derivation,
    )
