"""Inputs that once ended in a traceback, kept by target: each is read or refused now."""

from pathlib import Path

import pytest

from fuzz.judging import judge
from fuzz.targets import find_target

CRASHES = Path(__file__).parent / "crashes"
FILES = sorted(path for path in CRASHES.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_former_crashes_are_read_or_refused(path: Path) -> None:
    fault = judge(find_target(path.parent.name).run, path.read_bytes())
    assert fault is None, fault.text
