"""The page of data sets is true: its commands and its Python run."""

import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import ligament as lg
from examples.balance import cart
from ligament.demo import assets
from ligament.envs import Action, Observation
from ligament.envs.expressions import FUNCTIONS
from ligament.envs.task import DRIVES, FLAGS, POSES
from ligament.envs.values import RESERVED
from ligament.worlds.variations.distributions import KEYS
from ligament.worlds.variations.quantities import TRAITS, Quantity
from ligament.worlds.variations.rules import RULE_KEYS
from tests.cli.command import ligament as run_ligament

PAGE = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")


def test_the_commands_and_the_python_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    homes = {".vrma": "clips", ".vrm": "avatars"}
    for asset in assets():
        folder = tmp_path / homes.get(asset.suffix, ".")
        folder.mkdir(exist_ok=True)
        (folder / asset.name).write_bytes(asset.read_bytes())
    monkeypatch.chdir(tmp_path)
    for name, text in re.findall(r"```toml\n# ([\w.]+)\n(.*?)```", PAGE, re.DOTALL):
        Path(name).write_text(text, encoding="utf-8")
    lg.save(cart(), "cart.glb")
    for line in re.findall(r"^    (ligament .+)$", PAGE, re.MULTILINE):
        result = run_ligament(*line.split()[1:], "--jobs", "1")
        assert result.exit_code == 0, (line, result.output)
    assert Path("moved/avatar.vrm/wave.vrma.npz").is_file()
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(code, "datasets.md", "exec"), names)
    assert names["inputs"].shape == names["targets"].shape
    assert names["inputs"].shape[:2] == (24, 15)
    assert names["inputs"].dtype == np.float32
    assert names["translation"].shape == (8, 31, 1, 3)
    assert names["score"].max() > 0.9 * 60
    assert names["recording"].rotation.shape == (61, 2, 4)
    assert Path("balanced.html").is_file()
    printed = capsys.readouterr().out
    assert "8 {}" in printed
    assert "(61, 21, 4)" in printed


def test_the_page_names_every_key_of_a_task() -> None:
    page = PAGE.split("### Tasks")[1]
    for kind in (Action, Observation):
        for field in msgspec.structs.fields(kind):
            assert f"`{field.name}`" in page, field.name
    for name in (*POSES, *DRIVES, *FLAGS, *FUNCTIONS, *RESERVED, "limit_value"):
        assert f"`{name}`" in page, name


def test_the_page_names_every_quantity_and_key() -> None:
    for quantity in Quantity:
        assert f"`{quantity}`" in PAGE, quantity
    for key in RULE_KEYS:
        assert f"\n| `{key}` |" in PAGE, key
    for form, keys in KEYS.items():
        (printed,) = re.findall(rf"`{form}` \(([^)]+)\)", PAGE)
        assert set(re.findall(r"`(\w+)`", printed)) == {*keys.needed, *keys.optional}
    for quantity, trait in TRAITS.items():
        (row,) = re.findall(rf"^\| .*`{quantity}`.+$", PAGE.split("| quantity |")[1], re.MULTILINE)[
            :1
        ]
        assert re.findall(r"`(set|add|scale)`", row) == [str(each) for each in trait.operations]
