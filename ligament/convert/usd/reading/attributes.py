"""Values of attributes, checked: a file may hold any type and any number under any name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pxr import Gf, Usd

from ligament.arrays import Floats
from ligament.convert.usd.reading.ledger import Ledger
from ligament.extensions.declarations import Quaternion, Vector
from ligament.limits import Limits

NOW = Usd.TimeCode.EarliestTime()
"""When values are read: those of attributes without samples, else their first."""


class Attributes:
    """Reads attributes of prims; what is not of the type that it should be is told and replaced."""

    def __init__(self, ledger: Ledger, limits: Limits) -> None:
        self._ledger, self._limits = ledger, limits

    def number(
        self,
        prim: Any,
        name: str,
        default: float,
        *,
        infinite: bool = False,
        least: float | None = None,
    ) -> float:
        """Return a number, which may be infinite only where that has a meaning."""
        raw = self._raw(prim, name)
        if raw is None:
            return default
        value = math.nan
        if isinstance(raw, int | float):
            value = float(self._decimal(prim, name, np.array(raw, np.float64)))
        allowed = not math.isnan(value) and (infinite or math.isfinite(value))
        if not allowed or (least is not None and value < least):
            return float(self._refuse(prim, name, raw, default))
        return value

    def flag(self, prim: Any, name: str, *, default: bool) -> bool:
        """Return a truth value."""
        raw = self._raw(prim, name)
        if raw is None:
            return default
        return raw if isinstance(raw, bool) else bool(self._refuse(prim, name, raw, default))

    def token(self, prim: Any, name: str, default: str, allowed: tuple[str, ...] = ()) -> str:
        """Return a word, one of those that are allowed."""
        raw = self._raw(prim, name)
        if raw is None:
            return default
        if not isinstance(raw, str) or (allowed and raw not in allowed):
            return str(self._refuse(prim, name, raw, default))
        return raw

    def vector(self, prim: Any, name: str, default: Vector) -> Vector:
        """Return three finite numbers."""
        found = self.maybe_vector(prim, name)
        return default if found is None else found

    def maybe_vector(self, prim: Any, name: str) -> Vector | None:
        """Return three finite numbers; None where there are none or where they say "not set"."""
        raw = self._raw(prim, name)
        if raw is None:
            return None
        values = _numbers(raw)
        if values is None or values.shape != (3,) or np.isnan(values).any():
            self._refuse(prim, name, raw, "none")
            return None
        x, y, z = self._decimal(prim, name, values).tolist()
        return (x, y, z) if np.isfinite(values).all() else None

    def rotation(self, prim: Any, name: str) -> Quaternion | None:
        """Return a rotation xyzw of length one; None where it is zero, which means "not set"."""
        raw = self._raw(prim, name)
        if raw is None:
            return None
        if not isinstance(raw, Gf.Quatf | Gf.Quatd | Gf.Quath):
            self._refuse(prim, name, raw, "none")
            return None
        values = np.array([*raw.GetImaginary(), raw.GetReal()], np.float64)
        values = self._decimal(prim, name, values)
        length = float(np.linalg.norm(values))
        if length == 0:
            return None
        if not math.isfinite(length):
            self._refuse(prim, name, raw, "none")
            return None
        x, y, z, w = (values / length).tolist()
        return x, y, z, w

    def array(self, prim: Any, name: str, width: int) -> Floats | None:
        """Return an array (N, width), or (N,) for a width of 1; None where there is none."""
        raw = self._raw(prim, name)
        return None if raw is None else self.checked_array(prim, name, raw, width)

    def checked_array(self, prim: Any, name: str, raw: Any, width: int) -> Floats | None:
        """Return a value as an array of finite numbers; None, with a loss, where it is none."""
        if hasattr(raw, "__len__"):
            place = str(prim.GetPath())
            self._limits.require("shape_points", len(raw), f"elements in {name}", pointer=place)
        values = _numbers(raw)
        shape = (-1,) if width == 1 else (-1, width)
        if values is not None and values.size == 0:
            return np.zeros((0,) if width == 1 else (0, width))
        is_fitting = values is not None and values.ndim == len(shape)
        if values is None or not is_fitting or (width > 1 and values.shape[1] != width):
            self._refuse(prim, name, raw, "none")
            return None
        if not np.isfinite(values).all():
            self._refuse(prim, name, "numbers that are not finite", "none")
            return None
        return values

    def _raw(self, prim: Any, name: str) -> Any:
        attribute = prim.GetAttribute(name)
        return attribute.Get(NOW) if attribute else None

    def _decimal(self, prim: Any, name: str, values: Floats) -> Floats:
        """Return the decimals that were written, where the attribute keeps float32 of them.

        0.1 is 0.10000000149 in float32: the shortest decimal that rounds there is what was meant.
        """
        kind = str(prim.GetAttribute(name).GetTypeName())
        if kind != "float" and not kind.endswith(("3f", "float3", "quatf")):
            return values
        shortest = [float(str(value)) for value in values.astype(np.float32).ravel()]
        return np.array(shortest).reshape(values.shape)

    def _refuse(self, prim: Any, name: str, found: Any, default: Any) -> Any:
        shown = str(found)[:40]
        reason = "it is not what the schema of USD wants"
        self._ledger.lose(prim, f"{name} = {shown}", reason, f"{default} is used")
        return default


def _numbers(raw: Any) -> Floats | None:
    try:
        return np.array(raw, np.float64)
    except (TypeError, ValueError):
        return None
