"""Conversion of documents between dialects and file formats, with a list of losses."""

from ligament.conversion.targets import convert
from ligament.losses import Converted, Loss
from ligament.options.names import Target

__all__ = ["Converted", "Loss", "Target", "convert"]
