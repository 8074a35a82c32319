"""The canvas: a picture on a viser server, whose handles are created once and moved over time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.drawing.geometry import Spans, Surface, contact_arrows, span
from ligament.drawing.instances import Instances, Links
from ligament.drawing.palette import HIDDEN_AT_FIRST, TRIGGER, TRIGGER_LIT, Colour
from ligament.drawing.poses import Attachments, NodePoses
from ligament.options.names import Layer
from ligament.viewer.drawing.meshes import SkinnedPart
from ligament.viewer.drawing.picture import InstancedMesh, Picture
from ligament.viewer.player import Moment

if TYPE_CHECKING:
    import viser


IDENTITY = np.array([[1.0, 0.0, 0.0, 0.0]])
"""The identity rotation, wxyz."""

FIELD_OF_VIEW = 0.9
"""Vertical field of view [rad]."""

ROOM = 1.35
"""Distance of the first camera relative to that at which the picture is full: the panel covers a
part of it."""

MOST_CONTACTS = 256
"""Most contacts that get an arrow."""

SURROUNDING_LIGHT = 0.4
"""Strength of the ambient light, relative to viser's own."""

LAMP, LAMP_FROM = 2.0, np.array([0.5, 1.0, 0.35])
"""Strength of the lamp, and its offset from the middle, relative to the scene's size."""

ASPECT = 1.6
"""Aspect ratio of the window that the first camera assumes."""

GRID: Colour = (205, 210, 218)
SECTION: Colour = (165, 172, 184)


class Canvas:
    """A picture on a server; `show` updates it to a moment.

    `under` is a name for the picture where it is not the only one: the first aims the camera.
    `pickable` lists pairs of a handle and the nodes (K,) of its instances.
    """

    def __init__(self, server: viser.ViserServer, picture: Picture, under: str = "") -> None:
        self._server, self._picture, self._scene = server, picture, server.scene
        self._movers: dict[Layer, list[Callable[[Moment], None]]] = {layer: [] for layer in Layer}
        self.pickable: list[tuple[Any, Ints]] = []
        self._count, self._under = 0, under
        if not under:
            self._scene.set_up_direction("+y")
            _light(server, picture)
            _aim_camera(server, picture)
            _add_ground(server, picture)
        self._layers = {layer: self._add_layer(layer) for layer in self._used_layers()}
        for mesh in picture.meshes:
            self._add_mesh(mesh)
        for skin in picture.skins:
            self._add_skin(skin)
        for instances in picture.overlays.instances:
            self._add_instances(instances)
        for links in picture.overlays.links:
            self._add_links(links)
        if Layer.CONTACTS in self._layers:
            self._add_contacts()

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The non-empty layers."""
        return tuple(self._layers)

    def show(self, moment: Moment, *, hidden: bool = False) -> None:
        """Move everything to its pose at a moment; `hidden` includes hidden layers."""
        with self._server.atomic():
            for layer, handle in self._layers.items():
                if hidden or handle.visible:
                    for move in self._movers[layer]:
                        move(moment)

    def set_visible(self, layer: Layer, visible: bool) -> None:
        """Show or hide a layer."""
        self._layers[layer].visible = visible

    # --- layers ---

    def _used_layers(self) -> list[Layer]:
        picture, drawn = self._picture, self._picture.overlays
        used = {each.layer for each in drawn.instances} | {each.layer for each in drawn.links}
        used |= {Layer.MESHES} if picture.meshes or picture.skins else set()
        used |= {Layer.CONTACTS} if Layer.MASSES in used else set()
        return [layer for layer in Layer if layer in used]

    def _add_layer(self, layer: Layer) -> Any:
        visible = layer not in HIDDEN_AT_FIRST
        return self._scene.add_frame(f"{self._under}/{layer}", show_axes=False, visible=visible)

    def _name(self, layer: Layer) -> str:
        self._count += 1
        return f"{self._under}/{layer}/{self._count}"

    # --- meshes ---

    def _add_mesh(self, mesh: InstancedMesh) -> None:
        attached, count = Attachments.at(mesh.nodes), len(mesh.nodes)
        if not mesh.piece.is_surface:
            for node in mesh.nodes.tolist():
                self._add_alone(mesh, node)
            return
        handle = self._scene.add_batched_glb(
            self._name(Layer.MESHES),
            mesh.piece.glb,
            np.repeat(IDENTITY, count, axis=0),
            np.zeros((count, 3)),
            batched_scales=np.ones((count, 3), np.float32),
        )

        def move(moment: Moment) -> None:
            self._place(handle, attached, moment.poses)
            handle.batched_scales = moment.poses.scale[mesh.nodes].astype(np.float32)

        self._movers[Layer.MESHES].append(move)
        self.pickable.append((handle, mesh.nodes))

    def _add_alone(self, mesh: InstancedMesh, node: int) -> None:
        """Add points and lines, which cannot be instanced."""
        handle = self._scene.add_glb(self._name(Layer.MESHES), mesh.piece.glb)

        def move(moment: Moment) -> None:
            handle.position = moment.poses.translation[node]
            handle.wxyz = _wxyz(moment.poses.rotation[node])
            handle.scale = tuple(moment.poses.scale[node].tolist())

        self._movers[Layer.MESHES].append(move)

    def _add_skin(self, skin: SkinnedPart) -> None:
        handle = self._scene.add_mesh_skinned(
            self._name(Layer.MESHES),
            skin.points,
            skin.triangles,
            bone_wxyzs=_wxyz(skin.bound_rotation),
            bone_positions=skin.bound_translation,
            skin_weights=skin.weights,
            color=tuple(np.round(skin.colour[:3] * 255).astype(int).tolist()),
            opacity=None if skin.colour[3] >= 1 else float(skin.colour[3]),
            side="double",
        )

        def move(moment: Moment) -> None:
            positions = moment.poses.translation[skin.joints]
            rotations = _wxyz(moment.poses.rotation[skin.joints])
            for bone, position, wxyz in zip(handle.bones, positions, rotations, strict=True):
                if not np.array_equal(bone.position, position):
                    bone.position = position
                if not np.array_equal(bone.wxyz, wxyz):
                    bone.wxyz = wxyz

        self._movers[Layer.MESHES].append(move)

    # --- overlays ---

    def _add_instances(self, drawn: Instances) -> None:
        for part in drawn.parts:
            handle = self._batch(
                drawn.layer, part.surface, len(drawn.nodes), part.colour, part.opacity
            )
            self._movers[drawn.layer].append(self._follower(handle, drawn))
            self.pickable.append((handle, drawn.nodes))

    def _follower(self, handle: Any, drawn: Instances) -> Callable[[Moment], None]:
        is_trigger = drawn.layer is Layer.TRIGGERS

        def move(moment: Moment) -> None:
            self._place(handle, drawn.attached, moment.poses)
            if drawn.resizes:
                handle.batched_scales = moment.poses.scale[drawn.nodes].astype(np.float32)
            if is_trigger:
                lit = np.isin(drawn.nodes, list(moment.occupied))[:, None]
                handle.batched_colors = np.where(lit, TRIGGER_LIT, TRIGGER).astype(np.uint8)

        return move

    def _add_links(self, links: Links) -> None:
        surface, colour, opacity = links.part
        handle = self._batch(links.layer, surface, len(links.pairs), colour, opacity)

        def move(moment: Moment) -> None:
            self._set_batch(handle, span(moment.poses.translation[links.pairs], links.width))

        self._movers[links.layer].append(move)
        self.pickable.append((handle, links.nodes))

    def _add_contacts(self) -> None:
        drawn = self._picture.overlays
        surface, colour, _ = drawn.contact
        handle = self._batch(Layer.CONTACTS, surface, MOST_CONTACTS, colour)

        def move(moment: Moment) -> None:
            handle.visible = bool(len(moment.contacts.points))
            if handle.visible:
                arrows = np.zeros((MOST_CONTACTS, 2, 3))
                found = contact_arrows(moment.contacts, drawn.longest_force)[:MOST_CONTACTS]
                arrows[: len(found)] = found
                self._set_batch(handle, span(arrows, drawn.contact_width))

        self._movers[Layer.CONTACTS].append(move)

    def _batch(
        self, layer: Layer, drawn: Surface, count: int, colour: Colour, opacity: float = 1.0
    ) -> Any:
        return self._scene.add_batched_meshes_simple(
            self._name(layer),
            drawn.points,
            drawn.triangles,
            np.repeat(IDENTITY, count, axis=0),
            np.zeros((count, 3)),
            batched_colors=np.tile(np.array(colour, np.uint8), (count, 1)),
            batched_scales=np.ones((count, 3), np.float32),
            opacity=None if opacity >= 1 else opacity,
            lod="off",
            flat_shading=True,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )

    def _place(self, handle: Any, attached: Attachments, poses: NodePoses) -> None:
        position, rotation = attached.world(poses)
        handle.batched_positions = position
        handle.batched_wxyzs = _wxyz(rotation)

    def _set_batch(self, handle: Any, spans: Spans) -> None:
        handle.batched_positions = spans.translation
        handle.batched_wxyzs = _wxyz(spans.rotation)
        handle.batched_scales = spans.scale.astype(np.float32)


def _wxyz(rotation: Floats) -> Floats:
    return rotation[..., [3, 0, 1, 2]]


def _aim_camera(server: viser.ViserServer, picture: Picture) -> None:
    """Set the initial camera of new pages."""
    framing, camera = picture.framing, server.initial_camera
    eye = framing.eye(ASPECT, FIELD_OF_VIEW)
    away = framing.direction * float(framing.direction @ (eye - framing.center))
    target = eye - away  # in the middle of the picture, as far away as the box
    camera.position, camera.look_at = target + away * ROOM, target
    camera.fov = FIELD_OF_VIEW
    camera.near, camera.far = framing.size / 1000, framing.size * 100


def _light(server: viser.ViserServer, picture: Picture) -> None:
    """Light the scene like a page: viser's default lamps bleach the colours of the file."""
    scene, framing = server.scene, picture.framing
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(environment_intensity=SURROUNDING_LIGHT)
    scene.add_light_directional(
        "/lamp",
        intensity=LAMP,
        cast_shadow=True,
        position=tuple(framing.center + framing.size * LAMP_FROM),
    )


def _add_ground(server: viser.ViserServer, picture: Picture) -> None:
    """Add a grid with cells of a power of ten [m], just below the lowest point."""
    size = picture.framing.size
    cell = 10.0 ** round(math.log10(size / 4))
    middle = np.round(picture.framing.center / cell) * cell
    server.scene.add_grid(
        "/grid",
        width=20 * cell,
        height=20 * cell,
        plane="xz",
        cell_size=cell,
        section_size=5 * cell,
        cell_color=GRID,
        section_color=SECTION,
        cell_thickness=0.7,
        section_thickness=1.0,
        position=(middle[0], picture.floor - 0.002 * size, middle[2]),
    )
