"""Node tree as arrays: parents, levels, scenes, local and world transforms over frames.

The nodes that carry each extension are found in one pass over the document.
"""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Bools, Floats, Ints
from ligament.errors import ContentError, CycleError, LigamentError
from ligament.gltf import objects, pointers
from ligament.gltf.document import Document
from ligament.gltf.load import as_document
from ligament.gltf.references import read_index

LARGEST = float(np.finfo(np.float32).max)

LONGEST_NAME = 80
"""Characters of a name in a message; names in files have any length."""

MOST_LABELS = 12
"""Members of a ring that a message names."""


class Problem(NamedTuple):
    """A problem of the tree: its message and place, the nodes concerned, and the remedy."""

    message: str
    pointer: str
    nodes: tuple[int, ...]
    remedy: str
    is_cycle: bool = False


class WorldTransforms(NamedTuple):
    """World positions (…, N, 3) [m], rotations (…, N, 4) and scales (…, N, 3)."""

    translation: Any
    rotation: Any
    scale: Any


class Forest:
    """Parents of the nodes of any document; wrong edges are not followed, for others to report.

    `parents` (N,) is -1 at roots; `levels` lists the nodes of each depth, roots first.
    """

    def __init__(self, document: Document) -> None:
        self.parents, _ = find_parents(find_children(document))

    def __len__(self) -> int:
        return len(self.parents)

    @functools.cached_property
    def levels(self) -> list[Ints]:
        """The nodes of each depth."""
        return _levels(self.parents)


def find_children(document: Document) -> list[list[int]]:
    """Return the valid children of every node of any document."""
    nodes = document.json.get("nodes")
    nodes = nodes if isinstance(nodes, list) else []
    rows = [node.get("children") if isinstance(node, dict) else None for node in nodes]
    return [_valid(row, len(nodes)) if isinstance(row, list) else [] for row in rows]


def _valid(row: list[Any], count: int) -> list[int]:
    return [c for c in map(read_index, row) if c is not None and c < count]


class NodeTree(Forest):
    """Parents and rest transforms of all nodes of a document.

    `parents` (N,) is -1 at roots; `levels` lists the nodes of each depth, roots first;
    `translation` (N, 3), `rotation` (N, 4) and `scale` (N, 3) are local, at rest, those of nodes
    that have a matrix (`has_matrix`, (N,)) its parts. Poses are arrays of the same shapes, with a
    leading axis for frames if wanted, of any array library.
    """

    @checked
    def __init__(self, document: Document | str | os.PathLike[str]) -> None:
        """Read the tree; raise LigamentError for a missing node, two parents or a cycle."""
        document = as_document(document)
        try:
            nodes = document.views("nodes", objects.Node)
            self.parents, problems = find_parents([node.children for node in nodes])
            if problems:
                raise _error(problems[0])
            self.translation, self.rotation, self.scale = _rest(nodes)
            self.has_matrix = np.array([node.matrix is not None for node in nodes], bool)
        except LigamentError as fault:
            raise fault.located(document.path) from fault.__cause__
        self.names = [node.name for node in nodes]
        self._file = document.path

    def label(self, node: int) -> str:
        """Return a readable label of a node: its name and index."""
        name = self.names[node]
        if name and len(name) > LONGEST_NAME:
            name = f"{name[:LONGEST_NAME]}…"
        return f"{name!r} (node {node})" if name else f"node {node}"

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield the parent, its parent and so on."""
        node = int(self.parents[node])
        while node >= 0:
            yield node
            node = int(self.parents[node])

    def world_matrices(
        self, translation: Any = None, rotation: Any = None, scale: Any = None
    ) -> Any:
        """Return the world matrices (…, N, 4, 4) of a pose; omitted parts are at rest."""
        local = tf.compose(
            self.translation if translation is None else translation,
            self.rotation if rotation is None else rotation,
            self.scale if scale is None else scale,
        )
        return self._down(local, tf.multiply_matrices, axis=-3)

    def world_rotations(self, rotation: Any = None) -> Any:
        """Return the products (…, N, 4) of the local rotations; scale does not affect them."""
        local = self.rotation if rotation is None else rotation
        return self._down(local, tf.multiply, axis=-2)

    @functools.cached_property
    def flips(self) -> Floats | None:
        """The rotations (N, 4) within negative scales, None if there are none."""
        return half_turns(self.scale) if (self.scale < 0).any() else None

    def world_orientations(self, rotation: Any = None) -> Any:
        """Return world rotations (…, N, 4) that include what negative scales above a node rotate.

        The world matrix of a node has these axes, or their negatives, times its own scale: the
        parent's matrix A is c·T or -c·T with a rotation T, and the orientation is T·r for a local
        rotation r. A body that rotates by Q thus has the local rotation A⁻¹·Q·A·r = T⁻¹·Q·T·r.
        """
        local = self.rotation if rotation is None else rotation
        if self.flips is None:
            return self.world_rotations(local)
        flipped = self._down(tf.multiply(local, self.flips), tf.multiply, axis=-2)
        return tf.multiply(flipped, tf.conjugate(self.flips))

    def child_orientations(self, orientation: Any, nodes: Any = slice(None)) -> Any:
        """Return the orientations T (…, K, 4) of unrotated children of nodes with orientations."""
        return orientation if self.flips is None else tf.multiply(orientation, self.flips[nodes])

    def signs(self, scale: Floats) -> Floats:
        """Return the signs (…, N, 3) of the nodes' own scales; a matrix has none."""
        return np.where((scale < 0) & ~self.has_matrix[:, None], -1.0, 1.0)

    def world_transforms(
        self, translation: Any = None, rotation: Any = None, scale: Any = None
    ) -> WorldTransforms:
        """Return world positions, orientations and scales of a pose; omitted parts are at rest.

        Scales are measured along the rotated axes, signs included; they cannot express the shear of
        a non-uniform scale above a rotation, which only the world matrix has.
        """
        matrices = self.world_matrices(translation, rotation, scale)
        turned = self.world_orientations(rotation)
        axes = tf.to_matrix(turned)
        along = tf.namespace(matrices).sum(axes * matrices[..., :3, :3], axis=-2)
        return WorldTransforms(matrices[..., :3, 3], turned, along)

    def _down(self, local: Any, product: Any, *, axis: int) -> Any:
        """Combine every node with its parent's result, level by level."""
        if not self.levels:
            return local
        parts = [_take(local, self.levels[0], axis)]
        with np.errstate(over="ignore", invalid="ignore"):
            for above, level in zip(self.levels, self.levels[1:], strict=False):
                rows = np.searchsorted(above, self.parents[level])
                parts.append(product(_take(parts[-1], rows, axis), _take(local, level, axis)))
        xp = tf.namespace(local)
        if xp is np and not all(np.isfinite(part).all() for part in parts):
            message, remedy = "a world transform is not finite", "use smaller scales"
            raise ContentError(message, file=self._file, pointer="/nodes", remedy=remedy)
        order = np.argsort(np.concatenate(self.levels), kind="stable")
        return _take(xp.concat(parts, axis=axis), order, axis)


def half_turns(scale: Floats) -> Floats:
    """Return the rotations (…, 4) within scales (…, 3).

    Two negative factors are half a turn. One or three are the point reflection -1 beside a
    rotation; it commutes with all rotations, so that those below it stay as they are.
    """
    signs = np.where(scale < 0, -1.0, 1.0)
    signs = signs * signs.prod(-1, keepdims=True)
    return np.asarray(tf.from_matrix(np.eye(3) * signs[..., None]))


def find_parents(children: Sequence[Sequence[int]]) -> tuple[Ints, list[Problem]]:
    """Convert child lists to parents (N,), -1 at roots, and list all problems.

    Invalid edges are not followed, so that the parents always form a forest.
    """
    count = len(children)
    lengths = np.fromiter(map(len, children), np.int64, count)
    owner = np.repeat(np.arange(count), lengths)
    child = np.fromiter((c for row in children for c in row), np.int64, int(lengths.sum()))
    slot = np.arange(len(child)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    problems = []
    exists = child < count
    for at in np.flatnonzero(~exists):
        problems.append(_missing(int(owner[at]), int(slot[at]), int(child[at]), count))
    owner, child, slot = owner[exists], child[exists], slot[exists]
    _, first = np.unique(child, return_index=True)
    for at in np.setdiff1d(np.arange(len(child)), first):
        before = int(owner[first[np.searchsorted(child[first], child[at])]])
        problems.append(_two_parents(int(owner[at]), int(slot[at]), int(child[at]), before))
    parents = np.full(count, -1, np.int64)
    parents[child[first]] = owner[first]
    for cycle in _cycles(parents):
        problems.append(_cycle(cycle))
        parents[list(cycle)] = -1
    return parents, problems


def _missing(owner: int, slot: int, child: int, count: int) -> Problem:
    pointer = f"/nodes/{owner}/children/{slot}"
    remedy = f"the document has {count} nodes"
    return Problem(f"there is no node {child}", pointer, (owner,), remedy)


def _two_parents(owner: int, slot: int, child: int, before: int) -> Problem:
    message = f"node {child} is a child of node {before} already"
    pointer = f"/nodes/{owner}/children/{slot}"
    return Problem(message, pointer, (before, owner), "a node has one parent at most, listed once")


def _cycle(nodes: tuple[int, ...]) -> Problem:
    ring = " > ".join(around(list(map(str, nodes))))
    pointer = f"/nodes/{nodes[0]}/children"
    message = f"the nodes form a cycle: {ring}"
    return Problem(message, pointer, nodes, "the nodes must form a tree", is_cycle=True)


def around(labels: Sequence[str]) -> list[str]:
    """List the members of a cycle, then the first again; a long cycle is abbreviated."""
    if len(labels) <= MOST_LABELS:
        return [*labels, labels[0]]
    return [*labels[:MOST_LABELS], f"… ({len(labels)} in total)", labels[0]]


def _error(problem: Problem) -> LigamentError:
    if problem.is_cycle:
        return CycleError(
            problem.message, nodes=problem.nodes, pointer=problem.pointer, remedy=problem.remedy
        )
    return ContentError(problem.message, pointer=problem.pointer, remedy=problem.remedy)


def _cycles(parents: Ints) -> list[tuple[int, ...]]:
    """List the cycles among parents, each from parent to child."""
    rootless = np.flatnonzero(_roots_reached(parents) < 0).tolist()
    left = set(rootless)
    cycles = []
    for start in rootless:
        path: dict[int, int] = {}
        node = start
        while node in left and node not in path:
            path[node] = len(path)
            node = int(parents[node])
        if node in path:
            cycles.append(tuple(reversed(list(path)[path[node] :])))
        left.difference_update(path)
    return cycles


def _roots_reached(parents: Ints) -> Ints:
    """Return the root above every node, or -1 for one at or below a cycle (pointer doubling)."""
    jump = np.where(parents < 0, np.arange(len(parents)), parents)
    for _ in range(max(1, len(parents)).bit_length()):
        jump = jump[jump]
    return np.where(parents[jump] < 0, jump, -1)


def _levels(parents: Ints) -> list[Ints]:
    """Group nodes by depth, each group in ascending order."""
    by_parent = np.argsort(parents, kind="stable")
    starts = np.searchsorted(parents[by_parent], np.arange(len(parents) + 1))
    level = np.flatnonzero(parents < 0)
    levels = []
    while len(level):
        levels.append(level)
        lengths = starts[level + 1] - starts[level]
        offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        level = np.sort(by_parent[np.repeat(starts[level], lengths) + offsets])
    return levels


def _rest(nodes: Sequence[objects.Node]) -> tuple[Floats, Floats, Floats]:
    """Return the local rest transforms; matrices are decomposed (glTF 2.0, 3.5.3)."""
    translation = _filled([n.translation for n in nodes], (0, 0, 0))
    rotation = _filled([n.rotation for n in nodes], (0, 0, 0, 1))
    scale = _filled([n.scale for n in nodes], (1, 1, 1))
    every = range(len(nodes))
    for name, values in (("translation", translation), ("rotation", rotation), ("scale", scale)):
        _refuse_huge(values, name, every)
    with_matrix = [i for i, n in enumerate(nodes) if n.matrix is not None]
    if with_matrix:
        columns = np.array([nodes[i].matrix for i in with_matrix], float)
        _refuse_huge(columns, "matrix", with_matrix)
        parts = tf.decompose(columns.reshape(-1, 4, 4).transpose(0, 2, 1))
        translation[with_matrix], rotation[with_matrix], scale[with_matrix] = parts
    return translation, tf.normalize(rotation), scale


def _filled(values: Sequence[Sequence[float] | None], default: Sequence[float]) -> Floats:
    """Return one row (N, C) for every value, the default where there is none."""
    given = [value for value in values if value is not None]
    numbers = np.fromiter(chain.from_iterable(given), float, len(given) * len(default))
    numbers = numbers.reshape(-1, len(default))
    if len(given) == len(values):
        return numbers
    rows = np.tile(np.array(default, float), (len(values), 1))
    if given:
        rows[[value is not None for value in values]] = numbers
    return rows


def _refuse_huge(values: Floats, name: str, nodes: Sequence[int]) -> None:
    """Refuse numbers that are not finite or exceed `LARGEST`, since results would overflow."""
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=1))
    if len(bad):
        raise ContentError(
            "contains a number beyond single precision",
            pointer=f"/nodes/{nodes[bad[0]]}/{name}",
            remedy=f"use numbers of at most {LARGEST:.3g}",
        )


def _take(array: Any, indices: Ints, axis: int) -> Any:
    xp = tf.namespace(array)
    if xp is np:
        return np.take(array, indices, axis=axis)
    return xp.take(array, xp.asarray(indices, device=array.device), axis=axis)


def nearest(tree: Forest, marked: Collection[int]) -> Ints:
    """Return, for every node, the nearest of itself and its ancestors that is marked, else -1."""
    chosen = list(marked)
    found = np.append(tree.parents, -1)  # the last entry is the parent of roots
    found[chosen] = chosen
    for _ in range(len(tree).bit_length()):
        found = found[found]
    return found[:-1]


def depths(tree: NodeTree) -> Ints:
    """Return the number of ancestors of every node, followed by -1 for the index -1."""
    depth = np.full(len(tree) + 1, -1, np.int64)
    for i, level in enumerate(tree.levels):
        depth[level] = i
    return depth


class Branches:
    """Which nodes are below which: in `places`, every node is followed by all that are below it."""

    def __init__(self, tree: Forest) -> None:
        parents = tree.parents
        sizes = np.ones(len(tree) + 1, np.int64)  # the last entry is the parent of roots
        for level in reversed(tree.levels):
            np.add.at(sizes, parents[level], sizes[level])
        places = np.full(len(tree) + 1, -1, np.int64)
        for level in tree.levels:
            siblings = level[np.argsort(parents[level], kind="stable")]
            above = parents[siblings]
            before = np.cumsum(sizes[siblings]) - sizes[siblings]
            places[siblings] = places[above] + 1 + before - before[np.searchsorted(above, above)]
        self._places, self._sizes = places.tolist(), sizes.tolist()

    def is_below(self, node: int, ancestor: int) -> bool:
        """Tell whether one node is a descendant of another."""
        return 0 < self._places[node] - self._places[ancestor] < self._sizes[ancestor]


def below(tree: NodeTree, roots: Iterable[int]) -> Bools:
    """Return which nodes are at or below some roots."""
    return nearest(tree, list(roots)) >= 0


def scene_members(document: Document, tree: NodeTree, scene: int | None) -> frozenset[int]:
    """Return the nodes of `scene`, by default the document's, else the first, else all nodes."""
    scenes = document.array("scenes")
    named = document.json.get("scene", 0) if scene is None else scene
    if scene is None and not scenes:
        return frozenset(range(len(tree)))
    index = read_index(named)
    if index is None or index >= len(scenes):
        raise document.error(
            f"there is no scene {pointers.found(named)}",
            "/scenes",
            f"the file has {len(scenes)} scenes",
        )
    listed = scenes[index].get("nodes", []) if isinstance(scenes[index], dict) else []
    found = map(read_index, listed if isinstance(listed, list) else [])
    roots = [node for node in found if node is not None and node < len(tree)]
    return frozenset(np.flatnonzero(nearest(tree, roots) >= 0).tolist())


Carriers: TypeAlias = Mapping[str, list[tuple[int, Any]]]
"""Extension → (node, content) of every node that carries it, in the order of the nodes."""


def find_carriers(document: Document) -> Carriers:
    """Return the carriers of every extension; invalid nodes carry none."""
    found: defaultdict[str, list[tuple[int, Any]]] = defaultdict(list)
    nodes = document.json.get("nodes")
    for node, raw in enumerate(nodes if isinstance(nodes, list) else ()):
        extensions = raw.get("extensions") if isinstance(raw, dict) else None
        if isinstance(extensions, dict):
            for name, content in extensions.items():
                found[name].append((node, content))
    return dict(found)


def carrying(carriers: Carriers, names: Sequence[str]) -> list[tuple[int, str, Any]]:
    """List (node, name, content) for several names, ordered by node, then as `names`."""
    there = [name for name in names if name in carriers]
    entries = [(node, name, content) for name in there for node, content in carriers[name]]
    return entries if len(there) == 1 else sorted(entries, key=itemgetter(0))
