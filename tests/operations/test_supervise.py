"""Work of commands in a process of its own: progress, reports, one line for every end."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ligament.errors import ContentError, LigamentError, StrictError
from ligament.operations import supervise
from ligament.operations.supervise import Advanced, Finished, Progress, Task, Warned, events
from ligament.processes import Bounds, Death
from ligament.processes.bounds import NO_BOUNDS
from tests.operations import works
from tests.processes.test_child import ends, linux, posix

GRACE = 2.0


@pytest.fixture(params=["fork", "start"])
def is_forked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """In a fork and in a new interpreter: the process of the tests has threads."""
    if request.param == "fork" and not hasattr(os, "fork"):
        pytest.skip("the system has no forks")
    monkeypatch.setattr(supervise, "_can_fork", lambda: request.param == "fork")
    return bool(request.param == "fork")


def outcome(
    work: Callable[[Progress], Any], bounds: Bounds = NO_BOUNDS, **about: Any
) -> Finished[Any] | LigamentError:
    try:
        *_, last = events(Task("info", work, **{"kind": int, **about}), bounds)
    except LigamentError as fault:
        return fault
    assert isinstance(last, Finished)
    return last


def test_progress_comes_before_the_report(
    is_forked: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    *advanced, finished = events(Task("info", works.count, works.Report))
    assert advanced[0] == Advanced(1, 3)
    assert advanced[-1] == Advanced(3, 3)
    assert isinstance(finished, Finished)
    assert finished.report.outputs == [Path("a.npz")]
    assert finished.report.counts["pid"] != os.getpid()
    assert capfd.readouterr() == ("", "")


@pytest.mark.filterwarnings("default")
def test_warnings_come_before_the_end(is_forked: bool) -> None:
    running = events(Task("info", works.warn_and_refuse, int))
    assert [next(running), next(running)] == [Warned("of a library"), Warned("a name is odd")]
    with pytest.raises(ContentError, match=r"a\.glb: /nodes: is wrong; change it"):
        next(running)


def test_fast_progress_is_thinned_out() -> None:
    advanced = [*events(Task("info", works.many_steps, int))][:-1]
    assert advanced[-1] == Advanced(10_000, 10_000)
    assert len(advanced) < 100


@pytest.mark.parametrize(
    ("work", "lines", "status"),
    [
        (works.refuse, ["a.glb: /nodes: is wrong; change it"], 2),
        (works.lose, ["a.glb: a spring", "a.glb: a damper"], 1),
        (works.recurse, ["info: the file is nested too deeply"], 2),
        (works.miss, ["info: No such file or directory"], 2),
        (works.is_a_bug, [r"info: unexpected KeyError: .* at works.py:\d+; please report this"], 2),
    ],
)
def test_errors_of_the_work_are_lines(
    is_forked: bool, work: Callable[[Progress], int], lines: list[str], status: int
) -> None:
    fault = outcome(work)
    assert isinstance(fault, StrictError if status == 1 else LigamentError)
    said = [str(fault)]
    if isinstance(fault, StrictError):
        said = [f"{fault.file}: {loss}" for loss in fault.losses]
    assert len(said) == len(lines)
    assert all(map(re.fullmatch, lines, said))


@posix
@pytest.mark.parametrize(
    ("work", "bounds", "line"),
    [
        (
            works.segfault,
            Bounds(),
            "info was killed by SIGSEGV; check the file; nothing was written",
        ),
        (works.leave, Bounds(), "info ended with status 3; nothing was written"),
        (
            works.take_time,
            Bounds(cpu_seconds=0.2, grace=GRACE),
            "info took more than 0.2 s of CPU time; for files that you trust, use --max-seconds 2",
        ),
        pytest.param(
            works.take_memory,
            Bounds(memory=1 << 29),
            "info needs more than 0.5 GiB of memory; for files that you trust, use --max-memory 2",
            marks=linux,
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_every_death_is_one_line(
    is_forked: bool, work: Callable[[Progress], int], bounds: Bounds, line: str
) -> None:
    assert str(outcome(work, bounds)) == line


@posix
@pytest.mark.parametrize(
    ("work", "line"),
    [
        (works.segfault, "the process was killed by SIGSEGV; check the file; nothing was written"),
        (
            works.hold_python,
            "took longer than 0.5 s; give it more with --max-seconds, or simulate less",
        ),
    ],
)
def test_lines_name_what_was_done(work: Callable[[Progress], int], line: str) -> None:
    failed = outcome(work, Bounds(seconds=0.5), doing="simulating a.glb")
    assert str(failed) == f"simulating a.glb: {line}"


def test_a_process_that_the_system_ended_for_memory_has_no_remedy() -> None:
    death = Death("memory", "was ended by the system, which had no memory left")
    failed = supervise.failure(Task("info", works.count, int), death, Bounds())
    line = "info was ended by the system, which had no memory left; nothing was written"
    assert str(failed) == line


@posix
@pytest.mark.parametrize(
    "work", [works.ignore_errors, works.swallow, works.take_time_natively, works.take_a_little_time]
)
def test_whoever_ignores_that_its_time_is_up_is_ended(work: Callable[[Progress], int]) -> None:
    begin = time.monotonic()
    seconds = 0.001 if work is works.take_a_little_time else 0.2
    failed = outcome(work, Bounds(cpu_seconds=seconds, grace=1.0))
    assert str(failed).startswith(f"info took more than {seconds} s of CPU time")
    assert time.monotonic() - begin < 30


@posix
def test_work_cleans_up_when_its_time_is_up(is_forked: bool, tmp_path: Path) -> None:
    work = functools.partial(works.clean_up, path=tmp_path / "part", takes_time=True)
    failed = outcome(work, Bounds(cpu_seconds=0.2, grace=GRACE))
    assert "CPU time" in str(failed)
    assert not [*tmp_path.iterdir()]


def test_bounds_beyond_those_of_the_system_are_no_bounds() -> None:
    bounds = Bounds(seconds=1e300, cpu_seconds=1e300, memory=10**30, grace=GRACE)
    assert isinstance(outcome(works.many_steps, bounds), Finished)


@posix
@pytest.mark.parametrize("is_imported_before", [True, False])
def test_bounds_hold_once_modules_are_imported(is_forked: bool, is_imported_before: bool) -> None:
    imports = ("tests.operations.heavy",) if is_imported_before else ()
    bounds = Bounds(cpu_seconds=0.25, grace=GRACE, imports=imports)
    finished = outcome(works.use_a_heavy_module, bounds)
    assert isinstance(finished, Finished) is is_imported_before


@posix
def test_who_closes_the_events_lets_the_work_clean_up(is_forked: bool, tmp_path: Path) -> None:
    path = tmp_path / "part"
    work = functools.partial(works.clean_up, path=path, takes_time=False)
    running = events(Task("info", work, int))
    assert next(running) == Advanced(1, 2)
    assert path.exists()
    begin = time.monotonic()
    running.close()
    assert time.monotonic() - begin < 10
    assert not path.exists()


def test_who_ignores_that_the_events_are_closed_is_ended(is_forked: bool) -> None:
    running = events(Task("info", works.say_pid, int))
    first = next(running)
    assert isinstance(first, Advanced)
    begin = time.monotonic()
    running.close()
    assert time.monotonic() - begin < 10
    assert ends(first.done)


COMMAND = """\
import functools, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in background
from ligament.operations.supervise import Task, ended_by_signals, events
from tests.operations import works
work = functools.partial(works.clean_up, path=Path(sys.argv[1]), takes_time=False)
try:
    with ended_by_signals():
        for event in events(Task("info", work, int)):
            print(event, "numpy" in sys.modules, flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


@posix
@pytest.mark.parametrize(
    ("number", "status", "is_group"),
    [
        (signal.SIGINT, 130, True),
        (signal.SIGINT, 130, False),
        (signal.SIGTERM, 143, False),
        (signal.SIGHUP, 129, False),
    ],
)
def test_who_ends_a_command_ends_its_work(
    tmp_path: Path, number: int, status: int, is_group: bool
) -> None:
    """The terminal interrupts all processes of a group; the work cleans up once."""
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(tmp_path / "part")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    ) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == "Advanced(done=1, total=2) False\n"
        (os.killpg if is_group else os.kill)(command.pid, number)
        _, text = command.communicate(timeout=30)
    assert (command.returncode, text) == (status, "")
    assert not [*tmp_path.iterdir()]
