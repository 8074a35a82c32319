"""Sweeps of bodies along their motion, only where nothing else stops them.

The engine sweeps every body that moves by a tenth of its size in a step against resting shapes, and
stops it for that step at the first one that it meets. On a floor of triangles that is the next
triangle, although it is flush with the one below: boxes of 10 cm that slid at 2 m/s over one mesh
went 0.25 m instead of 0.40 m, and cylinders that rolled at 2 m/s advanced at a tenth of that.
Predicted contacts hold slower bodies, and `Crossings` those that pass through thin walls, so only
bodies that are too fast for both are swept.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import rapier3d as rp

from ligament.arrays import Floats, Indices
from ligament.extensions.rigid_bodies import MotionKind
from ligament.extensions.shapes import Plane
from ligament.physics.engines.rapier import linalg
from ligament.physics.engines.rapier.state.bodies import BodySource
from ligament.physics.engines.rapier.workarounds.crossings import THIN
from ligament.physics.scene import Collider, Scene
from ligament.physics.shapes import Mesh, Shape, extents, has_extent

_FAST: Final = 2.0
"""Motion in a step, in sizes of a body, up to which it is not swept."""


class Sweeps:
    """The free bodies of a scene, and how far each may move in a step without being swept.

    Unjointed ones also may move by the thickness of walls that `Crossings` guards.
    """

    def __init__(self, scene: Scene, step: float) -> None:
        jointed = {frame.body for joint in scene.joints for frame in (joint.a, joint.b)}
        reach: dict[int, float] = {}
        for collider in scene.colliders:
            body = collider.body
            if _is_swept(scene, collider):
                size = _FAST * min(extents(collider.shape))
                own = size if body in jointed else max(size, THIN)
                reach[body] = min(own, reach.get(body, own))
        self._bodies: Indices = np.array(list(reach), np.intp)
        self._fastest: Floats = np.array(list(reach.values()), float) / step

    @property
    def is_needed(self) -> bool:
        """Whether there are bodies to sweep."""
        return bool(len(self._bodies))

    def bind(self, world: rp.PhysicsWorld, source: BodySource) -> None:
        """Bind to the bodies of a world."""
        self._world, self._source = world, source

    def before_step(self) -> None:
        """Let the engine sweep bodies in the next step if any is fast."""
        speed = linalg.length(self._source.read(self._bodies)[:, 7:10].astype(np.float64))
        self._world.integration_parameters.max_ccd_substeps = int((speed > self._fastest).any())


def _is_swept(scene: Scene, collider: Collider) -> bool:
    """Tell whether the engine may sweep a collider, which it never does with meshes."""
    shape = collider.shape
    is_solid = not collider.is_sensor and has_extent(shape) and not isinstance(shape, Mesh)
    return is_solid and scene.bodies[collider.body].is_free


def has_seams(scene: Scene) -> bool:
    """Tell whether a resting shape consists of triangles, between which the engine finds edges."""
    return any(
        _is_layer(collider.shape) and not collider.is_sensor and _is_fixed(scene, collider)
        for collider in scene.colliders
    )


def _is_layer(shape: Shape) -> bool:
    """Tell whether a shape consists of triangles: an infinite one-sided plane is a box."""
    match shape:
        case Plane(None, None, False):
            return False
    return isinstance(shape, Mesh | Plane)


def _is_fixed(scene: Scene, collider: Collider) -> bool:
    body = scene.bodies[collider.body]
    return body.kind is MotionKind.STATIC and not body.is_driven
