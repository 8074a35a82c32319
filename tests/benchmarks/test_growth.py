"""Nothing takes more than n log n: every list of a file, tenfold, through every command."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from benchmarks.growing_files import LISTS, TEXTS
from tests.sampling import IS_SOAK, sample

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs the times of processes"),
    pytest.mark.timeout(7200),
]

SUSPECTS = [
    ("collision filters", "convert to MJCF"),
    ("physics materials", "convert --to omi"),
    ("physics materials", "simulate"),
    ("skins", "diff"),
    ("constraints in a chain", "diff with half"),
    ("scenes", "check --fix"),
    ("meshes in a chain", "equip --auto"),
    ("springs with own colliders", "check"),
    ("springs in a chain", "check"),
    ("springs of vrm 0", "equip --springs"),
    ("joints of a spring", "view"),
    ("static colliders in one place", "simulate"),
    ("filtered pairs of a stage", "convert"),
    ("joints of a body of a stage", "convert"),
]
"""Pairs that once took quadratic time."""


def grown(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )


@pytest.mark.parametrize(("name", "command"), sample(SUSPECTS, 1))
def test_former_quadratic_cases_stay_linear(name: str, command: str) -> None:
    done = grown("--size", "100", "--lists", name, "--commands", command)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not IS_SOAK, reason="takes half an hour")
@pytest.mark.parametrize("name", [*LISTS, *TEXTS])
def test_every_command_takes_every_list_in_n_log_n(name: str) -> None:
    done = grown("--size", "300", "--lists", name)
    assert done.returncode == 0, done.stdout + done.stderr
