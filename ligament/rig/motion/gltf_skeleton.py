"""Skeletons of glTF files without a declared humanoid: bones and reference pose.

The rest pose is taken from the skin's inverse bind matrices if there is one, since converters write
nodes in any frame of the motion; it is aligned with a T-pose.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Floats
from ligament.gltf import AnyDocument, as_document
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.options.names import TPose
from ligament.rig.humanoid.skeleton import Humanoid, find_dialect
from ligament.rig.humanoid.stance import IDENTITY
from ligament.rig.humanoid.tpose import SEGMENTS, alignment, is_unposed
from ligament.rig.motion.bind_pose import bind_matrices, completed, skins_of
from ligament.rig.motion.bone_map import BoneMap, Bones, read_bones
from ligament.rig.motion.find_bones import find_bones
from ligament.rig.motion.ground import sampled_frames, sole_thickness
from ligament.rig.motion.joint_motion import UNKNOWN_MOVES, Moves
from ligament.rig.motion.joint_tree import JointTree
from ligament.rig.motion.neutral_pose import (
    ASYMMETRY,
    Frames,
    LocalPoses,
    asymmetry,
    hinge_axes,
    neutral_rotations,
    plain_rotations,
)
from ligament.rig.motion.rest_pose import (
    Assumed,
    aligned_places,
    end_of_bone,
    is_given,
    is_standing_height,
)

FROM_Z_UP = tf.from_axis_angle([1.0, 0.0, 0.0], -np.pi / 2)
BOUND = 0.6
"""Fraction of the bones that a skin must contain for its bind pose to be used."""


@dataclasses.dataclass(frozen=True, eq=False)
class Skeleton:
    """A humanoid and its reference pose, from which motion is measured.

    `reference` (N, 4) are world rotations of all nodes in that pose, `to_tpose` (B, 4) take the
    bones from there to a T-pose, `upright` (4,) takes the world to one whose up is Y, or to the
    axes of the model's root if bones are declared; `hips_rest` (3,) and `positions` (B, 3) [m] are
    those in the T-pose.
    """

    humanoid: Humanoid
    reference: Floats
    to_tpose: Floats
    upright: Floats
    hips_rest: Floats
    positions: Floats
    assumed: Assumed | None = None


@checked
def find_humanoid(
    document: AnyDocument, *, bones: Bones | None = None, t_pose: TPose = "auto"
) -> Humanoid:
    """Return the humanoid of a document: declared, or inferred from its joints.

    An inferred one may rest in any pose: its rotations are measured from a T-pose all the same.
    """
    document = as_document(document)
    if find_dialect(document) is not None and bones is None:
        return Humanoid(document)
    skeleton = find_skeleton(document, bones=bones, t_pose=t_pose)
    return skeleton.humanoid.measured_from(skeleton.reference, skeleton.to_tpose)


def bone_map_of(
    document: Document,
    bones: Bones | None = None,
    moves: Moves = UNKNOWN_MOVES,
    places: Floats | None = None,
) -> BoneMap:
    """Find which node of a document is which bone, in the bind pose, at rest, or at `places`."""
    tree = NodeTree(document)
    if find_dialect(document) is not None and bones is None:
        humanoid = Humanoid(document, complete=False)
        found = dict(zip(humanoid.bones, humanoid.nodes.tolist(), strict=True))
        names = tuple(name or "" for name in tree.names)
        return BoneMap(found, dict.fromkeys(found, "declared"), names)
    places = _positions(document, tree) if places is None else places
    joints = JointTree(_joint_names(document, tree), tree.parents, places, moves=moves)
    return find_bones(joints, given=read_bones(bones))


def find_skeleton(
    document: Document,
    *,
    bones: Bones | None = None,
    t_pose: TPose = "auto",
    moves: Moves = UNKNOWN_MOVES,
    frames: Frames | None = None,
) -> Skeleton:
    """Find the skeleton of a document.

    `moves` says how nodes move, `frames` are those of the motion.
    """
    tree = NodeTree(document)
    frame = None
    if isinstance(t_pose, int) and frames is not None:
        frame = frames.at(np.array([t_pose])).rotation[0]
    places = None if frame is None else tree.world_matrices(rotation=frame)[:, :3, 3]
    found = bone_map_of(document, bones, moves, places)
    if not found.bones:
        fault = found.error()
        raise document.error(
            f"the file declares no humanoid; {fault.message}", "/nodes", fault.remedy or ""
        )
    humanoid = Humanoid.from_bones(document, found.bones)
    pose = _Pose(document, tree, humanoid)
    if frame is not None:
        pose.take_frame(frame)
    elif t_pose == "auto":
        pose.take_bind()
        if frames is not None and frames.total > 1:
            pose.take_neutral(frames)
    return pose.skeleton(found, t_pose)


def _joint_names(document: Document, tree: NodeTree) -> list[str]:
    """Return the names of nodes; meshes next to a skin's joints get none."""
    joints = {joint for skin in skins_of(document) for joint in skin.joints}
    names = [name or "" for name in tree.names]
    if joints:
        for index, node in enumerate(document.array("nodes")):
            if isinstance(node, dict) and "mesh" in node and index not in joints:
                names[index] = ""
    return names


def _positions(document: Document, tree: NodeTree) -> Floats:
    """Return world positions (N, 3) for shape analysis: bind pose, or at rest."""
    bind = bind_matrices(document, tree)
    rest: Floats = tree.world_matrices()[:, :3, 3]
    if len(bind) < 8:
        return rest
    places = rest.copy()
    for node in (node for level in tree.levels for node in level.tolist()):
        parent = int(tree.parents[node])
        if node in bind:
            places[node] = bind[node][:3, 3]
        elif parent in bind:
            bind[node] = bind[parent] @ tf.compose(
                tree.translation[node], tree.rotation[node], tree.scale[node]
            )
            places[node] = bind[node][:3, 3]
    return places


class _Pose:
    """The reference pose: rotations of all nodes, positions of the bones."""

    def __init__(self, document: Document, tree: NodeTree, humanoid: Humanoid) -> None:
        self.document, self.tree, self.humanoid = document, tree, humanoid
        self.reference: Floats = tree.world_orientations()
        self.places: Floats = humanoid.world_position
        self.kind = "rest pose"
        self.above = set(tree.ancestors(int(humanoid.nodes[0])))
        self.bends: dict[str, Floats] = {}
        self.poses: LocalPoses | None = None

    def take_frame(self, rotation: Floats) -> None:
        """Use a frame of the motion as reference."""
        self.reference = self.tree.world_orientations(rotation)
        self.places = self.tree.world_matrices(rotation=rotation)[self.humanoid.nodes, :3, 3]

    def take_bind(self) -> None:
        """Use the bind pose as reference, if a skin has most bones and rests in another pose."""
        bind = bind_matrices(self.document, self.tree)
        nodes = self.humanoid.nodes.tolist()
        if sum(node in bind for node in nodes) < BOUND * len(nodes) or self._is_rest(bind):
            return
        matrices = completed(self.tree, bind)
        size = _lengths(self.humanoid, self.places) / _lengths(
            self.humanoid, np.stack([matrices[node][:3, 3] for node in nodes])
        )
        self.places = np.stack([matrices[node][:3, 3] for node in nodes]) * size
        reference, flips = self.reference.copy(), self.tree.flips
        for node, matrix in matrices.items():
            if node not in self.above:
                axes = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
                reference[node] = tf.from_matrix(axes if np.linalg.det(axes) > 0 else -axes)
                if flips is not None:
                    reference[node] = tf.multiply(reference[node], tf.conjugate(flips[node]))
        self.reference, self.kind = reference, "bind pose"

    def take_neutral(self, frames: Frames) -> None:
        """Use another pose as reference if the nodes rest in a frame and there is no bind pose.

        That of nodes without rotations, if it is symmetric; else the mean of the frames.
        """
        bones, nodes, tree = self.humanoid.bones, self.humanoid.nodes, self.tree
        has_hips = "hips" in bones
        if self.kind != "rest pose" or not has_hips or asymmetry(bones, self.places) < ASYMMETRY:
            return
        at = dict(zip(bones, nodes.tolist(), strict=True))
        up = tf.rotate(tf.conjugate(self._upright()), np.array([0.0, 1.0, 0.0]))
        plain = plain_rotations(tree, at, up)
        places = tree.world_matrices(rotation=plain)[nodes, :3, 3]
        self.poses = frames.at(sampled_frames(frames.total))
        if not is_unposed(bones, places) and asymmetry(bones, places) < ASYMMETRY / 2:
            self.take_frame(plain)
            self.kind = "pose without rotations"
            return
        local = neutral_rotations(tree, int(nodes[0]), self.poses.rotation, up)
        self.bends = hinge_axes(tree, at, local, self.poses.rotation)
        self.take_frame(local)
        self.kind = "mean of the frames"

    def _is_rest(self, bind: Mapping[int, Floats]) -> bool:
        """Tell whether the joints rest as they were bound, up to one common transform."""
        world = self.tree.world_matrices()
        first = next(iter(bind))
        change = world[first] @ np.linalg.inv(bind[first])
        size = max(_lengths(self.humanoid, self.places), 1e-12)
        return all(
            np.abs(change @ matrix - world[joint])[:3, :3].max()
            < 1e-3 * np.abs(world[joint][:3, :3]).max()
            and np.abs(change @ matrix - world[joint])[:3, 3].max() < 1e-3 * size
            for joint, matrix in bind.items()
        )

    def skeleton(self, found: BoneMap, t_pose: TPose) -> Skeleton:
        """Align the pose with a T-pose."""
        humanoid = self.humanoid
        upright = self._upright()
        self.places = tf.rotate(upright, self.places)
        self.reference = tf.multiply(upright, self.reference)
        to_tpose = np.tile(IDENTITY, (len(humanoid.bones), 1))
        if not is_given(t_pose):
            bends = {bone: tf.rotate(upright, axis) for bone, axis in self.bends.items()}
            to_tpose = alignment(
                humanoid.bones, self.places, bends, tips=self._tips(), is_posed=True
            )
        up = "Z" if upright is FROM_Z_UP else "Y"
        assumed = Assumed.of(
            found, t_pose, to_tpose, up=up, rest=self.kind, estimated=self._estimated()
        )
        rest = self._hips_rest(to_tpose)
        places = aligned_places(humanoid.bones, self.places, to_tpose)
        places = places - places[0] + rest
        return Skeleton(humanoid, self.reference, to_tpose, upright, rest, places, assumed)

    def _estimated(self) -> list[str]:
        """Return the bones for which the mean of the frames stands in."""
        if self.kind != "mean of the frames":
            return []
        known = {bone for upper in self.bends for bone in (upper, upper.replace("Upper", "Lower"))}
        return [bone for bone in self.humanoid.bones if bone not in known]

    def _upright(self) -> Floats:
        return FROM_Z_UP if self._is_z_up() else IDENTITY

    def _is_z_up(self) -> bool:
        """Tell whether the body stands along Z, at rest and as bound, though glTF is Y up."""
        at = dict(zip(self.humanoid.bones, self.humanoid.world_position, strict=True))
        ends = [at[bone] for bone in ("head", "neck", "leftUpperArm") if bone in at]
        if self.kind == "bind pose" or not ends or "leftUpperLeg" not in at:
            return False
        foot = at.get("leftFoot", at.get("leftLowerLeg", at["leftUpperLeg"]))
        trunk, leg = (end - at["hips"] for end in (ends[0], foot))
        return bool(trunk[2] > 0.7 * np.linalg.norm(trunk) and leg[2] < -0.7 * np.linalg.norm(leg))

    def _tips(self) -> dict[str, Floats]:
        """Positions where the last bones of fingers and feet end."""
        tips: dict[str, Floats] = {}
        world = self.tree.world_matrices()
        for i, bone in enumerate(self.humanoid.bones):
            node = int(self.humanoid.nodes[i])
            below = np.flatnonzero(self.tree.parents == node)
            if not bone.endswith((*SEGMENTS, "Foot")):
                continue
            offset = end_of_bone(bone, world[below, :3, 3] - world[node, :3, 3])
            if offset is None:
                continue
            own = tf.conjugate(self.tree.world_orientations()[node])
            tips[bone] = self.places[i] + tf.rotate(self.reference[node], tf.rotate(own, offset))
        return tips

    def _hips_rest(self, to_tpose: Floats) -> Floats:
        """Return the position of the hips in the pose, at standing height above the ground."""
        humanoid = self.humanoid
        if self.kind == "rest pose" and _is_identity(to_tpose):
            return np.asarray(self.places[0])
        places = aligned_places(humanoid.bones, self.places, to_tpose)
        height = float(places[0, 1] - places[:, 1].min())
        if self.poses is not None:
            return np.array([0.0, self._height(places, to_tpose), 0.0])
        own: Floats = (
            self.places[0] if self.kind == "rest pose" else tf.rotate(to_tpose[0], self.places[0])
        )
        stands = is_standing_height(float(own[1]), height, humanoid.bones)
        return own if stands else np.array([0.0, height, 0.0])

    def _height(self, places: Floats, to_tpose: Floats) -> float:
        """Return the height of the hips above the ground, from the legs and from the frames."""
        assert self.poses is not None
        tree, bones, turns = (
            self.tree,
            self.humanoid.bones,
            tf.conjugate(self.tree.world_orientations()),
        )
        rest = tree.world_matrices()[:, :3, 3]
        frames = tree.world_matrices(self.poses.translation, self.poses.rotation)[..., :3, 3]
        at = {int(node): i for i, node in enumerate(self.humanoid.nodes)}
        heights, lowest = [float(place[1]) for place in places], []
        for node in range(len(tree)):
            bone = next((n for n in (node, *tree.ancestors(node)) if n in at), None)
            if bone is None or not bones[at[bone]].endswith(("LowerLeg", "Foot", "Toes")):
                continue
            own = tf.rotate(turns[bone], rest[node] - rest[bone])
            offset = tf.rotate(tf.multiply(to_tpose[at[bone]], self.reference[bone]), own)
            heights.append(float(places[at[bone], 1] + offset[1]))
            lowest.append(tf.rotate(self._upright(), frames[:, node])[:, 1])
        height = float(places[0, 1]) - min(heights)
        if not lowest:
            return height
        has_feet = "leftToes" in bones
        of_joints = float(places[0, 1] - places[:, 1].min())
        return height + sole_thickness(np.min(lowest, axis=0), height, of_joints, has_feet=has_feet)


def _is_identity(rotation: Floats) -> bool:
    return bool((tf.angle_between(rotation, IDENTITY) < 1e-9).all())


def _lengths(humanoid: Humanoid, places: Floats) -> float:
    """Return the total length between bones and their humanoid parents."""
    child = np.flatnonzero(humanoid.parents >= 0)
    offsets = places[child] - places[humanoid.parents[child]]
    return max(float(np.linalg.norm(offsets, axis=1).sum()), 1e-12)
