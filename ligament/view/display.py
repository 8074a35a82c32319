"""Notebooks told how to show documents and recordings; costs nothing until one is shown."""

from __future__ import annotations

import sys
from typing import Any


def register() -> None:
    """Let the notebook that this runs in, if it does, show documents and recordings as players."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        return
    formatter = shell.display_formatter.formatters["text/html"]
    formatter.for_type_by_name("ligament.gltf.document", "Document", _document)
    formatter.for_type_by_name("ligament.recording", "Recording", _recording)


def _document(document: Any) -> str:
    from ligament.view.notebook import show

    return show(document)._repr_html_()


def _recording(recording: Any) -> str | None:
    """Show a recording that knows its document; others are left to their plain form."""
    from ligament.view.notebook import show

    if recording.document is None:
        return None
    return show(recording.document, recording)._repr_html_()
