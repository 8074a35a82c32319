"""From a document to a stage of USD with UsdPhysics."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from ligament.convert.folders import placed
from ligament.convert.losses import Loss, in_order
from ligament.convert.source import Source, UpAxis
from ligament.convert.usd.writing.articulations import mark_articulations
from ligament.convert.usd.writing.bodies import Bodies
from ligament.convert.usd.writing.colliders import Colliders
from ligament.convert.usd.writing.filtering import write_filtered_pairs
from ligament.convert.usd.writing.images import Images
from ligament.convert.usd.writing.joints import write_joints
from ligament.convert.usd.writing.layer import content_of
from ligament.convert.usd.writing.motion import tell_animations, write_motion
from ligament.convert.usd.writing.surfaces import Surfaces
from ligament.convert.usd.writing.unwritten import tell_unwritten
from ligament.convert.usd.writing.visuals import write_visuals
from ligament.convert.usd.writing.world import World
from ligament.errors import FileError
from ligament.files import write_atomic

__all__ = ["Options", "write_stage"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """What is written beside physics, and which axis is up."""

    up: UpAxis = "y"
    visuals: bool = True


def write_stage(source: Source, path: Path, options: Options) -> list[Loss]:
    """Write a source as a stage; returns what it does not say."""
    _require_printable(path)
    folder = path.with_name(f"{path.stem}_textures")
    world, images = World(source, up=options.up), Images(source, folder.name)
    _write_physics(world)
    if options.visuals:
        write_visuals(world, Surfaces(world, images))
    write_motion(world)
    tell_animations(world)
    tell_unwritten(source)
    content = content_of(world.stage, path.suffix)
    with placed(folder, images.files):
        write_atomic(path, [content])
    return list(in_order(source.losses))


def _require_printable(path: Path) -> None:
    """Refuse names that no path of USD can hold, for textures stand beside the stage."""
    if not path.name.isprintable():
        remedy = "name an output without control characters"
        raise FileError("has a name that USD cannot hold", file=path, remedy=remedy)


def _write_physics(world: World) -> None:
    bodies, colliders = Bodies(world), Colliders(world)
    bodies.write()
    colliders.write()
    joints = write_joints(world)
    write_filtered_pairs(world, joints, colliders)
    mark_articulations(world, joints, bodies.is_dynamic)
