"""`ligament view`: a live page in the browser, or a page that plays by itself."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ligament.cli import playing
from ligament.cli.console import messages, plain, progress_bar, results
from ligament.cli.options import File, Limit, Quiet, chosen_limits, grouped
from ligament.gltf import load


@grouped
def view(
    *,
    file: File,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that plays by itself instead of opening one.")
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
    """Show a file in the browser, live and on this machine alone, or write a page (--html)."""
    from ligament.view import Viewer, save_page

    document = load(file, limits=chosen_limits(limit))
    options = staging.arguments()
    if html is not None:
        with progress_bar("simulating", quiet=quiet) as progress:
            pace = 30.0 if rate is None else rate
            frames = save_page(
                document, html, seconds=seconds, rate=pace, progress=progress, **options
            )
        if not quiet:
            messages.print(f"{plain(html)}: {frames} frames, opens in any browser")
        return
    with Viewer(document, port=port, rate=60.0 if rate is None else rate, **options) as viewer:
        results.print(viewer.url)
        if not quiet:
            messages.print("the page is for this machine alone; stop with Ctrl+C")
        if not no_open:
            webbrowser.open(viewer.url)
        viewer.run()
