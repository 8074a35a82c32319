"""The command line: arguments and printing only."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line, and end the program with its exit status."""
    from ligament.cli.app import run

    sys.exit(run(sys.argv[1:]))
