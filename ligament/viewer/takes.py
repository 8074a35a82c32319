"""Takes: recordings as shown on a page, each a GLB with its data."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ligament.arrays import Floats as FloatArray
from ligament.baking import bake
from ligament.checker import Issue, check
from ligament.drawing.instances import bare_nodes
from ligament.drawing.palette import HIDDEN_AT_FIRST
from ligament.errors import ContentError
from ligament.gltf import objects
from ligament.gltf.document import Document
from ligament.gltf.embed import embedded
from ligament.gltf.save import glb_bytes
from ligament.gltf.tree import NodeTree
from ligament.options.names import Layer
from ligament.physics.events import Event, EventType
from ligament.physics.scene import Scene
from ligament.play import Simulation
from ligament.recording import LimitTrack, Recording
from ligament.rig.animator import Animator
from ligament.viewer.page_data import (
    EventData,
    FindingData,
    Floats,
    ObjectData,
    SeriesData,
    TakeData,
)
from ligament.viewer.properties import Inventory, bounds_name, node_of

MOST_FINDINGS = 200
"""Most findings of the checker that a page lists."""

ENERGY = "Energy [J]"
SPEED = "Speed [m/s]"
SPIN = "Spin [°/s]"

_BLANK = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/"
    "PchI7wAAAABJRU5ErkJggg=="
)
"""One white pixel, which replaces an unreadable image."""


class Take(NamedTuple):
    """A recording of a document, as shown on a page.

    `stage` is what was animated, by default everything; `scene` the scene that was played. Moving
    parts get the `colour`, if any, and `shows_still` tells whether the rest is shown. `layers` of
    overlays are initially visible, besides those without which something would be invisible.
    """

    document: Document
    recording: Recording
    title: str
    stage: Animator | None = None
    scene: int | None = None
    colour: str | None = None
    shows_still: bool = True
    layers: tuple[str, ...] = ()


class Curve(NamedTuple):
    """Values (F,) over the times of a recording, with optional bounds (F,).

    Curves with the same title, which includes their unit, are drawn together.
    """

    title: str
    name: str
    unit: str
    values: FloatArray
    minimum: FloatArray | None = None
    maximum: FloatArray | None = None

    def packed(self, floats: Floats) -> SeriesData:
        """Return it in the page's form; its arrays go into `floats`."""
        bounds = (None if b is None else floats.add(b) for b in (self.minimum, self.maximum))
        low, high = bounds
        return SeriesData(
            plot=self.title,
            name=self.name,
            unit=self.unit,
            values=floats.add(self.values),
            minimum=low,
            maximum=high,
        )


class Shown(NamedTuple):
    """A take in the page's form: its data and its GLB."""

    data: TakeData
    glb: bytes


def show_take(take: Take, floats: Floats) -> Shown:
    """Bake a take and describe it; arrays go into `floats`."""
    document, recording = take.document, _with_scene(take.recording, take.document)
    stage = take.stage or Animator(document)
    baked = bake(document, recording, overlays=True)
    count = len(document.array("animations"))
    issues = check(document).issues
    inventory = Inventory(recording.scene or Scene(), stage.tree, stage.constraints, issues)
    data = TakeData(
        title=take.title,
        colour=take.colour,
        shows_still=take.shows_still,
        scene=_scene(document, take.scene),
        animation=count if len(baked.array("animations")) > count else None,
        clips=sorted(stage.playing),
        loops=stage.loop,
        moving=np.union1d(recording.nodes, recording.local_nodes).tolist(),
        layers=[*_layers(document, stage.tree, recording.scene or Scene()), *take.layers],
        objects=list(_objects(recording, stage.tree, inventory, floats)),
        energies=[curve.packed(floats) for curve in energy_curves(recording)],
        events=[_event(event, stage.tree) for event in recording.events],
        findings=[_finding(issue) for issue in issues[:MOST_FINDINGS]],
    )
    return Shown(data, glb_of(baked))


def _with_scene(recording: Recording, document: Document) -> Recording:
    """Return a recording that knows its physics, even if it was read from a file."""
    if recording.scene is not None or not len(recording.nodes):
        return recording
    return dataclasses.replace(recording, scene=Simulation(document).scene)


def glb_of(document: Document) -> bytes:
    """Return a document as one self-contained GLB.

    An unreadable image becomes a white pixel; the document has warned about it.
    """
    whole = embedded(document, "glb")
    for image in whole.array("images"):
        if isinstance(image, dict) and isinstance(image.get("uri"), str):
            image["uri"] = _BLANK
    return glb_bytes(whole)


def _scene(document: Document, scene: int | None) -> int:
    named = document.json.get("scene", 0) if scene is None else scene
    return int(named) if isinstance(named, int | float) else 0


def _layers(document: Document, tree: NodeTree, scene: Scene) -> list[str]:
    """Return the initially visible layers: those of the world, or all if nothing is drawn."""
    nodes = document.views("nodes", objects.Node)
    with_mesh = [index for index, node in enumerate(nodes) if node.mesh is not None]
    if not with_mesh:
        hidden = HIDDEN_AT_FIRST if scene.colliders else ()  # otherwise nothing would be visible
        return [layer for layer in Layer if layer not in hidden]
    shown = [Layer.MESHES, Layer.TRIGGERS]
    has_skins = any(node.skin is not None for node in nodes)
    if bare_nodes(scene, tree, with_mesh) and not has_skins:
        shown.append(Layer.COLLIDERS)
    return [*shown]


# --- measured values ---


def _objects(
    recording: Recording, tree: NodeTree, inventory: Inventory, floats: Floats
) -> Iterator[ObjectData]:
    columns = {int(node): column for column, node in enumerate(recording.nodes)}
    speeds = np.linalg.norm(recording.linear_velocity, axis=2)
    spins = np.degrees(np.linalg.norm(recording.angular_velocity, axis=2))
    limits: dict[int, list[LimitTrack]] = {}
    for limit in recording.limits:
        limits.setdefault(limit.node, []).append(limit)
    for node, kind in inventory.kinds.items():
        series = [_limit(limit, floats) for limit in limits.get(node, ())]
        if node in columns:
            for plot, name, unit, values in (
                (SPEED, "speed", "m/s", speeds),
                (SPIN, "spin", "°/s", spins),
            ):
                span = floats.add(values[:, columns[node]])
                series.append(SeriesData(plot=plot, name=name, unit=unit, values=span))
        # Measured limits have a row with their current value.
        rows = [row for row in inventory.rows(node) if row[0] != "limit" or node not in limits]
        name = tree.names[node] or f"node {node}"
        yield ObjectData(node=node, name=name, kind=kind, rows=rows, series=series)


def _limit(limit: LimitTrack, floats: Floats) -> SeriesData:
    linear = limit.kind == "linear"
    name = bounds_name(limit.axes, limit.minimum, limit.maximum, linear=linear)
    factor, unit = (1.0, "m") if linear else (math.degrees(1.0), "°")
    if limit.kind is None:  # a recording's file has no kinds
        name, factor, unit = f"limit {limit.index}", 1.0, "m or rad"
    low, high = limit.bounds
    return SeriesData(
        plot=f"Limits [{unit}]",
        name=name,
        unit=unit,
        values=floats.add(limit.value * factor),
        minimum=floats.add(low * factor) if np.isfinite(low).any() else None,
        maximum=floats.add(high * factor) if np.isfinite(high).any() else None,
    )


def energy_curves(recording: Recording) -> list[Curve]:
    """Return the energies of all bodies; potential ones are relative to the start."""
    if not len(recording.nodes):
        return []
    try:
        kinetic = recording.kinetic_energy.sum(axis=1)
    except ContentError:  # a recording's file has none
        return []
    potential = recording.potential_energy.sum(axis=1)
    potential = potential - potential[0]
    parts = {"kinetic": kinetic, "potential": potential}
    if recording.spring_energy.any():
        parts["springs"] = recording.spring_energy.sum(axis=1)
    parts["total"] = sum(parts.values(), np.zeros(len(kinetic)))
    return [Curve(ENERGY, name, "J", values) for name, values in parts.items()]


# --- events and findings ---

_WORDS = {
    EventType.TRIGGER_ENTER: "enters",
    EventType.TRIGGER_EXIT: "leaves",
    EventType.CONTACT_BEGIN: "touches",
    EventType.CONTACT_END: "separates from",
}


def _event(event: Event, tree: NodeTree) -> EventData:
    what = event.collider if event.body is None else event.body
    other = event.trigger if event.trigger is not None else event.other_collider
    other = event.other_body if event.other_body is not None else other
    nodes = [node for node in (what, other) if node is not None]
    names = [tree.label(node) for node in nodes]
    return EventData(
        time=event.time, type=event.type, nodes=nodes, text=f" {_WORDS[event.type]} ".join(names)
    )


def _finding(issue: Issue) -> FindingData:
    return FindingData(**issue._asdict(), node=node_of(issue))


def titled(takes: Iterable[Take]) -> str:
    """Return the title of a page of takes."""
    return " and ".join(dict.fromkeys(take.title for take in takes))
