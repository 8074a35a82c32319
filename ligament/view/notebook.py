"""Documents and recordings in notebooks: the player where viser is installed, else a summary."""

from __future__ import annotations

import html
from typing import NamedTuple

from ligament.gltf.document import Document
from ligament.recording import Recording
from ligament.view.extra import has_viser

HEIGHT = 480
"""Height of the player [pixels]."""


class Player(NamedTuple):
    """What a notebook shows; `height` is in pixels."""

    document: Document
    recording: Recording | None = None
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        if not has_viser():
            return f"<pre>{html.escape(summary(self.document, self.recording))}</pre>"
        from ligament.view.page import page_of

        page = html.escape(page_of(self.document, self.recording), quote=True)
        style = f"width:100%;height:{self.height}px;border:1px solid #ddd"
        return f'<iframe sandbox="allow-scripts" srcdoc="{page}" style="{style}"></iframe>'


def show(document: Document, recording: Recording | None = None, *, height: int = HEIGHT) -> Player:
    """Show a recording of a document, or the document at rest, in a notebook.

    >>> show(doc, lg.simulate(doc, seconds=3, rate=30))
    """
    return Player(document, recording, height)


def summary(document: Document, recording: Recording | None = None) -> str:
    """Say in plain text what would be shown."""
    lines = [repr(document)]
    if recording is not None:
        seconds = float(recording.times[-1]) if len(recording.times) else 0.0
        lines.append(
            f"{len(recording.times)} frames of {seconds:g} s: {len(recording.nodes)} bodies, "
            f"{len(recording.local_nodes)} moving nodes, {len(recording.events)} events"
        )
    return "\n".join(lines)
