"""MuJoCo's MJCF: bodies as trees, joints, geoms, contacts, actuators; see docs/mjcf.md."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Literal

from ligament.convert.losses import Loss, in_order
from ligament.convert.mjcf.model import Model
from ligament.convert.source import GRAVITY, Source, UpAxis, read_source
from ligament.errors import ContentError
from ligament.files import write_atomic
from ligament.gltf.document import Document
from ligament.physics.engines.rapier.effort.settings import choose

SHORTEST_STEP = 1 / 2000
LONGEST_STEP = 1 / 240
BOUNCY_STEP = 1 / 1000
"""The longest step [s] where anything bounces: a bounce takes a number of steps."""

__all__ = ["GRAVITY", "UpAxis", "to_mjcf"]


def to_mjcf(
    document: Document,
    path: str | os.PathLike[str],
    *,
    gravity: tuple[float, float, float] = GRAVITY,
    scene: int | None = None,
    up: UpAxis = "z",
    timestep: float | None = None,
    visuals: bool = True,
    animations: bool = True,
    omi_stiffness: Literal["auto", "literal"] = "auto",
) -> list[Loss]:
    """Write the physics of a document for MuJoCo; returns what the file does not say.

    Meshes go to a folder beside it, `NAME_meshes` for NAME.xml. The world is turned so that Z is
    up, as users of MuJoCo expect; `up="y"` keeps the axes of the document. `gravity` [m/s²] is in
    those of the document. `timestep` [s] is that of one round of Ligament's own solver by default.
    Start from the keyframe "start", which holds initial velocities and the targets of drives.
    With `animations`, what they move is at its pose of time 0, and bodies that they lead are mocap
    bodies; without, nodes stand as at rest, and these bodies are free.
    """
    source = read_source(
        document,
        scene=scene,
        gravity=gravity,
        up=up,
        omi_stiffness=omi_stiffness,
        animations=None if animations else (),
    )
    model = Model(source, step=_step(source, timestep), with_visuals=visuals)
    target = Path(path)
    folder = target.with_name(f"{target.stem}_meshes")
    _tell_unwritten(source, animations=animations)
    text = model.text(target.stem, folder.name)
    with model.meshes.placed(folder):
        write_atomic(target, [text])
    return list(in_order(source.losses))


def _step(source: Source, timestep: float | None) -> float:
    """Return the length of a step [s]."""
    if timestep is None:
        _, settings = choose(source.scene, rate=60.0)
        is_bouncy = any(each.material.restitution > 0 for each in source.scene.colliders)
        longest = BOUNCY_STEP if is_bouncy else LONGEST_STEP
        return min(max(settings.step / settings.iterations, SHORTEST_STEP), longest)
    if not (math.isfinite(timestep) and timestep > 0):
        raise ContentError(f"a time step of {timestep} s", remedy="it must be above 0")
    return timestep


def _tell_unwritten(source: Source, *, animations: bool) -> None:
    effect = _led(source) if animations else "what it would move is at rest, and bodies are free"
    for index in range(len(source.document.array("animations"))):
        source.lose(f"/animations/{index}", "an animation", "MJCF has none", effect)
    for index in range(len(source.document.array("cameras"))):
        source.lose(f"/cameras/{index}", "a camera", "only physics is written", "it is left out")


def _led(source: Source) -> str:
    """Say what becomes of what animations move."""
    count = sum(body.is_driven for body in source.scene.bodies)
    posed = "what it moves is at its pose of time 0"
    if count == 0:
        return posed
    bodies = "1 body is a mocap body" if count == 1 else f"{count} bodies are mocap bodies"
    return f"{posed}; {bodies} that no force moves, since animations lead them"
