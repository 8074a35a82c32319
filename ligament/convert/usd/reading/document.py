"""A stage as a document: its parts, read one after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pxr import Tf, UsdGeom, UsdUtils

from ligament.convert.dialects.draft import Draft
from ligament.convert.dialects.extensions import rename_used
from ligament.convert.dialects.khr import write_khr
from ligament.convert.losses import Converted, in_order
from ligament.convert.usd.reading.animations import add_animation
from ligament.convert.usd.reading.bodies import read_motions
from ligament.convert.usd.reading.colliders import Colliders
from ligament.convert.usd.reading.filters import Filters
from ligament.convert.usd.reading.joints import Joints
from ligament.convert.usd.reading.masses import weighed
from ligament.convert.usd.reading.meshes import Meshes
from ligament.convert.usd.reading.nodes import Nodes
from ligament.convert.usd.reading.opening import first_line, open_stage, told
from ligament.convert.usd.reading.scenes import tell_gravity, tell_unknown
from ligament.convert.usd.reading.stage import Stage, has_api
from ligament.errors import ContentError, FormatError, LigamentError
from ligament.extensions.declarations import Dialect, Physics
from ligament.gltf.document import Document
from ligament.limits import Limits


def read_document(
    path: Path, roots: Sequence[Path], limits: Limits, *, binary: bool = False
) -> Converted:
    """Read a stage; what USD itself complains of while it composes it is a loss.

    Raises BinaryLayerError where a layer is not text, unless `binary` ones are to be read here.
    """
    # It keeps USD from printing while it lives.
    diagnostics = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        folders = [folder.resolve() for folder in (path.resolve().parent, *roots)]
        stage = Stage(open_stage(path, folders, limits, binary=binary), folders, limits)
        for place, said in told(diagnostics.TakeUncoalescedDiagnostics()):
            stage.lose(place, "what USD warns of", said, "USD leaves it out")
        return _converted(stage)
    except LigamentError as fault:
        raise fault.located(path) from fault.__cause__
    except Tf.ErrorException as fault:
        remedy = "it must be a layer of USD"
        message = first_line(fault).replace(f"{path.resolve()}:", "line ")
        raise FormatError(message, file=path, remedy=remedy) from None
    except (RuntimeError, UnicodeError) as fault:
        message = f"USD cannot read it: {first_line(str(fault))}"
        raise ContentError(message, file=path, remedy="check the file") from None


def _converted(stage: Stage) -> Converted:
    asset = {"version": "2.0", "generator": "Ligament"}
    document = Document({"asset": asset}, limits=stage.limits)
    nodes, meshes = Nodes(stage), Meshes(stage, document)
    _show(stage, nodes, meshes)
    physics = _physics(stage, nodes, meshes, document)
    tell_gravity(stage)
    tell_unknown(stage)
    add_animation(stage, nodes, document)
    draft = Draft(document, physics)
    write_khr(draft, Dialect.KHR)
    rename_used(draft.document)
    return Converted(draft.document, in_order([*stage.ledger.losses(), *draft.losses]))


def _show(stage: Stage, nodes: Nodes, meshes: Meshes) -> None:
    """Give nodes the meshes that are seen of their prims."""
    for node, prim in nodes.parts:
        if not prim.IsA(UsdGeom.Gprim):
            continue
        if meshes.is_shown(prim):
            mesh = meshes.mesh(prim)
            nodes.raw[node] |= {} if mesh is None else {"mesh": mesh}
        elif not has_api(prim, "PhysicsCollisionAPI"):
            reason = "it is invisible, or there to guide"
            stage.lose(prim, "a surface", reason, "it is left out")


def _physics(stage: Stage, nodes: Nodes, meshes: Meshes, document: Document) -> Physics:
    motions = read_motions(stage, nodes)
    reader = Colliders(stage, nodes, meshes)
    reader.read()
    colliders = Filters(stage, nodes).apply(reader.solid, reader.prims)
    joints = Joints(stage, nodes, {*motions, *colliders}).read()
    _settle(document, nodes)
    physics = Physics(
        dialects=(Dialect.KHR,),
        motions=motions,
        colliders=colliders,
        triggers=reader.triggers,
        joints=joints,
    )
    motions = weighed(stage, nodes, document, physics, reader.prims)
    return dataclasses.replace(physics, motions=motions)


def _settle(document: Document, nodes: Nodes) -> None:
    """Put the nodes into the document, in one scene."""
    content: dict[str, Any] = document.json
    content["scene"], content["scenes"] = 0, [{"nodes": nodes.roots} if nodes.roots else {}]
    if nodes.raw:
        content["nodes"] = nodes.raw
