"""`ligament view`: a live page in the browser, a self-contained page, or pictures."""

from __future__ import annotations

import dataclasses
import re
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.cli import playing
from ligament.cli.console import messages, plain, progress_bar, results
from ligament.cli.options import File, Limit, Quiet, chosen_limits, grouped
from ligament.errors import ContentError
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.files import name_text
from ligament.gltf import Document, load
from ligament.limits import Limits
from ligament.rig.motion.bone_map import BoneMap
from ligament.rig.motion.bvh import read_bvh
from ligament.rig.motion.bvh_motion import bone_map_of as bvh_bones
from ligament.rig.motion.bvh_motion import motion_of_bvh
from ligament.rig.motion.gltf_skeleton import bone_map_of as gltf_bones
from ligament.rig.motion.load import is_bvh
from ligament.rig.motion.stick_figure import bvh_document, with_sticks

HUMANOIDS = (vrmc_vrm.NAME, vrm.NAME)
"""Extensions that declare the bones of a humanoid."""

EXAMPLE = "ligament view door.glb --html door.html --seconds 3"


def _shown(file: Path, limits: Limits, *, quiet: bool) -> Document:
    """Load a file; a bare skeleton becomes a stick figure, and its bones are reported."""
    found: BoneMap | None = None
    if is_bvh(file):
        bvh = read_bvh(file, limits=limits)
        found = bvh_bones(bvh)
        assumed = motion_of_bvh(bvh).assumed if found.bones else None
        unit = 1.0 if assumed is None else assumed.unit
        document = bvh_document(bvh, name=name_text(file.stem), unit=unit)
    else:
        document = load(file, limits=limits)
        if document.array("animations") or document.array("skins"):
            found = gltf_bones(document)
    if found is None or not (found.bones or is_bvh(file)):
        return document
    is_declared = any(document.extension(name) is not None for name in HUMANOIDS)
    if not (quiet or is_declared):
        messages.print(plain(str(found)))
    return document if document.array("meshes") else with_sticks(document, found)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Outputs:
    """Files to write a view to."""

    html: Annotated[
        Path | None,
        typer.Option(help="Write a self-contained HTML page instead of opening the viewer."),
    ] = None
    png: Annotated[
        Path | None, typer.Option(help="Write a picture; it needs Chromium, Chrome or Edge.")
    ] = None
    gif: Annotated[Path | None, typer.Option(help="Write a video as a GIF.")] = None
    mp4: Annotated[Path | None, typer.Option(help="Write a video; it needs ffmpeg.")] = None
    time: Annotated[float, typer.Option(help="Time of the picture [s].", min=0)] = 0.0
    size: Annotated[str, typer.Option(metavar="WxH", help="Size of pictures [pixels].")] = (
        "1280x720"
    )

    @property
    def any(self) -> bool:
        """Whether any file is requested."""
        return any((self.html, self.png, self.gif, self.mp4))

    def pixels(self) -> tuple[int, int]:
        """Return width and height of pictures."""
        found = re.fullmatch(r"([0-9]{1,5})x([0-9]{1,5})", self.size)
        if found is None:
            raise ContentError(f"the size is {self.size[:40]!r}", remedy="use one like 1280x720")
        return int(found[1]), int(found[2])

    def write(self, document: Document, *, rate: float | None, quiet: bool, **options: Any) -> None:
        """Write all requested files."""
        if self.html is not None:
            from ligament.viewer import save_page

            with progress_bar("simulating", quiet=quiet) as progress:
                pace = 30.0 if rate is None else rate
                frames = save_page(document, self.html, rate=pace, progress=progress, **options)
            _print_written(self.html, f"{frames} frames, opens in any browser", quiet=quiet)
        if self.png is not None:
            from ligament.viewer import save_picture

            with progress_bar("simulating", quiet=quiet) as progress:
                save_picture(
                    document,
                    self.png,
                    time=self.time,
                    size=self.pixels(),
                    progress=progress,
                    **options,
                )
            _print_written(self.png, f"{self.size}, at {self.time:g} s", quiet=quiet)
        for film in filter(None, (self.gif, self.mp4)):
            from ligament.viewer import save_film

            with progress_bar("simulating", quiet=quiet) as progress:
                frames = save_film(document, film, size=self.pixels(), progress=progress, **options)
            _print_written(film, f"{frames} frames of {self.size}", quiet=quiet)


def _print_written(file: Path, what: str, *, quiet: bool) -> None:
    if not quiet:
        messages.print(f"{plain(file)}: {what}")


@grouped
def view(
    *,
    file: File,
    outputs: Outputs,
    port: Annotated[
        int, typer.Option(help="Port of the live page; by default any free one.", min=0, max=65535)
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address without opening a browser.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(help="Length of a page or video [s]; by default as in `simulate`."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Frames per second: 60 live, 30 in a page.")
    ] = None,
    staging: playing.Staging,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Show a file in the browser, or write a page or pictures.

    The live page is for this machine only; --html writes one self-contained file; --png, --gif and
    --mp4 write pictures.
    """
    document = _shown(file, chosen_limits(limit), quiet=quiet)
    options = staging.arguments()
    if outputs.any:
        outputs.write(document, rate=rate, seconds=seconds, quiet=quiet, **options)
        return
    from ligament.viewer import Viewer  # the lookup raises MissingExtraError

    with Viewer(document, port=port, rate=60.0 if rate is None else rate, **options) as viewer:
        results.print(viewer.url)
        if not quiet:
            messages.print("only this machine can open the page; stop with Ctrl+C")
        if not no_open:
            webbrowser.open(viewer.url)
        viewer.run()
