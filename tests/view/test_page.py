"""Pages that play by themselves, as files; how they look is tested in a browser."""

from pathlib import Path

import pytest

import ligament as lg
from ligament.errors import ContentError, FileError
from ligament.gltf import Document
from ligament.view import save_page, show
from ligament.view.notebook import summary
from ligament.view.page import page_of
from tests.view.files import red_box


def test_a_page_is_one_file_that_asks_for_nothing(tmp_path: Path) -> None:
    out = tmp_path / "box.html"
    frames = save_page(red_box(), out, seconds=0.5, rate=20)
    assert frames == 11
    text = out.read_text(encoding="utf-8")
    assert text.index("Content-Security-Policy") < text.index("<script")
    assert "__VISER_EMBED_DATA__" in text
    assert [path.name for path in tmp_path.iterdir()] == ["box.html"]


def test_the_length_is_that_of_the_animation_or_five_seconds(tmp_path: Path) -> None:
    assert save_page(red_box(), tmp_path / "a.html", rate=2) == 11
    nothing = Document({"asset": {"version": "2.0"}, "nodes": [{}]})
    assert save_page(nothing, tmp_path / "b.html") == 1


def test_progress_is_told(tmp_path: Path) -> None:
    told = []
    save_page(
        red_box(), tmp_path / "a.html", seconds=1, rate=4, progress=lambda *now: told.append(now)
    )
    assert told == [(frame, 5) for frame in range(5)]


def test_bad_outputs_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"box\.glb .*\.html"):
        save_page(red_box(), tmp_path / "box.glb")
    with pytest.raises(FileError, match="must exist"):
        save_page(red_box(), tmp_path / "none" / "box.html")
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(FileError, match=r"taken\.html"):
        save_page(red_box(), tmp_path / "taken.html", seconds=0.1)


def test_names_of_files_never_become_markup() -> None:
    document = red_box(extras={"note": "<script>evil()</script>"})
    document.json["nodes"][1]["name"] = "</script><script>evil()</script>"
    page = page_of(document, lg.simulate(document, seconds=0.1, rate=20))
    assert "evil()" not in page


def test_notebooks_show_the_player() -> None:
    document = red_box()
    recording = lg.simulate(document, seconds=0.1, rate=20)
    html = show(document, recording, height=300)._repr_html_()
    assert html.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    assert "height:300px" in html
    assert html.count("<iframe") == 1


def test_without_viser_notebooks_show_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ligament.view.notebook.has_viser", lambda: False)
    document = red_box()
    recording = lg.simulate(document, seconds=1.0, rate=20)
    html = show(document, recording)._repr_html_()
    assert html.startswith("<pre>&lt;ligament.Document new document")
    assert "21 frames of 1 s: 1 bodies, 1 moving nodes, 0 events" in html
    assert summary(document).count("\n") == 0


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import ligament.view as view

    monkeypatch.setattr("ligament.view.has_viser", lambda: False)
    with pytest.raises(lg.LigamentError, match=r"pip install 'ligament\[view\]'"):
        view.Viewer  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        view.nothing  # noqa: B018
