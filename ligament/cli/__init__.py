"""The command line: arguments and printing only."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ligament.cli.guard import is_guarded, run_guarded
from ligament.cli.isolation import is_isolated, leave_with_parent, run_isolated
from ligament.errors import LigamentError

__all__ = ["main"]


def main() -> None:
    """Run the command line; commands that read files run in a child process."""
    arguments = sys.argv[1:]
    if is_isolated(arguments):
        sys.exit(_status(lambda: run_isolated(arguments)))
    if is_guarded(arguments):
        sys.exit(_status(lambda: run_guarded(_run)))
    _run()


def _run() -> None:
    from ligament.cli import app  # the waiting process needs none of it

    leave_with_parent()
    app.main()


def _status(run: Callable[[], int]) -> int:
    try:
        return run()
    except LigamentError as fault:
        from ligament.cli.app import report_error

        return report_error(fault)
