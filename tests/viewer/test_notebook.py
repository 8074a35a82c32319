"""Documents and recordings in a real notebook: its kernel runs the cells, a browser shows them."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from ligament.gltf import save
from tests.browser import Page
from tests.sampling import sample
from tests.viewer.files import red_box
from tests.viewer.looking import share, shot

ROOT = Path(__file__).parents[2]

CELLS = f"""\
import sys; sys.path.insert(0, {str(ROOT)!r})
from tests.viewer.looking import leave_out_reflections; leave_out_reflections()
---
import ligament as lg; doc = lg.load("box.glb"); doc
---
recording = lg.simulate(doc, seconds=0.5, rate=20); recording
---
lg.Recording.of_locals(recording.times, recording._locals)
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """Return the output of each cell, by media type."""
    folder = tmp_path_factory.mktemp("notebook")
    save(red_box(), folder / "box.glb")
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS.split("---\n")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}
    ).execute()
    return [cell.outputs[-1]["data"] for cell in notebook.cells[1:]]


def test_documents_and_recordings_show_themselves(
    outputs: list[dict[str, str]], page: Page, tmp_path: Path
) -> None:
    for output in outputs[:2]:
        assert output["text/html"].startswith('<iframe sandbox="allow-scripts" srcdoc="')
    for output in sample(outputs[1::-1], 1):
        html = output["text/html"]
        path = tmp_path / "cell.html"
        path.write_text(f"<!doctype html><meta charset=utf-8>{html}")
        page.open(path.as_uri())
        # A document at rest is framed with its floor, where the box is small.
        page.wait_for("a red box", lambda: share(shot(page), "red") > 3e-4)
        assert page.complaints == []
        assert [url for url in page.requests if url.startswith("http")] == []


def test_a_recording_without_its_document_stays_plain(outputs: list[dict[str, str]]) -> None:
    assert "text/html" not in outputs[2]
    assert outputs[2]["text/plain"].startswith("<ligament.Recording")
