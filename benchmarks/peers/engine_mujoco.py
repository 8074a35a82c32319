"""Plays a world in MuJoCo at its default settings; see engine_loop.py.

Bodies that joints hold become trees of the coordinates that the joints leave. A cone-twist joint
is a ball joint whose whole angle is limited, which is stricter. With joints the integrator is
implicitfast, since the default one does not stay finite at this step. The request has `substeps`
besides, and `is_stiff`: whether limits are as stiff as the step allows instead of as they are by
default. The answer has `resets`: how often the engine restarted because a world blew up.
"""

import math

import mujoco
import numpy as np
from engine_loop import DENSITY, FRICTION, GRAVITY, STEP, Floats, Json, main

BLOWN_UP = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)
MEMORY = 1 << 30  # bytes for contacts and constraints
Z_TO_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # wxyz; capsules lie along Z there


class Mujoco:
    """A world in MuJoCo."""

    def __init__(self, content: Json, request: Json) -> None:
        spec = mujoco.MjSpec()
        spec.memory = MEMORY
        self.substeps = request["substeps"]
        spec.option.timestep, spec.option.gravity = STEP / self.substeps, GRAVITY
        if content["joints"]:
            spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        if request["is_stiff"]:
            harden(spec, STEP / self.substeps)
        moving = Tree(spec, content).add_all()
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_step1(self.model, self.data)
        self.moving = np.array([body.id for body in moving])

    def step(self) -> None:
        """Goes from the middle of a step to the next, since a whole one leaves its first poses."""
        for _ in range(self.substeps):
            mujoco.mj_step2(self.model, self.data)
            mujoco.mj_step1(self.model, self.data)

    def read(self, poses: Floats) -> None:
        poses[:, :3] = self.data.xpos[self.moving]
        poses[:, 3:] = self.data.xquat[self.moving][:, [1, 2, 3, 0]]

    def remarks(self) -> Json:
        return {"resets": sum(int(self.data.warning[kind].number) for kind in BLOWN_UP)}


def harden(spec: mujoco.MjSpec, step: float) -> None:
    """Makes the limits of joints close within two steps [s], the least that MuJoCo can do."""
    spec.default.joint.solref_limit = [2 * step, 1.0]
    spec.default.joint.solimp_limit = [0.99, 0.9999, 0.001, 0.5, 2.0]


class Tree:
    """Adds the bodies to a model, each below the body that its joint holds it to."""

    def __init__(self, spec: mujoco.MjSpec, content: Json) -> None:
        self._spec, self._bodies = spec, content["bodies"]
        self._joints = {joint["b"]: joint for joint in content["joints"]}
        self._added: dict[int, mujoco.MjsBody] = {}

    def add_all(self) -> list[mujoco.MjsBody]:
        """The bodies that move."""
        for index, body in enumerate(self._bodies):
            self._add(index, body)
        return [self._added[i] for i, body in enumerate(self._bodies) if not body["is_static"]]

    def _add(self, index: int, body: Json) -> None:
        """Adds a body; its parent has a smaller index in all worlds that there are."""
        joint = self._joints.get(index)
        parent = None if joint is None else joint["a"]
        above = self._spec.worldbody if parent is None else self._added[parent]
        position, rotation = self._within(parent, body)
        added = above.add_body(pos=position, quat=rotation)
        self._added[index] = added
        for part in body["parts"]:
            add_geometry(added, part)
        if joint is not None:
            add_joint(added, joint)
        elif not body["is_static"]:
            added.add_freejoint()

    def _within(self, parent: int | None, body: Json) -> tuple[Floats, Floats]:
        position, rotation = np.array(body["position"], float), wxyz(body["rotation"])
        if parent is None:
            return position, rotation
        inverse, turned, offset = np.empty(4), np.empty(4), np.empty(3)
        mujoco.mju_negQuat(inverse, wxyz(self._bodies[parent]["rotation"]))
        mujoco.mju_mulQuat(turned, inverse, rotation)
        mujoco.mju_rotVecQuat(offset, position - self._bodies[parent]["position"], inverse)
        return offset, turned


def wxyz(rotation: list[float]) -> Floats:
    """A rotation in the engine's order."""
    x, y, z, w = rotation
    return np.array([w, x, y, z])


def add_geometry(body: mujoco.MjsBody, part: Json) -> None:
    """Adds one shape to a body."""
    common = {"pos": part["position"], "density": DENSITY, "friction": [FRICTION, 0.005, 0.0001]}
    match part["kind"]:
        case "Box":
            half = [size / 2 for size in part["size"]]
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half, **common)
        case "Sphere":
            size = [part["radius"], 0.0, 0.0]
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=size, **common)
        case "Capsule":
            size = [part["radius_top"], part["height"] / 2, 0.0]
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=size, quat=Z_TO_Y, **common)


def add_joint(body: mujoco.MjsBody, joint: Json) -> None:
    """Adds the coordinates that a joint leaves."""
    place, rotation = joint["frame_b"]
    axis = np.empty(3)
    along = [0.0, 1.0, 0.0] if joint["kind"] == "Spring" else [1.0, 0.0, 0.0]
    mujoco.mju_rotVecQuat(axis, np.array(along), wxyz(rotation))
    match joint["kind"]:
        case "Ball":
            body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=place)
        case "ConeTwist":
            limits = {"limited": True, "range": [0.0, math.degrees(joint["reach"])]}
            body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=place, **limits)
        case "Hinge":
            angles = [math.degrees(joint["low"]), math.degrees(joint["high"])]
            limits = {"limited": True, "range": angles}
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, pos=place, axis=axis, **limits)
        case "Spring":
            gains = {"stiffness": joint["stiffness"], "damping": joint["damping"]}
            body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, pos=place, axis=axis, **gains)


if __name__ == "__main__":
    main(Mujoco)
