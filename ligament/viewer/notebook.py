"""Documents and recordings in notebooks: a player if its script was built, else a summary.

Registering costs nothing until one is shown: everything else is imported then.
"""

from __future__ import annotations

import html
import io
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ligament.arguments import checked
from ligament.viewer.bundle import has_bundle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ligament.gltf.document import Document
    from ligament.recording import Recording

HEIGHT = 480
"""Height of the player [pixels]."""


def register() -> None:
    """Make the current notebook, if any, show documents and recordings as players."""
    shell = _shell()
    if shell is None:
        return
    formatter = shell.display_formatter.formatters["text/html"]
    formatter.for_type_by_name("ligament.gltf.document", "Document", _document_html)
    formatter.for_type_by_name("ligament.recording.recording", "Recording", _recording_html)
    # Pyplot replaces this formatter with its own where it is used.
    pictures = shell.display_formatter.formatters["image/png"]
    pictures.for_type_by_name("matplotlib.figure", "Figure", _figure_png)


def is_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook."""
    return hasattr(_shell(), "kernel")


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _figure_png(figure: Figure) -> bytes:
    """Render a figure that does not belong to pyplot, as `recording.plot` returns."""
    content = io.BytesIO()
    figure.savefig(content, format="png", bbox_inches="tight")
    return content.getvalue()


def _document_html(document: Document) -> str:
    return show(document)._repr_html_()


def _recording_html(recording: Recording) -> str | None:
    """Show a recording with a known document; others keep their plain form."""
    if recording.document is None:
        return None
    return show(recording.document, recording)._repr_html_()


class EmbeddedPlayer(NamedTuple):
    """A player in a notebook; `height` is in pixels."""

    document: Document
    recording: Recording | None = None
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        if not has_bundle():
            return f"<pre>{html.escape(summary(self.document, self.recording))}</pre>"
        from ligament.viewer.page import page_of

        page = html.escape(page_of(self.document, self.recording), quote=True)
        style = f"width:100%;height:{self.height}px;border:1px solid #ddd"
        return f'<iframe sandbox="allow-scripts" srcdoc="{page}" style="{style}"></iframe>'


@checked
def show(
    document: Document | str | os.PathLike[str],
    recording: Recording | None = None,
    *,
    height: int = HEIGHT,
) -> EmbeddedPlayer:
    """Show a recording of a document, or the document at rest, in a notebook.

    >>> show(doc, lg.simulate(doc, seconds=3, rate=30))
    """
    from ligament.gltf import as_document

    return EmbeddedPlayer(as_document(document), recording, height)


def summary(document: Document, recording: Recording | None = None) -> str:
    """Describe in plain text what would be shown."""
    lines = [repr(document)]
    if recording is not None:
        seconds = float(recording.times[-1]) if len(recording.times) else 0.0
        lines.append(
            f"{len(recording.times)} frames of {seconds:g} s: {len(recording.nodes)} bodies, "
            f"{len(recording.local_nodes)} moving nodes, {len(recording.events)} events"
        )
    return "\n".join(lines)
