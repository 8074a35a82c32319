"""--engine and --quality: every command that simulates passes them on, and refuses unknown ones."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.batches import Plan
from ligament.batches import run as batches
from ligament.cli import app
from ligament.errors import LigamentError
from ligament.options.names import ENGINES, QUALITIES
from ligament.physics.engines import DEVICE_ENGINE
from ligament.play import timeline
from ligament.worlds.simulator import WorldSimulator, WorldsOptions
from tests.batches.inputs import write_good

RULES = """[[vary]]
quantity = "mass"
nodes = "Ball"
distribution = "constant"
value = 2.0
"""
CHOSEN = {"engine": ENGINES[-1], "quality": "fast"}
WORDS = ["--engine", ENGINES[-1], "--quality", "fast"]


@pytest.fixture
def calls(tmp_path: Path) -> dict[str, list[str]]:
    """A call of every command that simulates, without the two options."""
    file = str(write_good(tmp_path / "ball.gltf", 1.0))
    (tmp_path / "rules.toml").write_text(RULES)
    out = tmp_path / "out"
    worlds = ["--vary", str(tmp_path / "rules.toml"), "--count", "1", "--seconds", "0.1"]
    return {
        "simulate": ["simulate", file, "-o", f"{out}.npz"],
        "bake": ["bake", file, "-o", f"{out}.glb"],
        "view": ["view", file, "--html", f"{out}.html"],
        "worlds": ["worlds", file, *worlds, "-o", f"{out}.zarr"],
        "batch simulate": ["batch", "simulate", file, "--out-dir", str(out)],
        "batch bake": ["batch", "bake", file, "--out-dir", str(out)],
    }


def run(call: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    return app.run(call, is_supervised=False)


class _ArrivedError(Exception):
    """Ends a command once its options have arrived."""


def _stop(seen: dict[str, Any]) -> Any:
    def called(*_: Any, **options: Any) -> Any:
        seen.update(options)
        raise _ArrivedError

    return called


@pytest.mark.parametrize("command", ["simulate", "bake", "view", "worlds"])
def test_engine_and_quality_arrive_at_the_simulation(
    calls: dict[str, list[str]], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}
    monkeypatch.setattr(timeline, "play", lambda _, options: _stop(seen)(**options.given()))
    monkeypatch.setattr("ligament.worlds.worlds", _stop(seen))
    monkeypatch.setattr(
        "ligament.viewer.page.simulate", lambda *_, **options: _stop(seen)(**options)
    )
    with pytest.raises(_ArrivedError):
        app.run([*calls[command], *WORDS], is_supervised=False)
    assert CHOSEN.items() <= seen.items()


@pytest.mark.parametrize("command", ["simulate", "bake"])
def test_a_batch_carries_engine_and_quality_to_its_workers(
    command: str, calls: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []
    monkeypatch.setattr(batches, "batch", lambda plan, *_, **__: plans.append(plan))
    with pytest.raises(AttributeError):  # there is no report
        app.run([*calls[f"batch {command}"], *WORDS], is_supervised=False)
    plan = pickle.loads(pickle.dumps(plans[0]))
    assert CHOSEN.items() <= plan.operation.given().items()
    assert CHOSEN.items() <= plan.fingerprint().items()


def test_worlds_carry_engine_and_quality_to_their_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}
    monkeypatch.setattr("ligament.worlds.simulator.Simulation", _stop(seen))
    rules = {"vary": [{"quantity": "gravity", "distribution": "constant", "value": 0.0}]}
    made = WorldsOptions(variations=rules, seed=1, seconds=0.1, **CHOSEN)
    options = pickle.loads(pickle.dumps(made))
    with pytest.raises(_ArrivedError):
        WorldSimulator(write_good(tmp_path / "ball.gltf", 1.0), options)
    assert CHOSEN.items() <= seen.items()
    assert CHOSEN.items() <= options.fingerprint().items()


@pytest.mark.parametrize("option", ["engine", "quality"])
@pytest.mark.parametrize(
    "command", ["simulate", "bake", "view", "worlds", "batch simulate", "batch bake"]
)
def test_an_unknown_name_is_one_line_and_status_2(
    calls: dict[str, list[str]],
    command: str,
    option: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = (*ENGINES, DEVICE_ENGINE) if command == "worlds" else ENGINES
    remedy = f'use one of {", ".join(names)}, or "module:factory" for another one'
    assert run([*calls[command], f"--{option}", "nope"], monkeypatch) == 2
    fault = f"unknown engine 'nope'; {remedy}"
    if option == "quality":
        listed = ", ".join(map(repr, QUALITIES))
        fault = f"--quality is 'nope'; use one of {listed}; see `ligament {command} --help`"
    assert capsys.readouterr().err == f"error: {fault}\n"


@pytest.mark.parametrize("option", ["engine", "quality"])
def test_an_unknown_name_is_refused_before_a_batch_begins(tmp_path: Path, option: str) -> None:
    with pytest.raises(LigamentError, match=f"{option}.* 'nope'"):
        lg.batch("simulate", tmp_path, tmp_path / "out", **{option: "nope"})
    assert not (tmp_path / "out").exists()
