"""Fix: repairs of what has one right answer."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ligament.operations.check import CheckFiles
from ligament.operations.operation import Operation, Report, Writes, function
from ligament.options.groups import Progress, Reading, Several
from ligament.text import Answer, Line

if TYPE_CHECKING:
    from ligament.checker import Report as Findings
    from ligament.gltf.document import Document
    from ligament.gltf.load import AnyDocument
    from ligament.repair import Change


@dataclasses.dataclass(frozen=True)
class Fixed(Answer):
    """A repaired copy of a document, the changes made, and the findings that are left."""

    document: "Document"
    changes: "list[Change]"
    report: "Findings"

    def lines(self) -> Iterator[Line]:
        """Yield what `ligament fix` prints."""
        from ligament.checker.files import owners_in
        from ligament.operations.findings import FileFindings, verdict

        path, owners = self.document.path or Path("document"), owners_in(self.document, self.report)
        found = FileFindings(path, self.report, owners, changes=self.changes)
        yield from found.lines()
        yield verdict([found])


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fix(Reading, Operation["AnyDocument", Fixed]):
    """Repair what has one right answer, and list the rest.

    The same as `ligament check --fix`. The exit status is 1 if errors are left.
    """

    command = "fix"
    example = "ligament fix door.glb -o fixed.glb"
    reads = CheckFiles.reads
    writes = (Writes("out", "The repaired file, or a folder for several", (), is_optional=True),)

    @classmethod
    def of_several(cls) -> type["Fix"]:
        """Take several files."""
        return FixFiles

    def run(self, subject: "AnyDocument") -> Fixed:
        """Return a repaired copy of a document, with the changes and the findings left."""
        from ligament.checker import check
        from ligament.repair import repair

        document, changes = repair(subject)
        return Fixed(document, changes, check(document))


fix = function(Fix)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FixFiles(Several, Fix):  # noqa: D101
    __doc__ = Fix.__doc__

    def perform(
        self,
        sources: Sequence[Path],
        outputs: Mapping[str, Path],
        progress: Progress | None = None,
    ) -> Report:
        """Check the files after their repairs."""
        check = CheckFiles(fix=True, **self.part(Several))
        return check.perform(sources, outputs, progress)
