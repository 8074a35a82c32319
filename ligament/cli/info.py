"""`ligament info`: what a file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from ligament.cli.printing import plain, results, size
from ligament.gltf import load
from ligament.summary import Summary, summarize

LOOK: dict[str, Any] = {"box": None, "pad_edge": False}


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
    counts = ", ".join(f"{name} {count}" for name, count in summary.counts.items())
    results.print(counts or "nothing in it")
    results.print(f"node tree: roots {summary.tree.roots}, levels {summary.tree.depth}")
    _print_extensions(summary)
    _print_animations(summary)
    _print_constraints(summary)
    _print_humanoid(summary)
    for index, buffer in enumerate(summary.buffers):
        results.print(f"buffer {index}: {size(buffer.bytes)}, {plain(buffer.place)}")


def _print_extensions(summary: Summary) -> None:
    if not summary.extensions:
        return
    table = Table("extension", "objects", "declared", **LOOK)
    for extension in summary.extensions:
        declared = "used" if extension.declared else "not in extensionsUsed"
        declared = "required" if extension.required else declared
        table.add_row(plain(extension.name), str(extension.objects), declared)
    results.print(table)


def _print_animations(summary: Summary) -> None:
    if not summary.animations:
        return
    table = Table("animation", "seconds", "channels", "moves", **LOOK)
    for animation in summary.animations:
        moves = ", ".join(f"{count} {path}" for path, count in animation.moves.items())
        seconds = f"{animation.seconds:.3f}"
        table.add_row(plain(animation.name), seconds, str(animation.channels), moves)
    results.print(table)


def _print_constraints(summary: Summary) -> None:
    """List the constraints in the order of evaluation; those of one step need each other not."""
    if not summary.constraints:
        return
    table = Table("step", "constrained", "by", "source", "weight", "version", **LOOK)
    for constraint in summary.constraints:
        kind = f"{constraint.kind} {constraint.axis}" if constraint.axis else constraint.kind
        table.add_row(
            str(constraint.level + 1),
            _node(summary, constraint.destination),
            kind,
            _node(summary, constraint.source),
            f"{constraint.weight:g}",
            constraint.version,
        )
    results.print(table)


def _print_humanoid(summary: Summary) -> None:
    humanoid = summary.humanoid
    if humanoid is None:
        return
    results.print(
        f"humanoid ({humanoid.extension}): bones {len(humanoid.bones)}, "
        f"expressions {len(humanoid.expressions)}, hips at {humanoid.hips_height:.3f} m"
    )
    away = sorted(humanoid.degrees_from_tpose.items(), key=lambda item: -item[1])
    furthest = ", ".join(f"{bone} {degrees:.1f}°" for bone, degrees in away[:5] if degrees >= 0.05)
    results.print(f"rest pose: {f'furthest from a T-pose: {furthest}' if furthest else 'a T-pose'}")


def _node(summary: Summary, node: int) -> str:
    name = summary.names.get(node)
    return f"{node} {plain(name)}" if name else str(node)
