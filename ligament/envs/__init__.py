"""Environments for learning: Gymnasium's interface over many worlds of one scene."""

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
