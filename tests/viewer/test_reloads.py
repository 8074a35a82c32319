"""A viewer that is left open while its page is loaded again and again."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ligament.viewer import Viewer
from tests.browser import Page
from tests.sampling import IS_SOAK
from tests.viewer.files import red_box
from tests.viewer.looking import share, shot

TABS, RELOADS = (10, 10) if IS_SOAK else (1, 2)
"""Several tabs: Chromium is late in freeing WebAssembly memory, and runs out of it in one tab that
is loaded a hundred times within minutes."""

STATUS = Path("/proc/self/statm")


def resident() -> int:
    """Return the memory in use [bytes]."""
    return int(STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    with Viewer(red_box()) as viewer:
        viewer.start()
        yield viewer


def reload(viewer: Viewer, page: Page) -> list[int]:
    """Load the page in a new tab again and again; return the memory after each time [bytes]."""
    used = []
    page.open(viewer.url)
    for _ in range(RELOADS):
        page.page.reload()
        page.page.get_by_role("button", name="Play").wait_for()
        page.wait_for("one client alone", lambda: len(viewer.server.get_clients()) == 1)
        used.append(resident())
    page.wait_for("a red box", lambda: share(shot(page), "red") > 0.02)
    page.page.close()
    assert page.complaints == []
    assert page.outside() == []
    return used


@pytest.mark.skipif(not STATUS.exists(), reason="no /proc")
@pytest.mark.timeout(3600)
def test_reloads_leave_nothing_behind(viewer: Viewer, browser: Any) -> None:
    used = []
    for _ in range(TABS):
        used += reload(viewer, Page(browser.new_page()))
        empty = Page(browser.new_page())
        empty.wait_for("no client", lambda: not viewer.server.get_clients())
        empty.page.close()
    growth = used[-1] - used[len(used) // 2]
    assert growth < 8_000_000, f"{growth / 1e6:.1f} MB"
