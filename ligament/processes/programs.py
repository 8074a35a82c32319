"""Foreign programs: run to their end, or while a block of code lasts."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Final, NamedTuple, TypeAlias

from ligament.processes import inside
from ligament.processes.bounds import Death
from ligament.processes.child import DiedError

PATIENCE: Final = 10.0
"""Time that a program has to end after it is asked to [s]."""

_MAX_OUTPUT: Final = 1 << 20

Program: TypeAlias = "subprocess.Popen[bytes]"


class Ended(NamedTuple):
    """The exit status of a program, and the last line that it printed, on stderr if it did."""

    status: int
    last_line: str


@contextlib.contextmanager
def running(
    words: Sequence[str], out: IO[bytes] | None = None, errors: IO[bytes] | None = None
) -> Iterator[Program]:
    """Run a program while the block lasts; OSError if it cannot be run."""
    with inside.forking():
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=out or subprocess.DEVNULL,
            stderr=errors or subprocess.DEVNULL,
            preexec_fn=inside.tie(),  # noqa: PLW1509  (one system call, looked up before)
        )
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            _stdin(process).close()


def run_program(
    words: Sequence[str], *, seconds: float | None = None, inputs: Iterable[bytes] = ()
) -> Ended:
    """Run a program to its end; DiedError after some time [s], OSError if it cannot be run.

    `inputs` are written to its stdin one by one, as long as it reads.
    """
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as errors,
        running(words, out, errors) as process,
    ):
        with contextlib.suppress(BrokenPipeError), _stdin(process) as stdin:
            for part in inputs:
                stdin.write(part)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise DiedError(Death("time", f"took longer than {seconds:g} s")) from None
        lines = [line for stream in (out, errors) for line in _last_line(stream)]
        return Ended(status, lines[-1] if lines else "")


def _stdin(process: Program) -> IO[bytes]:
    assert process.stdin is not None
    return process.stdin


def _last_line(stream: IO[bytes]) -> list[str]:
    stream.seek(0)
    return stream.read(_MAX_OUTPUT).decode(errors="replace").strip().splitlines()[-1:]
