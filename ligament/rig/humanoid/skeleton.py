"""Humanoid skeleton: the node of every bone, its rest pose, and normalised poses."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Floats, Ints
from ligament.errors import ArgumentError, nearest
from ligament.extensions.humanoid import vrm, vrmc_vrm
from ligament.extensions.humanoid.bones import BONES, nearest_parent
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.load import AnyDocument, as_document
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid import rules
from ligament.rig.humanoid.model_root import SCENE, find_model_root
from ligament.rig.humanoid.rules import DIALECTS, FATAL, Dialect, bone_problems
from ligament.transforms import Array
from ligament.transforms.components import cast_like
from ligament.transforms.products import apply_products, product_matrices

TURNED = np.array([-1.0, 1.0, -1.0])
"""VRM 0.x faces -Z: half a turn about Y negates x and z of positions and quaternions."""


HEADING_MAX = 45.0
"""Angle [degrees] from facing the front upright above which a rest pose is reported."""


class LocalPose(NamedTuple):
    """Local rotations (…, B, 4) of the bones and the local translation (…, 3) of the hips."""

    rotation: Array
    hips_translation: Array


def humanoid_problems(document: Document) -> Iterator[Finding]:
    """Yield every violation of the rules for humanoids; never raises."""
    return rules.problems(document)


class Humanoid:
    """The humanoid of a document: VRMC_vrm 1.0, VRM 0.x or VRMC_vrm_animation.

    `bones` are the names of its bones as in VRM 1.0 and in that order; `nodes` (B,) their nodes;
    `parents` (B,) the index of the nearest existing humanoid parent, -1 for the hips. The rest pose
    is that of the actual nodes, including nodes between and above the bones: `rest_rotation` (B, 4)
    local, `world_rotation` (B, 4) and `world_position` (B, 3) [m] in the space of the model's
    `root`, `parent_rotation` (B, 4) that of each bone's own parent node. `hips_matrix` (4, 4) maps
    the displacement of the hips there to their local translation. `is_measured` tells whether the
    rest pose is replaced by a T-pose, since the bones are inferred.

    >>> avatar = Humanoid(load("avatar.vrm"))
    >>> avatar.bones[:3]
    ('hips', 'spine', 'chest')
    """

    @checked
    def __init__(self, document: AnyDocument, *, complete: bool = True) -> None:
        """Read a humanoid; `complete` requires all fifteen required bones, else only the hips."""
        document = as_document(document)
        dialect = find_dialect(document)
        if dialect is None:
            raise document.error(
                "the file contains no humanoid", "/extensions", f"it needs one of {_DIALECT_NAMES}"
            )
        self._build(document, _mapped(document, dialect, complete=complete), dialect.name)

    @classmethod
    @checked
    def from_bones(cls, document: AnyDocument, bones: Mapping[str, int]) -> Humanoid:
        """Return a humanoid of a document that declares none: bone → node, at least the hips."""
        document, humanoid = as_document(document), cls.__new__(cls)
        _require_bones(bones, len(document.array("nodes")))
        humanoid._build(document, dict(bones), None)
        return humanoid

    def measured_from(self, reference: Floats, to_tpose: Floats) -> Humanoid:
        """Return the same humanoid with rotations measured from a T-pose instead of its rest.

        `reference` (N, 4) are world rotations of its nodes in some pose; `to_tpose` (B, 4), in
        world axes, rotate them into a T-pose.
        """
        humanoid = copy.copy(self)
        humanoid.is_measured = True
        turned: Floats = tf.multiply(to_tpose, reference[self.nodes])
        world = self.tree.world_orientations()
        parents, places = self.parent_rotation.copy(), self.world_position.copy()
        for i, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                bone = self.nodes[parent]
                between = tf.multiply(tf.conjugate(world[bone]), self.parent_rotation[i])
                parents[i] = tf.multiply(turned[parent], between)
                displacement = self.world_position[i] - self.world_position[parent]
                own = tf.rotate(tf.conjugate(world[bone]), displacement)
                places[i] = places[parent] + tf.rotate(turned[parent], own)
        humanoid.world_rotation, humanoid.parent_rotation = turned, parents
        humanoid.world_position = places
        return humanoid

    def _build(self, document: Document, nodes: dict[str, int], dialect: str | None) -> None:
        self.document = document
        self.dialect = dialect
        self.is_measured = False
        self.tree = tree = NodeTree(document)
        self.bones = tuple(bone for bone in BONES if bone in nodes)
        self.nodes: Ints = np.array([nodes[bone] for bone in self.bones], np.int64)
        above = [nearest_parent(bone, nodes) for bone in self.bones]
        self.parents: Ints = np.array(
            [-1 if bone is None else self.bones.index(bone) for bone in above], np.int64
        )
        # The rest pose of an undeclared skeleton may be any, and is aligned by `measured_from`.
        self.root = SCENE
        if dialect is not None:
            at = dict(zip(self.bones, self.nodes.tolist(), strict=True))
            self.root = find_model_root(tree, at, faces_back=self.faces_back)
        world = tf.multiply(tf.conjugate(self.root.rotation), tree.world_orientations())
        places = self.root.from_scene @ tree.world_matrices()
        self.rest_rotation: Floats = tree.rotation[self.nodes]
        self.world_rotation: Floats = world[self.nodes]
        self.parent_rotation = tf.multiply(self.world_rotation, tf.conjugate(self.rest_rotation))
        self.world_position: Floats = places[self.nodes, :3, 3]
        self.hips_matrix: Floats = _hips_matrix(document, tree, places, int(self.nodes[0]))

    def __repr__(self) -> str:
        """Summarize in one line."""
        return f"<ligament.Humanoid of {len(self.bones)} bones in {self.document!r}>"

    @property
    def faces_back(self) -> bool:
        """Whether the model faces −Z, as in VRM 0.x, instead of +Z."""
        return self.dialect == vrm.NAME

    @property
    def hips_rest(self) -> Floats:
        """Position of the hips at rest (3,) [m] in the space of the model's root."""
        position: Floats = self.world_position[0]
        return position

    @functools.cached_property
    def hips_height(self) -> float:
        """Height of the hips at rest [m]: above the ground, or above the lowest bone.

        The second is used, with a warning, if the first is not positive; ContentError if neither
        is.
        """
        height, lowest = float(self.hips_rest[1]), float(self.world_position[:, 1].min())
        pointer = f"/nodes/{self.nodes[0]}"
        if height > 0:
            return height
        if not height > lowest:
            raise self.document.error(
                "the hips rest at height 0, on the lowest bone",
                pointer,
                "motion is scaled by the height of the hips, so it must be above 0",
            )
        self.document.warn(
            f"the hips rest at a height of {height:g} m; taken as {height - lowest:g} m, "
            "their height above the lowest bone",
            pointer,
        )
        return height - lowest

    @functools.cached_property
    def expressions(self) -> tuple[str, ...]:
        """Names of the avatar's expressions, presets as in VRM 1.0."""
        modules = {vrm.NAME: vrm, vrmc_vrm.NAME: vrmc_vrm}
        module = modules.get(self.dialect or "")
        return () if module is None else tuple(module.expression_names(self.document))

    @functools.cached_property
    def normalizing(self) -> Floats:
        """Matrices (B, 4, 4) from local to normalised rotations: P·q·W⁻¹."""
        return product_matrices(self.parent_rotation, tf.conjugate(self.world_rotation))

    @functools.cached_property
    def applying(self) -> Floats:
        """Matrices (B, 4, 4) from normalised to local rotations: P⁻¹·N·W."""
        self.warn_of_heading()
        return product_matrices(tf.conjugate(self.parent_rotation), self.world_rotation)

    def warn_of_heading(self) -> None:
        """Warn about a rest pose that is turned, unless a node above the hips explains it."""
        if self.root.deviation > HEADING_MAX:
            self.document.warn(
                f"the body is turned by {self.root.deviation:.0f}\N{DEGREE SIGN} at rest, so that "
                "motion turns its bones about the wrong axes; it must stand upright and face "
                f"{'-Z' if self.faces_back else '+Z'} in the scene, or below a turned root",
                f"/nodes/{self.nodes[0]}",
            )

    @checked
    def to_normalized(self, rotation: Array) -> Array:
        """Convert local rotations (…, B, 4) in the order of `bones` to normalised ones.

        N = W·L⁻¹·q·W⁻¹: the rotation from rest in the axes of the model's root, as in a skeleton
        without rest rotations.
        """
        self._require_bones_last(rotation)
        return apply_products(rotation, self.normalizing)

    @checked
    def from_normalized(self, rotation: Array, hips: Array | None = None) -> LocalPose:
        """Convert normalised rotations (…, B, 4) to local ones: L·W⁻¹·N·W.

        `hips` (…, 3) is the displacement of the hips from rest [m] in the space of the model's
        root.
        """
        self._require_bones_last(rotation)
        local = apply_products(rotation, self.applying)
        if hips is None:
            hips = tf.namespace(local).zeros_like(local[..., 0, :3])
        return LocalPose(local, self.hips_translation(hips))

    @checked
    def hips_translation(self, offset: Array) -> Array:
        """Local translation (…, 3) of hips that are `offset` (…, 3) [m] away from their rest."""
        _require_last(offset, (3,))
        return tf.apply_matrix(cast_like(offset, self.hips_matrix), offset)

    def _require_bones_last(self, rotation: Array) -> None:
        _require_last(rotation, (len(self.bones), 4))


def _require_last(values: Array, wanted: tuple[int, ...]) -> None:
    """Raise ArgumentError unless the last axes of an array have these sizes."""
    shape = tuple(values.shape if hasattr(values, "shape") else np.shape(values))
    if shape[-len(wanted) :] != wanted:
        remedy = f"its last axes must be {wanted}"
        raise ArgumentError(f"found an array of shape {shape}", remedy=remedy)


def _require_bones(bones: Mapping[str, int], count: int) -> None:
    """Raise ArgumentError unless names are bones that include the hips, and nodes exist."""
    for bone, node in bones.items():
        if bone not in BONES:
            raise ArgumentError(f"there is no bone {bone!r}", remedy=nearest(bone, BONES))
        if not isinstance(node, int | np.integer) or not 0 <= node < count:
            remedy = f"give an index below {count}"
            raise ArgumentError(f"the node of {bone} is {node!r}", remedy=remedy)
    if "hips" not in bones:
        raise ArgumentError("there are no hips", remedy='name at least the bone "hips"')


def _hips_matrix(document: Document, tree: NodeTree, places: Floats, hips: int) -> Floats:
    """Return the matrix (4, 4) from the hips' displacement in the root's space to translation.

    `places` (N, 4, 4) are the matrices of the nodes there.
    """
    parent = int(tree.parents[hips])
    above = np.eye(3) if parent < 0 else places[parent, :3, :3]
    if not abs(tf.determinant(above)) > 0:
        pointer, remedy = f"/nodes/{parent}/scale", "scales must be above 0"
        raise document.error("the hips have a scale of 0", pointer, remedy)
    matrix = np.eye(4)
    matrix[:3, :3] = np.linalg.inv(above)
    matrix[:3, 3] = tree.translation[hips]
    return matrix


def find_dialect(document: Document) -> Dialect | None:
    """Return how the document maps bones to nodes, None if it does not."""
    found = (d for d in DIALECTS if document.extension(d.name) is not None and d.entries(document))
    return next(found, None)


_DIALECT_NAMES = ", ".join(dialect.name for dialect in DIALECTS)


def _mapped(document: Document, dialect: Dialect, *, complete: bool) -> dict[str, int]:
    """Return bone → node, or raise the first finding that leaves no usable skeleton."""
    tree, entries = NodeTree(document), dialect.entries(document)
    has_hips = any(entry.bone == "hips" for entry in entries)
    for found in bone_problems(dialect, entries, tree, len(tree)):
        excused = found.code == "HUMANOID_BONE_MISSING" and has_hips and not complete
        if found.code in FATAL and not excused:
            raise document.error(found.message, found.pointer, found.remedy)
    return {entry.bone: int(entry.node) for entry in entries if entry.bone in BONES}
