"""`Worlds`: many variations of one scene, stepped together, as arrays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ligament.arguments import checked, names_of
from ligament.arrays import Array, Bools, Floats, Ints
from ligament.errors import ContentError, FileError, SimulationError, counted, nearest
from ligament.gltf import AnyDocument, as_document
from ligament.options.names import EARTH, ENGINES, Quality
from ligament.physics.engines import DEVICE_ENGINE, THREADED, Vector, single_engine
from ligament.physics.joint_state import JointValues
from ligament.physics.scene import Scene
from ligament.play import Simulation
from ligament.processes import cores
from ligament.worlds.backend import Backend, Layout, Redrawing
from ligament.worlds.variations.quantities import Owner
from ligament.worlds.variations.rules import Rules, Variations, read_variations
from ligament.worlds.variations.sampler import bind
from ligament.worlds.variations.variation import varied


class Worlds:
    """Many variations of one scene, stepped together.

        worlds = Worlds(load("cart.glb"), 4096, engine="mujoco-warp", device="cuda")
        for _ in range(100):
            worlds.set_drive_targets(velocities=actions)
            worlds.step()
            observed = torch.from_dlpack(worlds.translation)

    `translation` (W, B, 3) [m], `rotation` (W, B, 4) xyzw, `linear_velocity` [m/s] and
    `angular_velocity` [rad/s] (W, B, 3) are the current world values of the bodies at `nodes` (B,).
    They keep their memory, on the device of the engine, and can be shared by DLPack without a copy.
    Input arrays may be of any library.

    `vary` are rules as in `ligament worlds`; world k has the same parameters as there. A world that
    becomes non-finite is marked in `failed` and frozen until it is reset, while the others
    continue. `jobs` are threads ("mujoco") or processes ("rapier" and others). Worlds are numbered
    from `first`. `contact_room` is the number of contacts per world that a device has room for.
    """

    @checked
    def __init__(
        self,
        document: AnyDocument,
        count: int,
        *,
        engine: str = ENGINES[0],
        device: str | None = None,
        vary: Rules | None = None,
        seed: int | None = None,
        rate: float = 60.0,
        substeps: int | None = None,
        quality: Quality = "exact",
        gravity: Sequence[float] = EARTH,
        animations: str | Sequence[str] | None = None,
        scene: int | None = None,
        contacts: bool = False,
        jobs: int | None = None,
        contact_room: int | None = None,
        first: int = 0,
    ) -> None:
        if count < 1:
            raise ContentError(f"{count} worlds", remedy="use 1 or more")
        for what, value, least in (
            ("jobs", jobs, 1),
            ("contact_room", contact_room, 1),
            ("first", first, 0),
        ):
            if value is not None and value < least:
                raise ContentError(f"{what} is {value}", remedy=f"use {least} or more")
        if device is not None and engine != DEVICE_ENGINE:
            remedy = f'leave device out, or use engine="{DEVICE_ENGINE}"'
            raise ContentError(f"the engine {engine!r} on the device {device!r}", remedy=remedy)
        self.document, animations = as_document(document), names_of(animations)
        self.count, self.engine, self.first = count, engine, first
        self.animations, self.gravity = animations, tuple(gravity)
        options: dict[str, Any] = {
            "rate": rate,
            "substeps": substeps,
            "quality": quality,
            "gravity": tuple(gravity),
            "animations": animations,
            "scene": scene,
            "contacts": contacts,
            "engine": single_engine(engine),
        }
        sim = Simulation(self.document, **options)
        if not any(body.is_declared for body in sim.scene.bodies):
            raise self.document.error("there are no rigid bodies", "/nodes", "add some first")
        self.rules = Variations((), None, {}) if vary is None else read_variations(vary)
        self.seed = _seed(seed, self.rules.seed)
        self.tree = sim.stage.tree
        self.rate, self.nodes = rate, np.sort(sim.nodes)
        self.layout = Layout.of(sim.scene, self.nodes)
        self._sampler = bind(self.rules, sim.scene, self.tree)
        self._draws = np.stack([np.full(count, self.seed), np.array(self.numbers)], axis=1)
        self._contacts = contacts
        self._backend = self._start(sim, options, device, jobs, contact_room)
        self._process = os.getpid()

    def _start(
        self,
        sim: Simulation,
        options: dict[str, Any],
        device: str | None,
        jobs: int | None,
        contact_room: int | None,
    ) -> Backend:
        workers = jobs or cores()
        if self.engine not in (*THREADED, DEVICE_ENGINE):
            from ligament.worlds.processes import Processes

            return Processes(self, options, workers)
        drawn = [self._varied(sim, world) for world in self.numbers]
        if self.engine == DEVICE_ENGINE:
            return _on_a_device(sim, self.layout, drawn, device, contact_room)
        from ligament.worlds.simulations import Simulations

        scenes, gravities = [each[0] for each in drawn], [each[1] for each in drawn]
        return Simulations(sim, self.layout, scenes, gravities, workers, self._sampler)

    # --- properties ---

    @property
    def names(self) -> tuple[str | None, ...]:
        """The names of the bodies."""
        return tuple(self.tree.names[node] for node in self.nodes)

    @property
    def numbers(self) -> range:
        """The numbers of the worlds, which determine their draws."""
        return range(self.first, self.first + self.count)

    @property
    def parameters(self) -> Floats:
        """The parameters (W, P) drawn by the rules, named by `parameter_names`."""
        numbers = self._draws.tolist()
        return np.stack([self._sampler.draw(seed, number) for seed, number in numbers])

    @property
    def can_redraw(self) -> bool:
        """Whether `reset` accepts `draws` on this engine."""
        return isinstance(self._backend, Redrawing)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of the parameters: `Ball.linear_velocity.x`, `gravity.y`."""
        return self._sampler.names

    @property
    def start_targets(self) -> Floats:
        """Initial targets (W, D, 2) of the drives: positions and velocities."""
        own = self.layout.targets(self.layout.scene)
        if not any(bound.rule.trait.owner is Owner.DRIVE for bound in self._sampler.bound):
            return np.tile(own, (self.count, 1, 1))
        scene, still = self.layout.scene, (0.0, 0.0, 0.0)
        drawn = [varied(self._sampler, scene, still, each)[0] for each in self.parameters]
        return np.stack([self.layout.targets(each) for each in drawn])

    # --- state ---

    @property
    def translation(self) -> Array:
        """World positions of the body nodes (W, B, 3) [m]."""
        return self._backend.translation

    @property
    def rotation(self) -> Array:
        """World rotations of the body nodes (W, B, 4) xyzw."""
        return self._backend.rotation

    @property
    def linear_velocity(self) -> Array:
        """World velocities of the centres of mass (W, B, 3) [m/s]."""
        return self._backend.linear_velocity

    @property
    def angular_velocity(self) -> Array:
        """World angular velocities (W, B, 3) [rad/s]."""
        return self._backend.angular_velocity

    @property
    def joint_values(self) -> JointValues:
        """Current values of all limits and drives."""
        return JointValues(*self._backend.joint_values())

    @property
    def touching(self) -> Array:
        """Which bodies (W, B) touch something solid; needs `contacts=True`."""
        if not self._contacts:
            raise ContentError("contacts are not recorded", remedy="use contacts=True")
        return self._backend.touching()

    @property
    def inside(self) -> Array:
        """Which triggers (W, T) are occupied."""
        return self._backend.inside()

    @property
    def failed(self) -> Bools:
        """Which worlds (W,) became non-finite since their start."""
        return self._backend.failed()

    # --- control ---

    @checked
    def step(self, frames: int = 1) -> None:
        """Advance all worlds by some frames of 1 / `rate` seconds."""
        if frames < 0:
            raise ContentError(f"{frames} frames", remedy="use 0 or more")
        self._require_process()
        self._backend.step(frames)

    def _require_process(self) -> None:
        """Raise SimulationError in a fork, which has neither the threads nor the device."""
        if os.getpid() != self._process:
            remedy = "create them in the process that steps them"
            raise SimulationError("these worlds belong to another process", remedy=remedy)

    @checked
    def reset(
        self,
        worlds: Array | None = None,
        *,
        draws: Array | None = None,
        seeds: Array | None = None,
    ) -> None:
        """Reset the worlds of a mask (W,), or all, while the others continue.

        `draws` (W,) redraws their variations: those of the worlds with these numbers, by `seeds`
        (W,) or the common seed. They keep them until they are redrawn.
        """
        self._require_process()
        is_foreign = hasattr(worlds, "__dlpack__") and not isinstance(worlds, np.ndarray)
        stays = self.engine == DEVICE_ENGINE and draws is None and is_foreign
        mask: Any = worlds
        if worlds is not None:
            mask = worlds if stays else np.asarray(_on_host(worlds))
            if tuple(mask.shape) != (self.count,) or "bool" not in str(mask.dtype):
                found = f"the mask is of {mask.dtype} with shape {tuple(mask.shape)}"
                raise ContentError(found, remedy=f"give {self.count} booleans")
        if draws is None:
            self._backend.reset(mask)
        else:
            chosen = np.ones(self.count, bool) if mask is None else mask
            seeds = np.full(self.count, self.seed) if seeds is None else seeds
            self._redraw(chosen, np.asarray(_on_host(draws)), np.asarray(_on_host(seeds)))

    def _redraw(self, worlds: Bools, draws: Ints, seeds: Ints) -> None:
        for what, each in (("draws", draws), ("seeds", seeds)):
            if each.shape != (self.count,) or each.dtype.kind not in "iu" or (each < 0).any():
                found = f"{what} of {each.dtype} with shape {each.shape}"
                raise ContentError(found, remedy=f"give {self.count} whole numbers of 0 or more")
        if not isinstance(self._backend, Redrawing):
            remedy = "reset without draws: worlds keep the variations that they were made with"
            raise ContentError(f"the engine {self.engine!r} cannot redraw worlds", remedy=remedy)
        self._backend.redraw(worlds, draws, seeds)
        self._draws[worlds] = np.stack([seeds, draws], axis=1)[worlds]

    @checked
    def set_drive_targets(
        self, positions: Array | None = None, velocities: Array | None = None
    ) -> None:
        """Set targets (W, D) [m or rad, m/s or rad/s] of all drives; None leaves them unchanged."""
        shape = (self.count, len(self.layout.drives))
        self._backend.set_targets(self._shaped(positions, shape), self._shaped(velocities, shape))

    @checked
    def set_drive_target(
        self,
        joint: int | str,
        position: Array | None = None,
        velocity: Array | None = None,
        *,
        drive: int = 0,
    ) -> None:
        """Set targets (W,) [m or rad, m/s or rad/s] of one drive of the joint on a node.

        >>> worlds.set_drive_target("Elbow", np.linspace(0, 1, worlds.count))
        """
        place = self._drive_at(joint, drive)
        given = [self._shaped(values, (self.count,)) for values in (position, velocity)]
        columns = [None if values is None else values[:, None] for values in given]
        self._backend.set_targets(columns[0], columns[1], place)

    def _drive_at(self, joint: int | str, drive: int) -> int:
        """Return the position of a drive among all, by the index or name of its joint's node."""
        nodes = [each.node for each in self.layout.scene.joints]
        names = [self.tree.names[node] or "" for node in nodes]
        known: Sequence[int | str] = names if isinstance(joint, str) else nodes
        if known.count(joint) != 1:
            found = "several joints are" if joint in known else "there is no joint"
            remedy = f"give the index of one: {nodes}" if joint in known else nearest(joint, names)
            raise ContentError(f"{found} on {joint!r}", file=self.document.path, remedy=remedy)
        owner = known.index(joint)
        if (owner, drive) not in self.layout.drives:
            count = len(self.layout.scene.joints[owner].drives)
            remedy = f"the joint on {joint!r} has {counted(count, 'drive')}"
            raise ContentError(f"there is no drive {drive}", file=self.document.path, remedy=remedy)
        return self.layout.drives.index((owner, drive))

    @checked
    def apply_forces(self, forces: Array | None = None, torques: Array | None = None) -> None:
        """Apply forces and torques (W, B, 3) [N, N m] to all bodies during the next frame.

        Forces act at the centres of mass; several calls before a step add up.
        """
        shape = (self.count, len(self.nodes), 3)
        self._backend.push(self._shaped(forces, shape), self._shaped(torques, shape))

    @checked
    def apply_impulses(self, impulses: Array | None = None, angular: Array | None = None) -> None:
        """Apply impulses and angular impulses (W, B, 3) [N s, N m s] to all bodies."""
        shape = (self.count, len(self.nodes), 3)
        self._backend.kick(self._shaped(impulses, shape), self._shaped(angular, shape))

    def _shaped(self, values: Array | None, shape: tuple[int, ...]) -> Array | None:
        """Return the input as an array: of its own library on a device, else of NumPy."""
        if values is None:
            return None
        if self.engine != DEVICE_ENGINE or not hasattr(values, "__dlpack__"):
            values = np.asarray(_on_host(values), np.float64)
        if tuple(values.shape) != shape:
            found = f"an array of shape {tuple(values.shape)}"
            raise ContentError(found, remedy=f"give one of shape {shape}")
        return values

    def close(self) -> None:
        """Release processes and devices."""
        self._backend.close()

    def __enter__(self) -> Worlds:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        bodies = counted(len(self.nodes), "body", "bodies")
        joints = counted(len(self.layout.scene.joints), "joint")
        return f"<ligament.Worlds: {self.count} of {bodies} and {joints} on {self.engine}>"

    def _varied(self, sim: Simulation, world: int) -> Any:
        parameters = self._sampler.draw(self.seed, world)
        return varied(self._sampler, sim.scene, sim.gravity, parameters)


def _on_a_device(
    sim: Simulation,
    layout: Layout,
    drawn: Sequence[tuple[Scene, Vector]],
    device: str | None,
    contact_room: int | None,
) -> Backend:
    try:
        from ligament.physics.engines.mujoco_warp import WarpWorlds
    except ImportError as fault:
        message = f"the engine {DEVICE_ENGINE!r} cannot be imported ({fault})"
        raise FileError(message, remedy='pip install "ligament[gpu]"') from fault
    return WarpWorlds(
        sim.scene,
        [scene for scene, _ in drawn],
        [gravity for _, gravity in drawn],
        step=1 / (sim.rate * sim.substeps),
        substeps=sim.substeps,
        bodies=layout.bodies.tolist(),
        drives=layout.drives,
        limits=layout.limits,
        device=device,
        contacts=contact_room,
    )


def _seed(asked: int | None, in_file: int | None) -> int:
    if asked is not None and asked < 0:
        raise ContentError(f"the seed is {asked}", remedy="use 0 or more")
    return asked if asked is not None else in_file or 0


def _on_host(array: Array) -> Array:
    """Return a small array on the host."""
    if isinstance(array, np.ndarray | list | tuple):
        return array
    for take in ("detach", "cpu", "get", "numpy"):
        if hasattr(array, take):
            array = getattr(array, take)()
    return np.asarray(array)
