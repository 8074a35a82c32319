"""`Env`: one world of a scene as a Gymnasium environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from ligament.arguments import checked
from ligament.arrays import Array
from ligament.envs.task import Task
from ligament.envs.vector_env import VectorEnv, require_seed
from ligament.gltf import Document
from ligament.worlds import Worlds

Single = npt.NDArray[np.float32]


class Env(gymnasium.Env[Single, Single]):
    """One world of a scene in which a policy acts and observes as defined by a task.

        env = Env("cart.glb", "balance.toml", engine="mujoco")
        observation, info = env.reset(seed=1)
        observation, reward, ended, cut, info = env.step(env.action_space.sample())

    `options` are those of `lg.Worlds`.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  (as Gymnasium declares it)

    @checked
    def __init__(
        self,
        document: Document | str | os.PathLike[str],
        task: Task | str | os.PathLike[str] | Mapping[str, Any],
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        options = {"jobs": 1, **options, "autoreset_mode": "Disabled"}
        self._envs = VectorEnv(document, task, 1, render_mode=render_mode, **options)
        self.task, self.render_mode = self._envs.task, render_mode
        self.action_space = self._envs.single_action_space
        self.observation_space = self._envs.single_observation_space
        self.metadata = {"render_modes": [], "render_fps": self._envs.metadata["render_fps"]}

    @property
    def worlds(self) -> Worlds:
        """The world, with arrays of one row."""
        return self._envs.worlds

    @checked
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Single, dict[str, Any]]:
        """Start a new episode."""
        require_seed(seed)
        super().reset(seed=seed)
        seen, _ = self._envs.reset(seed=seed)
        return seen[0], {}

    @checked
    def step(self, action: Array) -> tuple[Single, float, bool, bool, dict[str, Any]]:
        """Apply an action (A,); return observation (O,), reward, terminated, truncated and info."""
        seen, rewards, ended, cut, infos = self._envs.step(np.asarray(action)[None])
        info = {"failed": True} if "failed" in infos else {}
        return seen[0], float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def close(self) -> None:
        """Release processes and devices."""
        self._envs.close()
