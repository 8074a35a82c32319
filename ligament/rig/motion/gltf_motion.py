"""Motion from the glTF animation of a humanoid: node tracks become bone tracks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.humanoid import vrmc_vrm_animation
from ligament.gltf.animation import Path, Track, read_clip
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.options.names import TPose
from ligament.rig.humanoid.rules import index_of
from ligament.rig.humanoid.skeleton import TURNED, Humanoid, find_dialect
from ligament.rig.humanoid.stance import IDENTITY
from ligament.rig.motion.bone_map import Bones
from ligament.rig.motion.curves import Curves, Keys, grouped, union
from ligament.rig.motion.gltf_skeleton import Skeleton, find_skeleton
from ligament.rig.motion.joint_motion import UNKNOWN_MOVES, JointMotion, Moves, moves_of
from ligament.rig.motion.motion import HipsPath, Link, Motion
from ligament.rig.motion.neutral_pose import Frames, LocalPoses
from ligament.rig.motion.rest_pose import check_frame
from ligament.transforms.products import apply_products, product_matrices

Tracks = Mapping[tuple[int, Path], Track]
"""(node, property) → track."""

RIGID: tuple[Path, ...] = ("translation", "rotation", "scale")


def read_motion(
    document: Document,
    animation: int | str = 0,
    *,
    bones: Bones | None = None,
    t_pose: TPose = "auto",
) -> Motion:
    """Read an animation, by index or name, of a document that has a humanoid.

    Bones are declared by VRM extensions, or inferred from the shape and names of the nodes; an
    inferred skeleton may rest in any pose, which is then aligned.
    """
    clip = read_clip(document, _index(document, animation))
    tracks = {(track.node, track.path): track for track in clip.tracks}
    has_body = _has_body(document)
    parts = _Parts(_source(document, tracks, bones, t_pose), tracks) if has_body else None
    motion = Motion(
        name=clip.name,
        rotations=() if parts is None else parts.rotations(),
        hips_rest=np.zeros(3) if parts is None else parts.hips_rest(),
        hips_height=0.0 if parts is None else parts.hips_height(),
        hips=None if parts is None else parts.hips_path(),
        expressions=_expressions(document, tracks),
        look_at=_look_at(document, tracks),
        factors={} if parts is None else parts.factors(),
        assumed=None if parts is None else parts.skeleton.assumed,
        rest_positions={} if parts is None else parts.rest_positions(),
    )
    if next(motion.curves(), None) is None:
        raise document.error(
            f"the animation {clip.name!r} moves no bone, expression or gaze",
            "/animations",
            "animate the nodes of the humanoid",
        )
    return motion


def _has_body(document: Document) -> bool:
    """Tell whether to look for bones: a VRMA without any may hold only expressions."""
    faceless = document.extension(vrmc_vrm_animation.NAME) is None
    return faceless or find_dialect(document) is not None


def _source(document: Document, tracks: Tracks, bones: Bones | None, t_pose: TPose) -> Skeleton:
    """Return the skeleton; a declared humanoid rests in a T-pose."""
    if find_dialect(document) is not None and bones is None and t_pose in ("auto", "given"):
        humanoid = Humanoid(document, complete=False)
        still = np.tile(IDENTITY, (len(humanoid.bones), 1))
        humanoid.warn_of_heading()
        upright = tf.conjugate(humanoid.root.rotation)
        world = tf.multiply(upright, humanoid.tree.world_orientations())
        places = humanoid.world_position
        return Skeleton(humanoid, world, still, upright, humanoid.hips_rest, places)
    tree = NodeTree(document)
    times = union(_curves("", track) for track in tracks.values())
    check_frame(t_pose, len(times))

    def poses(at: Ints) -> LocalPoses:
        rotation, translation = (
            np.tile(part, (len(at), 1, 1)) for part in (tree.rotation, tree.translation)
        )
        for (node, path), track in tracks.items():
            if path in ("rotation", "translation"):
                sampled = np.asarray(_curves("", track).sample(times[at]))[0].T
                (rotation if path == "rotation" else translation)[:, node] = sampled
        return LocalPoses(rotation, translation)

    turning = {node: track for (node, path), track in tracks.items() if path == "rotation"}
    return find_skeleton(
        document,
        bones=bones,
        t_pose=t_pose,
        moves=_moves(tree, turning),
        frames=Frames(len(times), poses),
    )


def _moves(tree: NodeTree, turning: Mapping[int, Track]) -> Moves:
    """Return how the nodes move; unknown if none rotates."""
    if not turning:
        return UNKNOWN_MOVES
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(tree.parents.tolist()):
        children.setdefault(parent, []).append(node)
    keys = {node: _key_values(track) for node, track in turning.items()}
    rotating = {node for node, rotation in keys.items() if np.ptp(rotation, axis=0).max() > 1e-6}
    joints = {
        node: JointMotion(rotation, tree.rotation[node], tree.translation[children.get(node, [])])
        for node, rotation in keys.items()
    }
    return moves_of(joints, count=len(tree), still=frozenset(range(len(tree))) - rotating)


def _key_values(track: Track) -> Floats:
    """Return the values of keys (K, C), without tangents."""
    return track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values


class _Parts:
    """The tracks of an animation, bone by bone."""

    def __init__(self, skeleton: Skeleton, tracks: Tracks) -> None:
        self.skeleton = skeleton
        self.humanoid, self.to_tpose = skeleton.humanoid, skeleton.to_tpose
        self.tree = self.humanoid.tree
        self.tracks = tracks
        self.reference = skeleton.reference
        self.outside = {*self.tree.ancestors(int(self.humanoid.nodes[0]))}
        self.world: Floats = tf.multiply(skeleton.upright, self.tree.world_orientations())
        self.chains = [self._chain(bone) for bone in range(len(self.humanoid.bones))]

    def rotations(self) -> tuple[Curves, ...]:
        """Normalise the rotation tracks: T·P·q·W⁻¹·T⁻¹, with the T of parent and bone."""
        keys: dict[str, Keys] = {}
        sides: dict[str, tuple[Floats, Floats]] = {}
        for bone, chain in enumerate(self.chains):
            for node in chain:
                name, outer = self._name(node, bone), self._outer(bone)
                track = self.tracks.get((node, "rotation")) or self._still(node)
                inner = self.to_tpose[bone] if node == self.humanoid.nodes[bone] else outer
                keys[name] = Keys(name, track.times, track.values, track.interpolation)
                sides[name] = (
                    tf.multiply(outer, self._world_above(node)),
                    tf.conjugate(tf.multiply(inner, self._reference(node))),
                )
        joined = grouped(keys.values(), is_rotation=True)
        return tuple(self._normalized(curves, sides) for curves in joined)

    def factors(self) -> dict[str, tuple[str, ...]]:
        """List the tracks whose product is the rotation of a bone, if it is not its own track."""
        names = {
            self.humanoid.bones[bone]: tuple(self._name(node, bone) for node in chain)
            for bone, chain in enumerate(self.chains)
        }
        return {bone: tracks for bone, tracks in names.items() if tracks not in ((), (bone,))}

    def hips_rest(self) -> Floats:
        """Rest position of the hips, for a model that faces +Z."""
        return self.skeleton.hips_rest * (TURNED if self.humanoid.faces_back else 1.0)

    def rest_positions(self) -> dict[str, Floats]:
        """Positions of the bones in the T-pose, for a model that faces +Z."""
        places = self.skeleton.positions * (TURNED if self.humanoid.faces_back else 1.0)
        return dict(zip(self.humanoid.bones, places, strict=True))

    def hips_height(self) -> float:
        """Height of the hips at rest, needed only if they move."""
        height = float(self.skeleton.hips_rest[1])
        if self.hips_path() is None or (self.skeleton.assumed is not None and height > 0):
            return height
        return self.humanoid.hips_height

    def hips_path(self) -> HipsPath | None:
        """Follow the hips down from the root; constant transforms are folded into one matrix."""
        hips = int(self.humanoid.nodes[0])
        if self.humanoid.bones[0] != "hips":
            return None
        track = self.tracks.get((hips, "translation"))
        outside = self.humanoid.root.from_scene
        if self.skeleton.assumed is not None:
            outside = tf.compose(np.zeros(3), self.skeleton.upright, np.ones(3))
        if self.humanoid.faces_back:
            outside = np.diag([*TURNED, 1.0]) @ outside
        links = []
        for node in reversed(list(self.tree.ancestors(hips))):
            if any((node, path) in self.tracks for path in RIGID):
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
        """Return the rotating nodes from below the humanoid parent down to the bone."""
        parent = self.humanoid.parents[bone]
        stop = -1 if parent < 0 else int(self.humanoid.nodes[parent])
        own = node = int(self.humanoid.nodes[bone])
        chain = []
        while node not in (stop, -1):
            if (node, "rotation") in self.tracks or self._is_rotated_at_rest(node, bone, own):
                chain.append(node)
            node = int(self.tree.parents[node])
        return chain[::-1]

    def _is_rotated_at_rest(self, node: int, bone: int, own: int) -> bool:
        """Tell whether a node is rotated even at rest, since its rest is no T-pose."""
        if self.skeleton.assumed is None:
            return False
        outer = self._outer(bone)
        inner = self.to_tpose[bone] if node == own else outer
        before = tf.multiply(outer, self._world_above(node))
        at_rest = tf.multiply(before, self.tree.rotation[node])
        after = tf.multiply(inner, self._reference(node))
        return bool(tf.angle_between(at_rest, after) > 1e-9)

    def _reference(self, node: int) -> Floats:
        """Return the world rotation of a node in the reference pose; above the hips, at rest."""
        reference: Floats = self.world[node] if node in self.outside else self.reference[node]
        return reference

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
        if parent < 0:
            return self.skeleton.upright
        return np.asarray(self.tree.child_orientations(self._reference(parent), parent))

    def _matrix(self, node: int) -> Floats:
        tree = self.tree
        matrix: Floats = tf.compose(tree.translation[node], tree.rotation[node], tree.scale[node])
        return matrix

    def _keyed(self, node: int, path: Path) -> Curves | Floats:
        track = self.tracks.get((node, path))
        rest: Floats = getattr(self.tree, path)[node]
        return rest if track is None else _curves(f"node {node}", track)


def _expressions(document: Document, tracks: Tracks) -> tuple[Curves, ...]:
    """Read the weights of expressions: the x of a node's translation."""
    keys = []
    for entry in vrmc_vrm_animation.expressions(document):
        node = index_of(entry.node, len(document.array("nodes")))
        track = None if node is None else tracks.get((node, "translation"))
        if track is not None:
            weights = track.values[..., :1]
            keys.append(Keys(entry.name, track.times, weights, track.interpolation))
    return grouped(keys, is_rotation=False)


def _look_at(document: Document, tracks: Tracks) -> Curves | None:
    """Read the gaze: the rotation of a node."""
    entry = vrmc_vrm_animation.look_at_node(document)
    node = index_of(entry, len(document.array("nodes")))
    track = None if node is None else tracks.get((node, "rotation"))
    return None if track is None else _curves("look_at", track)


def _curves(name: str, track: Track) -> Curves:
    keys = Keys(name, track.times, track.values, track.interpolation)
    return grouped([keys], is_rotation=track.path == "rotation")[0]


def _moved(curves: Curves, matrix: Floats) -> Curves:
    """Transform a position curve by an affine matrix (4, 4); tangents only by its linear part."""
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
        f"there is no animation {animation!r}" if names else "the file contains no animation",
        "/animations",
        f"it has {listed}" if names else "a motion needs at least one",
    )
