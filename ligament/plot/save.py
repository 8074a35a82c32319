"""Figures saved as files; matplotlib, an extra, is imported when needed."""

from __future__ import annotations

import importlib.util
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ligament.arguments import checked
from ligament.errors import ContentError, MissingExtraError
from ligament.files import write_atomic
from ligament.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ligament.comparison import Comparison

# Dates and versions are left out: the same recording gives the same bytes.
_METADATA: Final[dict[str, dict[str, Any]]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@checked
def plot_recording(
    recording: Recording,
    path: str | os.PathLike[str],
    *,
    names: Sequence[str | None] | None = None,
) -> None:
    """Draw a recording into a .png, .svg or .pdf; `names` are those of all nodes of the document.

    >>> plot_recording(recording, "door.png", names=NodeTree(document).names)
    """
    target = Path(path)
    check_picture(target)
    _save(draw_recording(recording, names=names), target)


@checked
def plot_comparison(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    titles: tuple[str, str] = ("A", "B"),
    names: Sequence[str | None] = (),
) -> None:
    """Plot the divergence of two recordings as .png, .svg or .pdf.

    `titles` name the two, `names` all nodes.
    """
    target = Path(path)
    check_picture(target)
    if len(titles) != 2:
        raise ContentError(f"{len(titles)} titles", remedy="give 2, one per recording")
    from ligament.plot.comparison import draw

    _save(draw(comparison, titles, names), target)


def _save(figure: Figure, target: Path) -> None:
    from ligament.plot.style import look

    suffix, content = target.suffix.lower(), io.BytesIO()
    with look():
        figure.savefig(content, format=suffix[1:], metadata=_METADATA[suffix])
    write_atomic(target, [content.getbuffer()])


@checked
def draw_recording(recording: Recording, *, names: Sequence[str | None] | None = None) -> Figure:
    """Draw a recording as a matplotlib figure, for notebooks and custom figures."""
    _require_matplotlib()
    from ligament.plot.figure import draw

    return draw(recording, () if names is None else tuple(names))


def check_picture(path: Path) -> None:
    """Refuse a plot that cannot be written, before anything is simulated."""
    if path.suffix.lower() not in _METADATA:
        known = ", ".join(_METADATA)
        raise ContentError(f"{path.name} is not a picture", remedy=f"use one of {known}")
    _require_matplotlib()


def _require_matplotlib() -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("pictures need matplotlib", remedy="pip install ligament[plot]")
