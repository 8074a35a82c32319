"""Type checkers see the options of every function, whose signatures are made at run time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from mypy import api

from tests.judges import HERE as JUDGES
from tests.judges import NODE

ROOT = Path(__file__).parents[2]
CALLS = Path(__file__).with_name("typed_calls.py")


def wrong() -> list[int]:
    """Return the numbers of the lines that checkers must refuse."""
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith("# wrong")]


def test_mypy_refuses_wrong_options_and_nothing_else() -> None:
    found, faults, _ = api.run(
        ["--strict", "--config-file", f"{ROOT / 'pyproject.toml'}", f"{CALLS}"]
    )
    assert not faults
    reported = [int(n) for n in re.findall(r"typed_calls\.py:(\d+): error", found)]
    assert sorted(set(reported)) == wrong(), found


def test_pyright_refuses_wrong_options_and_nothing_else() -> None:
    program = JUDGES / "node_modules" / "pyright" / "index.js"
    words = [NODE, program, "--outputjson", "--pythonpath", sys.executable, CALLS]
    run = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False, cwd=ROOT)
    found = json.loads(run.stdout)["generalDiagnostics"]
    reported = [each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"]
    assert sorted(set(reported)) == wrong(), found
