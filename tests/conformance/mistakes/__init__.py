"""Deliberate mistakes, each of which a case made for its sentence has to catch."""

from tests.conformance.mistakes import bodies, joints, machines, mirrors, rigs, surfaces
from tests.conformance.mistakes.mistake import REGISTER, Mistake, is_caught, play

__all__ = [
    "REGISTER",
    "Mistake",
    "bodies",
    "is_caught",
    "joints",
    "machines",
    "mirrors",
    "play",
    "rigs",
    "surfaces",
]
