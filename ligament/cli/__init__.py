"""The command line: arguments and printing only."""

from __future__ import annotations

import sys

from ligament.cli.contained import is_contained, leave_with_parent, run_contained
from ligament.errors import LigamentError

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process, in another one where it simulates."""
    if is_contained(sys.argv[1:]):
        sys.exit(_contained())
    from ligament.cli import app  # what only waits needs none of it

    leave_with_parent()
    app.main()


def _contained() -> int:
    try:
        return run_contained(sys.argv[1:])
    except LigamentError as fault:
        from ligament.cli.app import tell

        return tell(fault)
