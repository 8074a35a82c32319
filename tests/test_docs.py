"""The documentation is true: generated pages are current, links lead somewhere, code runs."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import ligament as lg
from ligament.demo import assets, tour

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_page_of_codes_is_current() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_codes.py"))["page"]()
    assert (ROOT / "docs" / "codes.md").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_exist(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_python_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    list(tour(tmp_path))
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code) == 1
    exec(compile(code[0], "README.md", "exec"), {})
    assert "(25, 21, 4)" in capsys.readouterr().out
    assert lg.load(tmp_path / "baked.glb").json["animations"][-1]["name"] == "Baked"


def test_the_notebook_example_draws_three_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = (ROOT / "docs" / "retargeting.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(
        compile(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[-1], "notebook", "exec"), names
    )
    lines = names["plt"].gca().get_lines()
    assert [line.get_label() for line in lines] == ["leftUpperArm", "leftLowerArm", "leftHand"]
    assert max(line.get_ydata().max() for line in lines) > 45
    names["plt"].close("all")


def test_the_python_of_simulating_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for asset in assets():
        (tmp_path / asset.name).write_bytes(asset.read_bytes())
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "simulating.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, "simulating.md", "exec"), names)
    assert "(301, 1, 3)" in capsys.readouterr().out
    assert (tmp_path / "door.png").is_file()
    assert len(names["figure"].get_axes()) == 4
    # What the page says of its results; angles [°].
    told = {5: 13, 10: 25, 20: 51, 40: 100}
    assert str(told) in text
    assert names["results"] == pytest.approx(told, abs=1)


def test_the_root_namespace_is_scarce_and_complete() -> None:
    assert len(lg.__all__) <= 25
    for name in lg.__all__:
        assert callable(getattr(lg, name)), name
        assert name in dir(lg)
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        lg.lode  # noqa: B018
