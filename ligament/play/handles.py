"""Handles: bodies and joints of a running simulation by name, with their current values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

from ligament.arrays import Floats
from ligament.errors import ArgumentError, counted, nearest, shortened
from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.joint_state import JointState, JointValues, joint_state
from ligament.physics.naming import joint_name
from ligament.physics.scene import Body, Joint, Pose
from ligament.play.tracks import animated_poses, frame_in_body

if TYPE_CHECKING:
    from ligament.play.simulation import Simulation


class Named(Protocol):
    """Anything that has a name."""

    @property
    def name(self) -> str:
        """The name of its node."""


H = TypeVar("H", bound=Named)


class Handles(Generic[H]):
    """A sequence of handles, indexed by position or by unique name."""

    def __init__(self, what: str, handles: Sequence[H]) -> None:
        self._what, self._handles = what, tuple(handles)

    def __len__(self) -> int:
        return len(self._handles)

    def __iter__(self) -> Iterator[H]:
        return iter(self._handles)

    def __getitem__(self, key: int | str) -> H:
        if isinstance(key, str):
            found = [handle for handle in self._handles if handle.name == key]
            if len(found) == 1:
                return found[0]
            message = f"{len(found) or 'no'} {self._what} have the name {key!r}"
            remedy = "give the index of one" if found else nearest(key, self.names)
            raise ArgumentError(message, remedy=remedy)
        if not isinstance(key, int | np.integer) or not -len(self) <= key < len(self):
            remedy = f"give a name, or an index below {len(self)}"
            raise ArgumentError(
                f"there is no {key!r} among {len(self)} {self._what}", remedy=remedy
            )
        return self._handles[key]

    @property
    def names(self) -> list[str]:
        """All names, in order."""
        return [handle.name for handle in self._handles]

    def __repr__(self) -> str:
        count = counted(len(self), "body" if self._what == "bodies" else "joint", self._what)
        lines = [count, *(f"  {handle!r}" for handle in self._handles[:20])]
        return "\n".join(lines + ["  …"] * (len(self) > 20))


class BodyHandle:
    """One body of a simulation, with its current world pose and velocities."""

    def __init__(self, sim: Simulation, index: int) -> None:
        self._sim, self._index = sim, index

    @property
    def _body(self) -> Body:
        return self._sim.scene_bodies[self._index]

    @property
    def node(self) -> int:
        """The node that carries the body."""
        return self._body.node

    @property
    def name(self) -> str:
        """The name of the node, "node 3" where it has none."""
        return self._sim.stage.tree.names[self.node] or f"node {self.node}"

    @property
    def kind(self) -> MotionKind:
        """Kind of motion: moved by forces (dynamic), its velocity (kinematic), nothing (static)."""
        return self._body.kind

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self._body.mass.mass)

    @property
    def translation(self) -> Floats:
        """Position of the node (3,) [m]."""
        return np.asarray(self._sim.state.translation[self._index])

    @property
    def rotation(self) -> Floats:
        """Rotation of the node (4,) xyzw."""
        return np.asarray(self._sim.state.rotation[self._index])

    @property
    def linear_velocity(self) -> Floats:
        """Velocity of the centre of mass (3,) [m/s]."""
        return np.asarray(self._sim.state.linear_velocity[self._index])

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity (3,) [rad/s]."""
        return np.asarray(self._sim.state.angular_velocity[self._index])

    def __repr__(self) -> str:
        mass = f", {self.mass:g} kg" if self.kind is MotionKind.DYNAMIC else ""
        driven = ", moved by an animation" if self._body.is_driven else ""
        name = shortened(repr(self.name), 100)
        return f"<body {name} (node {self.node}): {self.kind}{mass}{driven}>"


class JointHandle:
    """One joint of a simulation, with its current position and angles.

    `position` (3,) [m] and `angles` (3,) [rad] are those of the second frame relative to the first,
    along and about its axes; `limits` (L,) and `drives` (D,) are the values that each limit and
    drive measures.
    """

    def __init__(self, sim: Simulation, index: int) -> None:
        self._sim, self._index = sim, index

    @property
    def _joint(self) -> Joint:
        return self._sim.scene.joints[self._index]

    @property
    def node(self) -> int:
        """The node that carries the joint."""
        return self._joint.node

    @property
    def name(self) -> str:
        """The name of the node, "node 3" where it has none."""
        return self._sim.stage.tree.names[self.node] or f"node {self.node}"

    @property
    def kind(self) -> str:
        """The kind of joint in plain words: "hinge (limited, motor)"."""
        return joint_name(self._joint.limits, self._joint.drives)

    @property
    def state(self) -> JointState:
        """Pose and velocities of the second frame relative to the first."""
        sim = self._sim
        return joint_state(sim.scene, self._present(), sim.state)

    @property
    def position(self) -> Floats:
        """Position of the second frame relative to the first (3,) [m]."""
        return self.state.position

    @property
    def angles(self) -> Floats:
        """Rotation about each axis of the first frame (3,) [rad]."""
        return self.state.angles

    @property
    def limits(self) -> Floats:
        """Value of each limit (L,) [m or rad]."""
        state = self.state
        return np.array([state.limit_value(limit) for limit in self._joint.limits], np.float64)

    @property
    def drives(self) -> Floats:
        """Position that each drive measures (D,) [m or rad]."""
        state = self.state
        return np.array([state.drive_position(drive) for drive in self._joint.drives], np.float64)

    @property
    def drive_velocities(self) -> Floats:
        """Velocity that each drive measures (D,) [m/s or rad/s]."""
        state = self.state
        return np.array([state.drive_velocity(drive) for drive in self._joint.drives], np.float64)

    def _present(self) -> Joint:
        """Return the joint with its animated frames at their current poses."""
        joint, scene = self._joint, self._sim.scene
        moving = [frame for frame in (joint.a, joint.b) if frame.moves]
        if not moving:
            return joint
        nodes = {node for f in moving for node in (f.node, scene.bodies[f.body].node)}
        animated = animated_poses(self._sim.stage, np.array([self._sim.time]), sorted(nodes))
        a, b = (
            dataclasses.replace(f, pose=_first(frame_in_body(scene, f, animated)))
            for f in (joint.a, joint.b)
        )
        return dataclasses.replace(joint, a=a, b=b)

    def __repr__(self) -> str:
        return f"<joint {shortened(repr(self.name), 100)} (node {self.node}): {self.kind}>"


def values_of(joints: Handles[JointHandle]) -> JointValues:
    """Return the current values of all limits (L,) and drives (D,) of all joints."""
    none = np.zeros(0)
    columns = [[none], [none], [none]]
    for joint in joints:
        for column, values in zip(
            columns, (joint.limits, joint.drives, joint.drive_velocities), strict=True
        ):
            column.append(values)
    return JointValues(*(np.concatenate(column) for column in columns))


def _first(pose: Pose) -> Pose:
    """Return the first pose (F, …) of a frame, or its only one."""
    parts = (pose.translation, pose.rotation)
    return Pose(*(values if values.ndim == 1 else values[0] for values in parts))
