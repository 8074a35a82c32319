"""The command line: arguments and printing only."""

from ligament.cli.app import main

__all__ = ["main"]
