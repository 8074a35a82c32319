"""The built-in examples and the tour through them."""

from ligament.demo.tour import Stop, assets, tour

__all__ = ["Stop", "assets", "tour"]
