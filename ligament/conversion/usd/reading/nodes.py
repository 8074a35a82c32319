"""Prims as nodes: selection, order, names and transforms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.dialects.draft import pose_members, transform_members
from ligament.conversion.usd.reading.stage import NOW, Stage, applied, has_api

SAME_PLACE = 1e-9
"""Tolerance [m] for a prim to share the position of its parent."""

_DESCRIPTIONS = (
    UsdPhysics.Joint,
    UsdPhysics.Scene,
    UsdPhysics.CollisionGroup,
    UsdShade.Material,
    UsdShade.NodeGraph,
    UsdShade.Shader,
    UsdGeom.Subset,
)
"""Prims that describe other prims, and have no transform."""

SHEAR = 1e-6
"""Accepted shear of a matrix, relative to its size."""


class Nodes:
    """The nodes of a new document, by the paths of prims.

    `raw` is the array of JSON objects, `roots` those of the scene, `world` the matrices (4, 4) at
    the start, Y up in metres. `prims` are those of the first nodes, in their order; `parts` are
    all prims with a transform, and the nodes that they belong to. `folded` are the scales (3,) of
    prims that share the node of their parent, by path.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.raw: list[dict[str, Any]] = []
        self.roots: list[int] = []
        self.world: list[Floats] = []
        self.parents: list[int] = []
        self.at: dict[str, int] = {}
        kept = _kept(stage)
        self._frame = _frame_of(kept)
        self.folded = dict(self._folded(kept))
        separate = [prim for prim in kept if prim != self._frame]
        self.prims = _ordered([prim for prim in separate if str(prim.GetPath()) not in self.folded])
        for index, prim in enumerate(self.prims):
            self.at[str(prim.GetPath())] = index
        self._place()
        for path in self.folded:
            self.at[path] = self.at[path.rpartition("/")[0]]
        self.parts = [(self.at[str(prim.GetPath())], prim) for prim in separate]

    def node(self, path: Any) -> int | None:
        """Return the node of a prim, or of the nearest above it that has one."""
        while str(path) != "/" and str(path):
            if (found := self.at.get(str(path))) is not None:
                return found
            path = path.GetParentPath()
        return None

    def add(self, parent: int | None, name: str, matrix: Floats) -> int:
        """Add a node at a place (4, 4) in the space of another, or of the world."""
        index = len(self.raw)
        self.raw.append({"name": name, **transform_members(matrix)})
        self.parents.append(-1 if parent is None else parent)
        if parent is None:
            self.roots.append(index)
            self.world.append(matrix)
        else:
            self.raw[parent].setdefault("children", []).append(index)
            self.world.append(self.world[parent] @ matrix)
        return index

    def turn(self, node: int) -> Floats:
        """Return the rotation (4,) of a node in the world, without scale."""
        turn = np.array([0.0, 0.0, 0.0, 1.0])
        while node >= 0:
            own = np.array(self.raw[node].get("rotation", (0.0, 0.0, 0.0, 1.0)))
            turn, node = np.asarray(tf.multiply(own, turn)), self.parents[node]
        return turn

    def base(self, prim: Any) -> Floats:
        """Return the transform (4, 4) above a root prim: to Y up, and the frame of the stage."""
        upright = self.stage.units.upright
        if self._frame is None or resets(prim):
            return upright
        return np.asarray(upright @ local_matrix(self.stage, self._frame))

    def _folded(self, prims: list[Any]) -> Iterator[tuple[str, Floats]]:
        """Yield the paths and scales of prims that were part of their parent's node.

        A node has a mesh and a collider, where a prim has one child prim for each.
        """
        holders = {str(prim.GetParent().GetPath()) for prim in prims}
        taken = set()
        for prim in prims:
            path, parent = str(prim.GetPath()), prim.GetParent()
            is_leaf = prim.IsA(UsdGeom.Gprim) and path not in holders
            if not is_leaf or is_tagged(prim) or not is_tagged(parent) or resets(prim):
                continue
            role = (str(parent.GetPath()), has_api(prim, "PhysicsCollisionAPI"))
            scale = self._scale_alone(prim)
            if scale is not None and role not in taken and _lies_along_y(prim):
                taken.add(role)
                yield path, scale

    def _scale_alone(self, prim: Any) -> Floats | None:
        """Return the scale (3,) of a prim whose transform only scales, else None."""
        matrix = local_matrix(self.stage, prim)
        scale = np.diag(matrix)[:3].copy()
        if sample_times(prim) or scale.min() <= 0:
            return None
        is_solid = has_api(prim, "PhysicsCollisionAPI")
        expected = scale.copy() if is_solid else np.ones(3)
        if is_solid and (alike := _alike_axes(prim)):
            expected[list(alike)] = scale[list(alike)].mean()
        off = np.abs(matrix - np.diag([*expected, 1.0])).max()
        return expected if off <= SAME_PLACE * max(1.0, scale.max()) else None

    def _place(self) -> None:
        """Make the nodes of all prims; they come first, parents not always before children."""
        count = len(self.prims)
        self.raw = [{} for _ in range(count)]
        self.world = [np.eye(4)] * count
        self.parents = [-1] * count
        self._moved: set[int] = set()
        for _, level in groupby(sorted(self.prims, key=_depth), _depth):
            self._place_level([*level])
        for prim in self.prims:  # in the order of the file
            self._list(self.at[str(prim.GetPath())])

    def _place_level(self, prims: list[Any]) -> None:
        """Make the nodes of prims of one depth, whose parents have theirs."""
        places = [self._local(prim, self.node(prim.GetPath().GetParentPath())) for prim in prims]
        matrices, errors = without_shear(np.array([matrix for _, matrix in places]))
        poses = zip(*(np.asarray(part) for part in tf.decompose(matrices)), strict=True)
        for prim, (parent, _), matrix, off, pose in zip(
            prims, places, matrices, errors.tolist(), poses, strict=True
        ):
            index = self.at[str(prim.GetPath())]
            if parent in self._moved or sample_times(prim):
                self._moved.add(index)
            if off > SHEAR:
                reason = "nodes of glTF have translation, rotation and scale"
                effect = f"{off:.2g} of its size is left out"
                self.stage.lose(prim, "the shear of a transform", reason, effect)
            self.parents[index] = -1 if parent is None else parent
            self.world[index] = matrix if parent is None else self.world[parent] @ matrix
            self.raw[index] |= {**_name(prim), **pose_members(*pose)}

    def _list(self, index: int) -> None:
        parent = self.parents[index]
        if parent < 0:
            self.roots.append(index)
        else:
            self.raw[parent].setdefault("children", []).append(index)

    def _local(self, prim: Any, parent: int | None) -> tuple[int | None, Floats]:
        """Return the parent of a node and its transform in it.

        A body that resets the transform stack stays in the tree, since glTF allows bodies below
        others, unless an animation moves its ancestors; all other prims move to the root.
        """
        matrix = local_matrix(self.stage, prim)
        if parent is None:
            return None, self.base(prim) @ matrix
        if not resets(prim):
            return parent, matrix
        matrix = self.base(prim) @ matrix
        above = self.world[parent]
        is_invertible = abs(tf.determinant(above[:3, :3])) > 1e-12
        if has_api(prim, "PhysicsRigidBodyAPI") and parent not in self._moved and is_invertible:
            return parent, np.asarray(np.linalg.solve(above, matrix), np.float64)
        return None, matrix


def label(prim: Any) -> str:
    """Return the original name of a node, else that of the prim."""
    name = _tag(prim).get("name")
    return name if isinstance(name, str) else str(prim.GetName())


def is_tagged(prim: Any) -> bool:
    """Tell whether a prim was written from a glTF node."""
    return _place_before(prim) is not None


def _name(prim: Any) -> dict[str, str]:
    """Return the name of a node as a member, if it had one."""
    return {} if is_tagged(prim) and "name" not in _tag(prim) else {"name": label(prim)}


def is_trigger(prim: Any) -> bool:
    """Tell whether a prim was written from a trigger, which UsdPhysics lacks."""
    return remembered(prim, "trigger") is True


def remembered(prim: Any, name: str) -> Any:
    """Return a remembered value of the glTF document that UsdPhysics cannot express."""
    return _tag(prim).get(name)


def _tag(prim: Any) -> dict[str, Any]:
    """Return the remembered values of a prim that was written from a glTF document."""
    tag = prim.GetCustomDataByKey("ligament")
    return tag if isinstance(tag, dict) else {}


def _place_before(prim: Any) -> int | None:
    place = _tag(prim).get("node")
    return place if isinstance(place, int) and not isinstance(place, bool) else None


def _ordered(prims: list[Any]) -> list[Any]:
    """Restore the order of prims that were written from nodes; others follow."""
    places = {str(prim.GetPath()): _place_before(prim) for prim in prims}
    known = [place for place in places.values() if place is not None]
    if len(set(known)) < len(known):  # copies: the original is unknown
        return prims

    def key(prim: Any) -> float:
        place = places[str(prim.GetPath())]
        return math.inf if place is None else place

    return sorted(prims, key=key)


def _alike_axes(prim: Any) -> tuple[int, ...]:
    """Return the axes that must have the same scale for a shape to keep its type."""
    if prim.IsA(UsdGeom.Cube) or prim.IsA(UsdGeom.Mesh):
        return ()
    if any(prim.IsA(kind) for kind in (UsdGeom.Cylinder, UsdGeom.Cylinder_1, UsdGeom.Cone)):
        return (0, 2)
    return (0, 1, 2)


def _lies_along_y(prim: Any) -> bool:
    """Tell whether a collider needs no node to rotate it."""
    axis = prim.GetAttribute("axis")
    return not axis or not has_api(prim, "PhysicsCollisionAPI") or axis.Get() == "Y"


def _frame_of(prims: list[Any]) -> Any:
    """Return the prim that only holds the roots of a document, None where there is none.

    By convention stages have one root prim; documents need no node for it.
    """
    if not prims or is_tagged(prims[0]) or sample_times(prims[0]) or applied(prims[0]):
        return None
    first = prims[0]
    children = [prim for prim in prims if prim.GetParent() == first]
    is_xform = str(first.GetTypeName()) in ("Xform", "Scope", "")
    others = [p for p in prims[1:] if not p.GetPath().HasPrefix(first.GetPath())]
    return first if is_xform and not others and any(map(is_tagged, children)) else None


def _kept(stage: Stage) -> list[Any]:
    """Return the prims with a transform, and their ancestors."""
    prims, needed = list(stage.prims()), set[str]()
    hidden: set[str] = set()
    found = []
    for prim in prims:
        path = str(prim.GetPath())
        if str(prim.GetPath().GetParentPath()) in hidden or any(prim.IsA(k) for k in _DESCRIPTIONS):
            hidden.add(path)
            continue
        found.append(prim)
        if prim.IsA(UsdGeom.Xformable) or applied(prim) or is_tagged(prim):
            needed.update(str(prefix) for prefix in prim.GetPath().GetPrefixes())
    return [prim for prim in found if str(prim.GetPath()) in needed]


# --- transforms ---


def local_matrix(stage: Stage, prim: Any, time: Usd.TimeCode = NOW) -> Floats:
    """Return the local transform (4, 4) [m] of a prim, all ops applied."""
    xformable = UsdGeom.Xformable(prim)
    if not xformable:
        return np.eye(4)
    matrix = np.array(xformable.GetLocalTransformation(time), np.float64).T
    if not np.isfinite(matrix).all():
        reason = "it contains numbers that are not finite"
        stage.lose(prim, "the transform", reason, "the prim is at the origin of its parent")
        return np.eye(4)
    return stage.units.matrix(matrix)


def resets(prim: Any) -> bool:
    """Tell whether a prim ignores the transforms of its ancestors."""
    xformable = UsdGeom.Xformable(prim)
    return bool(xformable and xformable.GetResetXformStack())


def sample_times(prim: Any) -> list[float]:
    """Return the time codes at which the transform of a prim has samples."""
    xformable = UsdGeom.Xformable(prim)
    if not xformable or not xformable.TransformMightBeTimeVarying():
        return []
    return [float(time) for time in xformable.GetTimeSamples()]


def _depth(prim: Any) -> int:
    return int(prim.GetPath().pathElementCount)


def without_shear(matrices: Floats) -> tuple[Floats, Floats]:
    """Return the nearest products (..., 4, 4) of translation, rotation and scale.

    The relative errors (...,) come second.
    """
    nearest = np.asarray(tf.compose(*tf.decompose(matrices)))
    size = np.abs(matrices[..., :3, :3]).max(axis=(-2, -1))
    off = np.abs(nearest - matrices).max(axis=(-2, -1)) / np.where(size > 0, size, np.inf)
    return nearest, np.where(np.isfinite(off), off, 1.0)
