"""Files of a release: one version everywhere, workflows without secrets, checks for users."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import ligament
from ligament.demo import assets

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
BAD = '{"asset": {"version": "2.0"}, "nodes": [{"rotation": [0, 0, 0, 2]}]}'


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == ligament.__version__
    assert read("CITATION.cff")["version"] == ligament.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {ligament.__version__}\n" in changes
    page = (ROOT / "docs" / "checking-in-ci.md").read_text(encoding="utf-8")
    assert set(re.findall(r"(?:rev: v|ligament@v)([\d.]+)", page)) == {ligament.__version__}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_grant_little_and_hold_no_secret(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "secrets." not in text
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert "uses" in job or "timeout-minutes" in job, name
        for step in job.get("steps", ()):
            assert "${{ github.event" not in step.get("run", ""), name


def test_releases_are_published_by_trust_with_provenance() -> None:
    jobs = read(".github/workflows/release.yml")["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    used = [step.get("uses", "") for job in jobs.values() for step in job.get("steps", ())]
    for action in ("attest-build-provenance", "attest-sbom", "gh-action-pypi-publish"):
        assert any(action in each for each in used), action


@pytest.mark.skipif(os.name == "nt", reason="the runner's bash, not one of Windows")
@pytest.mark.parametrize(
    ("content", "fail_on", "status"), [(BAD, "", 1), (BAD, "never", 0), (None, "", 0)]
)
def test_the_action_checks_files(
    content: str | None, fail_on: str, status: int, tmp_path: Path
) -> None:
    if content is None:
        shutil.copy(next(path for path in assets() if path.name == "door.glb"), tmp_path)
    else:
        (tmp_path / "bad.gltf").write_text(content, encoding="utf-8")
    step = read("action.yml")["runs"]["steps"][-1]
    program = tmp_path / "ligament"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ligament "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {
        "LIGAMENT": str(program),
        "FILES": ".",
        "FAIL_ON": fail_on,
        "SARIF": "found.sarif",
        "PYTHONPATH": str(ROOT),
    }
    script = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
    ran = subprocess.run(
        script, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == status, ran.stderr
    assert ("ROTATION" in ran.stdout) == (content is not None), ran.stdout
    assert (tmp_path / "found.sarif").is_file()
