"""Where bodies touch and how hard, read from the engine after a step."""

from __future__ import annotations

import numpy as np
import rapier3d as rp

from ligament.physics.engine import Contacts


def read_contacts(world: rp.PhysicsWorld, step: float) -> Contacts:
    """Return all contacts that pushed in the last step, which took `step` [s]."""
    points, normals, forces = [], [], []
    for pair in world.narrow_phase.contact_pairs():
        place = world.colliders[pair.collider1].position
        for manifold in pair.manifolds:
            for contact in manifold.points:
                if contact.impulse > 0:
                    points.append(place.transform_point(contact.local_p1).to_tuple())
                    normals.append(manifold.data.normal.to_tuple())
                    forces.append(contact.impulse / step)
    return Contacts(
        np.array(points, np.float64).reshape(-1, 3),
        np.array(normals, np.float64).reshape(-1, 3),
        np.array(forces, np.float64),
    )
