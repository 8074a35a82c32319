"""Foreign programs: how they ended, what they said last, and their time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ligament.processes import DiedError
from ligament.processes.programs import run_program, running
from tests.processes.test_child import ends, linux

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def script(text: str) -> list[str]:
    return [sys.executable, "-c", text]


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("print('a\\nb')", (0, "b")),
        ("import sys; print('out'); sys.exit('bad\\nworse')", (1, "worse")),
        (
            "import sys; sys.stderr.buffer.write(b'\\xff'); sys.exit(3)",
            (3, "\ufffd"),
        ),
        ("pass", (0, "")),
    ],
)
def test_the_status_and_the_last_line_of_a_program(text: str, ended: tuple[int, str]) -> None:
    assert run_program(script(text)) == ended


def test_a_program_that_takes_too_long_is_ended() -> None:
    begin = time.monotonic()
    with pytest.raises(DiedError, match=r"took longer than 0\.3 s"):
        run_program(SLEEP, seconds=0.3)
    assert time.monotonic() - begin < 20


def test_a_program_reads_what_it_is_given() -> None:
    text = "import sys; data = sys.stdin.buffer.read(); print(len(data), data[:1])"
    assert run_program(script(text), inputs=[b"a" * 100_000] * 3) == (0, "300000 b'a'")


def test_a_program_need_not_read() -> None:
    ended = run_program(script("import sys; sys.exit('full')"), inputs=[b"a" * 1_000_000] * 3)
    assert ended == (1, "full")


def test_a_program_that_does_not_exist_is_an_error_of_the_system() -> None:
    with pytest.raises(FileNotFoundError):
        run_program(["no-such-program"])


def test_a_program_runs_while_a_block_lasts() -> None:
    with running(SLEEP) as process:
        assert process.poll() is None
    assert process.poll() is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
def test_a_program_starts_without_warnings_of_libraries_that_have_threads() -> None:
    text = (
        "import os, warnings\n"
        "from ligament.processes.programs import run_program\n"
        "def warn(): warnings.warn('the process has threads', RuntimeWarning)\n"
        "os.register_at_fork(before=warn)\n"
        f"print(run_program({script('print(1)')!r}).last_line)\n"
    )
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        script(text), capture_output=True, text=True, timeout=60, cwd=root, check=True
    )
    assert (ran.stdout, ran.stderr) == ("1\n", "")


@linux
def test_a_program_ends_with_an_owner_that_is_killed() -> None:
    text = (
        "from ligament.processes.programs import running\n"
        f"with running({SLEEP!r}) as process:\n"
        "    print(process.pid, flush=True)\n"
        "    process.wait()\n"
    )
    with subprocess.Popen(
        script(text), stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as owner:
        assert owner.stdout is not None
        program = int(owner.stdout.readline())
        owner.kill()
    assert ends(program)
