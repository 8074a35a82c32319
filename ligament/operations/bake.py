"""Bake: simulated motion as keyframes."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

from ligament.arguments import named
from ligament.errors import ArgumentError
from ligament.operations.operation import Operation, Reads, Report, Writes, function
from ligament.operations.playing import Recorded
from ligament.options.groups import Embedding, Simulating
from ligament.options.names import ANGLE_TOLERANCE, DISTANCE_TOLERANCE, LAYERS, Layer
from ligament.options.option import Option

if TYPE_CHECKING:
    from ligament.baking.keys import Tolerance
    from ligament.gltf.document import Document
    from ligament.gltf.load import AnyDocument
    from ligament.recording import Recording
else:
    Tolerance, Recording = named("Tolerance"), named("Recording")

EVERY = "all"
"""The word for all layers."""


class Baked(NamedTuple):
    """A document with keyframes, and the recording that they are from."""

    document: "Document"
    recording: Recording


def _layers(words: str) -> bool | list[str]:
    return words == EVERY or words.split(",")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bake(Recorded, Embedding, Operation["AnyDocument", "Document"]):
    """Play a file and write its motion as keyframes.

    Any viewer plays them. Frames that interpolation reproduces within both tolerances are left out.
    """

    command = "bake"
    example = "ligament bake door.glb -o baked.glb --seconds 3"
    reads = Reads("file", "A .gltf, .glb, .vrm or .vrma file")
    writes = (
        Writes("out", "The baked file", (".glb", ".gltf", ".vrm", ".vrma"), keeps_suffix=True),
    )

    recording: Annotated[
        Recording | None, Option("Bake this recording instead of playing", for_python=True)
    ] = dataclasses.field(default=None, kw_only=False)
    strip: Annotated[bool, Option("Remove the extensions that the keyframes replace")] = False
    distance_tolerance: Annotated[
        float, Option("Largest error of the keyframes in position", unit="m", least=0)
    ] = DISTANCE_TOLERANCE
    angle_tolerance: Annotated[
        float, Option("Largest error of the keyframes in rotation", unit="degrees", least=0)
    ] = ANGLE_TOLERANCE
    overlays: Annotated[
        bool | Iterable[str],
        Option(
            "Add nodes that draw what meshes do not show: all layers, or a list of "
            f"{', '.join(LAYERS)}",
            metavar="[LAYERS]",
            typed=_layers,
            bare=EVERY,
        ),
    ] = False
    name: Annotated[str, Option("The name of the animation", for_python=True)] = "Baked"
    tolerance: Annotated[
        Tolerance | None, Option("Both tolerances, in place of the two above", for_python=True)
    ] = None

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse layers that do not exist, and options of a simulation that is not played."""
        from ligament.baking.overlays import chosen_layers

        chosen_layers(self.overlays)
        idle = [name for name in self.part(Simulating) if name in self.given()]
        if self.recording is not None and idle:
            raise ArgumentError(
                f"bake: {idle[0]} has no effect on a recording", remedy="simulate with it instead"
            )
        return self.with_engine()

    def run(self, subject: "AnyDocument") -> "Document":
        """Return a copy of a document with its motion as an animation."""
        return self.work(subject).document

    def work(self, subject: "AnyDocument") -> Baked:
        """Play a document, unless there is a recording, and bake it."""
        from ligament.baking.baking import bake as bake_recording
        from ligament.baking.keys import Tolerance
        from ligament.baking.overlays import chosen_layers
        from ligament.gltf.load import as_document
        from ligament.play.timeline import play

        document, layers = as_document(subject), chosen_layers(self.overlays)
        recording = self.recording
        if recording is None:
            has_points = self.contact_points or Layer.CONTACTS in layers
            recording = play(document, dataclasses.replace(self, contact_points=has_points))
            recording.require_finite()
        tolerance = self.tolerance or Tolerance(
            distance=self.distance_tolerance, angle=math.radians(self.angle_tolerance)
        )
        baked = bake_recording(
            document,
            recording,
            name=self.name,
            strip=self.strip,
            tolerance=tolerance,
            overlays=layers,
        )
        return Baked(baked, recording)

    def save(self, subject: "AnyDocument", result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the baked file."""
        from ligament.gltf.save import save

        save(result.document, outputs["out"], embed=self.embed)
        recording = result.recording
        counts = {"frames": len(recording.times), "nodes": len(recording.local_nodes)}
        return Report(
            line=f"baked frames {counts['frames']}, nodes {counts['nodes']}", counts=counts
        )


bake = function(Bake)
