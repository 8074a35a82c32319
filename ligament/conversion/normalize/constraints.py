"""Frames and axes under which node constraints have exactly the same effect.

Constraints read and write local rotations, so that the frame of a constrained node (`own`, its
parent's `above`) is not free. With q the source's rotation and r rest rotations, and the frames of
the source S known:

- rotation turns by (rS⁻¹·qS)^w, which the frame of S conjugates: own must equal that of S.
- roll turns by the twist of rD⁻¹·(qS·rS⁻¹)·rD about an axis a. The frame above S conjugates the
  part in brackets, so that it and `above` must agree on where rD·a points; and own·a must be a
  coordinate axis of either sign, the new axis.
- aim turns by the arc from a to the direction of S: own·a must be a coordinate axis, signed.
- the draft's free axes are not affected: own and the frame of S must agree on the axes that are
  not free, and bring them to coordinate axes.

A node gets its rest frame if that fits. Otherwise it keeps the rest rotation that its constraint
needs, and its children move below a static node, as does the node itself where a roll needs another
frame above.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.normalize.frames import IDENTITY, TOLERANCE, Frames, near
from ligament.extensions.vrmc_node_constraint import NAME, Constraint
from ligament.gltf import pointers
from ligament.gltf.document import Document
from ligament.rig.constraints import NodeConstraints
from ligament.rig.constraints.solver import arrange

_LETTERS = "XYZ"
_SIGNS = {1: "Positive", -1: "Negative"}


class Fit(NamedTuple):
    """Frames of a constrained node that, with these members, keep the effect of its constraint."""

    own: Floats
    above: Floats
    members: dict[str, Any]


def fit_constraints(
    document: Document, frames: Frames, *, bones: Collection[int], loose: Collection[int]
) -> set[int]:
    """Choose the frames of all constrained nodes, sources first, and write the axes.

    A static parent is inserted where one is needed, unless the parent is `loose` and has no other
    child; return such parents. Raise ContentError for a bone that would keep a rest rotation.
    """
    _refuse_unread(document, frames)
    solver = NodeConstraints(document)
    only = _only_children(frames)
    reused = set()
    for level in arrange(solver.constraints, frames.tree.parents).levels:
        for constraint in level:
            fit = _fit(document, frames, constraint)
            node, parent = constraint.destination, int(frames.tree.parents[constraint.destination])
            if not (near(fit.own, frames.rest[node]) and near(fit.above, frames.rest_above[node])):
                _refuse_bone(document, frames, constraint, bones)
                frames.own[node] = fit.own
            if not near(fit.above, frames.rest_above[node]):
                frames.above[node] = fit.above
                if parent in loose and only.get(parent) == node:
                    frames.own[parent] = fit.above
                    reused.add(parent)
                else:
                    frames.sockets.add(node)
            pointers.find(document.json, constraint.pointer).update(fit.members)
    return reused


def _fit(document: Document, frames: Frames, constraint: Constraint) -> Fit:
    if not all(constraint.freeze_axes):
        return _fit_free_axes(document, frames, constraint)
    node, source = constraint.destination, constraint.source
    own, above = frames.rest[node], frames.rest_above[node]
    if constraint.kind == "rotation":
        return Fit(own if near(own, frames.own[source]) else frames.own[source], above, {})
    axis = _direction(constraint.axis or "")
    if constraint.kind == "roll":
        rest = frames.tree.rotation[node]
        pointing = tf.rotate(np.stack([above, frames.above[source]]), tf.rotate(rest, axis))
        if np.abs(pointing[0] - pointing[1]).max() > TOLERANCE:
            above = frames.above[source]
            own = tf.multiply(above, rest)
    name = _axis_name(tf.rotate(own, axis), signed=constraint.kind == "aim")
    if name is None:
        return Fit(IDENTITY, above, {})
    return Fit(own, above, {f"{constraint.kind}Axis": name})


def _fit_free_axes(document: Document, frames: Frames, constraint: Constraint) -> Fit:
    """Fit a draft rotation of which some axes are free."""
    node = constraint.destination
    own, above = frames.rest[node], frames.rest_above[node]
    if not any(constraint.freeze_axes):
        return Fit(own, above, {})
    source = tf.to_matrix(frames.own[constraint.source])
    frozen = source @ np.diag(constraint.freeze_axes) @ source.T
    axes = np.diag(frozen).round()
    if np.abs(frozen - np.diag(axes)).max() > TOLERANCE:
        raise document.error(
            f"{frames.tree.label(node)} has free axes that are not axes of the model at rest",
            f"{constraint.pointer}/freezeAxes",
            "constrain all three axes, or bake the constraint",
        )
    agree = np.abs(np.diag(axes) @ (source - tf.to_matrix(own))).max() <= TOLERANCE
    raw = pointers.find(document.json, constraint.pointer)
    member = "axes" if "freezeAxes" not in raw else "freezeAxes"
    chosen = own if agree else frames.own[constraint.source]
    return Fit(chosen, above, {member: [bool(axis) for axis in axes]})


def _only_children(frames: Frames) -> dict[int, int]:
    """Return parent → child for the nodes with exactly one child."""
    parents, first, count = np.unique(frames.tree.parents, return_index=True, return_counts=True)
    single = (count == 1) & (parents >= 0)
    return dict(zip(parents[single].tolist(), first[single].tolist(), strict=True))


def _direction(axis: str) -> Floats:
    direction: Floats = np.eye(3)[_LETTERS.index(axis[-1])]
    return -direction if axis.startswith("Negative") else direction


def _axis_name(direction: Floats, *, signed: bool) -> str | None:
    """Name the coordinate axis that a direction lies on, None where it lies on none."""
    index = int(np.abs(direction).argmax())
    if np.abs(np.delete(direction, index)).max() > TOLERANCE:
        return None
    sign = _SIGNS[int(np.sign(direction[index]))] if signed else ""
    return f"{sign}{_LETTERS[index]}"


def _refuse_bone(
    document: Document, frames: Frames, constraint: Constraint, bones: Collection[int]
) -> None:
    if constraint.destination in bones:
        raise document.error(
            f"{frames.tree.label(constraint.destination)} is a bone, and its {constraint.kind} "
            f"constraint needs the rest rotation relative to "
            f"{frames.tree.label(constraint.source)}",
            constraint.pointer,
            "constrain a node below the bone instead, or bake the constraint",
        )


def _refuse_unread(document: Document, frames: Frames) -> None:
    """Raise for unsupported members of old drafts, where frames would change their effect."""
    if near(frames.own, IDENTITY).all():
        return
    for node, raw in enumerate(document.array("nodes")):
        extension = pointers.find(raw, f"/extensions/{NAME}")
        if pointers.find(extension, "/specVersion") != "1.0-draft":
            continue
        unread = ("/position", "/aim", "/constraint/position", "/constraint/aim")
        if any(pointers.find(extension, pointer) is not None for pointer in unread):
            raise document.error(
                "the meaning of this draft constraint is not known",
                pointers.join("/nodes", node, "extensions", NAME),
                "replace it by one of version 1.0",
            )
