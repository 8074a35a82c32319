"""The program as a user starts it, in a process of its own."""

import subprocess
import sys
from pathlib import Path

PROGRAM = "import sys; from ligament.cli import main; sys.argv[0] = 'ligament'; main()"


def ligament(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command line and return what it printed."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=cwd,
        check=False,
    )
