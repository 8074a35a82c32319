"""Worlds in several processes, for engines that keep Python busy while they step."""

from __future__ import annotations

import functools
import pickle
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ligament.arrays import Array, Bools, Floats, Ints
from ligament.errors import SimulationError
from ligament.gltf import load, save
from ligament.physics.joint_state import JointValues
from ligament.play import Simulation
from ligament.processes import Channel, Child, DiedError
from ligament.processes.calls import answer, result
from ligament.worlds.backend import Layout
from ligament.worlds.simulations import Simulations
from ligament.worlds.variations.rules import Variations, read_variations
from ligament.worlds.variations.sampler import bind
from ligament.worlds.variations.variation import varied

if TYPE_CHECKING:
    from ligament.worlds.stepping import Worlds

_POSES: Final = ("translation", "rotation", "linear_velocity", "angular_velocity")


class Processes:
    """Worlds divided among processes, each with its own simulations."""

    translation: Floats
    rotation: Floats
    linear_velocity: Floats
    angular_velocity: Floats

    def __init__(self, worlds: Worlds, options: dict[str, Any], jobs: int) -> None:
        parts = np.array_split(np.arange(worlds.count), min(jobs, worlds.count))
        self._slices = [slice(int(part[0]), int(part[-1]) + 1) for part in parts]
        self._workers: list[Child] = []
        with ThreadPoolExecutor(len(parts)) as threads:
            starts = [threads.submit(Child.start, _serve, is_lasting=True) for _ in parts]
            self._workers += [start.result() for start in starts]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scene.glb"
            save(worlds.document, path, embed=True)
            task = (str(path), options, worlds.rules.plain, worlds.seed)
            for worker, part in zip(self._workers, self._slices, strict=True):
                worker.send(("", (*task, worlds.numbers[part])))
            self._show(self._answers())

    def _show(self, answers: list[list[Floats]]) -> None:
        """Write the poses of all parts into the arrays, which keep their memory."""
        for index, name in enumerate(_POSES):
            whole = np.concatenate([answer[index] for answer in answers])
            if hasattr(self, name):
                getattr(self, name)[:] = whole
            else:
                setattr(self, name, whole)

    def _ask(self, name: str, *arguments: Any) -> list[list[Floats]]:
        """Send a request to all processes, dividing arrays with worlds first among them."""
        for worker, part in zip(self._workers, self._slices, strict=True):
            shares = [None if each is None else _share(each, part) for each in arguments]
            worker.send((name, shares))
        return self._answers()

    def _answers(self) -> list[list[Floats]]:
        try:
            answers = [worker.receive() for worker in self._workers]
        except DiedError as fault:
            message = f"a process that steps worlds {fault}"
            raise SimulationError(message, remedy="use fewer worlds") from fault
        return [result(each, list[np.ndarray[Any, Any]]) for each in answers]

    def _measured(self, name: str) -> list[Any]:
        return [np.concatenate(parts) for parts in zip(*self._ask(name), strict=True)]

    def step(self, frames: int) -> None:
        """Advance all worlds that have not failed."""
        self._show(self._ask("step", frames))

    def reset(self, worlds: Bools | None) -> None:
        """Reset some worlds to their start, or all."""
        self._show(self._ask("reset", worlds))

    def redraw(self, worlds: Bools, draws: Ints, seeds: Ints) -> None:
        """Redraw some worlds with these numbers and seeds (W,), and reset them."""
        self._show(self._ask("redraw", worlds, draws, seeds))

    def set_targets(
        self, positions: Array | None, velocities: Array | None, first: int = 0
    ) -> None:
        """Set new targets of drives."""
        self._ask("set_targets", positions, velocities, first)

    def push(self, forces: Array | None, torques: Array | None) -> None:
        """Apply forces and torques in the next frame."""
        self._ask("push", forces, torques)

    def kick(self, impulses: Array | None, angular: Array | None) -> None:
        """Apply impulses."""
        self._show(self._ask("kick", impulses, angular))

    def joint_values(self) -> JointValues:
        """Measure all limits and drives."""
        return JointValues(*self._measured("joint_values"))

    def touching(self) -> Bools:
        """Return which bodies touch something solid."""
        found: Bools = self._measured("touching")[0]
        return found

    def inside(self) -> Bools:
        """Return which triggers are occupied."""
        found: Bools = self._measured("inside")[0]
        return found

    def failed(self) -> Bools:
        """Return which worlds became non-finite."""
        found: Bools = self._measured("failed")[0]
        return found

    def close(self) -> None:
        """End the processes."""
        while self._workers:
            self._workers.pop().end()

    def __del__(self) -> None:
        self.close()


def _share(value: Any, part: slice) -> Any:
    return value if isinstance(value, int) else np.asarray(value)[part]


# --- in a worker ---


def _serve(channel: Channel) -> None:
    """Start simulations by the first request, and answer all others by what they do."""
    backend: Simulations | None = None

    def do(name: str, arguments: Sequence[Any]) -> Sequence[Any]:
        nonlocal backend
        if backend is None:
            backend = _start(*arguments)
            return _poses(backend)
        found = getattr(backend, name)(*arguments)
        if found is None:
            return _poses(backend)
        return found if isinstance(found, tuple) else [found]

    while (request := channel.receive()) is not None:
        channel.send(answer(functools.partial(do, *pickle.loads(request))))


def _poses(backend: Simulations) -> list[Floats]:
    return [getattr(backend, name) for name in _POSES]


def _start(
    path: str, options: dict[str, Any], rules: dict[str, Any], seed: int, numbers: range
) -> Simulations:
    sim = Simulation(load(path), **options)
    variations = read_variations(rules) if rules else Variations((), None, {})
    sampler = bind(variations, sim.scene, sim.stage.tree)
    draws = [sampler.draw(seed, world) for world in numbers]
    drawn = [varied(sampler, sim.scene, sim.gravity, each) for each in draws]
    layout = Layout.of(sim.scene, np.sort(sim.nodes))
    scenes, gravities = [each[0] for each in drawn], [each[1] for each in drawn]
    return Simulations(sim, layout, scenes, gravities, sampler=sampler)
