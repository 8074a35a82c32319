"""`ligament worlds` and `batch retarget` with data sets as a user meets them."""

from pathlib import Path

import numpy as np
import pytest

from ligament.demo import assets
from tests.batches.inputs import write_good
from tests.cli.command import Run
from tests.cli.command import ligament as run_ligament

RULES = """
[[vary]]
quantity = "linear_velocity"
nodes = "Ball"
distribution = "choice"
values = [[0, 0, 0], [1e38, 0, 0]]
"""
CALL = ("ball.gltf", "--vary", "vary.toml", "--count", "6", "--seconds", "0.1", "--rate", "30")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_good(tmp_path / "ball.gltf", 2.0)
    (tmp_path / "vary.toml").write_text(RULES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ligament(*words: str) -> Run:
    return run_ligament(*words)


def test_worlds_that_fail_are_reported_and_the_exit_status_is_1(folder: Path) -> None:
    result = ligament("worlds", *CALL, "--out", "data.npz", "--jobs", "1")
    assert result.exit_code == 1
    with np.load("data.npz") as data:
        failed = np.flatnonzero(~data["worlds/ok"])
    assert 0 < len(failed) < 6
    assert f"failed: world {failed[0]}: 'Ball' (node 0) became non-finite" in result.stderr
    assert f"data.npz: 6 worlds, {len(failed)} failed" in result.stderr


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            RULES.replace("Ball", "Bull"),
            "vary.toml: vary[0].nodes: no body that moves is at 'Bull'",
        ),
        (RULES.replace("choice", "chance"), "vary.toml: vary[0].distribution: found 'chance'"),
        (RULES.replace("vary", "very"), "vary.toml: very: is not a known key; did you mean vary?"),
    ],
)
def test_bad_rules_are_reported_in_one_line(folder: Path, rules: str, message: str) -> None:
    Path("vary.toml").write_text(rules)
    result = ligament("worlds", *CALL, "--out", "data.npz")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not Path("data.npz").exists()


def test_every_clip_to_every_avatar(folder: Path) -> None:
    files = {path.name: path for path in assets()}
    for name, home in (("wave.vrma", "clips"), ("avatar.vrm", "avatars")):
        (folder / home).mkdir()
        (folder / home / name).write_bytes(files[name].read_bytes())
    call = ("batch", "retarget", "clips", "--to", "avatars", "--out-dir", "out", "--jobs", "1")
    result = ligament(*call, "--dataset", "all.npz", "--rate", "10", "--float32")
    assert result.exit_code == 0, result.output
    with np.load("all.npz") as data:
        assert data["motions/avatar.vrm/wave.vrma/rotation"].dtype == np.float32
        assert data["pairs/frames"].tolist() == [21]
    assert sorted(path.name for path in Path("out").iterdir() if path.name[0] != ".") == [
        "manifest.jsonl",
        "report.json",
    ]
    assert ligament(*call).exit_code == 0
    assert Path("out/avatar.vrm/wave.vrma").is_file()


def test_the_data_set_may_go_to_a_store_or_a_file_url(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    door = next(file for file in assets() if file.name == "door.glb")
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[vary]]\nquantity = "gravity"\ndistribution = "constant"\nvalue = [0, -9, 0]\n'
    )
    command = ["worlds", str(door), "--vary", str(rules), "--count", "1", "--seconds", "0.1"]
    for out in ("memory://cli/door.npz", f"file://{tmp_path}/door.npz"):
        result = run_ligament(*command, "--jobs", "1", "--out", out)
        assert result.exit_code == 0, result.output
        assert f"{out}: 1 worlds" in result.output.replace("\n", "")
    assert fsspec.filesystem("memory").cat_file("/cli/door.npz")[:2] == b"PK"
    assert (tmp_path / "door.npz").is_file()
    wrong = run_ligament(*command, "--out", "ftp://host/door.npz")
    assert "protocol" in wrong.stderr
