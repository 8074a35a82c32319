"""Overlays as nodes: the physics and rig of a file, drawn in layers that every viewer shows.

An overlay fixed to a node becomes its child and needs no keyframes. One that connects nodes,
appears and disappears, or follows a node whose scale changes goes below the root node of its layer
and is animated. All nodes are appended, and their `extras` say what they are:

    "extras": {"ligament": {"layer": "colliders", "of": 3}}

`of` is the node that the overlay belongs to, null for the root of a layer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from ligament.arrays import Bools, Floats
from ligament.baking.keys import Tolerance, needed_keys
from ligament.baking.overlays.followed import Followed
from ligament.baking.overlays.nodes import OverlayNodes, stored
from ligament.drawing.geometry import Spans, contact_arrows, span
from ligament.drawing.instances import Instances, Links
from ligament.drawing.overlays import Overlays, draw_overlays
from ligament.drawing.palette import TRIGGER_LIT
from ligament.drawing.poses import WORLD
from ligament.errors import ContentError
from ligament.extensions.registry import VRM
from ligament.extensions.spring_bones import read_spring_bones
from ligament.gltf.animation import Path, Track
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, below
from ligament.options.names import LAYERS, Layer
from ligament.physics.events import occupied_frames
from ligament.physics.scene import Scene
from ligament.recording import Recording

MOST_CONTACTS: Final = 200
"""Contacts per frame that get an arrow, the strongest first."""

HIDDEN: Final = np.zeros(3)
"""The scale of hidden nodes."""


def chosen_layers(names: bool | Iterable[str]) -> tuple[Layer, ...]:
    """Return the layers with the given names; True means all."""
    if isinstance(names, bool):
        return LAYERS if names else ()
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in LAYERS:
            remedy = f"use {', '.join(LAYERS)}"
            raise ContentError(f"unknown layer {str(name)[:60]!r}", remedy=remedy)
    return tuple(layer for layer in LAYERS if layer in wanted)


def add_overlays(
    document: Document,
    recording: Recording,
    layers: Sequence[Layer],
    *,
    keeps_springs: bool = True,
    tolerance: Tolerance | None = None,
) -> list[Track]:
    """Add the nodes of some layers to a document; return the tracks that move them.

    `keeps_springs` means that spring bones stay in the file: in VRM 0.x all children of a spring
    bone swing, so overlays must not become its children.
    """
    if not layers:
        return []
    scene = recording.scene or Scene()
    drawn = draw_overlays(document, scene, unscaled=recording.unscaled, layers=layers)
    writer = _Writer(document, recording, drawn, tolerance or Tolerance())
    if keeps_springs:
        writer.spare(_spring_bone_nodes(document))
    for instances in drawn.instances:
        writer.add_instances(instances, _trigger_occupancy(scene, recording, instances))
    for links in drawn.links:
        writer.add_links(links)
    if Layer.CONTACTS in layers:
        writer.add_contacts()
    return writer.tracks


def _spring_bone_nodes(document: Document) -> Collection[int]:
    springs = read_spring_bones(document)
    if springs.extension != VRM:
        return ()
    joints = [joint.node for spring in springs.springs for joint in spring.joints]
    return np.flatnonzero(below(NodeTree(document), joints)).tolist()


def _trigger_occupancy(
    scene: Scene, recording: Recording, instances: Instances
) -> dict[int, Bools]:
    """Return when (F,) each trigger of some instances is occupied, by node, if ever."""
    if instances.layer is not Layer.TRIGGERS:
        return {}
    sensors = {t.node: [scene.colliders[i].node for i in t.colliders] for t in scene.triggers}
    lit: dict[int, Bools] = {}
    for trigger, frames in occupied_frames(recording.events, recording.times).items():
        for node in sensors.get(trigger, ()):
            lit[node] = lit.get(node, np.zeros(len(frames), bool)) | frames
    return lit


class _Writer:
    """Adds nodes to a document, and collects the tracks that move them."""

    def __init__(
        self, document: Document, recording: Recording, drawn: Overlays, tolerance: Tolerance
    ) -> None:
        self.document, self.recording, self.drawn = document, recording, drawn
        self.times, self.tolerance = recording.times, tolerance
        self.tracks: list[Track] = []
        self.tree = NodeTree(document)
        used = [i.attached.nodes for i in drawn.instances] + [k.pairs for k in drawn.links]
        nodes = np.unique(np.concatenate([np.zeros(0, np.int64), *(u.ravel() for u in used)]))
        self.followed = Followed(self.tree, recording, nodes[nodes != WORLD])
        self._nodes = OverlayNodes(document, self.tree.names)
        self._carriers: dict[tuple[Layer, int], int] = {}
        self._times: dict[bytes, Floats] = {}
        self._spared: frozenset[int] = frozenset()

    def spare(self, nodes: Collection[int]) -> None:
        """Never add children to some nodes."""
        self._spared = frozenset(nodes)

    # --- layers ---

    def add_instances(self, drawn: Instances, lit: dict[int, Bools]) -> None:
        """Add a node for each instance, and a second one that shows a trigger while occupied."""
        mesh = self._nodes.mesh(drawn.parts)
        yellow = [part._replace(colour=TRIGGER_LIT) for part in drawn.parts]
        bright = self._nodes.mesh(yellow) if lit else mesh
        for index, of in enumerate(drawn.nodes.tolist()):
            node = self._add_instance(drawn, index, mesh)
            if of in lit:
                other = self._add_instance(drawn, index, bright)
                self._show_while(node, ~lit[of])
                self._show_while(other, lit[of])

    def _add_instance(self, drawn: Instances, index: int, mesh: int) -> int:
        holder, of = int(drawn.attached.nodes[index]), int(drawn.nodes[index])
        place, rotation = drawn.attached.translation[index], drawn.attached.rotation[index]
        node = self._nodes.add(drawn.layer, of, mesh)
        if holder == WORLD:
            self._nodes.hang(node, self._nodes.root(drawn.layer), place, rotation)
        elif holder in self._spared or not (drawn.resizes or self.followed.is_rigid(holder)):
            self._nodes.hang(node, self._nodes.root(drawn.layer))
            self._move(node, self.followed.attached(holder, place, rotation, drawn.resizes))
        elif drawn.resizes:
            self._nodes.hang(node, holder, place, rotation)
        else:
            self._nodes.hang(node, self._carrier(drawn.layer, holder), place, rotation)
        return node

    def _carrier(self, layer: Layer, holder: int) -> int:
        """Return a node that cancels the scale of another: sizes are in metres."""
        scale = self.followed.scale(holder)
        if np.abs(scale - 1).max() < 1e-6:
            return holder
        if (layer, holder) not in self._carriers:
            node = self._nodes.add(layer, holder, None)
            self._nodes.hang(node, holder, scale=1 / scale)
            self._carriers[layer, holder] = node
        return self._carriers[layer, holder]

    def add_links(self, links: Links) -> None:
        """Add a node for each link, as a child of its first node if it does not change there."""
        mesh = self._nodes.mesh([links.part])
        for (start, end), of in zip(links.pairs.tolist(), links.nodes.tolist(), strict=True):
            node = self._nodes.add(links.layer, of, mesh)
            fixed = self.followed.offset(start, end)
            if fixed is None or start in self._spared:
                self._nodes.hang(node, self._nodes.root(links.layer))
                self._move(node, span(self.followed.between(start, end), links.width))
            else:
                ends = np.stack([np.zeros(3), fixed])[None]
                width = None if links.width is None else links.width / self.followed.size(start)
                laid = span(ends, width)
                self._nodes.hang(node, start, *(values[0] for values in laid))

    def add_contacts(self) -> None:
        """Add as many arrows as there are simultaneous contacts; unused ones are hidden."""
        contacts = self.recording.contacts
        most = max((len(each.points) for each in contacts), default=0)
        if most > MOST_CONTACTS:
            message = f"of {most} contacts at once, the strongest {MOST_CONTACTS} are drawn"
            self.document.warn(message, "/nodes")
        slots = min(most, MOST_CONTACTS)
        if not slots:
            return
        frames = len(contacts)
        laid = Spans(
            np.zeros((frames, slots, 3)), np.zeros((frames, slots, 4)), np.zeros((frames, slots, 3))
        )
        laid.rotation[..., 3] = 1.0
        for frame, each in enumerate(contacts):
            arrows = contact_arrows(each, self.drawn.longest_force)
            strongest = np.argsort(-each.forces, kind="stable")[:slots]
            found = span(arrows[np.sort(strongest)], self.drawn.contact_width)
            for values, new in zip(laid, found, strict=True):
                values[frame, : len(new)] = new
        mesh, root = self._nodes.mesh([self.drawn.contact]), self._nodes.root(Layer.CONTACTS)
        for slot in range(slots):
            node = self._nodes.add(Layer.CONTACTS, None, mesh)
            self._nodes.hang(node, root)
            self._animate_steps(node, Spans(*(values[:, slot] for values in laid)))

    # --- motion ---

    def _move(self, node: int, spans: Spans) -> None:
        """Animate a node through poses (F, …), with as few keys as the tolerance allows."""
        for path, values in _properties(spans):
            within = self.tolerance.angle if path == "rotation" else self.tolerance.distance
            keys = needed_keys(self.times, values[:, None], within, is_rotation=path == "rotation")
            self._set(node, path, values, keys[:, 0], "LINEAR")

    def _animate_steps(self, node: int, spans: Spans) -> None:
        """Animate a node in steps from pose to pose (F, …), where they differ visibly."""
        visible = max(self.tolerance.distance, 1e-3 * self.drawn.longest_force)
        is_there: list[bool] = np.any(spans.scale, axis=1).tolist()
        turned = spans.rotation * self.drawn.longest_force
        state = np.concatenate([spans.translation, turned, spans.scale], axis=1)
        keys = np.zeros(len(state), bool)
        last = 0
        for frame, there in enumerate(is_there):
            is_new = there and np.abs(state[frame] - state[last]).max() > visible
            if frame == 0 or is_new or there != is_there[last]:
                keys[frame], last = True, frame
        for path, values in _properties(spans):
            self._set(node, path, values, keys, "STEP")

    def _show_while(self, node: int, is_shown: Bools) -> None:
        own = np.array(self.document.json["nodes"][node].get("scale", [1.0, 1.0, 1.0]))
        keys = np.append(True, is_shown[1:] != is_shown[:-1])
        scales = np.where(is_shown[:, None], own, HIDDEN)
        self._set(node, "scale", scales, keys, "STEP")

    def _set(self, node: int, path: Path, values: Floats, keys: Bools, how: Any) -> None:
        """Write the first value to the node, and add a track if others follow."""
        self.document.json["nodes"][node][path] = stored(path, values[0])
        if keys[1:].any():
            times = self._times.setdefault(keys.tobytes(), self.times[keys])
            self.tracks.append(Track(node, path, times, values[keys], how))


def _properties(spans: Spans) -> Iterator[tuple[Path, Floats]]:
    yield "translation", spans.translation
    yield "rotation", spans.rotation
    yield "scale", spans.scale
