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


def ligament(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `ligament ARGUMENTS` in this process: starting one takes longer than most commands.

    Commands that simulate run in a process of their own otherwise; `test_contained.py` has that.
    """
    words = ["ligament", *map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("default")
        for category in IGNORED:
            warnings.simplefilter("ignore", category)
        patch.setattr(sys, "argv", words)
        if cwd is not None:
            patch.chdir(cwd)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = _exit_status()
    return subprocess.CompletedProcess(words, status, out.getvalue(), err.getvalue())


def _exit_status() -> int:
    try:
        app.main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0
