"""Conformance: the suite played, listed or exported."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from ligament.errors import ContentError
from ligament.operations.operation import Operation, Report
from ligament.options.groups import AnyPath, Engine
from ligament.options.option import Option
from ligament.options.running import Overseen
from ligament.text import plain

if TYPE_CHECKING:
    from ligament.conformance.judge import Verdict
    from ligament.conformance.programs import Play
    from ligament.conformance.suite import Entry


@dataclasses.dataclass(frozen=True, kw_only=True)
class Conformance(Engine, Overseen, Operation["Path | Sequence[Entry]", Any]):
    """Play the conformance suite and judge what moved.

    Each case is a small file about one sentence of a specification, with the values that must be
    seen and their derivation. The judge reads recordings of any program. The exit status is 1
    where a case of tier must fails.
    """

    title: ClassVar[str] = "Options"

    command = "conformance"
    example = "ligament conformance run --only bodies"
    supervises_itself = True
    doing = "judging"
    unit = "cases"

    action: Annotated[
        Literal["run", "list", "export"],
        Option("run: play and judge; list: the sentences; export: the files", is_positional=True),
    ]
    folder: Annotated[
        AnyPath | None, Option("Where `export` writes the suite", is_positional=True)
    ] = None
    program: Annotated[
        str | None,
        Option(
            "The program to judge; it turns a file into a recording. By default Ligament. "
            "{events}, {motion}, {seconds} and {rate} are filled in too",
            flags=("--command",),
            metavar='"PROGRAM {input} {output}"',
        ),
    ] = None
    only: Annotated[
        Sequence[str], Option("Only cases with this in id, tier or sentence", metavar="WORD")
    ] = ()
    without: Annotated[
        Sequence[str], Option("Skip cases that use this, such as drives", metavar="FEATURE")
    ] = ()
    suite: Annotated[AnyPath | None, Option("An exported suite; by default the built-in one")] = (
        None
    )
    junit: Annotated[AnyPath | None, Option("Write JUnit XML")] = None
    html: Annotated[
        AnyPath | None, Option("Write an HTML page that animates the failing cases")
    ] = None
    keep: Annotated[AnyPath | None, Option("Folder to keep the recordings in")] = None
    fail_on: Annotated[
        Literal["must", "should", "decision"],
        Option("The lowest tier whose failures make the exit status 1"),
    ] = "must"
    timeout: Annotated[
        float, Option("Time limit for the command on one case", unit="s", least=0.1)
    ] = 60.0

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse a folder that is not asked for or missing, and files that cannot be written."""
        from ligament.files import require_place

        if self.action == "export" and self.folder is None:
            remedy = "name one: conformance export FOLDER"
            raise ContentError("no folder to export to", remedy=remedy)
        if self.action != "export" and self.folder is not None:
            remedy = "name it there, or use --suite"
            raise ContentError("a folder is for `export`", remedy=remedy)
        for path in (self.junit, self.html):
            if path is not None and self.action == "run":
                require_place(Path(path))
        return self

    def load(self, sources: Sequence[Path]) -> "Path | Sequence[Entry]":
        """Return the folder of the suite, to be exported, or else the chosen cases."""
        from ligament.conformance.programs import require_features
        from ligament.conformance.suite import chosen, own_suite, read_suite

        folder = own_suite() if self.suite is None else Path(self.suite)
        if self.action == "export":
            return folder
        every = read_suite(folder)
        require_features(every, self.without)
        return chosen(every, self.only)

    def run(self, subject: Any) -> Any:
        """Play and judge the cases; what is exported or listed stays as it is."""
        return [*self._verdicts(subject)] if self.action == "run" else subject

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Export, list or report."""
        save = {"export": self._exported, "list": self._listed, "run": self._judged}
        return save[self.action](result)

    def _exported(self, suite: Any) -> Report:
        from ligament.conformance.suite import export

        assert self.folder is not None
        count = export(suite, Path(self.folder))
        notes = [f"{self.folder}: {count} files"]
        return Report(notes=notes, data={"folder": str(self.folder), "files": count})

    def _listed(self, entries: Any) -> Report:
        from msgspec import to_builtins

        cases = [entry.case for entry in entries]
        where = [f"{case['source']['document']}, {case['source']['section']}" for case in cases]
        lines = [
            f"{case['id']} ({case['tier']}): {case['sentence']} [{place}]"
            for case, place in zip(cases, where, strict=True)
        ]
        return Report(text=[*map(plain, lines)], data=to_builtins(cases))

    def _judged(self, verdicts: Any) -> Report:
        """Write the reports, and tell whether a case that counts has failed."""
        from ligament.conformance.page import html_page
        from ligament.conformance.report import TIERS, junit_report, plain_report, text_report
        from ligament.files import write_atomic

        if self.junit is not None:
            write_atomic(Path(self.junit), [junit_report(verdicts)])
        if self.html is not None:
            player = self.program or f"Ligament, {self.engine}, {self.quality}"
            page = html_page(verdicts, f"Conformance of {player}")
            write_atomic(Path(self.html), [page.encode()])
        counted = TIERS[: TIERS.index(self.fail_on) + 1]
        failed = any(v.outcome == "fail" and v.case["tier"] in counted for v in verdicts)
        return Report(
            text=[*map(plain, text_report(verdicts))],
            data=plain_report(verdicts),
            shortfall="cases fail" if failed else None,
        )

    def _verdicts(self, entries: "Sequence[Entry]") -> "Iterator[Verdict]":
        from ligament.conformance.programs import run
        from ligament.files import make_folder
        from ligament.processes import cores

        kept = None if self.keep is None else make_folder(Path(self.keep))
        jobs = self.jobs or cores()
        verdicts = run(entries, self._player(), jobs=jobs, keep=kept, without=self.without)
        for finished, verdict in enumerate(verdicts, start=1):
            self.watch.advance(finished, len(entries))
            yield verdict

    def _player(self) -> "Play":
        from ligament.conformance.programs import Command, require_command

        if self.program is not None:
            require_command(self.program)
            return Command(self.program, self.timeout)
        from ligament.conformance.player import Player
        from ligament.physics.engines import engine_factory

        engine_factory(self.engine)
        return Player(self.engine, self.quality)
