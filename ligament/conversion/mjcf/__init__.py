"""MuJoCo's MJCF: bodies as trees, joints, geoms, contacts, actuators; see docs/mjcf.md."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal
from xml.etree import ElementTree

from ligament.arguments import checked, names_of
from ligament.conversion.folders import stored
from ligament.conversion.mjcf.meshes import MeshStore, visuals
from ligament.conversion.source import GRAVITY, Source, UpAxis, read_source
from ligament.errors import ContentError
from ligament.files import name_text, write_atomic
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.tree import find_carriers
from ligament.losses import Loss, in_order
from ligament.physics.engines.mujoco.markup import xml
from ligament.physics.engines.mujoco.model import Model
from ligament.physics.engines.mujoco.model.elements import Element, Value, quaternion
from ligament.physics.unplayed import unplayed_extensions

VISUAL_GROUP: Final = 2

__all__ = ["GRAVITY", "UpAxis", "to_mjcf"]


LONGEST_STEP = 1.0
"""The longest time step [s] that may be asked for."""


@checked
def to_mjcf(
    document: AnyDocument,
    path: str | os.PathLike[str],
    *,
    gravity: Sequence[float] = GRAVITY,
    scene: int | None = None,
    up: UpAxis = "z",
    timestep: float | None = None,
    visuals: bool = True,
    animations: str | Sequence[str] | None = None,
    omi_stiffness: Literal["auto", "literal"] = "auto",
) -> list[Loss]:
    """Write the physics of a document for MuJoCo; return the losses.

    Meshes go to a folder next to it, `NAME_meshes` for NAME.xml. The world is rotated so that Z is
    up, as MuJoCo's users expect; `up="y"` keeps the axes of the document. `gravity` [m/s²] is in
    the document's axes. `timestep` [s] is chosen for the scene by default. Start from the
    keyframe "start", which holds initial velocities and the targets of drives. `animations` names
    those to apply (None: all, (): none): nodes are posed as at their time 0, and bodies driven by
    them are mocap bodies; nodes of the others are at rest, and their bodies free.
    """
    if Path(path).suffix.lower() != ".xml":
        raise ContentError(
            f"{str(path)!r} is not an MJCF file name", remedy="use one that ends in .xml"
        )
    if timestep is not None and not 0 < timestep <= LONGEST_STEP:
        remedy = f"it must be above 0, and at most {LONGEST_STEP:g}"
        raise ContentError(f"the time step is {timestep} s", remedy=remedy)
    source = read_source(
        as_document(document),
        scene=scene,
        gravity=gravity,
        up=up,
        omi_stiffness=omi_stiffness,
        animations=names_of(animations),
    )
    target, meshes = Path(path), MeshStore()
    folder = target.with_name(f"{target.stem}_meshes")
    model = Model(source, add_mesh=meshes.add, step=timestep)
    if visuals:
        _add_visuals(model, source, meshes)
    _report_unwritten(source)
    text = xml(_file(model, meshes, name_text(target.stem), name_text(folder.name)))
    with stored(folder, meshes.files):
        write_atomic(target, [text])
    return list(in_order(source.losses))


def start_advice(path: str | os.PathLike[str]) -> str | None:
    """Say how to start from the velocities and targets of a file that `to_mjcf` wrote, if any."""
    key = ElementTree.parse(path).find("keyframe/key")
    if key is None:
        return None
    held = {"qvel": "start velocities", "ctrl": "targets of drives"}
    parts = " and ".join(words for name, words in held.items() if name in key.attrib)
    name = key.get("name")
    return f"{parts} are in the keyframe {name!r}: mujoco.mj_resetDataKeyframe(model, data, 0)"


def _file(model: Model, meshes: MeshStore, name: str, folder: str) -> Element:
    """Return the root element of the file; `folder` holds its meshes, relative to the file."""
    root = Element("mujoco", {"model": model.names.give("model", name, "model")})
    root.add("compiler", {"angle": "radian", "autolimits": "true", "meshdir": folder})
    option, *sections = model.elements()
    assets = meshes.declared()
    root.children += [option, *([assets] if assets.children else []), *sections]
    return root


def _add_visuals(model: Model, source: Source, meshes: MeshStore) -> None:
    """Add the meshes of nodes as geoms without contacts."""
    for visual in visuals(source, model.skeleton.link_of, meshes):
        pose = visual.pose if visual.link is None else visual.link.within(visual.pose)
        values: dict[str, Value] = {
            "type": "mesh",
            "mesh": visual.mesh,
            "pos": pose.translation,
            "quat": quaternion(pose.rotation),
            "group": VISUAL_GROUP,
            "rgba": visual.rgba,
            "contype": 0,
            "conaffinity": 0,
            "mass": 0,
        }
        model.add_geom(visual.link, visual.node, values)


def _report_unwritten(source: Source) -> None:
    applied = _effect_of_animation(source)
    for index in range(len(source.document.array("animations"))):
        is_applied = index in source.stage.playing
        effect = applied if is_applied else "what it would move is at rest, and bodies are free"
        source.lose(f"/animations/{index}", "an animation", "MJCF has none", effect)
    for index in range(len(source.document.array("cameras"))):
        source.lose(f"/cameras/{index}", "a camera", "only physics is written", "it is left out")
    document = source.document
    for found in unplayed_extensions(document.json, find_carriers(document)):
        if found.code == "EXTENSION_NOT_PLAYED":
            source.lose(found.pointer, "an extension", found.message, "it is left out")


def _effect_of_animation(source: Source) -> str:
    """Describe the effect of leaving out an animation."""
    count = sum(body.is_driven for body in source.scene.bodies)
    posed = "what it moves is at its pose of time 0"
    if count == 0:
        return posed
    bodies = "1 body is a mocap body" if count == 1 else f"{count} bodies are mocap bodies"
    return f"{posed}; {bodies} that no force moves, since animations drive them"
