"""Self-contained pages: one HTML file that needs no server and no network.

A page consists of players. A player is an element that holds the GLB that `bake` writes and the
data about it (`page_data`); one script runs all players of a page. So a custom page, such as the
tour, is

    <style>ligament-player { height: 26rem }</style>
    {player_of([Take(document, recording, "a door")])}
    {player_of([Take(other, its_recording, "a rope")])}
    {player_scripts()}

with `policy()` as its Content-Security-Policy. Players load when they come near the window.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ligament.arguments import checked
from ligament.drawing.framing import frame_of
from ligament.errors import ContentError, FileError
from ligament.files import name_text, write_atomic
from ligament.gltf import AnyDocument, as_document
from ligament.gltf.document import Document
from ligament.play.timeline import simulate
from ligament.recording import Recording
from ligament.rig.animator import Animator
from ligament.viewer import bundle
from ligament.viewer.page_data import Floats, FramingData, PageData
from ligament.viewer.takes import Curve, Take, show_take, titled

RATE = 30.0
"""Default frames per second of a page."""

Progress = Callable[[int, int], None]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
{player}
{scripts}
</body>
</html>
"""


@checked
def save_page(
    document: AnyDocument,
    path: str | os.PathLike[str],
    *,
    seconds: float | None = None,
    rate: float = RATE,
    progress: Progress | None = None,
    **options: Any,
) -> int:
    """Play a document and write a page that shows it; return the number of frames.

    `seconds` is the length [s], by default as in `lg.simulate`; `options` are those of
    `lg.simulate` (`engine`, `quality`, `gravity`, `animations`, ...).
    """
    target, document = Path(path), as_document(document)
    check_page(target)
    bundle.require_bundle()
    recording = simulate(
        document, seconds=seconds, rate=rate, progress=progress, contact_points=True, **options
    )
    chosen = {name: options[name] for name in ("animations", "loop") if name in options}
    stage = Animator(document, rate=rate, **chosen)
    take = Take(document, recording, title_of(document), stage, options.get("scene"))
    write_atomic(target, [page_of_takes([take]).encode()])
    return len(recording.times)


def check_page(path: Path) -> None:
    """Refuse a page that cannot be written, before anything is simulated."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ContentError(
            f"{path.name} is not an HTML file", remedy="use a name that ends in .html"
        )
    if not path.parent.is_dir():
        remedy = f"the folder {path.parent} must exist"
        raise FileError("cannot be written", file=path, remedy=remedy)


def title_of(document: Document) -> str:
    """Return the title of a document's page."""
    return name_text(document.path.name) if document.path else "new document"


def page_of(document: Document, recording: Recording | None = None) -> str:
    """Return the page of a recording, or of a document at rest, as HTML."""
    if recording is None:
        recording = simulate(document, seconds=0.0, animations=())
    return page_of_takes([Take(document, recording, title_of(document))])


def page_of_takes(takes: Sequence[Take], *, plain: bool = False) -> str:
    """Return a page that shows takes with common times in one scene.

    A `plain` page is the picture alone, without motion.
    """
    return _PAGE.format(
        policy=html.escape(policy()),
        title=html.escape(titled(takes)),
        player=player_of(takes, page=True, plain=plain, still=plain),
        scripts=player_scripts(takes),
    )


# --- parts of pages ---


def player_of(
    takes: Sequence[Take],
    *,
    page: bool = False,
    plain: bool = False,
    still: bool = False,
    name: str = "",
    curves: Sequence[Curve] = (),
) -> str:
    """Return the element that shows takes with common times in one scene.

    A player that is the whole `page` handles its keys and its address; a `plain` one has neither
    controls nor panel; a `still` one does not start automatically. The `curves` are drawn in sync
    by an element `<ligament-curves for="NAME">` of the same page.
    """
    floats = Floats()
    times = floats.add(takes[0].recording.times)
    shown = [show_take(take, floats) for take in takes]
    data = PageData(
        title=titled(takes),
        times=times,
        takes=[each.data for each in shown],
        framing=_framing(takes),
        curves=[curve.packed(floats) for curve in curves],
    )
    parts = [
        _packed("application/json+gzip", msgspec.json.encode(data)),
        _packed("application/octet-stream+gzip", floats.tobytes()),
        *(_packed("model/gltf-binary+gzip", each.glb) for each in shown),
    ]
    given = {"page": page, "plain": plain, "still": still}
    marks = "".join(f" {name}" for name, is_given in given.items() if is_given)
    called = f' id="{html.escape(name)}"' if name else ""
    return f"<ligament-player{called}{marks}>{''.join(parts)}</ligament-player>"


def player_scripts(takes: Sequence[Take] = ()) -> str:
    """Return the script that runs players, with the decoders that some takes need."""
    used = [name for take in takes for name in take.document.array("extensionsUsed")]
    needed = [file for name, files in bundle.DECODERS.items() if name in used for file in files]
    decoders = [
        _packed("application/octet-stream", bundle.decoder(file), f' data-decoder="{file}"')
        for file in needed
    ]
    return f"{''.join(decoders)}<script>{bundle.script()}</script>"


def policy() -> str:
    """Return the Content-Security-Policy of a page: no requests, only the player's script."""
    digest = base64.b64encode(hashlib.sha256(bundle.script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval' blob:; "
        "style-src 'unsafe-inline'; img-src data: blob:; connect-src data: blob:; worker-src blob:"
    )


def _packed(kind: str, content: bytes, attributes: str = "") -> str:
    # A time of 0 in the header: the same input gives the same page.
    packed = base64.b64encode(gzip.compress(content, compresslevel=6, mtime=0)).decode()
    return f'<script type="{kind}"{attributes}>{packed}</script>'


def _framing(takes: Sequence[Take]) -> FramingData:
    """Return the framing of all takes, viewed from the side of the first."""
    found = [frame_of(take.document, take.recording) for take in takes]
    low = np.min([each.center - each.half_size for each in found], axis=0)
    high = np.max([each.center + each.half_size for each in found], axis=0)
    return FramingData(
        center=((low + high) / 2).tolist(),
        half_size=((high - low) / 2).tolist(),
        direction=found[0].direction.tolist(),
        points=np.concatenate([each.points for each in found]).ravel().tolist(),
        floor=min(each.floor for each in found),
    )
