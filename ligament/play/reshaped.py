"""Reshaped parts of a scene: colliders with animated shapes, and the masses that follow."""

from __future__ import annotations

import dataclasses

import numpy as np

from ligament.arrays import Floats
from ligament.extensions.rigid_bodies import GeometrySource
from ligament.gltf.animation import Pose as TreePose
from ligament.physics.engines import Engine
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import MassProperties, Part
from ligament.physics.reshaping import Reshaping
from ligament.physics.scene import Collider, Pose, Scene
from ligament.physics.shapes import Shape
from ligament.play.sampling import Placed, Sampled

_SAME = 1e-9
"""Relative difference of stretches below which they are equal up to rounding."""


class ReshapedParts:
    """Updates the shapes of colliders in the engine, and the masses of their bodies.

    `scene` holds the current parts; `sources` are the geometries of colliders that differ from the
    declared ones; `renewed` are those replaced for the coming step, some of them instantly;
    `masses` are those that bodies got in the last step.
    """

    def __init__(self, scene: Scene, reshaping: Reshaping) -> None:
        self.scene, self._reshaping = scene, reshaping
        self.sources: dict[int, GeometrySource] = {}
        self.renewed: dict[int, bool] = {}
        self.masses: dict[int, MassProperties] = {}

    def update_engine(
        self,
        engine: Engine,
        sampled: Sampled,
        row: int,
        *,
        pose: TreePose | None,
        jumping: bool,
    ) -> None:
        """Update the engine with the shapes that jump in a step, or with the others.

        `pose` holds the local transforms (N, …) of all nodes where surfaces follow physics.
        """
        stretch, jumps = sampled.placement.stretch, sampled.jumps[row - 1]
        placed, reader = Placed(sampled.placement, row), None
        if self._reshaping.deforming and (pose is not None or _deforms(sampled, row)):
            weights = {node: values[row] for node, values in sampled.weights.items()}
            reader = self._reshaping.posed(pose or sampled.row(row), weights)
        reshaped = set()
        for i in self._reshaping.colliders:
            collider = self.scene.colliders[i]
            node = collider.node
            is_deformed = reader is not None and i in self._reshaping.deforming
            at_once = jumps[node] or (is_deformed and sampled.deforms_at_once[row - 1])
            at_once = at_once or self.renewed.get(i, False)
            if bool(at_once) is not jumping:
                continue
            within = self._within(placed, collider)
            is_stretched = _differs(stretch[row, node], stretch[row - 1, node])
            if is_deformed or is_stretched or i in self.renewed:
                self.renewed.pop(i, None)
                shape = self._shape(i, node, placed, reader)
                value = dataclasses.replace(collider, shape=shape, pose=within)
                engine.set_collider(i, value, jumps=jumping)
                reshaped.add(collider.body)
            elif collider.moves:
                engine.place_collider(i, within.translation, within.rotation)
        for body in self._reshaping.weighed:
            if body in reshaped:
                self._weigh(engine, body, placed, reader)

    def _shape(self, index: int, node: int, placed: Placed, reader: GeometryReader | None) -> Shape:
        source = self.sources.get(index, self._reshaping.sources[index])
        return self._reshaping.shape(index, node, placed.stretch(node, source), reader, source)

    def _within(self, placed: Placed, collider: Collider) -> Pose:
        """Return the pose of a collider in its body."""
        if not collider.moves:
            return collider.pose
        return placed.within(collider.node, self.scene.bodies[collider.body].node)

    def _weigh(
        self, engine: Engine, index: int, placed: Placed, reader: GeometryReader | None
    ) -> None:
        """Set the mass of a body to that of its current shapes."""
        body, parts = self.scene.bodies[index], []
        for i, collider in enumerate(self.scene.colliders):
            if collider.body == index and not collider.is_sensor:
                shape, pose = collider.shape, self._within(placed, collider)
                if i in self._reshaping.colliders:
                    shape = self._shape(i, collider.node, placed, reader)
                parts.append(Part(shape, pose.translation, pose.rotation))
        mass = self._reshaping.mass(index, body, placed.stretch(body.node), parts)
        if mass is not None:
            self.masses[index] = mass
            engine.set_body(index, dataclasses.replace(body, mass=mass))


def _deforms(sampled: Sampled, row: int) -> bool:
    """Tell whether anything that deforms surfaces changes in a step."""
    changing = (*sampled.pose, *sampled.weights.values())
    return any(not np.array_equal(values[row], values[row - 1]) for values in changing)


def _differs(a: Floats, b: Floats) -> bool:
    """Tell whether two stretches (3, 3) differ by more than rounding."""
    return bool(np.abs(a - b).max() > _SAME * np.abs(a).max())
