"""The engine-independent checks of the shared corpus, judged by a program that is not ours."""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections import defaultdict
from pathlib import Path

import pytest

import ligament as lg
from ligament.recording import save_events, save_recording
from tests.sampling import sample

PARTS = 4
"""So that several workers share the files."""


def _judge(shared: Path):
    spec = importlib.util.spec_from_file_location("conformance", shared / "tools/conformance.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the judge leaves files to the collector
@pytest.mark.parametrize("part", range(PARTS))
def test_every_check_of_the_corpus_holds(shared: Path, tmp_path: Path, part: int) -> None:
    judge = _judge(shared)
    by_file = defaultdict(list)
    for check in json.loads((shared / "corpus/checks.json").read_bytes())["checks"]:
        by_file[check["file"]].append(check)
    failed = []
    for name, checks in sample(list(by_file.items())[part::PARTS], 8):
        path = shared / "corpus" / name
        arrays, events = tmp_path / "r.npz", tmp_path / "r.json"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lg.LigamentWarning)
            recording = lg.simulate(lg.load(path), seconds=5, rate=60)
        save_recording(recording, arrays)
        save_events(recording, events)
        seen = judge.Recording(arrays, events, judge.load(path))
        for check in checks:
            value = float(judge.measure(check, seen))
            if not judge.passes(check, value):
                failed.append(f"{check['tier']} {check['id']}: {value:.5g}, {check['why']}")
    assert len(by_file) > 50
    if failed:
        pytest.fail("\n".join(failed))
