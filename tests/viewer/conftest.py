"""A browser for all tests of pages in one process: it takes seconds to start."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Page, find_browser, open_browser
from tests.viewer.looking import leave_out_reflections


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    program = find_browser()
    if program is None:
        pytest.skip("there is no browser: make .venv/.browser finds or installs one")
    leave_out_reflections()
    with open_browser(program, tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture
def page(browser: Any) -> Iterator[Page]:
    tab = browser.new_page()
    yield Page(tab)
    tab.close()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A folder for screenshots, kept by pytest when a test fails."""
    return tmp_path
