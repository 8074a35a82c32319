"""Independent programs, on Node, that read what Ligament writes."""

import json
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NODE = HERE.parents[1] / ".venv" / "bin" / "node"


def judge(script: str, *arguments: object) -> Any:
    """Run one of the programs beside this file and return what it prints."""
    run = subprocess.run(
        [NODE, HERE / script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def assert_valid(*files: Path) -> None:
    """Ask the Khronos validator: no errors and no warnings."""
    assert judge("validate.mjs", *files) == {str(file): [] for file in files}
