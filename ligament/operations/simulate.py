"""Simulate: play animations, constraints and physics into a recording."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ligament.operations.operation import Operation, Reads, Report, Writes, function
from ligament.operations.playing import Recorded

if TYPE_CHECKING:
    from ligament.gltf.load import AnyDocument
    from ligament.recording import Recording


@dataclasses.dataclass(frozen=True, kw_only=True)
class Simulate(Recorded, Operation["AnyDocument", "Recording"]):
    """Play animations, constraints and physics into a recording.

    All animations start together at 0 s and hold their last pose, or restart.
    """

    command = "simulate"
    example = "ligament simulate door.glb -o door.npz --seconds 3 --plot door.png"
    reads = Reads("file", "A .gltf, .glb, .vrm or .vrma file")
    writes = (
        Writes("out", "The recording", (".npz", ".json", ".csv")),
        Writes("events", "Trigger events, as a JSON list", (".json",), ".events.json", True),
        Writes(
            "plot",
            "Limits, energy, speeds and events as a plot",
            (".png", ".svg", ".pdf"),
            ".plot.png",
            True,
        ),
    )

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse an engine that is not there, and a plot that cannot be drawn."""
        if outputs and "plot" in outputs:
            from ligament.plot import check_picture

            check_picture(outputs["plot"])
        return self.with_engine()

    def run(self, subject: "AnyDocument") -> "Recording":
        """Play a document."""
        from ligament.play.timeline import play

        return play(subject, self)

    def save(self, subject: "AnyDocument", result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the recording, its events and plots."""
        from ligament.gltf.load import as_document
        from ligament.gltf.tree import NodeTree
        from ligament.recording import save_events, save_recording

        result.require_finite()
        if "plot" in outputs:
            from ligament.plot import plot_recording

            plot_recording(result, outputs["plot"], names=NodeTree(as_document(subject)).names)
        save_recording(result, outputs["out"])
        if "events" in outputs:
            save_events(result, outputs["events"])
        counts = {
            "frames": len(result.times),
            "bodies": len(result.nodes),
            "joints": len({limit.node for limit in result.limits}),
            "events": len(result.events),
        }
        return Report(line=", ".join(f"{what} {n}" for what, n in counts.items()), counts=counts)


simulate = function(Simulate)
