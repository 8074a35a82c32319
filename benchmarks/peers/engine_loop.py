"""Plays a world in a physics engine by the clock; each engine_*.py beside it builds one.

Runs in the interpreter of the engine measured, so it imports nothing else of this project.
Usage: python engine_NAME.py '{"world", "frames", "skip", "warm_up", "limit", "poses" or null}'.
`world` is a JSON file: bodies with position [m], rotation xyzw, parts and is_static, and joints
with their kind, bodies a (null: the world) and b, and frames [position, rotation] in both.
`warm_up` frames are played before, in a world of their own. After every frame of 1/60 s all poses
are read, and written to `poses` at the end: float32 (frames + 1, moving bodies, 7). The clock runs
from frame `skip` on; after `limit` seconds no further frame is begun.
Prints {"build" [s], "seconds", "cpu" [s], "frames", …}: what the clock and the processor took for
so many frames.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

STEP = 1 / 60
GRAVITY = (0.0, -9.81, 0.0)
FRICTION = 0.6
DENSITY = 1000.0

Json = dict[str, Any]
Floats = npt.NDArray[np.float64]


class Player(Protocol):
    """A world in an engine."""

    def step(self) -> None:
        """Advances by 1/60 s."""

    def read(self, poses: Floats) -> None:
        """Writes position [m] and rotation xyzw of all moving bodies (B, 7)."""

    def remarks(self) -> Json:
        """Further results, returned at the end."""


def main(build: Callable[[Json, Json], Player]) -> None:
    """Answers the request on the command line with an engine; `build` takes world and request."""
    request = json.loads(sys.argv[1])
    world = json.loads(Path(request["world"]).read_text())
    bodies = sum(not body["is_static"] for body in world["bodies"])
    _play(build(world, request), np.empty((request["warm_up"] + 1, bodies, 7)), request["limit"])
    start = time.perf_counter()
    player = build(world, request)
    built = time.perf_counter()
    poses = np.empty((request["frames"] + 1, bodies, 7))
    stamps, cpu = _play(player, poses, request["limit"], request["skip"])
    if request["poses"]:
        poses[: len(stamps)].astype(np.float32).tofile(request["poses"])
    first = request["skip"] if request["skip"] < len(stamps) - 1 else 0
    clocked = {
        "seconds": stamps[-1] - stamps[first],
        "cpu": cpu[-1] - cpu[-2 if first else 0],
        "frames": len(stamps) - 1 - first,
    }
    print(json.dumps({"build": built - start, **clocked, **player.remarks()}))


def _play(
    player: Player, poses: Floats, limit: float, skip: int = 0
) -> tuple[list[float], list[float]]:
    """Plays as many frames as there is room or time for; the time of each [s].

    Also the processor's time [s] at the start, after `skip` frames and at the end.
    """
    player.read(poses[0])
    cpu = [time.process_time()]
    stamps = [time.perf_counter()]
    for frame in poses[1:]:
        if stamps[-1] - stamps[0] > limit:
            break
        player.step()
        player.read(frame)
        stamps.append(time.perf_counter())
        if len(stamps) == skip + 1:
            cpu.append(time.process_time())
    return stamps, [*cpu, time.process_time()]
