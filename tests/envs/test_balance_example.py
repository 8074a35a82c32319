"""The example learns to balance poles, also in a file of which it knows only names."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import ligament as lg
from examples import balance
from tests.sampling import IS_SOAK


def test_a_short_training_gets_better_and_shows_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"WORLDS": 16, "ELITE": 4, "STEPS": 40}.items():
        monkeypatch.setattr(balance, name, value)
    lg.save(balance.trolley(), tmp_path / "other.glb")
    options = ["--file", str(tmp_path / "other.glb"), "--cart", "Trolley", "--pole", "Mast"]
    (policy,) = balance.main([str(tmp_path), *options, "--generations", "3"])
    reported = capsys.readouterr().out
    first, *_, last = [
        float(line.split("mean ")[1]) for line in reported.splitlines() if "best" in line
    ]
    assert last > first
    assert policy.score > first
    assert (tmp_path / "other.html").stat().st_size > 100_000


@pytest.mark.skipif(not IS_SOAK, reason="two minutes")
def test_the_whole_example_balances_both_poles_within_two_minutes(tmp_path: Path) -> None:
    start = time.perf_counter()
    policies = balance.main([str(tmp_path)])
    assert time.perf_counter() - start < 120
    assert min(policy.score for policy in policies) > 0.9
    assert {file.name for file in tmp_path.glob("*.html")} == {"cart.html", "trolley.html"}


def test_the_scenes_of_the_example_have_no_findings() -> None:
    for build in (balance.cart, balance.trolley):
        assert not lg.check(build()).has("warning")
