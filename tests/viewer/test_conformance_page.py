"""The page of the conformance suite in a real browser: failing cases move beside their curves."""

from pathlib import Path

import numpy as np

from ligament.conformance.judge import judge
from ligament.conformance.page import html_page
from ligament.conformance.recordings import Recording
from ligament.conformance.suite import own_suite, read_suite
from tests.browser import Page

PICTURE = "document.querySelectorAll('canvas')[%d].toDataURL()"


def test_a_failing_case_moves_beside_the_expected_curve(page: Page, tmp_path: Path) -> None:
    entry = next(e for e in read_suite(own_suite()) if e.case["id"] == "bodies/parabola")
    times = np.arange(61) / 60
    place = times[:, None] * np.array([[1.0, 3.0, 0.0]])  # without gravity
    recording = Recording(times, {0: place}, {0: np.tile([0.0, 0, 0, 1], (61, 1))}, [])
    verdict = judge(entry.case, entry.document(), recording)
    out = tmp_path / "report.html"
    out.write_text(html_page([verdict], "Conformance of <nothing>"), encoding="utf-8")
    page.open(out.as_uri())
    assert page.page.title() == "Conformance of <nothing>"
    assert page.page.locator("canvas").count() == 2  # the nodes, and the one check that fails
    assert "bodies/parabola" in page.page.locator("h2").first.inner_text()
    for canvas in range(2):
        wait_for_motion(page, PICTURE % canvas)
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []


def wait_for_motion(page: Page, picture: str) -> None:
    """Wait until a picture has changed twice."""
    seen = {page.page.evaluate(picture)}
    page.wait_for("motion", lambda: len(seen.add(page.page.evaluate(picture)) or seen) > 2)
