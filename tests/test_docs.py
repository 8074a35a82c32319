"""The documentation is true: generated pages are current, links lead somewhere, code runs."""

import importlib
import json
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ligament as lg
from docs.pictures.gallery import draw, strips
from ligament.demo import assets, tour
from tests.cli.command import ligament as run_ligament

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_thresholds_of_the_engine_are_as_written() -> None:
    """`python docs/make_thresholds.py` updates them."""
    script = runpy.run_path(str(ROOT / "docs" / "make_thresholds.py"))
    assert script["README"].read_text(encoding="utf-8") == script["page"]()
    folder = ROOT / "tests/physics/engines/rapier"
    for names in script["MEASURED_BY"].values():
        for name in names.split(", "):
            assert (ROOT / name if name.startswith("tests/") else folder / name).is_file()


def test_the_table_of_engines_is_current() -> None:
    """`python docs/make_engines.py` updates it."""
    page = runpy.run_path(str(ROOT / "docs" / "make_engines.py"))["page"]()
    assert (ROOT / "docs" / "engines.md").read_text(encoding="utf-8") == page


def test_the_page_of_codes_is_current() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_codes.py"))["page"]()
    assert (ROOT / "docs" / "codes.md").read_text(encoding="utf-8") == page


def test_the_page_of_extensions_is_current() -> None:
    """`python docs/make_extensions.py` updates it."""
    page = runpy.run_path(str(ROOT / "docs" / "make_extensions.py"))["page"]()
    assert (ROOT / "docs" / "extensions.md").read_text(encoding="utf-8") == page


def test_the_page_of_commands_is_current() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "make_commands.py"))["page"]()
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == page


def test_every_root_name_has_its_place_in_the_reference() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in lg.__all__:
        thing = getattr(lg, name)
        home = f"{thing.__module__}.{thing.__qualname__}"
        assert text.count(f"\n::: {home}\n") == 1, name
        assert text.count(f"[`lg.{name}`](#{home})") == 1, name
    assert text.count("\n::: ") == len(lg.__all__)


def test_the_names_deeper_down_exist() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(ligament[.\w]+)` \| (.+?) \|", text, re.MULTILINE)
    assert len(rows) >= 10
    for module, names in rows:
        for name in re.findall(r"`(\w+)`", names):
            assert hasattr(importlib.import_module(module), name), f"{module}.{name}"


def test_the_site_lists_every_page_once() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (?:.+: )?([\w-]+\.md)$", settings, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) >= {page.name for page in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_anchors_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([\w./-]*\.md)?#([^)]+)\)", text):
        other = page.parent / target if target else page
        assert anchor in _anchors(other), f"{target}#{anchor}"


def _anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading).strip().lower() for heading in headings}
    named = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    return {slug.replace(" ", "-") for slug in slugs} | set(named)


def test_the_commands_of_the_gallery_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for asset in assets():
        (tmp_path / asset.name).write_bytes(asset.read_bytes())
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    commands = [line.split()[1:] for line in re.findall(r"^    (ligament .+)$", text, re.MULTILINE)]
    assert {words[1] for words in commands} >= {asset.name for asset in assets()}
    for words in commands:
        if words[0] != "demo":  # the tour has tests of its own
            result = run_ligament(*words)
            assert result.exit_code == (1 if words[0] == "diff" else 0), (words, result.output)
    events = json.loads((tmp_path / "events.json").read_text(encoding="utf-8"))
    assert [event["type"] for event in events] == ["trigger_enter", "trigger_exit"]


def test_the_pictures_of_the_gallery_are_current() -> None:
    drawn = np.asarray(draw(strips()["stack"]), np.float64)
    stored = Image.open(ROOT / "docs" / "images" / "gallery-stack.png").convert("RGB")
    # The file has 128 colours, and a box may lie a fraction of a pixel elsewhere on other machines;
    # a stack that fell differs by more than ten.
    assert np.abs(drawn - np.asarray(stored)).mean() < 1


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
    assert len(code[0].splitlines()) <= 6, "five lines, and a blank one"
    exec(compile("\n".join(code), "README.md", "exec"), {})
    assert "(25, 21, 4)" in capsys.readouterr().out
    assert lg.load(tmp_path / "baked.glb").json["animations"][-1]["name"] == "Baked"


def test_the_notebook_example_draws_three_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")  # examples of other pages draw too
    text = (ROOT / "docs" / "retargeting.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(
        compile(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[-1], "notebook", "exec"), names
    )
    lines = plt.gca().get_lines()
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
    # Results stated on the page; angles [°].
    reported = {5: 12, 10: 24, 20: 49, 50: 100}
    assert str(reported) in text
    assert names["results"] == pytest.approx(reported, abs=1)


def test_the_root_namespace_is_scarce_and_complete() -> None:
    assert len(lg.__all__) <= 30
    for name in lg.__all__:
        assert callable(getattr(lg, name)), name
        assert name in dir(lg)
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        lg.lode  # noqa: B018
