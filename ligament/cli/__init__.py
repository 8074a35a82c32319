"""The command line: arguments and printing only."""

from __future__ import annotations

import sys

from ligament.cli.isolation import is_isolated, leave_with_parent, run_isolated
from ligament.errors import LigamentError

__all__ = ["main"]


def main() -> None:
    """Run the command line, in a process of its own where it simulates."""
    if is_isolated(sys.argv[1:]):
        sys.exit(_isolated())
    from ligament.cli import app  # a process that only waits needs none of it

    leave_with_parent()
    app.main()


def _isolated() -> int:
    try:
        return run_isolated(sys.argv[1:])
    except LigamentError as fault:
        from ligament.cli.app import tell

        return tell(fault)
