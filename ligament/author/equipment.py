"""Automatic bodies and colliders: loose objects become dynamic, the ground stays static."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator
from typing import Literal, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.densities import density_of
from ligament.author.editing.bodies import Bodies
from ligament.author.editing.nodes import NodeRef, Nodes
from ligament.author.editing.parts import MEMBERS, Parts
from ligament.author.editor import Editor
from ligament.author.fitting import NodeFit
from ligament.errors import EditError, LigamentError
from ligament.gltf import objects
from ligament.gltf.mesh import read_mesh
from ligament.physics.mass import DENSITY

FLAT = 0.2
"""Largest height of a floor, relative to its narrower side."""

FLOOR_AREA = 0.5
"""Least area of a floor, relative to the area of the whole scene seen from above."""

FLOOR_HEIGHT = 0.25
"""Largest height of the top of a floor, relative to the height of the whole scene."""

CONCAVE = 0.05
"""Surfaces that leave more than this fraction of their hull empty are concave."""

_GROUND = re.compile(r"\b(floor|ground|terrain|landscape|static)\b", re.IGNORECASE)


class Equipped(NamedTuple):
    """An equipped node: how it moves, its colliders, its mass [kg] if one was set.

    `hulls` is the number of colliders that concave meshes were decomposed into.
    """

    node: int
    kind: Literal["dynamic", "kinematic", "static"]
    colliders: int
    mass: float | None
    hulls: int = 0


class Skipped(NamedTuple):
    """A node that was left alone, and why."""

    node: int
    reason: str


class _Group(NamedTuple):
    """A node that becomes one object: its nodes with meshes, and its bounds (2, 3) [m]."""

    node: int
    meshes: list[int]
    bounds: Floats


def add_bodies(
    editor: Editor,
    *,
    static: Collection[NodeRef] = (),
    decompose: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[Equipped | Skipped]:
    """Give every group of meshes a body and colliders; return the result for each.

    A group is a root of the scene, or, if a single root contains all meshes, a child of it. Nodes
    listed in `static`, nodes named like a floor or ground, and large flat objects at the bottom are
    static; animated ones are kinematic; all others are dynamic. Skinned meshes and groups that
    have physics already are left alone. Colliders are fitted to each mesh; static concave ones
    follow the surface itself, and with `decompose` moving ones become several hulls (extra
    `decompose`). Masses follow from the densities of the named materials (`densities`).
    `progress` is called with (mesh, meshes) after each.
    """
    with editor._settled() as nodes:
        return _Equipment(editor, nodes, static, progress, decompose=decompose).run()


class _Equipment:
    """Equips the groups of one document."""

    def __init__(
        self,
        editor: Editor,
        nodes: Nodes,
        static: Collection[NodeRef],
        progress: Callable[[int, int], None] | None,
        *,
        decompose: bool,
    ) -> None:
        self.progress, self._fitted, self._meshes_in_all = progress, 0, 0
        self.editor, self.document, self.decompose = editor, editor.document, decompose
        self.nodes, self.parts = nodes, Parts(self.document)
        self.bodies = Bodies(self.nodes, self.parts)
        self.static = {self.nodes.find(node) for node in static}

    def run(self) -> list[Equipped | Skipped]:
        skipped: list[Equipped | Skipped] = []
        groups = []
        for node in self._roots():
            if any(self.parts.on(n, m) for n in self.nodes.downward(node) for m in MEMBERS):
                skipped.append(Skipped(node, "it has physics already"))
            elif (group := self._group(node)) is not None:
                groups.append(group)
            elif any("skin" in self.nodes.raw[n] for n in self.nodes.downward(node)):
                skipped.append(Skipped(node, "its meshes are skinned"))
        ground = self._ground(groups)
        self._meshes_in_all = sum(len(group.meshes) for group in groups)
        return [self._equip(group, group.node in ground) for group in groups] + skipped

    def _roots(self) -> list[int]:
        """List the nodes that become objects: the roots, or the children of a single root."""
        scenes = self.document.array("scenes")
        if scenes:
            main = self.document.json.get("scene", 0)
            level: list[int] = list(scenes[main].get("nodes", ()))
        else:
            level = self.nodes.tree.levels[0].tolist() if self.nodes.tree.levels else []
        showing = self._showing()
        while True:
            seen = [node for node in level if node in showing]
            if len(seen) != 1 or "mesh" in self.nodes.raw[seen[0]] or seen[0] in self.static:
                return level
            level = self.nodes.raw[seen[0]]["children"]

    def _showing(self) -> set[int]:
        """Return all nodes that have an unskinned mesh at or below them."""
        found: set[int] = set()
        for index, raw in enumerate(self.nodes.raw):
            if "mesh" in raw and "skin" not in raw:
                above = self.nodes.upward(index)
                found.update(itertools.takewhile(lambda node: node not in found, above))
        return found

    def _meshes(self, node: int) -> list[int]:
        """List the nodes with an unskinned mesh at and below a node."""
        below = ((n, self.nodes.raw[n]) for n in self.nodes.downward(node))
        return [n for n, raw in below if "mesh" in raw and "skin" not in raw]

    def _group(self, node: int) -> _Group | None:
        meshes = self._meshes(node)
        points = [self._points(n) for n in meshes]
        if not any(map(len, points)):
            return None
        every = np.concatenate(points)
        return _Group(node, meshes, np.array([every.min(axis=0), every.max(axis=0)]))

    def _points(self, node: int) -> Floats:
        try:
            parts = read_mesh(self.document, self.nodes.raw[node]["mesh"])
        except LigamentError as fault:
            raise fault.located(self.document.path) from fault.__cause__
        points = np.concatenate([np.empty((0, 3)), *(part.points for part in parts)])
        return np.asarray(tf.apply_matrix(self.nodes.matrix(node), points))

    def _ground(self, groups: list[_Group]) -> set[int]:
        """Return the nodes of the groups that are static."""
        named = {g.node for g in groups if _GROUND.search(self.nodes.name(g.node))} | self.static
        if len(groups) < 2:
            return named
        low = np.min([group.bounds[0] for group in groups], axis=0)
        high = np.max([group.bounds[1] for group in groups], axis=0)
        area = float(np.prod((high - low)[[0, 2]]))
        for group in groups:
            width, height, depth = (group.bounds[1] - group.bounds[0]).tolist()
            is_flat = height < FLAT * min(width, depth) and width * depth >= FLOOR_AREA * area
            if is_flat and group.bounds[1][1] <= low[1] + FLOOR_HEIGHT * (high[1] - low[1]):
                named.add(group.node)
        return named

    def _equip(self, group: _Group, is_ground: bool) -> Equipped | Skipped:
        kind: Literal["dynamic", "kinematic", "static"] = "static"
        if not is_ground:
            kind = "kinematic" if self.bodies.is_driven(group.node) else "dynamic"
        masses, faults, hulls = [], list[str](), list[int]()
        for node in group.meshes:
            try:
                volume, parts = self._collide(node, is_fixed=kind == "static")
            except EditError as fault:
                faults.append(fault.message)
                continue
            finally:
                self._report_progress()
            masses.append((density_of(self._names(node)), volume))
            hulls.append(parts)
        if not masses:
            return Skipped(group.node, f"it has no usable collision shape: {faults[0]}")
        known = any(density is not None for density, _ in masses)
        mass = sum((DENSITY if own is None else own) * volume for own, volume in masses)
        stated = float(f"{mass:.4g}") if known and kind == "dynamic" and mass > 0 else None
        if kind != "static":
            try:
                self.editor.add_body(group.node, kind=kind, mass=stated)
            except EditError as fault:
                return Skipped(group.node, f"it stays static: {fault.message}")
        decomposed = sum(parts > 0 for parts in hulls)
        return Equipped(group.node, kind, len(masses) - decomposed + sum(hulls), stated, sum(hulls))

    def _collide(self, node: int, *, is_fixed: bool) -> tuple[float, int]:
        """Add the collider of a mesh; return the mesh volume [m³] and the number of hulls."""
        found, hulls = self.editor.fit(node), 0
        shape: NodeFit | Literal["mesh"] = found
        if (found.error.hollow or 0.0) > CONCAVE and is_fixed:
            shape = "mesh"
        elif (found.error.hollow or 0.0) > CONCAVE and self.decompose:
            shape = self.editor.fit(node, "decomposed")
            hulls = len(shape.colliders)
        self.editor.add_collider(node, shape)
        return found.fit.volume, hulls

    def _report_progress(self) -> None:
        if self.progress is not None:
            self.progress(self._fitted, self._meshes_in_all)
        self._fitted += 1

    def _names(self, node: int) -> Iterator[str]:
        """Yield names that may contain a material: the mesh's materials, the mesh, the node."""
        mesh = self.document.element("meshes", self.nodes.raw[node]["mesh"], objects.Mesh)
        count = len(self.document.array("materials"))
        for primitive in mesh.primitives:
            if primitive.material is not None and primitive.material < count:
                material = self.document.element("materials", primitive.material, objects.Named)
                yield material.name or ""
        yield mesh.name or ""
        yield self.nodes.name(node)
