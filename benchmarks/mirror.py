"""Calls of Ligament to rapier3d, recorded, so that rapier3d alone can be given the same world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ligament as lg

OPTIONS = ("allow_fast_rotation", "soft_ccd_prediction")


def mirror(simulation: lg.Simulation) -> dict[str, Any]:
    """Steps per frame, all parameters of the engine (as its bytes), and options of moving bodies.

    Looks at the engine itself, since no list of what to look at would stay complete.
    """
    world = simulation.engine._world
    moving = [body for _, body in world.rigid_bodies if body.is_dynamic]
    return {
        "substeps": simulation.substeps,
        "parameters": world.integration_parameters.to_bytes().hex(),
        "bodies": [
            {name: getattr(body, name) for name in OPTIONS}
            | {"sleep_threshold": body.activation.sleep_threshold}
            | {"skins": [world.colliders[each].contact_skin for each in body.colliders]}
            for body in moving
        ],
    }
