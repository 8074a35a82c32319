"""Compilation of a scene to a MuJoCo model, with the indices of its parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

import mujoco
import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.errors import SimulationError
from ligament.extensions.rigid_bodies import Drive
from ligament.extensions.shapes import Sphere
from ligament.physics.engines.mujoco.fidelity import SceneSubject
from ligament.physics.engines.mujoco.markup import xml
from ligament.physics.engines.mujoco.model import Model
from ligament.physics.engines.mujoco.model.damping import Slipping
from ligament.physics.engines.mujoco.model.dynamics import Dynamics
from ligament.physics.engines.mujoco.model.elements import Element
from ligament.physics.engines.mujoco.model.links import Link, Role, role_of
from ligament.physics.scene import Pose, Scene
from ligament.physics.shapes import has_extent

NOTHING: Final = Sphere(1e-3)
"""A shape, of a sensor, in place of one without extent."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Compiled:
    """A compiled model, and the indices of the scene's parts in it.

    `bodies` (B,) are MuJoCo's bodies, 0 for those that are `fixed` in the world; `colliders` (G,)
    are those of geoms; `free` the addresses of velocities of the free joints by body; `driven` the
    bodies whose poses come from outside. `actuators` are found by joint and drive; `dynamics` are
    those of the start, and `links` those of the bodies. `slipping` are the drives that the engine
    lets slip, with their actuators; `needs_implicit` says that dampers need an implicit integrator.
    `scales` (T,) are the lengths of tendons per metre or radian of what they measure.
    """

    model: Any
    bodies: Ints
    fixed: list[int]
    colliders: Ints
    free: dict[int, int]
    driven: frozenset[int]
    actuators: dict[tuple[int, int], int]
    step: float
    dynamics: Dynamics
    links: tuple[Link | None, ...]
    slipping: tuple[tuple[int, Slipping], ...]
    needs_implicit: bool
    scales: Floats

    @cached_property
    def alone(self) -> list[int]:
        """Indices of the free dynamic bodies without joints."""
        held = set(self.model.site_bodyid.tolist())  # tendons and equalities
        sizes = np.bincount(self.model.body_rootid, minlength=self.model.nbody)
        return [
            i
            for i in self.free
            if i not in self.driven
            and sizes[self.bodies[i]] == 1
            and int(self.bodies[i]) not in held
        ]

    def move_geoms(self, scene: Scene, collider: int, pose: Pose) -> None:
        """Move the geoms of a collider to another pose in its body."""
        before = scene.colliders[collider].pose
        body = scene.bodies[scene.colliders[collider].body].pose
        rotation = tf.multiply(pose.rotation, tf.conjugate(before.rotation))
        translation = pose.translation - tf.rotate(rotation, before.translation)
        if scene.colliders[collider].body in self.fixed:
            rotation = tf.multiply(
                tf.multiply(body.rotation, rotation), tf.conjugate(body.rotation)
            )
            arm = body.translation - tf.rotate(rotation, body.translation)
            translation = tf.rotate(body.rotation, translation) + arm
        geoms = np.flatnonzero(self.colliders == collider)
        places, rotations = self.model.geom_pos[geoms], self.model.geom_quat[geoms]
        self.model.geom_pos[geoms] = tf.rotate(rotation, places) + translation
        turned = np.asarray(tf.multiply(rotation, np.roll(rotations, -1, axis=1)))
        self.model.geom_quat[geoms] = np.roll(turned, 1, axis=1)


def compile_scene(
    scene: Scene,
    gravity: Floats,
    step: float,
    *,
    paired: frozenset[int] = frozenset(),
    senses: bool = False,
) -> Compiled:
    """Compile a scene for steps of a length [s]; see `Contacts` for the options."""
    assets = Element("asset")

    def add_mesh(points: Floats, triangles: Ints) -> str:
        name = f"mesh_{len(assets.children)}"
        assets.add("mesh", {"name": name, "vertex": points, "face": triangles, "inertia": "shell"})
        return name

    built = Model(
        SceneSubject(scene, gravity),
        add_mesh=add_mesh,
        step=step,
        is_run=True,
        paired=paired,
        senses=senses,
    )
    root = Element("mujoco")
    root.add("compiler", {"angle": "radian", "autolimits": "true"})
    option, *sections = built.elements()
    option.children[0].attributes["autoreset"] = "disable"
    root.children += [option, *([assets] if assets.children else []), *sections]
    try:
        model = mujoco.MjModel.from_xml_string(xml(root).decode())
    except ValueError as fault:
        message = str(fault).replace("\n", " ")
        raise SimulationError(f"MuJoCo rejects the scene: {message}") from None
    if any(collider.moves for collider in scene.colliders):
        # MuJoCo's middle phase keeps the bounds of the start.
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    links = built.skeleton.link_of
    bodies = [0 if link is None else model.body(link.name).id for link in links]
    return Compiled(
        model=model,
        bodies=np.array(bodies, np.intp),
        fixed=[i for i, body in enumerate(bodies) if not body],
        colliders=_colliders(model, built.geom_names),
        free={i: _address(model, link) for i, link in enumerate(links) if _is_free(link)},
        driven=frozenset(
            i for i, body in enumerate(scene.bodies) if role_of(body, is_run=True) is Role.HEAVY
        ),
        actuators=_actuators(scene, built.drives),
        step=step,
        dynamics=built.dynamics,
        links=tuple(links),
        slipping=() if senses else tuple(_slipping(built)),
        needs_implicit=built.needs_implicit,
        scales=np.array(built.limiter.scales),
    )


def _slipping(built: Model) -> Iterator[tuple[int, Slipping]]:
    for slip in built.slipping:
        yield built.drives.index((slip.joint, slip.drive)), slip


def _colliders(model: Any, names: list[list[str]]) -> Ints:
    """Return the collider of each geom."""
    found = np.full(model.ngeom, -1, np.intp)
    for collider, geoms in enumerate(names):
        for name in geoms:
            found[model.geom(name).id] = collider
    return found


def _is_free(link: Link | None) -> bool:
    return link is not None and [dof.kind for dof in link.dofs] == ["free"]


def _address(model: Any, link: Link | None) -> int:
    assert link is not None
    return int(model.joint(link.dofs[0].name).dofadr[0])


def _actuators(scene: Scene, drives: list[tuple[int, Drive]]) -> dict[tuple[int, int], int]:
    """Return the actuator of each joint and drive that has one."""
    found = {}
    for actuator, (joint, drive) in enumerate(drives):
        place = next(i for i, each in enumerate(scene.joints[joint].drives) if each is drive)
        found[joint, place] = actuator
    return found


def playable(scene: Scene) -> Scene:
    """Return a scene in which shapes without extent push nothing."""
    if all(has_extent(collider.shape) for collider in scene.colliders):
        return scene
    colliders = tuple(
        c if has_extent(c.shape) else dataclasses.replace(c, shape=NOTHING, is_sensor=True)
        for c in scene.colliders
    )
    return dataclasses.replace(scene, colliders=colliders)
