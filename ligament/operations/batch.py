"""Batch: one operation on many files, here or on a cluster."""

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from ligament.operations import BATCHES, OPERATIONS, operation
from ligament.operations.operation import NOTHING, Operation, Report
from ligament.options.groups import Embedding
from ligament.options.option import Option, fields_of
from ligament.options.running import Batching, Pairing
from ligament.processes.bounds import GIBIBYTE

if TYPE_CHECKING:
    from ligament.batches import BatchReport, Entry, Plan


@dataclasses.dataclass(frozen=True, kw_only=True)
class Batch(Batching, Operation[Sequence[str], "BatchReport"]):
    """Check, simulate, bake, retarget or convert many files.

    The exit status is 1 if any file failed or fell short, and 3 if the run was interrupted and
    --resume continues it.
    """

    command = "batch"
    example = "ligament batch simulate door.glb stack.glb --out-dir recordings --seconds 1"
    reads = NOTHING
    writes = ()
    supervises_itself = True
    doing = ""
    unit = "files"
    subcommands = BATCHES
    each: ClassVar[type[Operation[Any, Any]]]
    """The operation on each file, of a subcommand."""

    @classmethod
    def subcommand(cls, name: str) -> type[Operation[Any, Any]]:
        """Return an operation on many files: its options, those of a batch, outputs as flags."""
        kind = operation(name)
        pairing = (Pairing,) if name == "retarget" else ()
        members = {
            "__doc__": f"{OPERATIONS[name]}\n\nOn many files, several at a time.",
            "title": "Files",
            "doing": name,
            "each": kind,
        }
        if name != cls.example.split()[2]:
            members["example"] = f"ligament batch {name} assets --out-dir results"
        return dataclasses.make_dataclass(
            f"{cls.__name__}{kind.__name__}",
            _output_options(kind),
            bases=(cls, *pairing, kind),
            namespace=members,
            frozen=True,
            kw_only=True,
        )

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Leave it to the plan."""
        return self

    def load(self, sources: Sequence[Path]) -> Sequence[str]:
        """Return the inputs; the lines of stdin replace '-'."""
        from ligament.batches.inputs import read_list

        named = (read_list(sys.stdin) if text == "-" else [text] for text in self.input)
        return [text for texts in named for text in texts]

    def run(self, subject: Sequence[str]) -> "BatchReport":
        """Do the operation on all files, or put every motion on every avatar."""
        from ligament.batches.run import batch
        from ligament.operations.clusters import connected

        with connected(self) as client:
            return batch(
                self._plan(),
                subject,
                self.out_dir,
                jobs=self.jobs,
                timeout=self.timeout or None,
                max_memory=round(self.max_memory * GIBIBYTE) or None,
                resume=self.resume,
                client=client,
                protocols=self.allow_protocol,
                hosts=self.allow_host,
                progress=self._progress,
                listing=self.watch.found,
            )

    def work(self, subject: Sequence[str]) -> Any:
        """Do what `run` does."""
        return self.run(subject)

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Count the files by outcome."""
        files = "see report.json and manifest.jsonl"
        return Report(
            notes=[f"{result.out_dir}: {result.summary.seconds:.1f} s, {files}"],
            text=[*result.lines()],
            data=result.plain(),
            shortfall=None if result.ok else "some files failed or fell short",
        )

    def _plan(self) -> "Plan":
        """Return what is done with the files, with the options of the operation."""
        from ligament.batches.run import planned

        own = {field.name for field in fields_of(Batch)}
        options = {name: value for name, value in self.given().items() if name not in own}
        return planned(self.each.command, options)

    def _progress(self, entry: "Entry", finished: int, total: int) -> None:
        self.watch.advance(finished, total)
        if not entry.ok:
            status = "short" if entry.reason is None else entry.status.value
            where = "" if entry.host is None else f" (on {entry.host})"
            self.watch.say(f"{status}: {entry.input}: {entry.fault}{where}")


def _output_options(kind: type[Operation[Any, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the options that say what is written, as fields; nothing lies beside a file."""
    main, *others = kind.writes
    if len(main.formats) > 1:
        what = f"{main.help[0].lower()}{main.help[1:]}"
        text = f"The format of {what}; by default {main.formats[0]}"
        yield "format", Annotated[Literal[main.formats] | None, Option(text)], None
    for each in others:
        text = f"{each.help}: NAME{next(each.endings('', each.formats[0]))}"
        yield each.name, Annotated[bool, Option(text)], False
    if issubclass(kind, Embedding):
        yield "embed", Annotated[bool, Option("Always", for_python=True)], True
