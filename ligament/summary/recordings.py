"""A recording at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from ligament.recording import Recording
from ligament.text import Answer, Line, plain


class RecordingSummary(Answer, msgspec.Struct, kw_only=True):
    """Contents of a recording: frames at `rate` [Hz], the nodes of bodies and of joint limits."""

    file: str | None
    frames: int
    seconds: float
    rate: float | None
    nodes: list[int]
    limits: list[dict[str, int]]
    events: dict[str, int]

    def lines(self) -> Iterator[Line]:
        """Yield what `ligament info` prints."""
        if self.file is not None:
            yield plain(self.file)
        rate = "" if self.rate is None else f", {self.rate:g} Hz"
        yield f"recording, {self.frames} frames, {self.seconds:.3f} s{rate}"
        yield f"bodies {len(self.nodes)}, joint limits {len(self.limits)}"
        listed = ", ".join(f"{kind} {count}" for kind, count in self.events.items())
        yield f"events: {listed or 'none'}"


def summarize_recording(recording: Recording, file: str | None = None) -> RecordingSummary:
    """Summarize a recording, perhaps that of a file."""
    steps = np.diff(recording.times)
    return RecordingSummary(
        file=file,
        frames=len(recording.times),
        seconds=float(recording.times[-1]),
        rate=round(float(1 / steps.mean()), 6) if len(steps) else None,
        nodes=recording.nodes.tolist(),
        limits=[{"node": limit.node, "index": limit.index} for limit in recording.limits],
        events=dict(Counter(str(event.type) for event in recording.events)),
    )
