"""Ragdolls for humanoids: segments with mass and shape, connected by joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

import numpy as np

from ligament import transforms as tf
from ligament.arguments import checked
from ligament.arrays import Floats
from ligament.author import arguments
from ligament.author.editor import Editor
from ligament.author.ragdoll.anatomy import Anatomy, Part
from ligament.author.ragdoll.anthropometry import Build
from ligament.author.ragdoll.segment_joints import damping_drives, segment_joint
from ligament.author.ragdoll.segment_shapes import GAP, Solid, axis_of, separated
from ligament.author.ragdoll.skin import MIN_VERTICES, fitted, skin_points
from ligament.errors import EditError
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES as BODIES
from ligament.extensions.rigid_bodies import CollisionFilter, MotionKind
from ligament.gltf import objects
from ligament.gltf.tree import NodeTree
from ligament.rig import Humanoid, find_humanoid

DAMPING = 3.0
"""Default damping rate of joints [1/s]: a limp body swings once or twice."""

KINDS = (MotionKind.DYNAMIC, MotionKind.KINEMATIC)


@dataclasses.dataclass(frozen=True)
class Ragdoll:
    """An added ragdoll: nodes of bodies, colliders and joints, and masses [kg], by segment.

    `measured` are the segments whose shapes come from the skin; `widened` those whose joint range
    had to include the rest pose; `touching` the pairs that overlap at rest and so never collide;
    `animated` those whose bones are animated in the file: they fall only if these are not played.
    """

    bodies: Mapping[str, int]
    colliders: Mapping[str, int]
    joints: Mapping[str, int]
    masses: Mapping[str, float]
    measured: tuple[str, ...]
    widened: tuple[str, ...]
    touching: tuple[tuple[str, str], ...]
    animated: tuple[str, ...]


@checked
def add_ragdoll(
    editor: Editor,
    humanoid: Humanoid | None = None,
    *,
    mass: float = 70.0,
    build: Build | Literal["mean", "female", "male"] = Build.MEAN,
    kind: Literal["dynamic", "kinematic"] = "dynamic",
    damping: float = DAMPING,
    skin: bool = True,
) -> Ragdoll:
    """Give a humanoid bodies on its bones, shapes, and joints with the limits of a human.

    Without a `humanoid` it is that of the document, declared or inferred as for retargeting. `mass`
    [kg] is that of the whole body; `build` selects the proportions of its distribution. Segments
    without a bone are folded into their parents. `damping` [1/s] is the rate at which a joint alone
    would stop the rotation of everything beyond it; 0 leaves joints loose. `skin` fits the shapes
    to the mesh where there is one. A "kinematic" ragdoll follows the avatar's animation, pushes
    other bodies, and needs no joints.

    >>> editor = lg.Editor(lg.load("avatar.vrm"))
    >>> ragdoll = add_ragdoll(editor, mass=60)
    >>> lg.simulate(editor.document, seconds=5)
    """
    whole = arguments.number(mass, "the mass of the ragdoll", above=0)
    rate = arguments.number(damping, "the damping", least=0)
    chosen = arguments.choice(build, "the build", tuple(Build))
    moving = arguments.choice(kind, "the kind of the ragdoll", KINDS)
    document = editor.document
    avatar = find_humanoid(document) if humanoid is None else humanoid
    _require_own(editor, avatar)
    anatomy = Anatomy(avatar, chosen)
    points = skin_points(document, anatomy) if arguments.flag(skin, "skin") else {}
    shapes = {n: fitted(anatomy, part, points.get(n)) for n, part in anatomy.parts.items()}
    solids, touching = separated(shapes, anatomy.neighbours(), GAP * anatomy.height)
    writer = _Writer(editor, anatomy, solids, touching)
    for name, part in anatomy.parts.items():
        writer.add_body(name, part, whole * part.share, chosen, moving)
    if moving is MotionKind.DYNAMIC:
        for name, part in anatomy.parts.items():
            writer.add_joint(name, part, rate)
    measured = tuple(n for n in anatomy.parts if len(points.get(n, ())) >= MIN_VERTICES)
    return writer.result(measured)


class _Writer:
    """Adds the parts of one ragdoll to a document."""

    def __init__(
        self,
        editor: Editor,
        anatomy: Anatomy,
        solids: Mapping[str, Solid],
        touching: set[frozenset[str]],
    ) -> None:
        self.editor, self.anatomy, self.solids, self.touching = editor, anatomy, solids, touching
        avatar = anatomy.humanoid
        self.nodes = dict(zip(avatar.bones, avatar.nodes.tolist(), strict=True))
        tree = NodeTree(editor.document)
        self.world = np.asarray(tree.world_matrices())
        self.rotations = tree.child_orientations(tree.world_orientations())
        self.bodies: dict[str, int] = {}
        self.colliders: dict[str, int] = {}
        self.joints: dict[str, int] = {}
        self.masses: dict[str, float] = {}
        self.centers: dict[str, Floats] = {}
        self.widened: list[str] = []

    def add_body(
        self,
        name: str,
        part: Part,
        mass: float,
        build: Build,
        kind: MotionKind,
    ) -> None:
        node = self.nodes[part.bone]
        self.masses[name] = mass
        self.centers[name] = self._center(name, part, build)
        center = self._local(node, self.centers[name])
        self.bodies[name] = self.editor.add_body(node, kind=kind, mass=mass, center_of_mass=center)
        solid = self.solids[name]
        rotation = tf.multiply(tf.conjugate(self.rotations[node]), solid.rotation)
        self.colliders[name] = self.editor.add_collider(
            node,
            solid.shape(self._scale(node)),
            translation=self._local(node, solid.center),
            rotation=np.asarray(tf.normalize(rotation)).tolist(),
            filter=self._filter(name),
        )

    def add_joint(self, name: str, part: Part, damping: float) -> None:
        if part.parent is None or part.joint_range is None:
            return
        joint = segment_joint(self.anatomy, part, part.joint_range)
        if joint.is_widened:
            self.widened.append(name)
        self.joints[name] = self.editor.add_joint(
            self.bodies[part.parent],
            self.bodies[name],
            limits=joint.limits,
            drives=damping_drives(part.joint_range, damping * self._moment(name))
            if damping
            else (),
            at=self.anatomy.place[part.bone],
            rotation=joint.rotation_a,
            to_rotation=joint.rotation_b,
            name=f"{name} joint",
            animated=True,
        )

    def _moment(self, name: str) -> float:
        """Return the moment of inertia [kg m²] about a joint of all segments beyond it."""
        parts = self.anatomy.parts
        joint = self.anatomy.place[parts[name].bone]
        moment, pending = 0.0, [name]
        while pending:
            part = pending.pop()
            offset = self.centers[part] - joint
            moment += self.masses[part] * float(offset @ offset)
            pending += [other for other in parts if parts[other].parent == part]
        return moment

    def _center(self, name: str, part: Part, build: Build) -> Floats:
        """Return the centre of mass in the world: from the table for limbs, else from the shape."""
        share = part.segment.center(build)
        if share is None:
            return self.solids[name].center
        return np.asarray(self.anatomy.place[part.bone] + share * axis_of(self.anatomy, part))

    def _filter(self, name: str) -> CollisionFilter | None:
        """Return a filter that prevents collisions with unjoined segments that overlap at rest."""
        others = {other for pair in self.touching if name in pair for other in pair - {name}}
        if not others:
            return None
        return CollisionFilter(frozenset({_system(name)}), None, frozenset(map(_system, others)))

    def _local(self, node: int, point: Floats) -> list[float]:
        matrix = self.world[node]
        local = np.linalg.solve(matrix[:3, :3], point - matrix[:3, 3])
        return [float(value) for value in local]

    def _scale(self, node: int) -> float:
        return float(abs(tf.determinant(self.world[node][:3, :3])) ** (1 / 3))

    def result(self, measured: tuple[str, ...]) -> Ragdoll:
        pairs = sorted(tuple(sorted(pair)) for pair in self.touching)
        return Ragdoll(
            bodies=self.bodies,
            colliders=self.colliders,
            joints=self.joints,
            masses=self.masses,
            measured=measured,
            widened=tuple(self.widened),
            touching=tuple((one, other) for one, other in pairs),
            animated=self._animated(),
        )

    def _animated(self) -> tuple[str, ...]:
        """List the segments that animations of the document move."""
        clips = self.editor.document.views("animations", objects.Animation)
        moved = {
            c.target.node for clip in clips for c in clip.channels if c.target.path != "weights"
        }
        return tuple(name for name, node in self.bodies.items() if node in moved)


def _system(name: str) -> str:
    return f"ragdoll {name}"


def _require_own(editor: Editor, humanoid: Humanoid) -> None:
    if humanoid.document is not editor.document:
        raise EditError(
            "the humanoid belongs to another document", remedy="read it from the editor's document"
        )
    raw = editor.document.array("nodes")
    for bone, node in zip(humanoid.bones, humanoid.nodes.tolist(), strict=True):
        if "motion" in raw[node].get("extensions", {}).get(BODIES, {}):
            raise EditError(
                f"{humanoid.tree.label(node)}, the bone {bone}, is a body already",
                file=editor.document.path,
                remedy="remove its physics first",
            )
