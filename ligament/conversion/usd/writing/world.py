"""Nodes of a document as prims, and their placement in the world.

UsdPhysics has no nested bodies: a body below another moving one ignores the transforms above it
(`!resetXformStack!`) and is placed in the world. Nor has it mirrored, sheared or unevenly scaled
bodies: such a body is placed without its scale, and a prim `stretch` below it holds the contents of
the node.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.source import WORLD_ROTATIONS, Source, UpAxis
from ligament.conversion.usd.writing.values import matrix, place, place_by_matrix
from ligament.errors import LimitError
from ligament.extensions.rigid_bodies import MotionKind
from ligament.gltf.tree import nearest
from ligament.physics.scene_builder import WORLD

ROOT: Final = "/World"
JOINTS: Final = "Joints"
STRETCH: Final = "stretch"
_SKEW: Final = 1e-9
_SINGULAR: Final = 1e-12
_OTHER: Final = re.compile(r"[^A-Za-z0-9_]")
_LONGEST: Final = 80

MAX_DEPTH: Final = 1000
"""Levels of nodes that are written: each adds its name to all paths below it."""


def _require_depth(source: Source) -> None:
    """Refuse chains whose paths, together, would grow out of proportion to the file."""
    depth = sum(any(int(node) in source.members for node in level) for level in source.tree.levels)
    if depth > MAX_DEPTH:
        raise LimitError(
            f"nodes are nested {depth} deep",
            pointer="/nodes",
            remedy=f"USD is written up to {MAX_DEPTH} levels",
        )


@dataclasses.dataclass(frozen=True, eq=False)
class Placed:
    """A prim, and its matrix (4, 4) in the world."""

    prim: Any
    matrix: Floats

    @property
    def path(self) -> str:
        """Path of the prim."""
        return str(self.prim.GetPath())


class World:
    """A stage with a prim for every node of the scene.

    `nodes` are the prims of all nodes, `bodies` those of the bodies of the scene, and `holders`
    those that hold the contents of a node: mostly the same. `is_reset` are the nodes placed in the
    world, `is_animated` those of them that are driven by animation, `is_rigid` those placed without
    their scale. `rotation` (4, 4) takes the document's axes to those of the stage.
    """

    def __init__(self, source: Source, *, up: UpAxis) -> None:
        _require_depth(source)
        self.source, self.names = source, Names()
        self._scopes: dict[str, str] = {}
        self.stage = Usd.Stage.CreateInMemory()
        self.root = UsdGeom.Xform.Define(self.stage, ROOT).GetPrim()
        self._describe(up)
        self.matrices = _world_matrices(source)
        self.body_nodes = {b.node for b in source.scene.bodies if b.node != WORLD}
        self.is_rigid = frozenset(self._rigid_nodes())
        self.is_reset = frozenset(self._reset_nodes())
        self.is_animated = self.is_reset & self._animated_nodes()
        self.nodes: dict[int, Any] = {}
        self.bodies: dict[int, Placed] = {}
        self.holders: dict[int, Placed] = {}
        self.rotation = np.asarray(tf.compose(np.zeros(3), WORLD_ROTATIONS[up]))
        for node, prim in self._define_nodes().items():
            self._add(node, prim)

    def ordered(self) -> Iterator[int]:
        """Yield the nodes of the scene, parents first."""
        for level in self.source.tree.levels:
            yield from (int(node) for node in level if int(node) in self.source.members)

    def define(self, kind: str, parent: str, wanted: str | None, otherwise: str) -> Any:
        """Make a prim with a unique name below another one."""
        return self.define_all({self.names.give(parent, wanted, otherwise): kind})[0]

    def define_all(self, kinds: Mapping[str, str]) -> list[Any]:
        """Make prims (path → type) at once: each on its own would compose all siblings again."""
        layer = self.stage.GetRootLayer()
        with Sdf.ChangeBlock():
            for path, kind in kinds.items():
                spec = Sdf.CreatePrimInLayer(layer, path)
                spec.specifier, spec.typeName = Sdf.SpecifierDef, kind
        return [self.stage.GetPrimAtPath(path) for path in kinds]

    def scope(self, name: str) -> str:
        """Return the path of a scope below the root, made on first use."""
        if name not in self._scopes:
            self._scopes[name] = str(self.define("Scope", ROOT, name, name).GetPath())
        return self._scopes[name]

    def rigid(self, node: int) -> Floats:
        """Return the matrix (4, 4) of a node's frame in the world: no scale, no shear."""
        placement = self.source.placement
        frame = tf.compose(placement.translation[node], placement.rotation[node])
        return np.asarray(frame)

    def remember(self, node: int, key: str, value: Any) -> None:
        """Store a value about a node for reading the stage back."""
        self.nodes[node].SetCustomDataByKey(f"ligament:{key}", value)

    def scale(self, node: int) -> float:
        """Return the scale of a body's prim, which applies to positions in it."""
        return 1.0 if node in self.is_rigid else float(self.source.placement.stretch[node][0, 0])

    # --- the stage ---

    def _describe(self, up: UpAxis) -> None:
        stage = self.stage
        stage.SetDefaultPrim(self.root)
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y if up == "y" else UsdGeom.Tokens.z)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
        if up == "z":
            place(self.root, np.zeros(3), WORLD_ROTATIONS[up], np.ones(3))
        scene = UsdPhysics.Scene(self.define("PhysicsScene", ROOT, "PhysicsScene", ""))
        size = float(np.linalg.norm(self.source.gravity))
        if size > 0:
            scene.CreateGravityDirectionAttr(Gf.Vec3f(*(self.source.gravity / size).tolist()))
        scene.CreateGravityMagnitudeAttr(size)

    # --- nodes ---

    def _rigid_nodes(self) -> Iterator[int]:
        """Yield the bodies whose prims do not have their scale."""
        scene, stretch = self.source.scene, self.source.placement.stretch
        joined = {frame.body for joint in scene.joints for frame in (joint.a, joint.b)}
        for index, body in enumerate(scene.bodies):
            if body.node == WORLD:
                continue
            is_held = body.kind is not MotionKind.STATIC or index in joined
            if is_singular(stretch[body.node]) or (is_held and not _is_even(stretch[body.node])):
                yield body.node

    def _has_singular_parent(self, node: int) -> bool:
        """Tell whether a node's parent is singular, so that no local transform can place it."""
        parent = int(self.source.tree.parents[node])
        return parent >= 0 and is_singular(self.matrices[parent, :3, :3])

    def _reset_nodes(self) -> Iterator[int]:
        """Yield the bodies that must not move with their ancestors."""
        scene, tree = self.source.scene, self.source.tree
        moving = {body.node for body in scene.bodies if body.kind is not MotionKind.STATIC}
        below_body, below_moved = (nearest(tree, nodes) for nodes in (moving, self.source.moved))
        yield from self._orphans()
        for body in scene.bodies:
            if body.node in self.is_rigid and (
                body.is_driven or self._has_singular_parent(body.node)
            ):
                yield body.node
            parent = -1 if body.node == WORLD else int(tree.parents[body.node])
            is_free = not body.is_driven
            is_own = body.is_declared or body.kind is not MotionKind.STATIC
            if parent < 0 or not is_own:
                continue
            if below_body[parent] >= 0 or (is_free and below_moved[parent] >= 0):
                yield body.node

    def _orphans(self) -> frozenset[int]:
        """Return the nodes of the scene whose parents are not in it."""
        members, parents = self.source.members, self.source.tree.parents
        return frozenset(n for n in members if parents[n] >= 0 and int(parents[n]) not in members)

    def _animated_nodes(self) -> frozenset[int]:
        """Return the bodies, and the nodes without parents, that are driven by animation."""
        driven = {body.node for body in self.source.scene.bodies if body.is_driven}
        below_moved = nearest(self.source.tree, self.source.moved)
        return frozenset(driven | {n for n in self._orphans() if below_moved[n] >= 0})

    def _define_nodes(self) -> dict[int, Any]:
        """Make the prims of all nodes, and those for the stretch of rigid ones."""
        tree, paths, holders = self.source.tree, dict[int, str](), dict[int, str]()
        for node in self.ordered():
            parent = holders.get(int(tree.parents[node]), ROOT)
            paths[node] = self.names.give(parent, tree.names[node], f"node_{node}")
            holders[node] = paths[node]
            if node in self.is_rigid:
                holders[node] = self.names.give(paths[node], STRETCH, STRETCH)
        self.define_all(dict.fromkeys([*paths.values(), *holders.values()], "Xform"))
        return {node: self.stage.GetPrimAtPath(path) for node, path in paths.items()}

    def _add(self, node: int, prim: Any) -> None:
        parent = self.holders.get(int(self.source.tree.parents[node]))
        name = self.source.tree.names[node]
        self.nodes[node] = prim
        self.remember(node, "node", node)
        if name:
            self.remember(node, "name", shown(name))
            prim.SetDisplayName(shown(name))
        if node in self.is_reset:
            self._place_in_world(prim, node)
        elif node in self.is_rigid:
            above = self.rotation if parent is None else parent.matrix
            place_by_matrix(prim, np.linalg.solve(above, self.rigid(node)))
        else:
            pose = self.source.pose
            place(prim, pose.translation[node], pose.rotation[node], pose.scale[node])
        columns = self.rigid(node) if node in self.is_rigid else self.matrices[node]
        self.holders[node] = Placed(prim, columns)
        if node in self.body_nodes:
            self.bodies[node] = self.holders[node]
        if node in self.is_rigid:
            self._add_stretch(prim, node)

    def _place_in_world(self, prim: Any, node: int) -> None:
        xformable = UsdGeom.Xformable(prim)
        xformable.SetResetXformStack(True)
        columns = self.rigid(node) if node in self.is_rigid else self.matrices[node]
        if node in self.is_animated:
            xformable.AddTransformOp(UsdGeom.XformOp.PrecisionDouble).Set(matrix(columns))
        else:
            place_by_matrix(prim, columns)

    def _add_stretch(self, prim: Any, node: int) -> None:
        inner = prim.GetChild(STRETCH)
        stretch = np.eye(4)
        stretch[:3, :3] = self.source.placement.stretch[node]
        place_by_matrix(inner, stretch)
        self.holders[node] = Placed(inner, self.matrices[node])


def relationship(prim: Any, name: str, targets: list[str]) -> None:
    """Point from a prim to others."""
    prim.CreateRelationship(name, False).SetTargets([Sdf.Path(target) for target in targets])


def _world_matrices(source: Source) -> Floats:
    """Return the world matrices (N, 4, 4) of all nodes in the axes of the stage."""
    placement = source.placement
    matrices = np.zeros((len(source.tree), 4, 4))
    matrices[:, 3, 3] = 1.0
    matrices[:, :3, :3] = np.asarray(tf.to_matrix(placement.rotation)) @ placement.stretch
    matrices[:, :3, 3] = placement.translation
    return matrices


def is_singular(stretch: Floats) -> bool:
    """Tell whether a matrix (3, 3) is singular."""
    sizes = np.linalg.svd(stretch, compute_uv=False)
    return bool(sizes[-1] <= _SINGULAR * sizes[0])


def _is_even(stretch: Floats) -> bool:
    """Tell whether a stretch (3, 3) is a positive uniform scale."""
    size = float(stretch[0, 0])
    return bool(size > 0 and np.abs(stretch - size * np.eye(3)).max() <= _SKEW * size)


# --- names ---


class Names:
    """Gives every child of a prim a unique name of ASCII letters, digits and underscores."""

    def __init__(self) -> None:
        self._taken: dict[str, set[str]] = {}
        self._next: dict[tuple[str, str], int] = {}

    def give(self, parent: str, wanted: str | None, otherwise: str) -> str:
        """Return a new path below the path of a prim."""
        taken = self._taken.setdefault(parent, set())
        stem = _identifier(wanted or "") or otherwise
        name, number = stem, self._next.get((parent, stem), 2)
        while name in taken:
            name, number = f"{stem}_{number}", number + 1
        self._next[parent, stem] = number
        taken.add(name)
        return f"{parent}/{name}"


def shown(name: str) -> str:
    """Return a readable name, with characters that UTF-8 cannot encode replaced."""
    return name.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _identifier(name: str) -> str:
    """Replace invalid characters by underscores; empty where nothing else is left."""
    found = _OTHER.sub("_", name)[:_LONGEST]
    if not found.strip("_"):
        return ""
    return f"_{found}" if found[0].isdigit() else found
