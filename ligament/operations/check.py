"""Check: every finding in a document, or in many files."""

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self

import msgspec

from ligament.errors import ContentError
from ligament.findings.finding import FailOn
from ligament.operations.operation import GLTF, Operation, Reads, Report, Writes, function
from ligament.options.groups import Reading, Several
from ligament.options.option import Option

if TYPE_CHECKING:
    from ligament.checker import Report as Findings
    from ligament.checker.config import Config, Settings
    from ligament.gltf.load import AnyDocument
    from ligament.operations.findings import FixTask
    from ligament.operations.inputs import Input


class Opened(NamedTuple):
    """The document of a file, and the name of the file for people."""

    document: Any
    shown: str


def _codes(words: Sequence[str]) -> list[str]:
    """Take codes apart that commas separate."""
    codes = (code.strip() for word in words for code in word.split(","))
    return [code for code in codes if code]


def explained(code: str) -> Iterator[str]:
    """Yield the meaning, specification and remedy of a code; or of all codes."""
    from ligament.checker.config import require_code
    from ligament.findings import CODES

    for name in CODES if code == "all" else [require_code(code)]:
        yield f"{name} ({CODES[name].severity}): {CODES[name].meaning}"
        yield f"  {CODES[name].remedy}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Check(Reading, Operation["AnyDocument", "Findings"]):
    """Report what is wrong with files, where, and how to fix it.

    The exit status is 1 for findings at or above --fail-on, and 2 if a file cannot be read.
    """

    command = "check"
    example = "ligament check door.glb avatar.vrm"
    reads = Reads("file", "A .gltf, .glb, .vrm or .vrma file")
    writes = (Writes("out", "The findings", (".json",), ".check.json", is_optional=True),)

    ignore: Annotated[
        str | Sequence[str],
        Option("Codes to ignore, also several with commas", metavar="CODE", typed=_codes),
    ] = ()
    fail_on: Annotated[
        FailOn | None,
        Option("The mildest severity that fails a file; by default that of the settings, or error"),
    ] = None
    config: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "Settings; for files, by default the nearest ligament.toml or pyproject.toml",
            is_read=True,
        ),
    ] = None

    @classmethod
    def of_several(cls) -> type["Check"]:
        """Take several files."""
        return CheckFiles

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse codes and settings that do not exist."""
        from ligament.checker.config import check_code, read_config

        codes = tuple(sorted({check_code(code) for code in self.ignore}))
        if self.config is not None:
            read_config(Path(self.config))
        return dataclasses.replace(self, ignore=codes)

    def config_of(self, file: Path | None) -> "Config":
        """Return the settings that are named, or else those nearest to a file."""
        from ligament.checker.config import Config, find_config, read_config

        if self.config is not None:
            return read_config(Path(self.config))
        return Config() if file is None else find_config(file)

    def settings_of(self, file: Path, config: "Config") -> "Settings":
        """Return settings for a file, overridden by the options."""
        from ligament.checker.config import Settings

        own = Settings(frozenset(self.ignore), self.fail_on)
        return config.settings_for(file).under(own)

    def run(self, subject: "AnyDocument") -> "Findings":
        """Return everything that is wrong or suspicious in a document."""
        from ligament.checker import check as find
        from ligament.gltf.load import as_document

        document = as_document(subject)
        file = document.path or Path("document")
        return find(document).under(self.settings_of(file, self.config_of(None)))

    def of_document(self, document: Any, shown: str) -> Any:
        """Return the document with the name of its file."""
        return Opened(document, shown)

    def settings_near(self, source: Path) -> Sequence[Path]:
        """Return the settings that apply to a file, unless they are named."""
        path = None if self.config is not None else self.config_of(source).path
        return () if path is None else (path,)

    def work(self, subject: Any) -> "Findings":
        """Check the document of a file under the settings of the file."""
        from ligament.checker import check as find

        document = subject.document if isinstance(subject, Opened) else subject
        return find(document).under(self.settings_of(document.path, self.config_of(document.path)))

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the findings of one file."""
        from ligament.checker.report import summary
        from ligament.files import write_atomic
        from ligament.operations.findings import FileFindings, as_json

        file = Path(subject.shown) if isinstance(subject, Opened) else subject.path
        found = FileFindings(file, result)
        if "out" in outputs:
            write_atomic(outputs["out"], [as_json([found]).encode(), b"\n"])
        said = summary(result.counts)
        counts = {str(severity): count for severity, count in result.counts.items()}
        return Report(line=said, shortfall=None if result.ok else said, counts=counts)


check = function(Check)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CheckFiles(Several, Check):  # noqa: D101
    __doc__ = Check.__doc__

    reads = Reads("files", ".gltf, .glb, .vrm or .vrma files, folders, globs", files="all")
    writes = (
        Writes(
            "out",
            "The findings; with --fix the repaired file, or a folder for several",
            (),
            is_optional=True,
        ),
    )

    format: Annotated[
        Literal["text", "json", "sarif"],
        Option("text for people, json for programs, sarif for code hosts"),
    ] = "text"
    fix: Annotated[bool, Option("Apply repairs that have one right answer; see -o, --in-place")] = (
        False
    )
    explain: Annotated[
        str | None,
        Option(
            "Print what a code means and what to do, and stop; 'all' prints every code",
            metavar="CODE",
            answer=explained,
        ),
    ] = None

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse outputs that do not fit."""
        from ligament.text import plain

        out = (outputs or {}).get("out")
        if self.in_place and not self.fix:
            raise ContentError(
                "there are no repairs to write", pointer="--in-place", remedy="add --fix"
            )
        if out is not None and not self.fix and out.suffix.lower() in GLTF:
            remedy = "add --fix to write a repaired file, or use a .txt, .json or .sarif path"
            raise ContentError("findings are not glTF", file=plain(out), remedy=remedy)
        return super().prepared(outputs)

    def load(self, sources: Sequence[Path]) -> Any:
        """Find the files."""
        from ligament.operations.inputs import gather

        return gather(sources)

    def work(self, subject: Any) -> Any:
        """Leave the work to `save`: each file is written once it is repaired."""
        return None

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Check the files, and write either what is repaired or what is found."""
        from ligament.errors import warn
        from ligament.files import write_atomic
        from ligament.operations import findings

        form, out = "json" if self.json else self.format, outputs.get("out")
        tasks = [*self._tasks(subject, out, with_places=form == "sarif")]
        files = findings.find(tasks, self.jobs, self.progress)
        for line in () if self.quiet else (line for each in files for line in each.warnings):
            warn(line)
        verdict = findings.verdict(files)
        report = Report(
            shortfall=None if all(each.report.ok for each in files) else verdict,
            is_unusable=not all(each.is_readable for each in files),
        )
        if form == "text":
            report.text = [*findings.lines_of(files, quiet=self.quiet)]
            report.verdict = verdict
        else:
            report.text = [(findings.as_json if form == "json" else findings.as_sarif)(files)]
        if out is None or self.fix:
            return report
        lines = [*report.text, *([report.verdict] if report.verdict and not self.quiet else [])]
        write_atomic(out, (f"{line}\n".encode(errors="replace") for line in lines))
        return msgspec.structs.replace(report, text=(), verdict="", line=verdict)

    def _tasks(
        self, inputs: "Sequence[Input]", out: Path | None, *, with_places: bool
    ) -> "Iterator[FixTask]":
        """Yield what is to be done with each file, under the settings of its folder."""
        from ligament.operations.findings import FixTask
        from ligament.operations.inputs import targets

        outputs: Sequence[Path | None] = [None] * len(inputs)
        if self.fix:
            outputs = targets([*inputs], out, in_place=self.in_place)
        configs: dict[Path, Config] = {}
        for entry, target in zip(inputs, outputs, strict=True):
            folder = entry.path.parent
            if folder not in configs:
                configs[folder] = self.config_of(entry.path)
            settings = self.settings_of(entry.path, configs[folder])
            yield FixTask(entry.path, settings, with_places, self.limits, target)
