"""A page in which two recordings move in one picture, each in a colour of its own."""

from __future__ import annotations

import dataclasses
import html
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ligament.arrays import Bools, Floats, Ints
from ligament.drawing.instances import Instances
from ligament.drawing.palette import Colour, Layer
from ligament.drawing.poses import Attachments
from ligament.errors import ContentError
from ligament.files import write_atomic
from ligament.gltf import jsontext
from ligament.gltf.document import Document
from ligament.gltf.storage.container import glb_pieces, parse_container
from ligament.gltf.tree import NodeTree, nearest
from ligament.play import Simulation
from ligament.recording import Recording
from ligament.view.drawing.meshes import Piece
from ligament.view.drawing.picture import InstancedMesh, Picture, draw
from ligament.view.page import RATE, check_page, page_of_all
from ligament.view.player import Moment, recorded_moments

COLOURS: Final[tuple[Colour, Colour]] = ((0, 110, 200), (235, 110, 0))
"""Of the first and of the second recording; what does not move keeps its own."""

OPACITY: Final = 0.6
"""Of both, so that one shows through the other."""


class Take(NamedTuple):
    """A recording with the document that it is of, and a title."""

    document: Document
    recording: Recording
    title: str


def save_comparison_page(path: str | os.PathLike[str], first: Take, second: Take) -> int:
    """Write a page in which two recordings move in one picture; returns the number of frames.

    The first is blue, the second orange, and what neither moves is as it is.
    """
    target = Path(path)
    check_page(target)
    times = _common_times(first.recording, second.recording)
    is_one_file = first.document is second.document
    pictures = [
        _coloured(first, COLOURS[0], keeps_still=True),
        _coloured(second, COLOURS[1], keeps_still=not is_one_file),
    ]
    moments = zip(*(_moments(take, times) for take in (first, second)), strict=True)
    page, frames = page_of_all(pictures, moments)
    legend = _legend(zip((first.title, second.title), COLOURS, strict=True))
    write_atomic(target, [page.replace("<body>", f"<body>{legend}", 1).encode()])
    return frames


def _common_times(a: Recording, b: Recording) -> Ints:
    """Return the times that both have [µs], at most as many as a page shows."""
    times = np.intersect1d(_microseconds(a.times), _microseconds(b.times))
    if not len(times):
        remedy = "record both at the same rate"
        raise ContentError("the recordings have no time in common", remedy=remedy)
    step = float(np.median(np.diff(times))) if len(times) > 1 else 1e6
    return np.asarray(times[:: max(1, round(1e6 / RATE / step))])


def _microseconds(times: Floats) -> Ints:
    return np.round(times * 1e6).astype(np.int64)


def _moments(take: Take, times: Ints) -> Iterator[Moment]:
    shown = np.isin(_microseconds(take.recording.times), times).tolist()
    for is_shown, moment in zip(
        shown, recorded_moments(take.document, take.recording), strict=True
    ):
        if is_shown:
            yield moment


def _coloured(take: Take, colour: Colour, *, keeps_still: bool) -> Picture:
    """Draw what moves in a colour, and the rest as it is, or not at all."""
    picture = draw(Simulation(take.document))
    tree = NodeTree(take.document)
    moved = [*take.recording.nodes.tolist(), *take.recording.local_nodes.tolist()]
    moves = np.append(nearest(tree, moved) >= 0, False)  # the last row is the world
    meshes, shapes = [], []
    for mesh in picture.meshes:
        chosen = moves[mesh.nodes]
        if chosen.any():
            meshes.append(InstancedMesh(_tinted(mesh.piece, colour), mesh.nodes[chosen]))
        if keeps_still and not chosen.all():
            meshes.append(InstancedMesh(mesh.piece, mesh.nodes[~chosen]))
    for shape in picture.overlays.instances:
        chosen = moves[shape.attached.nodes]
        if chosen.any() and shape.layer is Layer.COLLIDERS:
            parts = tuple(part._replace(colour=colour) for part in shape.parts)
            shapes.append(dataclasses.replace(_part(shape, chosen), parts=parts))
        if keeps_still and shape.layer in (Layer.COLLIDERS, Layer.TRIGGERS) and not chosen.all():
            shapes.append(_part(shape, ~chosen))
    tint = np.array([*colour, 255 * OPACITY]) / 255
    return dataclasses.replace(
        picture,
        meshes=tuple(meshes),
        skins=tuple(skin._replace(colour=tint) for skin in picture.skins),
        overlays=dataclasses.replace(picture.overlays, instances=tuple(shapes), links=()),
    )


def _part(shape: Instances, chosen: Bools) -> Instances:
    nodes, translation, rotation = shape.attached
    attached = Attachments(nodes[chosen], translation[chosen], rotation[chosen])
    return dataclasses.replace(shape, attached=attached, nodes=shape.nodes[chosen])


def _tinted(piece: Piece, colour: Colour) -> Piece:
    """Give a mesh one colour in place of its materials."""
    container = parse_container(piece.glb)
    content = jsontext.decode(container.text).root
    for name in ("materials", "textures", "images", "samplers"):
        content.pop(name, None)
    factor = [(value / 255) ** 2.2 for value in colour]  # glTF's factors are linear
    paint = {"baseColorFactor": [*factor, OPACITY], "metallicFactor": 0}
    content["materials"] = [
        {"pbrMetallicRoughness": paint, "alphaMode": "BLEND", "doubleSided": True}
    ]
    for primitive in content["meshes"][0]["primitives"]:
        primitive["material"] = 0
        primitive["attributes"].pop("COLOR_0", None)
    glb = b"".join(glb_pieces(jsontext.encode(content), container.binary, ()))
    return piece._replace(glb=glb)


def _legend(entries: Any) -> str:
    lines = "".join(
        f'<div><span style="color:rgb{colour}">■</span> {html.escape(title)}</div>'
        for title, colour in entries
    )
    style = "position:fixed;left:12px;bottom:52px;z-index:9;font:14px sans-serif"
    return f'<div style="{style};background:#fffc;color:#222;padding:6px 10px">{lines}</div>'
