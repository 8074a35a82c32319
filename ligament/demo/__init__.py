"""The built-in examples and the tour through them."""

from ligament.demo.page import Stop
from ligament.demo.tour import assets, tour

__all__ = ["Stop", "assets", "tour"]
