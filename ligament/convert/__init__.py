"""Conversions of whole documents: one module for each, named after what comes out."""

from ligament.convert.losses import Converted, Loss
from ligament.convert.targets import Target, convert

__all__ = ["Converted", "Loss", "Target", "convert"]
