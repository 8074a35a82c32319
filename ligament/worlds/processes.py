"""Worlds in several processes, for engines that keep Python busy while they step."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ligament.arrays import Array, Bools, Floats, Ints
from ligament.errors import LigamentError, SimulationError
from ligament.gltf import load, save
from ligament.physics.joint_state import JointValues
from ligament.play import Simulation
from ligament.worlds.backend import Layout
from ligament.worlds.simulations import Simulations
from ligament.worlds.variations.rules import Variations, read_variations
from ligament.worlds.variations.sampler import bind
from ligament.worlds.variations.variation import varied

if TYPE_CHECKING:
    from ligament.worlds.stepping import Worlds

_POSES: Final = ("translation", "rotation", "linear_velocity", "angular_velocity")
_END_SECONDS: Final = 5.0

# Not multiprocessing: a script needs no `if __name__ == "__main__"`.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; from ligament.worlds.processes import main; main()"
)


class Processes:
    """Worlds divided among processes, each with its own simulations."""

    translation: Floats
    rotation: Floats
    linear_velocity: Floats
    angular_velocity: Floats

    def __init__(self, worlds: Worlds, options: dict[str, Any], jobs: int) -> None:
        parts = np.array_split(np.arange(worlds.count), min(jobs, worlds.count))
        self._slices = [slice(int(part[0]), int(part[-1]) + 1) for part in parts]
        self._workers: list[_Worker] = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "scene.glb"
            save(worlds.document, path, embed=True)
            for part in self._slices:
                numbers = worlds.numbers[part]
                task = (str(path), options, worlds.rules.plain, worlds.seed, numbers)
                self._workers.append(worker := _Worker())
                worker.send(task)
            self._show(list(self._answers()))

    def _show(self, answers: list[Any]) -> None:
        """Write the poses of all parts into the arrays, which keep their memory."""
        for index, name in enumerate(_POSES):
            whole = np.concatenate([answer[index] for answer in answers])
            if hasattr(self, name):
                getattr(self, name)[:] = whole
            else:
                setattr(self, name, whole)

    def _ask(self, name: str, *arguments: Any) -> list[Any]:
        """Send a request to all processes, dividing arrays with worlds first among them."""
        for worker, part in zip(self._workers, self._slices, strict=True):
            shares = [None if each is None else _share(each, part) for each in arguments]
            worker.send((name, shares))
        return list(self._answers())

    def _answers(self) -> Iterator[Any]:
        for is_good, answer in [worker.receive() for worker in self._workers]:
            if not is_good:
                raise SimulationError(answer)
            yield answer

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
        return JointValues(*map(np.concatenate, zip(*self._ask("joint_values"), strict=True)))

    def touching(self) -> Bools:
        """Return which bodies touch something solid."""
        return np.concatenate(self._ask("touching"))

    def inside(self) -> Bools:
        """Return which triggers are occupied."""
        return np.concatenate(self._ask("inside"))

    def failed(self) -> Bools:
        """Return which worlds became non-finite."""
        return np.concatenate(self._ask("failed"))

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.close()
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def __del__(self) -> None:
        self.close()


class _Worker:
    """One process, as its owner sees it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._replies = self._process.stdin, self._process.stdout

    def send(self, content: Any) -> None:
        """Send a request."""
        try:
            pickle.dump(content, self._requests, pickle.HIGHEST_PROTOCOL)
            self._requests.flush()
        except (OSError, ValueError):
            raise _ended() from None

    def receive(self) -> Any:
        """Wait for the answer to a request."""
        try:
            return pickle.load(self._replies)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise _ended() from None

    def close(self) -> None:
        """Tell the process that there are no more requests."""
        with contextlib.suppress(OSError):
            self._requests.close()

    def end(self) -> None:
        """Wait for the process to end, but not for long."""
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._replies.close()


def _share(value: Any, part: slice) -> Any:
    return value if isinstance(value, int) else np.asarray(value)[part]


def _ended() -> SimulationError:
    return SimulationError("a process that steps worlds has ended", remedy="use fewer worlds")


# --- in a worker ---


def main() -> None:
    """Answer until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the owner handles interrupts
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what engines print is not an answer

    def answer(is_good: bool, content: Any) -> None:
        pickle.dump((is_good, content), replies, pickle.HIGHEST_PROTOCOL)
        replies.flush()

    with contextlib.suppress(EOFError, BrokenPipeError):
        try:
            backend = _start(*pickle.load(requests))
            answer(True, _poses(backend))
            while True:
                name, arguments = pickle.load(requests)
                found = getattr(backend, name)(*arguments)
                answer(True, _poses(backend) if found is None else found)
        except LigamentError as fault:
            answer(False, str(fault))
        except (EOFError, BrokenPipeError):
            raise
        except Exception:
            answer(False, traceback.format_exc(limit=-1))


def _poses(backend: Simulations) -> list[Array]:
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
