"""The command line without its process: what it prints and its exit status."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from ligament.cli import app

IGNORED = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Warnings that Python hides from users."""


class Run(subprocess.CompletedProcess[str]):
    """What a command printed, and its exit status."""

    @property
    def exit_code(self) -> int:
        return self.returncode

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def ligament(*arguments: object, cwd: Path | None = None, stdin: str | None = None) -> Run:
    """Run `ligament ARGUMENTS` in this process: starting one takes longer than most commands.

    Operations run in a process of their own otherwise.
    """
    words = [*map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")
        for category in IGNORED:
            warnings.simplefilter("ignore", category)
        patch.setattr(sys, "argv", ["ligament", *words])
        if stdin is not None:
            patch.setattr(sys, "stdin", io.StringIO(stdin))
        if cwd is not None:
            patch.chdir(cwd)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = app.run(words, is_supervised=False)
    return Run(words, status, out.getvalue(), err.getvalue())
