"""Conversion of documents between dialects and file formats, with a list of losses."""

from ligament.conversion.targets import Target, convert
from ligament.losses import Converted, Loss

__all__ = ["Converted", "Loss", "Target", "convert"]
