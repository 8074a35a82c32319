"""Repairs of what is wrong in exactly one way."""

from ligament.repair.changes import Change
from ligament.repair.repair import Repaired, repair

__all__ = ["Change", "Repaired", "repair"]
