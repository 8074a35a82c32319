"""Masses that follow from densities, and from masses of the parts of a body.

UsdPhysics lets every collider have its own mass or density, and every material a density. Bodies
of glTF have one mass, so what the parts make together is worked out here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import structs

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.usd.reading.bodies import declared_density, declared_mass
from ligament.convert.usd.reading.colliders import physics_material
from ligament.convert.usd.reading.nodes import Nodes
from ligament.convert.usd.reading.stage import Stage, has_api
from ligament.extensions.declarations import Motion, Physics, Vector
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.mass import DENSITY, Solid, combined, solid
from ligament.physics.placement import Placement
from ligament.physics.scene import Collider, Scene
from ligament.physics.scene_builder import build_scene
from ligament.physics.shapes import is_singular


def weighed(
    stage: Stage, nodes: Nodes, document: Document, physics: Physics, prims: Mapping[int, Any]
) -> dict[int, Motion]:
    """Return the motions with the masses that the parts of bodies give them.

    `prims` are those of the colliders by node. What is as dense as glTF assumes is left to follow
    from the shapes there.
    """
    own = {node: declared_density(stage, nodes.prims[node]) for node in physics.motions}
    weights = {node: _Weight.of(stage, prim) for node, prim in prims.items()}
    if not any(own.values()) and not any(weights.values()):
        return physics.motions
    tree = NodeTree(document)
    pose = Pose(tree.translation, tree.rotation, tree.scale)
    scene = build_scene(document, physics, tree=tree, pose=pose).scene
    stretch = Placement(tree, pose).stretch
    motions = dict(physics.motions)
    for index, body in enumerate(scene.bodies):
        if body.node in motions and body.is_declared:
            parts = _parts(scene, index, weights, own[body.node])
            if parts:
                motions[body.node] = _with(motions[body.node], parts, stretch[body.node])
    return motions


@dataclasses.dataclass(frozen=True)
class _Weight:
    """The mass [kg] and density [kg/m³] of a collider, and its material's; false without any."""

    mass: float | None
    density: float | None
    material: float | None

    @classmethod
    def of(cls, stage: Stage, prim: Any) -> _Weight:
        """Read what a prim says; on a body, mass and density are those of the body."""
        bound = physics_material(prim)
        material = None if bound is None else declared_density(stage, bound)
        if has_api(prim, "PhysicsRigidBodyAPI") or not has_api(prim, "PhysicsMassAPI"):
            return cls(None, None, material)
        return cls(declared_mass(stage, prim), declared_density(stage, prim), material)

    def __bool__(self) -> bool:
        return any(value is not None for value in (self.mass, self.density, self.material))


def _parts(
    scene: Scene, body: int, weights: Mapping[int, _Weight], own: float | None
) -> list[tuple[Solid, float]]:
    """Return the solids of a body and their densities; none where all are as glTF assumes."""
    colliders = [c for c in scene.colliders if c.body == body and not c.is_sensor]
    parts = [(c, _placed(c)) for c in colliders]
    found = [(part, _density(weights[c.node], part, own)) for c, part in parts if part.volume > 0]
    is_usual = all(density == DENSITY for _, density in found)
    return [] if is_usual else found


def _placed(collider: Collider) -> Solid:
    pose = collider.pose
    return solid(collider.shape).placed(pose.translation, pose.rotation)


def _density(weight: _Weight, part: Solid, own: float | None) -> float:
    """Return a density: the collider's goes first, then that of the body, then the material's."""
    if weight.mass is not None:
        return weight.mass / part.volume
    return weight.density or own or weight.material or DENSITY


def _with(motion: Motion, parts: list[tuple[Solid, float]], stretch: Floats) -> Motion:
    """Give a motion what it does not declare itself."""
    whole = combined(
        Solid(part.volume * density, part.center, part.inertia * density) for part, density in parts
    )  # its volume is the mass
    mass = whole.volume if motion.mass is None else motion.mass
    motion = structs.replace(motion, mass=mass)
    center = whole.center
    if motion.center_of_mass is not None:
        center = stretch @ np.array(motion.center_of_mass)
    elif not is_singular(stretch):
        motion = structs.replace(motion, center_of_mass=_vector(np.linalg.solve(stretch, center)))
    if motion.inertia_diagonal is not None:
        return motion
    moments, axes = np.linalg.eigh(whole.about(center) * (mass / whole.volume))
    axes[:, 2] *= np.sign(tf.determinant(axes))
    x, y, z, w = np.asarray(tf.from_matrix(axes)).tolist()
    return structs.replace(
        motion,
        inertia_diagonal=_vector(moments),
        inertia_orientation=(x, y, z, w),
    )


def _vector(values: npt.NDArray[np.floating[Any]]) -> Vector:
    x, y, z = values.tolist()
    return x, y, z
