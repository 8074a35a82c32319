"""Reinforcement-learning environments: Gymnasium's interface to many worlds of one scene."""

from ligament.errors import MissingExtraError

try:
    import gymnasium as _gymnasium  # noqa: F401  (checked here once for all modules)
except ImportError as fault:
    remedy = 'pip install "ligament[envs]"'
    raise MissingExtraError("environments need Gymnasium", remedy=remedy) from fault

from ligament.envs.env import Env
from ligament.envs.recorded import record_policy
from ligament.envs.task import Action, Observation, Task, read_task
from ligament.envs.values import Values
from ligament.envs.vector_env import VectorEnv

__all__ = [
    "Action",
    "Env",
    "Observation",
    "Task",
    "Values",
    "VectorEnv",
    "read_task",
    "record_policy",
]
