"""Diff: differences in meaning between two files."""

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ligament.arguments import named
from ligament.operations.cost import Cost
from ligament.operations.operation import Operation, Reads, Report, function
from ligament.options.groups import Reading
from ligament.options.names import DIFFERENCE
from ligament.options.option import Option

if TYPE_CHECKING:
    from ligament.author.diff import Differences
    from ligament.gltf.document import Document
    from ligament.gltf.load import AnyDocument
else:
    Document = named("Document")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Diff(Reading, Operation["AnyDocument", "Differences"]):
    """Show what changed in meaning between two files.

    Not lines of JSON, but bodies, joints, bones, animations. The exit status is 0 where both files
    mean the same, 1 where they do not.
    """

    command = "diff"
    subject = "a"
    example = "ligament diff door.glb gate.glb"
    reads = Reads("a", "A .gltf, .glb, .vrm or .vrma file")
    cost = Cost()

    b: Annotated[
        Document | str | os.PathLike[str],
        Option("The file to compare with it", is_positional=True, is_read=True),
    ] = dataclasses.field(kw_only=False)
    tolerance: Annotated[
        float, Option("Numbers that differ by less are equal", least=0, most=1)
    ] = DIFFERENCE

    def run(self, subject: "AnyDocument") -> "Differences":
        """Return the changes from a document to another, which print as the command does."""
        from ligament.author.diff import diff as compare
        from ligament.gltf.load import load

        b = load(self.b, limits=self.limits) if isinstance(self.b, str | os.PathLike) else self.b
        return compare(subject, b, tolerance=self.tolerance)

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """List the changes."""
        import msgspec

        from ligament.files import name_text
        from ligament.text import plain

        data = {
            "a": name_text(str(subject.path)),
            "b": name_text(str(self.b)),
            "equal": result.equal,
            "counts": result.counts,
            "changes": [msgspec.structs.asdict(change) for change in result],
        }
        text = [plain(change) for change in result]
        shortfall = None if result.equal else result.verdict
        return Report(text=text, verdict=result.verdict, shortfall=shortfall, data=data)


diff = function(Diff)
