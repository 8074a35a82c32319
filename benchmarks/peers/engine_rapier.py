"""Plays a world in rapier3d as a Python program would that knows the engine and no more.

The request has the settings that Ligament chose besides: substeps, step [s], iterations,
stabilization, contact_frequency [Hz], length [m]. Joints are the engine's own. See engine_loop.py.
"""

import rapier3d as rp
from engine_loop import DENSITY, FRICTION, GRAVITY, Floats, Json, main

AXES, AXIS = rp.JointAxesMask, rp.JointAxis
PREDICTION = 10.0  # [m]
FASTEST = 3e38  # [m/s], next to the largest number that the engine knows


class Rapier:
    """A world in rapier3d."""

    def __init__(self, content: Json, request: Json) -> None:
        settings = request["settings"]
        self.substeps = settings["substeps"]
        self.world = rp.PhysicsWorld(gravity=GRAVITY)
        apply_settings(self.world.integration_parameters, settings)
        handles = [self._add(body) for body in content["bodies"]]
        ground = self.world.add_body(rp.RigidBody.fixed())
        for joint in content["joints"]:
            a = ground if joint["a"] is None else handles[joint["a"]]
            self.world.impulse_joints.insert(a, handles[joint["b"]], native_joint(joint))
        bodies = zip(content["bodies"], handles, strict=True)
        self.moving = [self.world.rigid_bodies[h] for body, h in bodies if not body["is_static"]]

    def _add(self, body: Json) -> rp.RigidBodyHandle:
        builder = rp.RigidBody.fixed() if body["is_static"] else rp.RigidBody.dynamic()
        if not body["is_static"]:
            builder = builder.allow_fast_rotation(True).soft_ccd_prediction(PREDICTION)
        handle = self.world.add_body(builder.position((body["position"], body["rotation"])))
        for part in body["parts"]:
            collider = shape(part).translation(part["position"]).density(DENSITY)
            rule = rp.CoefficientCombineRule.MAX
            surface = collider.friction(FRICTION).friction_combine_rule(rule)
            self.world.add_collider(surface.restitution_combine_rule(rule), handle)
        return handle

    def step(self) -> None:
        for _ in range(self.substeps):
            self.world.step()

    def read(self, poses: Floats) -> None:
        poses[:] = [(*b.translation.to_tuple(), *b.rotation.to_tuple()) for b in self.moving]

    def remarks(self) -> Json:
        return {}


def apply_settings(parameters: rp.IntegrationParameters, settings: Json) -> None:
    """Sets what Ligament sets, value by value."""
    parameters.dt = settings["step"]
    parameters.num_solver_iterations = settings["iterations"]
    parameters.num_internal_stabilization_iterations = settings["stabilization"]
    parameters.length_unit = settings["length"]
    parameters.contact_clustering = False
    parameters.normalized_max_linear_velocity = FASTEST / max(settings["length"], 1.0)
    damping, frequency = parameters.contact_softness.damping_ratio, settings["contact_frequency"]
    parameters.contact_softness = rp.SpringCoefficients(frequency, damping)
    parameters.static_contact_softness = rp.SpringCoefficients(2 * frequency, damping)


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
