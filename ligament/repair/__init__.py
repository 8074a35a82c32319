"""Repairs of faults that have exactly one fix."""

from ligament.repair.changes import Change
from ligament.repair.repair import Repaired, repair

__all__ = ["Change", "Repaired", "repair"]
