"""Plays a world in rapier3d as a Python program would that knows the engine and no more.

The request names a file `mirror` besides, with what Ligament tells the engine: substeps,
parameters, and options of every moving body. Joints are the engine's own. With `iterations` and
`substeps` the parameters are the engine's own as well, but for these. See engine_loop.py.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rapier3d as rp
from engine_loop import DENSITY, FRICTION, GRAVITY, STEP, Floats, Json, main

AXES, AXIS = rp.JointAxesMask, rp.JointAxis
RULE = rp.CoefficientCombineRule.MAX


class Rapier:
    """A world in rapier3d."""

    def __init__(self, content: Json, request: Json) -> None:
        mirror = json.loads(Path(request["mirror"]).read_text())
        self.substeps = request["substeps"] or mirror["substeps"]
        self.world = rp.PhysicsWorld(gravity=GRAVITY)
        self.world.integration_parameters = parameters(mirror, request)
        self.moving: list[rp.RigidBody] = []
        options = iter(mirror["bodies"])
        handles = [self._add(body, options) for body in content["bodies"]]
        ground = self.world.add_body(rp.RigidBody.fixed())
        for joint in content["joints"]:
            a = ground if joint["a"] is None else handles[joint["a"]]
            self.world.impulse_joints.insert(a, handles[joint["b"]], native_joint(joint))

    def _add(self, body: Json, options: Iterator[Json]) -> rp.RigidBodyHandle:
        builder = rp.RigidBody.fixed() if body["is_static"] else rp.RigidBody.dynamic()
        handle = self.world.add_body(builder.position((body["position"], body["rotation"])))
        given = {} if body["is_static"] else next(options)
        skins = given.pop("skins", [0.0] * len(body["parts"]))
        for part, skin in zip(body["parts"], skins, strict=True):
            collider = shape(part).translation(part["position"]).density(DENSITY)
            surface = collider.friction(FRICTION).friction_combine_rule(RULE).contact_skin(skin)
            self.world.add_collider(surface.restitution_combine_rule(RULE), handle)
        if not body["is_static"]:
            self.moving.append(self.world.rigid_bodies[handle])
            set_options(self.moving[-1], **given)
        return handle

    def step(self) -> None:
        for _ in range(self.substeps):
            self.world.step()

    def read(self, poses: Floats) -> None:
        poses[:] = [(*b.translation.to_tuple(), *b.rotation.to_tuple()) for b in self.moving]

    def remarks(self) -> Json:
        return {}


def parameters(mirror: Json, request: Json) -> rp.IntegrationParameters:
    """Return Ligament's settings of the engine, or its defaults with so many iterations."""
    if request["iterations"] is None:
        return rp.IntegrationParameters.from_bytes(bytes.fromhex(mirror["parameters"]))
    own = rp.IntegrationParameters()
    own.dt = STEP / request["substeps"]
    own.num_solver_iterations = request["iterations"]
    return own


def set_options(body: rp.RigidBody, *, sleep_threshold: float, **options: Any) -> None:
    """Gives a body what Ligament gave it."""
    for name, value in options.items():
        setattr(body, name, value)
    activation = body.activation
    activation.sleep_threshold = activation.angular_threshold = sleep_threshold
    body.activation = activation


def shape(part: Json) -> rp.ColliderBuilder:
    """The collider of a part."""
    match part["kind"]:
        case "Box":
            x, y, z = part["size"]
            return rp.Collider.cuboid(x / 2, y / 2, z / 2)
        case "Sphere":
            return rp.Collider.ball(part["radius"])
        case "Capsule":
            return rp.Collider.capsule_y(part["height"] / 2, part["radius_top"])
    raise ValueError(part["kind"])


def native_joint(joint: Json) -> rp.GenericJoint:
    """The engine's own joint of a kind."""
    (position_a, rotation_a), (position_b, rotation_b) = joint["frame_a"], joint["frame_b"]
    builder = (
        rp.GenericJointBuilder(AXES.LIN_AXES)
        .local_frame1((tuple(position_a), tuple(rotation_a)))
        .local_frame2((tuple(position_b), tuple(rotation_b)))
        .contacts_enabled(False)
    )
    match joint["kind"]:
        case "ConeTwist":
            reach = joint["reach"]
            cone = builder.coupled_axes(AXES.ANG_Y | AXES.ANG_Z).limits(AXIS.ANG_Y, 0.0, reach)
            builder = cone.limits(AXIS.ANG_X, -reach, reach)
        case "Hinge":
            hinge = builder.locked_axes(AXES.LOCKED_REVOLUTE_AXES)
            builder = hinge.limits(AXIS.ANG_X, joint["low"], joint["high"])
        case "Spring":
            rail = builder.locked_axes(AXES.LIN_X | AXES.LIN_Z | AXES.ANG_AXES)
            builder = rail.motor_model(AXIS.LIN_Y, rp.MotorModel.FORCE_BASED).motor(
                AXIS.LIN_Y, 0.0, 0.0, joint["stiffness"], joint["damping"]
            )
    return builder.build()


if __name__ == "__main__":
    main(Rapier)
