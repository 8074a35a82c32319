"""Programs that play cases, given as command lines, and runs of many cases."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import shlex
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

from ligament.conformance.judge import Verdict, judge
from ligament.conformance.recordings import events_path, names, read_recording
from ligament.conformance.suite import Entry
from ligament.errors import ContentError, FileError, LigamentError, nearest
from ligament.processes import Death, DiedError
from ligament.processes.calls import calls, result
from ligament.processes.pool import Pool
from ligament.processes.programs import run_program

Play: TypeAlias = Callable[[Entry, Path], None]
"""Plays a case and writes its recording; raises LigamentError where it cannot."""


class NotRunError(LigamentError):
    """A case that a program is not asked to play."""


@dataclasses.dataclass(frozen=True)
class Command:
    """A command line with the placeholders {input}, {output} and others."""

    text: str
    timeout: float = 60.0

    def __call__(self, entry: Entry, output: Path) -> None:
        """Run the command on a case."""
        if entry.motion is not None and "{motion}" not in self.text:
            raise NotRunError("the command has no {motion}")
        words = self._words(entry, output)
        try:
            ended = run_program(words, seconds=self.timeout)
        except DiedError:
            raise ContentError(f"no recording after {self.timeout:g} s") from None
        except OSError as fault:
            remedy = "check the command"
            raise ContentError(
                f"{words[0]} cannot be run ({fault.strerror})", remedy=remedy
            ) from None
        if ended.status:
            reason = f": {ended.last_line[:200]}" if ended.last_line else ""
            raise ContentError(f"exit status {ended.status}{reason}")

    def _words(self, entry: Entry, output: Path) -> list[str]:
        run = entry.case["run"]
        values = {
            "input": entry.file,
            "output": output,
            "events": events_path(output),
            "motion": entry.motion or "",
            "seconds": run["seconds"],
            "rate": run["rate"],
        }
        words = shlex.split(self.text)
        for name, value in values.items():
            words = [word.replace(f"{{{name}}}", str(value)) for word in words]
        return words


def require_command(text: str) -> None:
    """Refuse a command without the required placeholders, or with open quotation marks."""
    missing = [place for place in ("{input}", "{output}") if place not in text]
    if missing:
        remedy = 'write it as "PROGRAM {input} {output}"'
        raise ContentError(f"the command has no {' and no '.join(missing)}", remedy=remedy)
    try:
        shlex.split(text)
    except ValueError as fault:
        message = f"the command cannot be split into words ({fault})"
        raise ContentError(message, remedy="close its quotation marks") from None


def require_features(entries: Sequence[Entry], wanted: Collection[str]) -> None:
    """Refuse features that no case uses."""
    known = sorted({feature for entry in entries for feature in entry.case["features"]})
    for word in wanted:
        if word not in known:
            raise ContentError(f"no case uses {word!r}", remedy=nearest(word, known))


def run(
    entries: Sequence[Entry],
    play: Play,
    *,
    jobs: int,
    keep: Path | None = None,
    without: Collection[str] = (),
) -> Iterator[Verdict]:
    """Play and judge cases, yielding verdicts in the order of the cases.

    Cases that use a feature in `without` are not run. Recordings stay in the folder `keep`.
    """
    jobs = min(jobs, len(entries))
    with _recordings_folder() if keep is None else contextlib.nullcontext(keep) as folder:
        task = functools.partial(judged, play=play, folder=folder, without=without)
        if jobs <= 1:
            yield from map(task, entries)
        elif isinstance(play, Command):
            with ThreadPoolExecutor(jobs) as threads:
                yield from threads.map(task, entries)
        else:
            yield from _played_in_processes(entries, play, jobs, folder, without)


@contextlib.contextmanager
def _recordings_folder() -> Iterator[Path]:
    try:
        folder = tempfile.TemporaryDirectory()
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "make room in the system's temporary folder, or name another with --keep"
        raise FileError(f"recordings cannot be written ({reason})", remedy=remedy) from fault
    with folder as name:
        yield Path(name)


def _played_in_processes(
    entries: Sequence[Entry], play: Play, jobs: int, folder: Path, without: Collection[str]
) -> Iterator[Verdict]:
    wanted = [entry for entry in entries if not _lacking(entry, without)]
    answers = Pool(calls(_play)).map(((entry, play, folder) for entry in wanted), jobs)
    with contextlib.closing(answers):
        for entry in entries:
            yield _verdict(entry, folder, without, lambda: _returned(next(answers)))


def _returned(answer: bytes | Death) -> None:
    """Raise what went wrong in the process that played a case."""
    if isinstance(answer, Death):
        raise ContentError(f"the player {answer.text}")
    result(answer, type(None))


def judged(entry: Entry, play: Play, folder: Path, without: Collection[str] = ()) -> Verdict:
    """Play one case into a folder and judge what was recorded."""
    return _verdict(entry, folder, without, functools.partial(_play, entry, play, folder))


def _play(entry: Entry, play: Play, folder: Path) -> None:
    output = _recording_path(entry, folder)
    for path in (*names(output), events_path(output)):  # recordings kept by an earlier run
        path.unlink(missing_ok=True)
    play(entry, output)


def _recording_path(entry: Entry, folder: Path) -> Path:
    return folder / f"{str(entry.case['id']).replace('/', '.')}.json"


def _lacking(entry: Entry, without: Collection[str]) -> list[str]:
    """Return the features of a case that a program does not have."""
    return sorted(set(entry.case["features"]) & set(without))


def _verdict(
    entry: Entry, folder: Path, without: Collection[str], played: Callable[[], None]
) -> Verdict:
    """Judge what is recorded by a call, unless the case is not to be played."""
    if lacking := _lacking(entry, without):
        return Verdict(entry.case, "not run", reason=f"uses {', '.join(lacking)}")
    try:
        played()
        recording = read_recording(_recording_path(entry, folder))
    except FileError:  # the disk, not the program under test
        raise
    except NotRunError as fault:
        return Verdict(entry.case, "not run", reason=str(fault))
    except LigamentError as fault:
        return Verdict(entry.case, "fail", reason=str(fault))
    try:
        return judge(entry.case, entry.document(), recording)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as fault:
        reason = f"cannot be judged ({type(fault).__name__}: {fault})"
        remedy = "export the suite again with `ligament conformance export`"
        raise ContentError(reason, file=str(entry.case["id"]), remedy=remedy) from None
