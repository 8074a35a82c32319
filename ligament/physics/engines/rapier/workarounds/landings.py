"""Contacts of flat faces that land, predicted as far ahead as bodies move in a step.

The engine makes contacts with what a fast body will reach in the next step. Of more than four, it
keeps four, but looks for them only within its prediction distance, and keeps a single one if all
are farther away. A cylinder has five contacts on a floor: dropped flat from 1 m it stopped on one
point of its rim and tipped by 16°, and from 4.5 m it fell over. So that distance is at least as far
as the fastest cylinder or hull moves in a step, and they land as boxes do. Boxes are left out: they
have four contacts on anything larger than they are, and in a heap of 1,000 that falls the steps
would take a quarter longer.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats
from ligament.extensions.shapes import Cylinder
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.stage import Stage
from ligament.physics.engines.rapier.state.bodies import BodySource, select
from ligament.physics.scene import Scene
from ligament.physics.shapes import Hull, extents, has_extent

_DEFAULT: Final = rp.IntegrationParameters().normalized_prediction_distance


class Landings(Stage):
    """The free cylinders and hulls of a scene, and how far ahead the engine looks for each.

    That is its size [m] at most: a bullet in a heap would make contacts between all bodies there.
    """

    def __init__(self, scene: Scene) -> None:
        sizes: dict[int, float] = {}
        for collider in scene.colliders:
            body, shape = collider.body, collider.shape
            has_faces = isinstance(shape, Cylinder | Hull) and has_extent(shape)
            if has_faces and scene.bodies[body].is_free and not collider.is_sensor:
                sizes[body] = max(sizes.get(body, 0.0), *extents(shape))
        self._bodies = select(list(sizes))
        self._sizes: Floats = np.array(list(sizes.values()), float)

    @property
    def is_needed(self) -> bool:
        """Whether there are such bodies."""
        return bool(len(self._sizes))

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._parameters, self._source = world.integration_parameters, source

    def before_step(self, now: int) -> None:
        """Set the prediction distance of the next step."""
        parameters = self._parameters
        speed = linalg.length(self._source.read(self._bodies)[:, 7:10].astype(np.float64))
        ahead = np.minimum(speed * parameters.dt, self._sizes).max() / parameters.length_unit
        parameters.normalized_prediction_distance = max(_DEFAULT, float(ahead))
