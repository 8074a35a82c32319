"""Info: the contents of a file."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ligament.errors import counted
from ligament.operations.operation import GLTF, Operation, Reads, Report, function
from ligament.options.groups import Reading
from ligament.options.names import RECORDINGS, USD_PACKAGE, USD_SUFFIXES

if TYPE_CHECKING:
    from ligament.gltf.load import AnyDocument
    from ligament.recording import Recording
    from ligament.rig.motion.inspection import MotionSummary
    from ligament.summary import RecordingSummary, Summary

STAGES = (*USD_SUFFIXES, USD_PACKAGE)


class Content(NamedTuple):
    """What a file holds: a document, BVH or a recording; and how much of it could not be read."""

    value: Any
    file: str | None = None
    losses: int = 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Info(
    Reading, Operation["AnyDocument | Recording", "Summary | MotionSummary | RecordingSummary"]
):
    """Show what a file contains."""

    command = "info"
    example = "ligament info door.glb"
    reads = Reads(
        "file",
        "A .gltf, .glb, .vrm or .vrma file, motion (.bvh), a stage (.usda, .usdc, .usd, .usdz), "
        "or a recording (.npz, .json)",
        (*GLTF, ".bvh", *STAGES, *RECORDINGS),
    )

    def load(self, sources: Sequence[Path]) -> Any:
        """Read a file of any kind."""
        from ligament.conversion.formats import read
        from ligament.recording import load_recording
        from ligament.rig.motion.bvh import read_bvh
        from ligament.rig.motion.load import is_bvh

        (file,) = sources
        if is_bvh(file):
            return Content(read_bvh(file, limits=self.limits), str(file))
        if file.suffix.lower() in RECORDINGS:
            return Content(load_recording(file, limits=self.limits), str(file))
        given = read(file, limits=self.limits)
        is_stage = file.suffix.lower() in STAGES
        return Content(given.document, str(file) if is_stage else None, len(given.losses))

    def run(
        self, subject: "AnyDocument | Recording"
    ) -> "Summary | MotionSummary | RecordingSummary":
        """Return a summary, which prints as the command does."""
        import msgspec

        from ligament.gltf.load import as_document
        from ligament.recording import Recording
        from ligament.rig.motion.bvh import Bvh
        from ligament.rig.motion.inspection import inspect_bvh
        from ligament.summary import summarize, summarize_recording

        value, file, _ = subject if isinstance(subject, Content) else Content(subject)
        if isinstance(value, Bvh):
            return inspect_bvh(value, file)
        if isinstance(value, Recording):
            return summarize_recording(value, file)
        summary = summarize(as_document(value))
        if file is None:
            return summary
        return msgspec.structs.replace(summary, file=file, container="USD, as glTF")

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Say what is in the file."""
        import msgspec

        from ligament.files import name_text

        data = msgspec.to_builtins(result, str_keys=True)
        data["file"] = name_text(data["file"])
        lost = f"{counted(subject.losses, 'loss', 'losses')}; ligament convert lists them"
        return Report(line=lost if subject.losses else "", text=[*result.lines()], data=data)


info = function(Info)
