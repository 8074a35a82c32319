"""--strict: what the engine does not play exactly is refused before it runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import ligament as lg
from ligament.errors import StrictError
from tests.cli.command import ligament
from tests.play.files import BALL, FLOOR, node, physics_file

RULES = """[[vary]]
quantity = "mass"
nodes = "Ball"
distribution = "constant"
value = 2.0
"""
MUJOCO = ("--engine", "mujoco", "--strict")


def bouncing(**material: float) -> lg.Document:
    return physics_file(
        node("Floor", at=(0, -0.5, 0), shape=FLOOR),
        node("Ball", at=(0, 1, 0), motion={"mass": 1.0}, shape=BALL, material=0),
        materials=[{"staticFriction": 0.5, "dynamicFriction": 0.5, **material}],
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lg.save(bouncing(restitution=0.5, staticFriction=0.8), tmp_path / "ball.gltf")
    (tmp_path / "rules.toml").write_text(RULES)
    return tmp_path / "ball.gltf"


CALLS = {
    "simulate": ("simulate", "FILE", "--out", "OUT.npz", "--seconds", "0.1"),
    "bake": ("bake", "FILE", "--out", "OUT.glb", "--seconds", "0.1"),
    "view": ("view", "FILE", "--html", "OUT.html", "--seconds", "0.1"),
    "worlds": (
        *("worlds", "FILE", "--vary", "RULES", "--count", "1", "--seconds", "0.1"),
        *("--out", "OUT.npz"),
    ),
}


def call(command: str, file: Path) -> list[str]:
    here = {"FILE": str(file), "RULES": str(file.parent / "rules.toml")}
    words = [here.get(word, word) for word in CALLS[command]]
    return [word.replace("OUT", str(file.parent / "out")) for word in words]


@pytest.mark.parametrize("command", CALLS)
def test_each_loss_is_a_line_and_nothing_is_written(command: str, file: Path) -> None:
    before = sorted(file.parent.iterdir())
    done = ligament(*call(command, file), *MUJOCO)
    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert [line.partition(f"error: {file}: ")[2].split(": ")[:2] for line in lines] == [
        ["/nodes/1", "static friction"]
    ]
    assert sorted(file.parent.iterdir()) == before


@pytest.mark.parametrize("command", ["simulate", "bake", "view"])
def test_exact_scenes_pass_strict(command: str, file: Path) -> None:
    done = ligament(*call(command, file), "--strict")  # on the default engine
    assert done.returncode == 0, done.stderr
    lg.save(bouncing(), file)
    assert ligament(*call(command, file), *MUJOCO).returncode == 0


def test_a_batch_fails_file_by_file(file: Path) -> None:
    lg.save(bouncing(), file.parent / "exact.gltf")
    out = file.parent / "out"
    words = ("--seconds", "0.1", *MUJOCO, "--jobs", 1)
    done = ligament("batch", "simulate", file, file.parent / "exact.gltf", "--out-dir", out, *words)
    assert done.returncode == 1
    assert "ball.gltf: mujoco does not play 1 thing exactly" in done.stderr
    assert sorted(path.stem for path in out.glob("*.npz")) == ["exact"] or list(
        out.rglob("exact*.npz")
    )
    assert not list(out.rglob("ball*.npz"))


def test_python_raises(file: Path) -> None:
    document = lg.load(file)
    with pytest.raises(StrictError, match="mujoco does not play 1 thing exactly") as reported:
        lg.simulate(document, engine="mujoco", strict=True)
    assert len(reported.value.losses) == 1
    assert isinstance(reported.value, lg.LigamentError)
    with pytest.raises(StrictError):
        lg.Simulation(document, engine="mujoco", strict=True)
    lg.simulate(document, seconds=0.1, strict=True)


def test_an_engine_that_is_not_installed_is_one_line_and_status_2(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.delitem(sys.modules, "ligament.physics.engines.mujoco.engine", raising=False)
    done = ligament(*call("simulate", file), "--engine", "mujoco", "--quiet")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        'error: this engine needs MuJoCo; pip install "ligament[mujoco]"'
    )
