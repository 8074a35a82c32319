"""Motion from the glTF animation of a humanoid: node tracks become bone tracks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.humanoid import vrmc_vrm_animation
from ligament.gltf.animation import Path, Track, read_clip
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid.rules import index_of
from ligament.rig.humanoid.skeleton import TURNED, Humanoid, find_dialect
from ligament.rig.humanoid.tpose import IDENTITY, alignment
from ligament.rig.motion.curves import Curves, Keys, grouped
from ligament.rig.motion.joint_names import find_bones
from ligament.rig.motion.motion import HipsPath, Link, Motion
from ligament.transforms.products import apply_products, product_matrices

Moves = Mapping[tuple[int, Path], Track]
"""(node, property) → track."""

RIGID: tuple[Path, ...] = ("translation", "rotation", "scale")


def read_motion(document: Document, animation: int | str = 0) -> Motion:
    """Read an animation, by index or name, of a document that has a humanoid.

    Bones are those that VRM extensions name, or those whose nodes are called as exporters call
    them; a skeleton of the latter kind may rest in another pose, which is then aligned.
    """
    clip = read_clip(document, _index(document, animation))
    moves = {(track.node, track.path): track for track in clip.tracks}
    parts = _Parts(_source(document), moves) if _has_body(document) else None
    motion = Motion(
        name=clip.name,
        rotations=() if parts is None else parts.rotations(),
        hips_rest=np.zeros(3) if parts is None else parts.hips_rest(),
        hips_height=0.0 if parts is None else parts.hips_height(),
        hips=None if parts is None else parts.hips_path(),
        expressions=_expressions(document, moves),
        look_at=_look_at(document, moves),
        factors={} if parts is None else parts.factors(),
    )
    if next(motion.curves(), None) is None:
        raise document.error(
            f"the animation {clip.name!r} moves no bone, expression or gaze",
            "/animations",
            "animate the nodes of the humanoid",
        )
    return motion


def _has_body(document: Document) -> bool:
    """Whether bones are to be looked for: a VRMA without any may hold expressions alone."""
    faceless = document.extension(vrmc_vrm_animation.NAME) is None
    return faceless or find_dialect(document) is not None


def _source(document: Document) -> tuple[Humanoid, Floats]:
    """Return the humanoid, and the rotations (B, 4) that take its rest pose to a T-pose."""
    if find_dialect(document) is not None:
        humanoid = Humanoid(document, complete=False)
        return humanoid, np.tile(IDENTITY, (len(humanoid.bones), 1))
    tree = NodeTree(document)
    bones = find_bones([name or "" for name in tree.names], tree.parents)
    if not bones:
        raise document.error(
            "the file holds no humanoid, and its nodes are not named like one",
            "/nodes",
            "it needs VRMC_vrm_animation, VRMC_vrm or VRM, or joints named as by a common exporter",
        )
    humanoid = Humanoid.from_bones(document, bones)
    return humanoid, alignment(humanoid.bones, humanoid.world_position)


class _Parts:
    """The tracks of an animation, bone by bone."""

    def __init__(self, source: tuple[Humanoid, Floats], moves: Moves) -> None:
        self.humanoid, self.to_tpose = source
        self.tree = self.humanoid.tree
        self.moves = moves
        self.world: Floats = self.tree.world_rotations()
        self.chains = [self._chain(bone) for bone in range(len(self.humanoid.bones))]

    def rotations(self) -> tuple[Curves, ...]:
        """Normalise the rotation tracks: T·P·q·W⁻¹·T⁻¹, T of what is outside and of the bone."""
        keys: dict[str, Keys] = {}
        sides: dict[str, tuple[Floats, Floats]] = {}
        for bone, chain in enumerate(self.chains):
            for node in chain:
                name, outer = self._name(node, bone), self._outer(bone)
                track = self.moves.get((node, "rotation")) or self._still(node)
                inner = self.to_tpose[bone] if node == self.humanoid.nodes[bone] else outer
                keys[name] = Keys(name, track.times, track.values, track.interpolation)
                sides[name] = (
                    tf.multiply(outer, self._world_above(node)),
                    tf.conjugate(tf.multiply(inner, self.world[node])),
                )
        joined = grouped(keys.values(), is_rotation=True)
        return tuple(self._normalized(curves, sides) for curves in joined)

    def factors(self) -> dict[str, tuple[str, ...]]:
        """List the tracks whose product is the rotation of a bone, where that is not its own."""
        names = {
            self.humanoid.bones[bone]: tuple(self._name(node, bone) for node in chain)
            for bone, chain in enumerate(self.chains)
        }
        return {bone: tracks for bone, tracks in names.items() if tracks not in ((), (bone,))}

    def hips_rest(self) -> Floats:
        """Rest position of the hips, seen from a model that faces +Z."""
        return self.humanoid.hips_rest * (TURNED if self.humanoid.faces_back else 1.0)

    def hips_height(self) -> float:
        """Height of the hips at rest, which matters only if they go anywhere."""
        moves = self.hips_path() is not None
        return self.humanoid.hips_height if moves else float(self.humanoid.hips_rest[1])

    def hips_path(self) -> HipsPath | None:
        """Follow the hips down from the root; what stands still is folded into one matrix."""
        hips = int(self.humanoid.nodes[0])
        track = self.moves.get((hips, "translation"))
        outside = np.diag([*TURNED, 1.0]) if self.humanoid.faces_back else np.eye(4)
        links = []
        for node in reversed(list(self.tree.ancestors(hips))):
            if any((node, path) in self.moves for path in RIGID):
                translation, rotation, scale = (self._keyed(node, path) for path in RIGID)
                links.append(Link(outside, translation, rotation, scale))
                outside = np.eye(4)
            else:
                outside = outside @ self._matrix(node)
        if track is None and not links:
            return None
        track = track or Track(hips, "translation", np.zeros(1), self.tree.translation[hips][None])
        return HipsPath(_moved(_curves("hips", track), outside), tuple(links))

    def _chain(self, bone: int) -> list[int]:
        """Rotating nodes, from below the humanoid parent down to the bone."""
        parent = self.humanoid.parents[bone]
        stop = -1 if parent < 0 else int(self.humanoid.nodes[parent])
        own = node = int(self.humanoid.nodes[bone])
        chain = []
        while node not in (stop, -1):
            if (node, "rotation") in self.moves or (node == own and self._is_askew(bone)):
                chain.append(node)
            node = int(self.tree.parents[node])
        return chain[::-1]

    def _is_askew(self, bone: int) -> bool:
        """Whether a bone is turned even when it does not move, since its rest is no T-pose."""
        return bool(tf.angle_between(self._outer(bone), self.to_tpose[bone]) > 1e-12)

    def _outer(self, bone: int) -> Floats:
        parent = int(self.humanoid.parents[bone])
        outer: Floats = IDENTITY if parent < 0 else self.to_tpose[parent]
        return outer

    def _name(self, node: int, bone: int) -> str:
        own = node == self.humanoid.nodes[bone]
        return self.humanoid.bones[bone] if own else f"node {node}"

    def _normalized(self, curves: Curves, sides: Mapping[str, tuple[Floats, Floats]]) -> Curves:
        left, right = (np.stack([sides[n][i] for n in curves.names]) for i in (0, 1))
        matrices = product_matrices(left, right)
        if self.humanoid.faces_back:
            matrices = np.append(TURNED, 1.0)[:, None] * matrices

        def normalize(values: Floats) -> Floats:
            result: Floats = apply_products(values.transpose(2, 0, 1), matrices).transpose(1, 2, 0)
            return result

        if curves.interpolation != "CUBICSPLINE":
            return curves.map(normalize)
        return curves.map(lambda values: np.stack([normalize(part) for part in values]))

    def _still(self, node: int) -> Track:
        return Track(node, "rotation", np.zeros(1), self.tree.rotation[node][None])

    def _world_above(self, node: int) -> Floats:
        parent = int(self.tree.parents[node])
        above: Floats = IDENTITY if parent < 0 else self.world[parent]
        return above

    def _matrix(self, node: int) -> Floats:
        tree = self.tree
        matrix: Floats = tf.compose(tree.translation[node], tree.rotation[node], tree.scale[node])
        return matrix

    def _keyed(self, node: int, path: Path) -> Curves | Floats:
        track = self.moves.get((node, path))
        rest: Floats = getattr(self.tree, path)[node]
        return rest if track is None else _curves(f"node {node}", track)


def _expressions(document: Document, moves: Moves) -> tuple[Curves, ...]:
    """Read the weights of expressions: the x of a node's translation."""
    keys = []
    for entry in vrmc_vrm_animation.expressions(document):
        node = index_of(entry.node, len(document.array("nodes")))
        track = None if node is None else moves.get((node, "translation"))
        if track is not None:
            weights = track.values[..., :1]
            keys.append(Keys(entry.name, track.times, weights, track.interpolation))
    return grouped(keys, is_rotation=False)


def _look_at(document: Document, moves: Moves) -> Curves | None:
    """Read the gaze: the rotation of a node."""
    entry = vrmc_vrm_animation.look_at_node(document)
    node = index_of(entry, len(document.array("nodes")))
    track = None if node is None else moves.get((node, "rotation"))
    return None if track is None else _curves("look_at", track)


def _curves(name: str, track: Track) -> Curves:
    keys = Keys(name, track.times, track.values, track.interpolation)
    return grouped([keys], is_rotation=track.path == "rotation")[0]


def _moved(curves: Curves, matrix: Floats) -> Curves:
    """Move a curve of places by an affine matrix (4, 4); tangents are only turned and scaled."""
    values = matrix[:3, :3] @ curves.values
    points = values[1] if curves.interpolation == "CUBICSPLINE" else values
    points += matrix[:3, 3:]
    return curves.map(lambda _: values)


def _index(document: Document, animation: int | str) -> int:
    entries = document.array("animations")
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in entries]
    if isinstance(animation, str) and animation in names:
        return names.index(animation)
    if isinstance(animation, int) and 0 <= animation < len(names):
        return animation
    listed = ", ".join(repr(name) for name in names if name) or f"{len(names)} without names"
    raise document.error(
        f"there is no animation {animation!r}" if names else "the file holds no animation",
        "/animations",
        f"it has {listed}" if names else "a motion needs at least one",
    )
