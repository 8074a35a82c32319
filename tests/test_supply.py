"""Locked packages of continuous integration: version and hash of all but torch."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {name: ROOT / "requirements" / f"{name}.lock" for name in ("dev", "ci")}
PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==[^\s;]+", re.MULTILINE)


def entries(lock: str) -> list[str]:
    """The requirements of a lock, each with its hashes."""
    text = LOCKS[lock].read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def names(lock: str) -> set[str]:
    return {PINNED.match(entry)[1].lower() for entry in entries(lock)}  # type: ignore[index]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_has_one_version_and_hashes(lock: str) -> None:
    for entry in entries(lock):
        assert PINNED.match(entry), entry[:80]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:80]


def test_integration_installs_the_versions_of_development() -> None:
    assert names("ci") < names("dev")
    assert "torch" in names("dev") - names("ci")
    assert not [name for name in names("ci") if name.startswith("nvidia")]


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_have_what_the_project_asks_for(lock: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    groups = project["dependency-groups"]
    asked = [*project["project"]["dependencies"], *groups["lint"], *groups["test"]]
    asked += [
        each for name, extra in extras.items() if name not in ("all", "gpu") for each in extra
    ]
    wanted = {re.split(r"[\[<>=!~; ]", each)[0].lower().replace("_", "-") for each in asked}
    assert wanted <= {name.replace("_", "-") for name in names(lock)}


def test_integration_uses_the_lock() -> None:
    assert "LOCKED=1" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--require-hashes --no-deps --requirement requirements/ci.lock" in makefile
