"""The canvas: a picture on a viser server, its handles made once and moved over time."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ligament.arrays import Floats, Ints
from ligament.physics.shapes import Sphere
from ligament.view.drawing.geometry import (
    BONE_SHAPE,
    Surface,
    along,
    contact_arrows,
    surface,
)
from ligament.view.drawing.instances import ARM, STROKE, InstancedSurface
from ligament.view.drawing.meshes import SkinnedPart
from ligament.view.drawing.palette import (
    BONE,
    CONSTRAINT,
    CONTACT,
    GRID,
    HIDDEN_AT_FIRST,
    MASS,
    SECTION,
    TRIGGER,
    TRIGGER_LIT,
    Layer,
)
from ligament.view.drawing.picture import InstancedMesh, Picture
from ligament.view.drawing.poses import Attachments, NodePoses
from ligament.view.player import Moment

if TYPE_CHECKING:
    import viser


IDENTITY = np.array([[1.0, 0.0, 0.0, 0.0]])
"""The identity rotation, wxyz."""

VIEW_DIRECTION = np.array([0.55, 0.42, 1.0])
"""From the middle of the scene to the camera at first."""

FIELD_OF_VIEW = 0.9
"""Vertical field of view [rad]."""

MARGIN = 0.8
"""Half the height of the view relative to the size of the scene."""


class Canvas:
    """A picture on a server; `show` moves it to a moment.

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
            _aim_camera(server, picture)
            _add_ground(server, picture)
        self._layers = {layer: self._add_layer(layer) for layer in self._used_layers()}
        for mesh in picture.meshes:
            self._add_mesh(mesh)
        for skin in picture.skins:
            self._add_skin(skin)
        for instanced in picture.surfaces:
            self._add_surface(instanced)
        self._add_marks()

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers that are not empty."""
        return tuple(self._layers)

    def show(self, moment: Moment, *, hidden: bool = False) -> None:
        """Move everything to its pose at a moment, including hidden layers where `hidden`."""
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
        picture = self._picture
        used = {instanced.layer for instanced in picture.surfaces}
        used |= {Layer.MESHES} if picture.meshes or picture.skins else set()
        used |= {Layer.JOINTS} if len(picture.frame_nodes) else set()
        used |= {Layer.MASSES, Layer.CONTACTS} if len(picture.centre_nodes) else set()
        used |= {Layer.CONSTRAINTS} if len(picture.arrows) else set()
        used |= {Layer.SKELETON} if len(picture.bones) else set()
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

    # --- shapes and limits ---

    def _add_surface(self, drawn: InstancedSurface) -> None:
        is_trigger = drawn.layer is Layer.TRIGGERS
        handle = self._instances(
            drawn.layer, drawn.surface, len(drawn.nodes), drawn.colour, drawn.opacity
        )

        def move(moment: Moment) -> None:
            self._place(handle, drawn.attached, moment.poses)
            if drawn.resizes:
                handle.batched_scales = moment.poses.scale[drawn.nodes].astype(np.float32)
            if is_trigger:
                lit = np.isin(drawn.nodes, list(moment.occupied))[:, None]
                handle.batched_colors = np.where(lit, TRIGGER_LIT, TRIGGER).astype(np.uint8)

        self._movers[drawn.layer].append(move)
        self.pickable.append((handle, drawn.nodes))

    def _instances(
        self,
        layer: Layer,
        drawn: Surface,
        count: int,
        colour: tuple[int, int, int],
        opacity: float = 1.0,
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

    def _follow(self, handle: Any, attached: Attachments, moment: Moment) -> None:
        self._place(handle, attached, moment.poses)

    def _place(self, handle: Any, attached: Attachments, poses: NodePoses) -> None:
        position, rotation = attached.world(poses)
        handle.batched_positions = position
        handle.batched_wxyzs = _wxyz(rotation)

    # --- joints, masses, contacts, constraints, bones ---

    def _add_marks(self) -> None:
        if Layer.JOINTS in self._layers:
            self._add_frames()
        if Layer.MASSES in self._layers:
            self._add_masses()
            self._add_contacts()
        if Layer.CONSTRAINTS in self._layers:
            self._add_arrows()
        if Layer.SKELETON in self._layers:
            self._add_bones()

    def _add_frames(self) -> None:
        picture, count = self._picture, len(self._picture.frame_nodes)
        handle = self._scene.add_batched_axes(
            self._name(Layer.JOINTS),
            np.repeat(IDENTITY, count, axis=0),
            np.zeros((count, 3)),
            axes_length=0.5 * ARM * picture.size,
            axes_radius=1.5 * STROKE * picture.size,
        )
        self._movers[Layer.JOINTS].append(partial(self._follow, handle, picture.frames))
        self.pickable.append((handle, picture.frame_nodes))

    def _add_masses(self) -> None:
        picture, count = self._picture, len(self._picture.centre_nodes)
        ball = surface(Sphere(min(4 * STROKE * picture.size, 0.05 * picture.grain)))
        handle = self._instances(Layer.MASSES, ball, count, MASS)
        self._movers[Layer.MASSES].append(partial(self._follow, handle, picture.centres))
        self.pickable.append((handle, picture.centre_nodes))

    def _add_contacts(self) -> None:
        longest = min(ARM * self._picture.size, 0.6 * self._picture.grain)
        handle = self._arrows(Layer.CONTACTS, np.zeros((1, 2, 3)), CONTACT, longest)

        def move(moment: Moment) -> None:
            handle.visible = bool(len(moment.contacts.points))
            if handle.visible:
                handle.points = contact_arrows(moment.contacts, longest)

        self._movers[Layer.CONTACTS].append(move)

    def _add_arrows(self) -> None:
        pairs, length = self._picture.arrows, ARM * self._picture.size
        handle = self._arrows(Layer.CONSTRAINTS, np.zeros((len(pairs), 2, 3)), CONSTRAINT, length)

        def move(moment: Moment) -> None:
            handle.points = moment.poses.translation[pairs]

        self._movers[Layer.CONSTRAINTS].append(move)

    def _arrows(
        self, layer: Layer, points: Floats, colour: tuple[int, int, int], length: float
    ) -> Any:
        """Add arrows of a thickness in proportion to a length [m]."""
        return self._scene.add_arrows(
            self._name(layer),
            points,
            colour,
            shaft_radius=0.035 * length,
            head_radius=0.11 * length,
            head_length=0.25 * length,
        )

    def _add_bones(self) -> None:
        pairs = self._picture.bones
        handle = self._instances(Layer.SKELETON, BONE_SHAPE, len(pairs), BONE)

        def move(moment: Moment) -> None:
            starts, ends = np.moveaxis(moment.poses.translation[pairs], 1, 0)
            rotation, length = along(ends - starts)
            handle.batched_positions = starts
            handle.batched_wxyzs = _wxyz(rotation)
            handle.batched_scales = np.stack([0.1 * length, length, 0.1 * length], axis=1)

        self._movers[Layer.SKELETON].append(move)


def _wxyz(rotation: Floats) -> Floats:
    return rotation[..., [3, 0, 1, 2]]


def _aim_camera(server: viser.ViserServer, picture: Picture) -> None:
    """Set the initial camera of new pages."""
    middle, size = (picture.low + picture.high) / 2, picture.size
    camera = server.initial_camera
    camera.position = middle + VIEW_DIRECTION / np.linalg.norm(
        VIEW_DIRECTION
    ) * MARGIN * size / math.tan(FIELD_OF_VIEW / 2)
    camera.look_at = middle
    camera.fov = FIELD_OF_VIEW
    camera.near, camera.far = size / 1000, size * 100


def _add_ground(server: viser.ViserServer, picture: Picture) -> None:
    """Add a grid with cells of a power of ten [m], just below the lowest point."""
    cell = 10.0 ** round(math.log10(picture.size / 4))
    middle = np.round((picture.low + picture.high) / 2 / cell) * cell
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
        position=(middle[0], picture.floor - 0.002 * picture.size, middle[2]),
    )
