"""Document to a stage of USD with UsdPhysics."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any, Final

from pxr import Tf

from ligament.conversion.folders import stored
from ligament.conversion.source import Source, UpAxis
from ligament.conversion.usd.diagnostics import first_line
from ligament.conversion.usd.writing.animations import report_animations, write_motion
from ligament.conversion.usd.writing.bodies import Bodies
from ligament.conversion.usd.writing.colliders import Colliders
from ligament.conversion.usd.writing.joints import (
    mark_articulations,
    write_filtered_pairs,
    write_joints,
)
from ligament.conversion.usd.writing.materials import Images, Materials
from ligament.conversion.usd.writing.visuals import write_visuals
from ligament.conversion.usd.writing.world import World
from ligament.errors import ContentError, FileError
from ligament.extensions import registry, vrmc_node_constraint
from ligament.extensions.registry import Family
from ligament.files import name_text, write_atomic
from ligament.losses import Loss, in_order

__all__ = ["Options", "write_stage"]
_FORMATS: Final = {".usda": "usda", ".usdc": "usdc", ".usd": "usdc"}
_WRITTEN: Final = (
    *registry.PHYSICS,
    *registry.names(Family.NODE_CONSTRAINTS, Family.ENCODINGS),
    "KHR_materials_",
    "KHR_texture_transform",
)
"""Extensions that are written, or whose losses are reported elsewhere."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """Options: the up axis, and whether visuals are written."""

    up: UpAxis = "y"
    visuals: bool = True


def write_stage(source: Source, path: Path, options: Options) -> list[Loss]:
    """Write a source as a stage; return the losses."""
    _require_printable(path)
    folder = path.with_name(f"{path.stem}_textures")
    world, images = World(source, up=options.up), Images(source, name_text(folder.name))
    _write_physics(world)
    if options.visuals:
        write_visuals(world, Materials(world, images))
    write_motion(world)
    report_animations(world)
    report_unwritten(source)
    content = content_of(world.stage, path.suffix)
    with stored(folder, images.files):
        write_atomic(path, [content])
    return list(in_order(source.losses))


def _require_printable(path: Path) -> None:
    """Refuse names that no USD path can hold, since textures are in a folder of that name."""
    if not name_text(path.name).isprintable():
        remedy = "name an output without control characters"
        raise FileError("has a name that USD cannot hold", file=path, remedy=remedy)


def _write_physics(world: World) -> None:
    bodies, colliders = Bodies(world), Colliders(world)
    bodies.write()
    colliders.write()
    joints = write_joints(world)
    write_filtered_pairs(world, joints, colliders)
    mark_articulations(world, joints, bodies.is_dynamic)


def content_of(stage: Any, suffix: str) -> bytes:
    """Return the content of a file with this suffix: text for .usda, binary for the others."""
    form = _FORMATS.get(suffix.lower())
    if form is None:
        names = ", ".join(_FORMATS)
        raise ContentError(f"the suffix is {suffix!r}", remedy=f"name a file that ends in {names}")
    try:
        return _exported(stage, form)
    except (Tf.ErrorException, OSError) as fault:
        reason = getattr(fault, "strerror", None) or first_line(fault)
        remedy = "USD needs space in the system's temporary folder"
        raise FileError(f"USD cannot write the stage ({reason})", remedy=remedy) from fault


def _exported(stage: Any, form: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"stage.{form}"
        stage.GetRootLayer().Export(str(path))
        return path.read_bytes()


def report_unwritten(source: Source) -> None:
    """Report cameras, extensions and node constraints that are not written."""
    document = source.document
    for index in range(len(document.array("cameras"))):
        source.lose(f"/cameras/{index}", "a camera", "it is not written", "it is left out")
    used = document.json.get("extensionsUsed")
    for index, name in enumerate(used if isinstance(used, list) else ()):
        if isinstance(name, str) and not name.startswith(_WRITTEN):
            pointer, effect = f"/extensionsUsed/{index}", "its values are left out"
            source.lose(pointer, f"the extension {name[:80]}", "USD has no place for it", effect)
    for constraint in source.stage.constraints.constraints:
        pointer = f"/nodes/{constraint.destination}/extensions/{vrmc_node_constraint.NAME}"
        reason = "UsdPhysics has none"
        effect = "its effect on animations is written, but it does not follow physics"
        source.lose(pointer, "a node constraint", reason, effect)
