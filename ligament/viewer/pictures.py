"""Pictures and films of files, rendered from the player's page by a headless browser."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ligament.errors import ContentError, FileError, MissingExtraError
from ligament.files import require_place, write_atomic
from ligament.gltf.document import Document
from ligament.play.timeline import simulate
from ligament.processes.programs import run_program
from ligament.recording import Recording
from ligament.viewer import bundle
from ligament.viewer.browser import find_browser, open_page
from ligament.viewer.page import Progress, page_of_takes, title_of
from ligament.viewer.takes import Take

SIZE: Final = (1280, 720)
"""Width and height of a picture [pixels]."""

LARGEST: Final = 8192
"""Greatest width and height of a picture [pixels]."""

RATE: Final = 30.0
"""Frames per second of a film."""

GIF_RATE: Final = 20.0
"""Frames per second of a GIF, whose delays are in hundredths of a second."""


def save_picture(
    document: Document,
    path: str | os.PathLike[str],
    *,
    time: float = 0.0,
    size: tuple[int, int] = SIZE,
    seconds: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> None:
    """Play a document and write a PNG of it at a time [s].

    `size` is width and height [pixels]; other options are those of `lg.simulate`. Requires a
    browser: Chromium, Chrome or Edge.
    """
    target = _checked(path, (".png",), size)
    if not 0 <= time < float("inf"):
        raise ContentError(f"the time is {time} s", remedy="it must be 0 or more")
    recording = simulate(document, seconds=seconds, rate=RATE, progress=progress, **options)
    if seconds is None and time > recording.times[-1]:
        recording = simulate(document, seconds=time, rate=RATE, progress=progress, **options)
    (frame,) = _frames(document, recording, [time], size)
    write_atomic(target, [frame])


def save_film(
    document: Document,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = SIZE,
    seconds: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> int:
    """Play a document and write a film, .mp4 or .gif; return the number of frames.

    A GIF requires Pillow, an MP4 the program ffmpeg, and both a browser.
    """
    target = _checked(path, (".mp4", ".gif"), size)
    encode = _gif if target.suffix.lower() == ".gif" else _mp4
    rate = GIF_RATE if encode is _gif else RATE
    _require_encoder(target)
    recording = simulate(document, seconds=seconds, rate=rate, progress=progress, **options)
    frames = _frames(document, recording, recording.times.tolist(), size)
    write_atomic(target, [encode(frames, rate)])
    return len(recording.times)


def _checked(
    path: str | os.PathLike[str], suffixes: tuple[str, ...], size: tuple[int, int]
) -> Path:
    """Refuse files that cannot be written, before anything is simulated."""
    target = Path(path)
    if target.suffix.lower() not in suffixes:
        remedy = f"use a name that ends in {' or '.join(suffixes)}"
        raise ContentError(f"{target.name} is not a supported picture", remedy=remedy)
    if not all(1 <= side <= LARGEST for side in size):
        raise ContentError(
            f"the picture size is {size[0]}x{size[1]}", remedy=f"use 1 to {LARGEST} pixels"
        )
    require_place(target)
    bundle.require_bundle()
    find_browser()
    return target


def _frames(
    document: Document, recording: Recording, times: list[float], size: tuple[int, int]
) -> Iterator[bytes]:
    """Yield a PNG for every time [s]."""
    page = page_of_takes([Take(document, recording, title_of(document))], plain=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        with open_page(file, size) as shown:
            for time in times:
                shown.show(time)
                yield shown.png()


# --- films ---


def _require_encoder(target: Path) -> None:
    if target.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise MissingExtraError(
            "an .mp4 is written by the program ffmpeg, which is not installed",
            remedy="install it, or write a .gif",
        )
    if target.suffix.lower() == ".gif":
        try:
            import PIL  # noqa: F401
        except ImportError as fault:
            raise MissingExtraError(
                "a .gif is written by Pillow, which is not installed",
                remedy="pip install pillow",
            ) from fault


def _gif(frames: Iterator[bytes], rate: float) -> bytes:
    """Return a looping GIF; all frames share the palette of the first."""
    from PIL import Image

    pictures = []
    for frame in frames:
        with Image.open(io.BytesIO(frame)) as picture:
            pictures.append(picture.convert("RGB"))
    colours = pictures[0].quantize(255, dither=Image.Dither.NONE)
    painted = [each.quantize(palette=colours, dither=Image.Dither.NONE) for each in pictures]
    out = io.BytesIO()
    painted[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=painted[1:],
        duration=round(1000 / rate),
        loop=0,
        optimize=True,
    )
    return out.getvalue()


def _mp4(frames: Iterator[bytes], rate: float) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "film.mp4"
        words = ["ffmpeg", "-loglevel", "error", "-f", "image2pipe", "-framerate", f"{rate:g}"]
        words += ["-c:v", "png", "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"]
        words += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(out)]
        ended = run_program(words, inputs=frames)
        if ended.status:
            reason = ended.last_line or f"it ended with {ended.status}"
            raise FileError(f"ffmpeg failed to write the video ({reason})", remedy="write a .gif")
        return out.read_bytes()
