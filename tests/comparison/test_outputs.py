"""A comparison as a figure and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from ligament.comparison import compare
from ligament.errors import ContentError
from ligament.plot import plot_comparison
from ligament.plot.comparison import draw
from ligament.viewer.comparison import COLOURS, save_comparison_page
from ligament.viewer.takes import Take
from tests.comparison.test_comparison import falling, moved, pendulum
from tests.viewer.pages import unpacked


def test_the_figure_has_bodies_and_limits(tmp_path: Path) -> None:
    recording, other = pendulum(), moved(pendulum(0.1), 0.02, since=0.5)
    found = compare(recording, other)
    figure = draw(found, ("one", "two"), ["Gate", "Ball", "$x$", "Hook"])
    panels = [axes for part in figure.subfigs for axes in part.axes]
    assert [axes.get_ylabel() for axes in panels] == ["distance [m]", "angle [°]", "value [°]"]
    named = [text.get_text() for text in figure.subfigs[0].legends[0].get_texts()]
    assert named == ["Ball (differs)", "$x$"]
    assert panels[2].get_title(loc="left") == "Hook, limit 0"
    for name in ("a.png", "a.svg"):
        plot_comparison(found, tmp_path / name)
        again = (tmp_path / name).read_bytes()
        plot_comparison(found, tmp_path / name)
        assert (tmp_path / name).read_bytes() == again
    with pytest.raises(ContentError, match="not a picture"):
        plot_comparison(found, tmp_path / "a.txt")


def test_the_page_has_both_in_their_colours(tmp_path: Path) -> None:
    recording = falling()
    assert recording.document is not None
    takes = [Take(recording.document, recording, title) for title in ("<one>", "two")]
    assert save_comparison_page(tmp_path / "a.html", *takes) == 31
    page = (tmp_path / "a.html").read_text()
    assert "<title>&lt;one&gt; and two</title>" in page
    shown = unpacked(page).data["takes"]
    assert [(take["title"], take["colour"]) for take in shown] == [
        ("<one>", COLOURS[0]),
        ("two", COLOURS[1]),
    ]
    assert [take["shows_still"] for take in shown] == [True, False]  # they are of one file
    with pytest.raises(ContentError, match="not an HTML file"):
        save_comparison_page(tmp_path / "a.txt", *takes)
