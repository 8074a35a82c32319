"""`ligament info`: what a file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from ligament.cli.printing import plain, results, size
from ligament.gltf import load
from ligament.summary import Summary, summarize


def info(
    file: Annotated[Path, typer.Argument(help="A .gltf, .glb, .vrm or .vrma file.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show what a file holds."""
    summary = summarize(load(file))
    if json:
        text = msgspec.json.format(msgspec.json.encode(summary), indent=2).decode()
        results.print(text)
    else:
        _print(summary)


def _print(summary: Summary) -> None:
    made_by = f", made by {plain(summary.generator)}" if summary.generator else ""
    results.print(f"{plain(summary.file)}")
    results.print(f"{summary.container}, glTF {plain(summary.version)}{made_by}")
    counts = ", ".join(f"{count} {name}" for name, count in summary.counts.items())
    results.print(counts or "nothing in it")
    results.print(f"tree: {summary.tree.roots} roots, {summary.tree.depth} levels")
    _print_extensions(summary)
    _print_animations(summary)
    for index, buffer in enumerate(summary.buffers):
        results.print(f"buffer {index}: {size(buffer.bytes)}, {plain(buffer.place)}")


def _print_extensions(summary: Summary) -> None:
    if not summary.extensions:
        return
    table = Table("extension", "objects", "declared", box=None, pad_edge=False)
    for extension in summary.extensions:
        declared = "used" if extension.declared else "not in extensionsUsed"
        declared = "required" if extension.required else declared
        table.add_row(plain(extension.name), str(extension.objects), declared)
    results.print(table)


def _print_animations(summary: Summary) -> None:
    if not summary.animations:
        return
    table = Table("animation", "seconds", "channels", "moves", box=None, pad_edge=False)
    for animation in summary.animations:
        moves = ", ".join(f"{count} {path}" for path, count in animation.moves.items())
        seconds = f"{animation.seconds:.3f}"
        table.add_row(plain(animation.name), seconds, str(animation.channels), moves)
    results.print(table)
