"""Conversion of documents between dialects and file formats, with a list of losses."""

from ligament.callable_module import make_callable
from ligament.convert.targets import Target, convert
from ligament.losses import Converted, Loss

__all__ = ["Converted", "Loss", "Target", "convert"]

make_callable(__name__, convert)
