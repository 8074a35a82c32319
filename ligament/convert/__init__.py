"""Conversions of whole documents: one module for each, named after what comes out."""

from ligament.callable_module import make_callable
from ligament.convert.convert import convert
from ligament.convert.losses import Converted, Loss
from ligament.convert.targets import Target

__all__ = ["Converted", "Loss", "Target", "convert"]

make_callable(__name__, convert)
