"""Plans: an operation on each of many files."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeAlias

import msgspec

from ligament.batches.inputs import Input
from ligament.errors import ContentError, LigamentError
from ligament.gltf.load import load
from ligament.gltf.storage.uris import roots_named
from ligament.jobs.perform import Result, discard, run_task
from ligament.jobs.sources import Source, hash_document, hash_file
from ligament.jobs.task import Entry, Options, Task
from ligament.limits import Limits, chosen_limits
from ligament.operations.operation import (
    BESIDE,
    GLTF,
    Operation,
    Report,
    folders,
    quiet_overflow,
)
from ligament.options.option import Field, fields_of, make

Find: TypeAlias = Callable[[Sequence[Any], frozenset[str]], dict[str, Input]]
"""Returns the files that arguments name, of some suffixes, by the names of their outputs."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """An operation on each of many files, with the files that it writes for each.

    `format` is the suffix of the main one, without its dot; `others` are names of further ones.
    """

    operation: Operation[Any, Any]
    format: str
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, kind: type[Operation[Any, Any]], values: Mapping[str, Any]) -> Self:
        """Make a plan from keywords: options of the operation, `format`, and outputs as flags."""
        main, *others = kind.writes
        names = {"format", *(each.name for each in others)}
        options = {name: value for name, value in values.items() if name not in names}
        form = values.get("format") or main.formats[0]
        if form not in main.formats:
            listed = ", ".join(main.formats)
            raise ContentError(f"unknown format {form!r}", remedy=f"use one of {listed}")
        wanted = tuple(each.name for each in others if values.get(each.name))
        return cls(make(kind, options, kind.command).in_batch(), form, wanted)

    @property
    def command(self) -> str:
        """The name of the operation."""
        return self.operation.command

    @property
    def suffixes(self) -> frozenset[str]:
        """The suffixes of files that are taken out of folders: those whose companions are known."""
        return frozenset(self.operation.reads.suffixes) & {*GLTF, ".bvh"}

    @property
    def reads_images(self) -> bool:
        """Whether images of an input get into its output."""
        return self.operation.writes[0].keeps_suffix

    @property
    def limits(self) -> Limits:
        """Resource limits for each file."""
        limits: Limits = getattr(self.operation, "limits")  # noqa: B009
        return limits

    @property
    def roots(self) -> Sequence[Path]:
        """Folders of further files that inputs may refer to."""
        roots: Sequence[Path] = getattr(self.operation, "roots", ())
        return roots

    @property
    def dataset(self) -> str | None:
        """The data set that is made of all files, if any."""
        return None

    def prepared(self) -> Self:
        """Refuse what no file can be done with; make paths absolute, for workers elsewhere."""
        outputs = {name: Path(f"x{ending}") for name, ending in self._outputs("x").items()}
        plan = self.located()
        return dataclasses.replace(plan, operation=plan.operation.prepared(outputs))

    def located(self) -> Self:
        """Return the plan with absolute paths; refuse folders that are not there."""
        folders(self.roots)
        paths = {
            field.name: _absolute(getattr(self.operation, field.name))
            for field in fields_of(type(self.operation))
            if field.kind.base is Path
        }
        operation: Any = dataclasses.replace(self.operation, **paths)  # type: ignore[type-var]
        return dataclasses.replace(self, operation=operation)

    def parts(self, find: Find) -> Iterator[tuple[str, Self]]:
        """Yield folders of outputs, and the plan for each: by default one for all."""
        yield "", self

    def fingerprint(self) -> dict[str, Any]:
        """Return what is not at its default as plain JSON, with hashes in place of files' names."""
        given = self.operation.given()
        fields = {each.name: each for each in fields_of(type(self.operation))}
        options = {name: self._plain(fields[name], value) for name, value in given.items()}
        options |= {"format": self.format, **dict.fromkeys(self.others, True)}
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(options, enc_hook=str))
        return plain

    def _plain(self, field: Field, value: Any) -> Any:
        if field.option.is_read and isinstance(value, Path):
            if value.suffix.lower() not in GLTF:
                return hash_file(value)
            with contextlib.suppress(LigamentError):  # its tasks will report it
                return hash_document(load(value, limits=self.limits), with_images=True)
            return "unreadable"
        if isinstance(value, Limits):
            return chosen_limits(value)
        return value

    def endings(self, name: str) -> tuple[str, ...]:
        """Return the suffixes that turn an input's name into its outputs' names, main one first."""
        return (*self._outputs(name).values(),)

    def outputs(self, paths: Sequence[Path]) -> dict[str, Path]:
        """Return outputs by name."""
        return dict(zip(self._outputs(""), paths, strict=True))

    def _outputs(self, name: str) -> dict[str, str]:
        """Return the outputs of an input by name, and their endings."""
        main, *others = self.operation.writes
        found = dict(zip((main.name, BESIDE), main.endings(name, self.format), strict=False))
        for each in others:
            if each.name in self.others:
                found[each.name] = next(each.endings(name, each.formats[0]))
        return found

    def source(self, path: Path) -> Source:
        """Open an input."""
        near = self.operation.settings_near
        return Source(path, self.limits, reads_images=self.reads_images, settings=near)

    # --- in a worker ---

    def process(self, source: Source, paths: Sequence[Path], shown: str) -> Result:
        """Do the operation on a file; what has been read is not read again."""
        operation, outputs = self.operation, self.outputs(paths)
        if source.is_bvh:
            subject = operation.load([source.path])
        else:
            subject = operation.of_document(source.document, shown)
        if BESIDE in outputs:  # a folder that an earlier file of this name has left
            discard([outputs[BESIDE]])
        report = self.save(subject, operation.work(subject), outputs)
        if operation.writes[0].may_be_folder and BESIDE in outputs and outputs[BESIDE].is_dir():
            discard(paths[:1])
        return Result(report.shortfall, report.counts)

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the outputs for one input."""
        return self.operation.save(subject, result, outputs)


def _absolute(value: Any) -> Any:
    if isinstance(value, Path):
        return value.absolute()
    return tuple(map(_absolute, value)) if isinstance(value, tuple) else value


def perform(task: Task) -> Entry:
    """Process one task of a batch; faults of the file go into the entry."""
    roots = getattr(task.options, "roots", ())
    with roots_named(roots), quiet_overflow():
        return run_task(task, _process)


def _process(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    assert isinstance(options, Plan)
    return options.process(source, paths, shown)
