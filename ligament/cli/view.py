"""`ligament view`: a live page in the browser, or a page that plays by itself."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ligament.cli import playing
from ligament.cli.console import messages, plain, progress_bar, results
from ligament.cli.options import File, Limit, Quiet, chosen_limits, grouped
from ligament.gltf import Document, load
from ligament.limits import Limits
from ligament.rig.motion.bone_map import BoneMap
from ligament.rig.motion.bvh_motion import bone_map_of as bvh_bones
from ligament.rig.motion.bvh_motion import motion_of_bvh, read_bvh
from ligament.rig.motion.gltf_skeleton import bone_map_of as gltf_bones
from ligament.rig.motion.load import is_bvh
from ligament.rig.motion.stick_figure import bvh_document, with_sticks

EXAMPLE = "ligament view door.glb --html door.html --seconds 3"


def _shown(file: Path, limits: Limits, *, quiet: bool) -> Document:
    """Load a file; a bare skeleton becomes a stick figure, and its bones are reported."""
    found: BoneMap | None = None
    if is_bvh(file):
        bvh = read_bvh(file, limits=limits)
        found = bvh_bones(bvh)
        assumed = motion_of_bvh(bvh).assumed if found.bones else None
        unit = 1.0 if assumed is None else assumed.unit
        document = bvh_document(bvh, name=file.stem, unit=unit)
    else:
        document = load(file, limits=limits)
        if document.array("animations") or document.array("skins"):
            found = gltf_bones(document)
    if found is None or not (found.bones or is_bvh(file)):
        return document
    if not quiet:
        messages.print(plain(str(found)))
    return document if document.array("meshes") else with_sticks(document, found)


@grouped
def view(
    *,
    file: File,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a self-contained HTML page instead of opening the viewer."),
    ] = None,
    port: Annotated[
        int, typer.Option(help="Port of the live page; by default any free one.", min=0, max=65535)
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address without opening a browser.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="Length of a page [s]; by default as in `simulate`.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Frames per second: 60 live, 30 in a page.")
    ] = None,
    staging: playing.Staging,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Show a file in the browser, or write a page that plays it.

    The live page is for this machine alone; --html writes one file that plays by itself.
    """
    document = _shown(file, chosen_limits(limit), quiet=quiet)
    options = staging.arguments()
    if html is not None:
        from ligament.view import save_page

        with progress_bar("simulating", quiet=quiet) as progress:
            pace = 30.0 if rate is None else rate
            frames = save_page(
                document, html, seconds=seconds, rate=pace, progress=progress, **options
            )
        if not quiet:
            messages.print(f"{plain(html)}: {frames} frames, opens in any browser")
        return
    from ligament.view import Viewer  # the lookup raises MissingExtraError

    with Viewer(document, port=port, rate=60.0 if rate is None else rate, **options) as viewer:
        results.print(viewer.url)
        if not quiet:
            messages.print("only this machine can open the page; stop with Ctrl+C")
        if not no_open:
            webbrowser.open(viewer.url)
        viewer.run()
