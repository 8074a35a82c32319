"""Rigid bodies: motion, initial velocities and masses.

UsdPhysics lets every collider have its own mass or density, and every material a density. Bodies
of glTF have one mass, so the masses of the parts are combined here.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import structs

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.conversion.usd.reading.colliders import physics_material
from ligament.conversion.usd.reading.nodes import Nodes, remembered
from ligament.conversion.usd.reading.stage import Stage, has_api
from ligament.extensions.fields import Vector
from ligament.extensions.rigid_bodies import Motion, MotionKind, Physics
from ligament.gltf.animation import Pose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.mass import DENSITY, Solid, combined, solid
from ligament.physics.placement import Placement
from ligament.physics.scene import Collider, Scene
from ligament.physics.scene_builder import build_scene
from ligament.physics.shapes import is_singular

_STILL = (0.0, 0.0, 0.0)


def read_motions(stage: Stage, nodes: Nodes) -> dict[int, Motion]:
    """Return the bodies by node; disabled ones are left out, which makes them static."""
    found: dict[int, Motion] = {}
    for node, prim in enumerate(nodes.prims):
        if not has_api(prim, "PhysicsRigidBodyAPI"):
            continue
        if not stage.attributes.flag(prim, "physics:rigidBodyEnabled", default=True):
            reason = "it is switched off, and glTF has no switch"
            stage.lose(prim, "a rigid body", reason, "it is static")
            continue
        found[node] = _motion(stage, prim, node)
    return found


def _motion(stage: Stage, prim: Any, node: int) -> Motion:
    attributes, units = stage.attributes, stage.units
    is_kinematic = attributes.flag(prim, "physics:kinematicEnabled", default=False)
    if attributes.flag(prim, "physics:startsAsleep", default=False):
        effect = "it falls asleep by itself once it rests"
        stage.lose(prim, "a body that starts asleep", "bodies of glTF start awake", effect)
    velocity = attributes.vector(prim, "physics:velocity", _STILL)
    angular_velocity = attributes.vector(prim, "physics:angularVelocity", _STILL)
    floats = attributes.flag(prim, "physxRigidBody:disableGravity", default=False)
    has_mass = has_api(prim, "PhysicsMassAPI")
    moments = _moments(stage, prim) if has_mass else None
    turn = attributes.rotation(prim, "physics:principalAxes") if has_mass else None
    center = attributes.maybe_vector(prim, "physics:centerOfMass") if has_mass else None
    return Motion(
        node=node,
        kind=MotionKind.KINEMATIC if is_kinematic else MotionKind.DYNAMIC,
        mass=declared_mass(stage, prim),
        center_of_mass=None if center is None else _times(center, units.length),
        inertia_diagonal=moments,
        inertia_orientation=turn if turn and moments else (0.0, 0.0, 0.0, 1.0),
        linear_velocity=_times(velocity, units.length),
        angular_velocity=_times(angular_velocity, math.pi / 180),
        gravity_factor=0.0 if floats else _gravity_factor(prim),
    )


def _gravity_factor(prim: Any) -> float:
    factor = remembered(prim, "gravityFactor")
    is_number = isinstance(factor, int | float) and math.isfinite(factor)
    return float(factor) if is_number else 1.0


def declared_mass(stage: Stage, prim: Any) -> float | None:
    """Return the mass [kg] that a prim declares; 0 in USD means that it declares none."""
    if not has_api(prim, "PhysicsMassAPI"):
        return None
    mass = stage.attributes.number(prim, "physics:mass", 0.0, least=0)
    return mass * stage.units.mass or None


def declared_density(stage: Stage, prim: Any) -> float | None:
    """Return the density [kg/m³] that a prim declares; 0 means none."""
    density = stage.attributes.number(prim, "physics:density", 0.0, least=0)
    return density * stage.units.density or None


def _moments(stage: Stage, prim: Any) -> Vector | None:
    moments = stage.attributes.vector(prim, "physics:diagonalInertia", _STILL)
    if moments == _STILL:
        return None
    if min(moments) <= 0:
        reason = "moments of inertia must be above 0"
        stage.lose(prim, f"the inertia {moments}", reason, "it is computed from the shapes")
        return None
    return _times(moments, stage.units.inertia)


def _times(vector: Vector, factor: float) -> Vector:
    x, y, z = vector
    return x * factor, y * factor, z * factor


# --- masses of colliders ---


def weighed(
    stage: Stage, nodes: Nodes, document: Document, physics: Physics, prims: Mapping[int, Any]
) -> dict[int, Motion]:
    """Return the motions with the masses of their colliders applied.

    `prims` are the prims of the colliders, by node. Masses that follow from glTF's default density
    are not declared.
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
    """The mass [kg] and density [kg/m³] of a collider, and the density of its material."""

    mass: float | None
    density: float | None
    material: float | None

    @classmethod
    def of(cls, stage: Stage, prim: Any) -> _Weight:
        """Read the mass of a prim; on a body, mass and density are those of the body."""
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
    """Return the solids of a body and their densities; none if all have glTF's default density."""
    colliders = [c for c in scene.colliders if c.body == body and not c.is_sensor]
    parts = [(c, _placed(c)) for c in colliders]
    found = [(part, _density(weights[c.node], part, own)) for c, part in parts if part.volume > 0]
    is_usual = all(density == DENSITY for _, density in found)
    return [] if is_usual else found


def _placed(collider: Collider) -> Solid:
    pose = collider.pose
    return solid(collider.shape).placed(pose.translation, pose.rotation)


def _density(weight: _Weight, part: Solid, own: float | None) -> float:
    """Return the density of the collider, else that of the body, else that of the material."""
    if weight.mass is not None:
        return weight.mass / part.volume
    return weight.density or own or weight.material or DENSITY


def _with(motion: Motion, parts: list[tuple[Solid, float]], stretch: Floats) -> Motion:
    """Complete a motion with the mass properties that it does not declare."""
    whole = combined(
        Solid(part.volume * density, part.center, part.inertia * density) for part, density in parts
    )  # here the volume is the mass
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
