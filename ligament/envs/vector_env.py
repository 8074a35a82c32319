"""`VectorEnv`: many worlds of one scene as a Gymnasium vector environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ligament.arguments import checked
from ligament.arrays import Array, Bools, Floats, Ints
from ligament.envs.expressions import parse
from ligament.envs.signals import Signals
from ligament.envs.task import Formula, Task, read_task
from ligament.envs.values import Values
from ligament.errors import ContentError, LigamentError
from ligament.gltf import Document
from ligament.worlds import Worlds

Single = npt.NDArray[np.float32]


class VectorEnv(gymnasium.vector.VectorEnv[Single, Single, npt.NDArray[Any]]):
    """Many worlds of one scene in which a policy acts and observes as defined by a task.

        envs = VectorEnv("cart.glb", "balance.toml", 64, engine="mujoco")
        observations, infos = envs.reset(seed=1)
        observations, rewards, ended, cut, infos = envs.step(envs.action_space.sample())

    Actions (W, A) are clipped to their ranges. After `reset(seed=s)`, world k starts its episodes
    as the single `Env` after `reset(seed=s + k)`. If the engine cannot redraw worlds
    ("mujoco-warp"), each keeps its initial variation. A world that becomes non-finite ends its
    episode and is marked in `infos["failed"]`. `options` are those of `lg.Worlds`; existing worlds
    may be given instead of a document.
    """

    @checked
    def __init__(
        self,
        document: Document | str | os.PathLike[str] | Worlds,
        task: Task | str | os.PathLike[str] | Mapping[str, Any],
        num_envs: int | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise ContentError(f"the render mode {render_mode!r}", remedy="use record_policy")
        self.task, self.autoreset_mode = read_task(task), _mode(autoreset_mode)
        if isinstance(document, Worlds):
            self.worlds = self._adopted(document, num_envs, options)
        else:
            looks = any(each.kind == "touching" for each in self.task.observations)
            options = {"vary": self.task.vary, "contacts": looks, **options}
            self.worlds = Worlds(document, 1 if num_envs is None else num_envs, **options)
        self.num_envs = num_envs = self.worlds.count
        self.metadata = {
            "render_modes": [],
            "render_fps": self.worlds.rate / self.task.frames,
            "autoreset_mode": self.autoreset_mode,
        }
        self._signals = Signals(self.task, self.worlds)
        self.single_action_space = _box(*self._signals.action_bounds)
        self.single_observation_space = _box(*self._signals.observation_bounds)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._formulas = {key: self._compiled(each) for key, each in self.task.formulas().items()}
        self._elapsed = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, bool)
        self._seeds: Ints | None = None
        self._episodes = np.zeros(num_envs, np.int64)
        self._actions = np.zeros((num_envs, len(self._signals.action_bounds[0])))
        values, _ = self._measured()
        for key in self._formulas:  # faults are reported before training starts
            self._evaluated(key, values)

    def _adopted(self, worlds: Worlds, num_envs: int | None, options: Mapping[str, Any]) -> Worlds:
        """Return existing worlds, which already have their number and options."""
        given = [*options, *(["num_envs"] if num_envs not in (None, worlds.count) else [])]
        if given:
            raise ContentError(
                f"{given[0]} cannot change existing worlds", remedy="give it to Worlds"
            )
        if self.task.vary is not None:
            remedy = "give its rules to Worlds as well, or a file in place of the worlds"
            raise self.task.error("vary", "the worlds are already sampled", remedy)
        return worlds

    # --- Gymnasium's calls ---

    @checked
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Single, dict[str, Any]]:
        """Start new episodes in all worlds, or in those of a mask `options["reset_mask"]` (W,)."""
        given: Any = seed
        if not isinstance(given, int | None):
            given = int(given) if isinstance(given, Integral) else list(given)
        seed = given
        for each in given if isinstance(given, list) else [given]:
            require_seed(each)
        super().reset(seed=seed if isinstance(seed, int) else None)
        mask = self._mask(options)
        self._seed(mask, seed)
        self._restart(mask)
        return self._measured()[1], {}

    @checked
    def step(
        self, actions: Array
    ) -> tuple[Single, Floats, npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Apply actions (W, A); return observations, rewards, terminated, truncated (W,), infos."""
        self._act(actions)
        self._elapsed += 1
        values, seen = self._measured()
        rewards = self._evaluated("reward", values).astype(np.float64)
        terminated = values.failed.copy()
        if "terminated" in self._formulas:
            terminated |= self._evaluated("terminated", values).astype(bool)
        steps = self.task.steps
        truncated = np.zeros(self.num_envs, bool) if steps is None else self._elapsed >= steps
        infos: dict[str, Any] = {}
        match self.autoreset_mode:
            case AutoresetMode.NEXT_STEP:
                restarted = self._ended
                for array in (rewards, terminated, truncated):
                    array[restarted] = 0
                reported = values.failed & ~restarted
            case AutoresetMode.SAME_STEP:
                restarted, reported = terminated | truncated, np.zeros(self.num_envs, bool)
                infos = self._final(restarted, seen, values.failed)
            case _:
                restarted, reported = np.zeros(self.num_envs, bool), values.failed
        for world in np.flatnonzero(reported).tolist():
            infos = self._add_info(infos, {"failed": True}, world)
        self._ended = terminated | truncated
        if restarted.any():
            ended = self._ended & ~restarted
            self._restart(restarted)
            self._ended = ended
            seen = self._measured()[1]
        return seen, rewards, terminated, truncated, infos

    def close_extras(self, **_: Any) -> None:
        """Release processes and devices."""
        self.worlds.close()

    # --- steps ---

    def _act(self, actions: Array) -> None:
        if self._seeds is None:
            raise ContentError("step was called before reset", remedy="call reset first")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            ended = np.flatnonzero(self._ended).tolist()
            remedy = 'reset them: options={"reset_mask": terminated | truncated}'
            raise ContentError(f"the episodes of the worlds {ended} have ended", remedy=remedy)
        given = np.asarray(actions, np.float64)
        if given.shape != self.action_space.shape:
            remedy = f"give one of shape {self.action_space.shape}"
            raise ContentError(f"an action of shape {given.shape}", remedy=remedy)
        if not np.isfinite(given).all():
            raise ContentError("an action that is not finite", remedy="give finite numbers")
        self._actions = np.clip(given, *self._signals.action_bounds)
        self._signals.act(self._actions, self.task.frames)

    def _measured(self) -> tuple[Values, Single]:
        """Return all values, and the policy's observations (W, O)."""
        read = self._signals.read()
        named, seen = {}, []
        for bound, numbers in zip(self._signals.observations, read, strict=True):
            own = bound.observation
            if own.name is not None:
                named[own.name] = numbers[:, 0] if bound.size == 1 else numbers
            if not own.hidden:
                seen.append(numbers)
        time = self._elapsed.astype(np.float64) * (self.task.frames / self.worlds.rate)
        values = Values(named, self._actions, time, self.worlds.failed, self.worlds)
        space = self.single_observation_space
        assert isinstance(space, gymnasium.spaces.Box)
        whole = np.concatenate(seen, axis=1).astype(np.float32)
        return values, np.clip(whole, space.low, space.high)

    def _compiled(self, formula: Formula) -> Callable[[Values], Array]:
        if callable(formula):
            return formula
        evaluate = parse(formula, self.task.names)
        return lambda now: evaluate({**now.named, "action": now.action, "time": now.time})

    def _evaluated(self, key: str, values: Values) -> npt.NDArray[Any]:
        """Return reward or termination (W,)."""
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self._formulas[key](values))
            return np.broadcast_to(found, self.num_envs).copy()
        except LigamentError:
            raise
        except (ValueError, IndexError, TypeError, KeyError) as fault:
            if callable(self.task.formulas()[key]) and not isinstance(fault, ValueError):
                raise
            remedy = f"it gives one number for each world, an array of shape ({self.num_envs},)"
            raise self.task.error(key, f"cannot be evaluated ({fault})", remedy) from fault

    def _final(self, ended: Bools, seen: Single, failed: Bools) -> dict[str, Any]:
        """Return the results of the last step of episodes, which the next ones replace."""
        infos: dict[str, Any] = {}
        for world in np.flatnonzero(ended).tolist():
            info = {"failed": True} if failed[world] else {}
            infos = self._add_info(
                infos, {"final_obs": seen[world].copy(), "final_info": info}, world
            )
        return infos

    # --- episodes ---

    def _mask(self, options: dict[str, Any] | None) -> Bools:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, bool)
        is_mask = isinstance(mask, np.ndarray) and mask.dtype == bool
        if not is_mask or mask.shape != (self.num_envs,) or not mask.any():
            remedy = f"give an array of {self.num_envs} booleans, one or more of them True"
            raise ContentError(f"reset_mask is {mask!r}", remedy=remedy)
        return np.asarray(mask)

    def _seed(self, worlds: Bools, seed: int | Sequence[int | None] | None) -> None:
        """Start new sequences of episodes in some worlds."""
        if seed is None and self._seeds is None:
            seed = int(self.np_random.integers(1 << 31))
        if self._seeds is None:
            self._seeds = np.zeros(self.num_envs, np.int64)
        if seed is None:
            return
        listed = [seed + k for k in range(self.num_envs)] if isinstance(seed, int) else list(seed)
        if len(listed) != self.num_envs:
            raise ContentError(f"{len(listed)} seeds", remedy=f"give {self.num_envs}")
        for world in np.flatnonzero(worlds).tolist():
            own = listed[world]
            if own is not None:
                self._seeds[world], self._episodes[world] = own, 0

    def _restart(self, worlds: Bools) -> None:
        """Start the next episodes of some worlds."""
        assert self._seeds is not None
        if self.worlds.parameter_names and self.worlds.can_redraw:
            self.worlds.reset(worlds, draws=self._episodes, seeds=self._seeds)
            self._signals.restart()
        else:
            self.worlds.reset(worlds)
        self._episodes[worlds] += 1
        self._elapsed[worlds] = 0
        self._ended[worlds] = False


def require_seed(seed: int | None) -> None:
    """Refuse a seed that Gymnasium's generators do not accept."""
    if seed is not None and seed < 0:
        raise ContentError(f"the seed is {seed}", remedy="use 0 or more")


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        remedy = f"use one of {', '.join(each.value for each in AutoresetMode)}"
        raise ContentError(f"the autoreset mode {mode!r}", remedy=remedy) from None


def _box(low: Floats, high: Floats) -> gymnasium.spaces.Box:
    return gymnasium.spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
