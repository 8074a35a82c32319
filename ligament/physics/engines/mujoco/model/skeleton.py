"""Kinematic trees: the joints that they are made of, and those that close loops."""

from __future__ import annotations

import dataclasses
import heapq
from typing import Final

import numpy as np

from ligament.arrays import Floats
from ligament.physics.engines.mujoco.model.elements import Names, Subject
from ligament.physics.engines.mujoco.model.links import (
    Dof,
    Link,
    Role,
    finite_mass,
    make_dofs,
    own_dofs,
    role_of,
    stand_in,
)
from ligament.physics.engines.mujoco.model.loops import Closure, closure_of
from ligament.physics.freedom import MISFIT, Freedom, angles, freedom, placed, turn_bounds
from ligament.physics.mass import MassProperties
from ligament.physics.metrics import Relative, nearest_turn, relative, twist
from ligament.physics.scene import Body, Frame, Pose
from ligament.physics.scene_builder import WORLD

DEEPEST: Final = 200
"""Longest chain of links; MuJoCo's reader accepts elements nested to about 500."""

LOOP_LINK_MASS: Final = 1e-3
"""Mass of the link that carries the joint of a loop, relative to the lighter body."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class MappedJoint:
    """A joint of the scene as it is mapped to the model.

    `a` and `b` are the links of its frames, None for the world; `frame_a` and `frame_b` the frames
    at the start, in the world. `dofs` are the joint elements, in the tree or of the extra link that
    carries them (`carrier`); without any, the joint is only a constraint.
    """

    index: int
    name: str
    freedom: Freedom
    a: Link | None
    b: Link | None
    frame_a: Pose
    frame_b: Pose
    dofs: tuple[Dof, ...] = ()
    is_in_tree: bool = False
    carrier: Link | None = None

    @property
    def held_b(self) -> Pose:
        """Frame B, in the world at the start, where the locks hold it."""
        start = relative(*_arrays(self.frame_a, self.frame_b))
        return placed(self.frame_a, self.freedom.held(start))


@dataclasses.dataclass(frozen=True, eq=False)
class Skeleton:
    """Trees of links, the link of every body of the scene (None: the world), and the joints."""

    roots: list[Link]
    link_of: list[Link | None]
    joints: list[MappedJoint]


def grow(subject: Subject, names: Names, *, is_run: bool = False) -> Skeleton:
    """Attach every body to another one or to the world; see `role_of` for `is_run`."""
    return _Grower(subject, names, is_run=is_run).grow()


class _Grower:
    """Grows the trees, starting from the world and from bodies that forces cannot move."""

    def __init__(self, subject: Subject, names: Names, *, is_run: bool) -> None:
        self.subject, self.names, self.scene = subject, names, subject.scene
        self.is_run = is_run
        self.roles = [role_of(body, is_run=is_run) for body in self.scene.bodies]
        self.infinity = stand_in(self.scene)
        self.starts = [self._start(joint.a, joint.b) for joint in self.scene.joints]
        self.freedoms = [
            freedom(joint, start)
            for joint, start in zip(self.scene.joints, self.starts, strict=True)
        ]
        self.links: dict[int, Link] = {}
        self.roots: list[Link] = []
        self.joints: dict[int, MappedJoint] = {}
        self._depth: dict[int, int] = {}
        self._joints_at: list[list[int]] = [[] for _ in self.scene.bodies]
        for index, joint in enumerate(self.scene.joints):
            if not self.freedoms[index].is_distance and self.freedoms[index].misfit <= MISFIT:
                self._joints_at[joint.a.body].append(index)
                self._joints_at[joint.b.body].append(index)

    def grow(self) -> Skeleton:
        bodies = range(len(self.scene.bodies))
        anchors = [body for body in bodies if self.roles[body] is not Role.FREE]
        for body in anchors:
            self._add_root(body)
        self._spread(anchors)
        for body in bodies:
            if body not in self.links and not self._is_world(body):
                self._add_root(body)
                self._spread([body])
        for index, joint in enumerate(self.scene.joints):
            ends = (self.roles[joint.a.body], self.roles[joint.b.body])
            if index not in self.joints and Role.FREE in ends:
                self.joints[index] = self._map_loop_joint(index)
        joints = [self.joints[index] for index in sorted(self.joints)]
        return Skeleton(self.roots, [self.links.get(body) for body in bodies], joints)

    def _is_world(self, body: int) -> bool:
        return self.scene.bodies[body].node == WORLD

    def _name(self, kind: str, node: int) -> str:
        return self.names.give(kind, self.subject.name_of(node), f"node_{node}")

    def _add_root(self, index: int) -> None:
        """Add a root link with its own degrees of freedom."""
        if self._is_world(index):
            self._depth[index] = 0
            return
        body, role = self.scene.bodies[index], self.roles[index]
        link = self._link(index, None)
        if role is Role.HEAVY:
            link.dofs = [
                Dof(kind="free", name=link.name, direction=np.eye(3)[2], anchor=np.zeros(3))
            ]
        elif role is Role.FREE:
            link.dofs = own_dofs(body, link.name)
        for dof in link.dofs:
            dof.name = self.names.give("joint", dof.name, "joint")
        if link.dofs:
            link.mass = self._finite_mass(body, link.dofs)

    def _finite_mass(self, body: Body, dofs: list[Dof]) -> MassProperties:
        return finite_mass(self.subject, body, dofs, self.infinity, is_run=self.is_run)

    def _link(self, index: int, parent: Link | None) -> Link:
        body = self.scene.bodies[index]
        link = Link(
            name=self._name("body", body.node),
            body=index,
            parent=parent,
            pose=body.pose,
            mass=body.mass,
            linear_velocity=body.linear_velocity,
            angular_velocity=body.angular_velocity,
            gravity_factor=0.0 if self.roles[index] is Role.HEAVY else body.gravity_factor,
            is_mocap=self.roles[index] is Role.MOCAP,
        )
        self.links[index] = link
        (self.roots if parent is None else parent.children).append(link)
        self._depth[index] = 1
        return link

    def _spread(self, starts: list[int]) -> None:
        """Attach all bodies that joints reach; what is best in a tree comes first."""
        waiting: list[tuple[int, int, int, int]] = []
        for body in starts:
            self._queue_joints(body, waiting)
        while waiting:
            *_, index, body = heapq.heappop(waiting)
            joint = self.scene.joints[index]
            other = joint.b.body if joint.a.body == body else joint.a.body
            if other not in self.links and not self._is_world(other):
                self._add_child(index, body, other)
                self._queue_joints(other, waiting)

    def _queue_joints(self, body: int, waiting: list[tuple[int, int, int, int]]) -> None:
        if self._depth[body] < DEEPEST:
            for index in self._joints_at[body]:
                freedom = self.freedoms[index]
                order = closure_of(freedom), -len(freedom.locks)
                heapq.heappush(waiting, (*order, index, body))

    def _add_child(self, index: int, parent: int, child: int) -> None:
        joint = self.scene.joints[index]
        is_fixed = self.roles[parent] is Role.FIXED
        link = self._link(child, None if is_fixed else self.links[parent])
        self._depth[child] = 1 if is_fixed else self._depth[parent] + 1
        frames = self._frames(joint.a, joint.b)
        name = self._name("mapped", joint.node)
        dofs = self._dofs(index, name, *frames, child_has_a=joint.a.body == child)
        link.dofs = dofs
        link.mass = self._finite_mass(self.scene.bodies[child], dofs)
        self.joints[index] = MappedJoint(
            index=index,
            name=name,
            freedom=self.freedoms[index],
            a=self._holder(joint.a),
            b=self._holder(joint.b),
            frame_a=frames[0],
            frame_b=frames[1],
            dofs=tuple(dofs),
            is_in_tree=True,
        )

    def _dofs(
        self, index: int, name: str, frame_a: Pose, frame_b: Pose, *, child_has_a: bool
    ) -> list[Dof]:
        freedom, start = self.freedoms[index], relative(*_arrays(frame_a, frame_b))
        values = np.concatenate([start.position, angles(start.rotation, freedom.order)])
        for axis in freedom.free("angular"):
            value = values[3 + axis] if freedom.hinge is None else twist(start.rotation, axis)
            bounds = turn_bounds(self.scene.joints[index].limits, axis)
            values[3 + axis] = freedom.hinge_angle(float(nearest_turn(value, *bounds)))
        dofs = make_dofs(freedom, name, frame_a, frame_b, values, child_has_a=child_has_a)
        for dof in dofs:
            dof.name = self.names.give("joint", dof.name, "joint")
        return dofs

    def _map_loop_joint(self, index: int) -> MappedJoint:
        """Map a joint outside the trees; add a carrier where MuJoCo has no such constraint."""
        joint, freedom = self.scene.joints[index], self.freedoms[index]
        frame_a, frame_b = self._frames(joint.a, joint.b)
        mapped = MappedJoint(
            index=index,
            name=self._name("mapped", joint.node),
            freedom=freedom,
            a=self._holder(joint.a),
            b=self._holder(joint.b),
            frame_a=frame_a,
            frame_b=frame_b,
        )
        if freedom.is_distance or closure_of(freedom) >= Closure.AXIS:
            return mapped
        return self._carried(mapped)

    def _carried(self, mapped: MappedJoint) -> MappedJoint:
        pose = placed(mapped.frame_a, mapped.freedom.held(self.starts[mapped.index]))
        joint = self.scene.joints[mapped.index]
        carrier = Link(
            name=self._name("body", joint.node),
            body=None,
            parent=mapped.a,
            pose=pose,
            mass=self._carried_mass(joint.a.body, joint.b.body),
            gravity_factor=0.0,
        )
        carrier.dofs = self._dofs(
            mapped.index, mapped.name, mapped.frame_a, pose, child_has_a=False
        )
        (self.roots if mapped.a is None else mapped.a.children).append(carrier)
        self.subject.lose(
            self.subject.joint_pointer(joint.node),
            "a joint that closes a loop",
            "MuJoCo's joints form trees",
            "a light body has the joint, and is welded to the other side",
        )
        return dataclasses.replace(mapped, dofs=tuple(carrier.dofs), carrier=carrier)

    def _carried_mass(self, *bodies: int) -> MassProperties:
        links = [self.links[body] for body in bodies if self.roles[body] is Role.FREE]
        lightest = min(links, key=lambda link: link.mass.mass).mass
        inertia = np.full(3, LOOP_LINK_MASS * float(lightest.inertia.mean()))
        return MassProperties(
            LOOP_LINK_MASS * lightest.mass, np.zeros(3), inertia, np.array([0.0, 0, 0, 1])
        )

    def _holder(self, frame: Frame) -> Link | None:
        """Return the link of a frame, None where it is fixed in the world."""
        return None if self.roles[frame.body] is Role.FIXED else self.links[frame.body]

    def _frames(self, a: Frame, b: Frame) -> tuple[Pose, Pose]:
        bodies = self.scene.bodies
        return placed(bodies[a.body].pose, a.pose), placed(bodies[b.body].pose, b.pose)

    def _start(self, a: Frame, b: Frame) -> Relative:
        return relative(*_arrays(*self._frames(a, b)))


def _arrays(a: Pose, b: Pose) -> tuple[Floats, Floats, Floats, Floats]:
    return a.translation, a.rotation, b.translation, b.rotation
