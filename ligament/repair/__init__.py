"""What is wrong in exactly one way, put right: one file per repair."""

from ligament.repair.changes import Change
from ligament.repair.repair import Repaired, repair

__all__ = ["Change", "Repaired", "repair"]
