"""The page that plays by itself: one HTML file that needs no server and no network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ligament.errors import ContentError, FileError
from ligament.files import write_atomic
from ligament.gltf.document import Document
from ligament.play.timeline import DEFAULT_SECONDS
from ligament.recording import Recording
from ligament.view.canvas import Canvas
from ligament.view.drawing.picture import Picture, draw
from ligament.view.player import Moment, Player, played_moments, recorded_moments
from ligament.view.server import close_server, open_server

RATE = 30.0
"""Default frames per second of a page."""

LAST_FRAME = 0.5
"""Seconds that the last frame stays before the page starts again."""

POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'unsafe-inline\' '
    "'unsafe-eval' 'wasm-unsafe-eval' data: blob:\">"
)
"""The page may make no requests."""

Progress = Callable[[int, int], None]


def save_page(
    document: Document,
    path: str | os.PathLike[str],
    *,
    seconds: float | None = None,
    rate: float = RATE,
    progress: Progress | None = None,
    **options: Any,
) -> int:
    """Play a document and write a page that shows it; returns the number of frames.

    `seconds` is the length [s]: by default that of the animations, with bodies at least 5 s.
    `options` are those of `lg.Simulation` (`engine`, `quality`, `gravity`, `animations`, ...).
    """
    target = Path(path)
    check_page(target)
    player = Player(document, rate=rate, **options)
    length = _length(player) if seconds is None else seconds
    moments = _reported(played_moments(player, length), round(length * rate) + 1, progress)
    page, frames = _page(draw(player.sim), moments)
    write_atomic(target, [page.encode()])
    return frames


def check_page(path: Path) -> None:
    """Refuse a page that could not be written, before anything is simulated."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ContentError(
            f"{path.name} is not an HTML file", remedy="use a name that ends in .html"
        )
    if not path.parent.is_dir():
        remedy = f"the folder {path.parent} must exist"
        raise FileError("cannot be written", file=path, remedy=remedy)


def page_of(document: Document, recording: Recording | None = None) -> str:
    """Return the page of a recording, or of a document at rest, as HTML."""
    player = Player(document)
    moments = [player.moment()] if recording is None else recorded_moments(document, recording)
    return _page(draw(player.sim), moments)[0]


def _length(player: Player) -> float:
    duration = player.sim.stage.duration
    return max(DEFAULT_SECONDS, duration) if player.sim.scene.bodies else duration


def _page(picture: Picture, moments: Iterable[Moment]) -> tuple[str, int]:
    return page_of_all([picture], ((moment,) for moment in moments))


def page_of_all(
    pictures: Sequence[Picture], moments: Iterable[Sequence[Moment]]
) -> tuple[str, int]:
    """Return a page in which each picture moves by its own moments of the same times."""
    server, _ = open_server()
    try:
        canvases = [
            Canvas(server, picture, f"/{i}" if i else "") for i, picture in enumerate(pictures)
        ]
        serializer, last, frames = server.get_scene_serializer(), 0.0, 0
        for shown in moments:
            time = shown[0].time
            serializer.insert_sleep(max(0.0, time - last))
            for canvas, moment in zip(canvases, shown, strict=True):
                canvas.show(moment, hidden=True)
            last, frames = time, frames + 1
        if frames > 1:
            serializer.insert_sleep(LAST_FRAME)
        html = serializer.as_html()
    finally:
        close_server(server)
    return html.replace("<head>", f"<head>{POLICY}", 1), frames


def _reported(
    moments: Iterable[Moment], frames: int, progress: Progress | None
) -> Iterable[Moment]:
    for frame, moment in enumerate(moments):
        if progress is not None:
            progress(frame, frames)
        yield moment
