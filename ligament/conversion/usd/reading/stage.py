"""An open stage: prims, units, validated attribute values, losses."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.extensions.fields import Quaternion, Vector
from ligament.limits import Limits
from ligament.losses import Loss, in_order

_EVERYTHING = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
NOW = Usd.TimeCode.EarliestTime()
"""Time at which values are read: the default value, else the first sample."""


class Stage:
    """An open stage, its units, the folders that it may read from, and its losses."""

    def __init__(self, raw: Any, folders: Sequence[Path], limits: Limits) -> None:
        self.raw, self.folders, self.limits = raw, folders, limits
        self.ledger = Ledger()
        self.attributes = Attributes(self.ledger, limits)
        self.units = Units.of(raw)
        self.lose = self.ledger.lose

    def prims(self) -> Iterator[Any]:
        """Yield every prim that is active and defined, instances too, parents first."""
        for count, prim in enumerate(Usd.PrimRange(self.raw.GetPseudoRoot(), _EVERYTHING)):
            self.limits.require("prims", count, "prims")
            if not prim.IsPseudoRoot():
                yield prim


def applied(prim: Any) -> list[str]:
    """Return the API schemas that a prim applies, including unknown ones."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def has_api(prim: Any, name: str) -> bool:
    """Tell whether a prim applies a schema of one instance."""
    return name in applied(prim)


def instances(prim: Any, name: str) -> list[str]:
    """Return the instances of a schema that a prim applies many times."""
    return [each.partition(":")[2] for each in applied(prim) if each.startswith(f"{name}:")]


@dataclasses.dataclass(frozen=True, eq=False)
class Units:
    """Units of length [m] and mass [kg], and the rotation (4, 4) to Y up."""

    length: float
    mass: float
    upright: Floats

    @classmethod
    def of(cls, stage: Any) -> Units:
        """Read the units of a stage; USD's defaults are a centimetre and a kilogram."""
        length = float(UsdGeom.GetStageMetersPerUnit(stage))
        mass = float(UsdPhysics.GetStageKilogramsPerUnit(stage))
        for name, value in (("metersPerUnit", length), ("kilogramsPerUnit", mass)):
            if not (math.isfinite(value) and value > 0):
                raise ContentError(
                    f"{name} is {value}", pointer="/", remedy="it must be a number above 0"
                )
        upright = np.eye(4)
        if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z:
            upright[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
        return cls(length, mass, upright)

    def matrix(self, matrix: Floats) -> Floats:
        """Return a transform (4, 4) with its translation in metres."""
        result = matrix.copy()
        result[:3, 3] *= self.length
        return result

    @property
    def inertia(self) -> float:
        """Unit of inertia [kg m²]."""
        return self.mass * self.length**2

    @property
    def density(self) -> float:
        """Unit of density [kg/m³]."""
        return self.mass / self.length**3

    @property
    def force(self) -> float:
        """Unit of force [N]."""
        return self.mass * self.length


class Ledger:
    """Collects losses while a stage is read."""

    def __init__(self) -> None:
        self._losses: list[Loss] = []

    def lose(self, place: Any, what: str, reason: str, effect: str) -> None:
        """Record something that the document does not express; `place` is a prim or a path."""
        path = place.GetPath() if hasattr(place, "GetPath") else place
        self._losses.append(Loss(str(path), what, reason, effect))

    def losses(self) -> tuple[Loss, ...]:
        """Return the losses sorted by path, without duplicates."""
        return in_order(self._losses)


class Attributes:
    """Reads attributes of prims; values of a wrong type are reported and replaced."""

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
        """Return a number, finite unless infinity has a meaning."""
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
        """Return a token, one of those allowed."""
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
        """Return a value as an array of finite numbers; None, with a loss, otherwise."""
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
        """Return the decimals that were written, where the attribute stores them as float32.

        0.1 is 0.10000000149 in float32: the shortest decimal that rounds to it is meant.
        """
        kind = str(prim.GetAttribute(name).GetTypeName())
        if kind != "float" and not kind.endswith(("3f", "float3", "quatf")):
            return values
        shortest = [float(str(value)) for value in values.astype(np.float32).ravel()]
        return np.array(shortest).reshape(values.shape)

    def _refuse(self, prim: Any, name: str, found: Any, default: Any) -> Any:
        shown = str(found)[:40]
        reason = "it does not match the schema of USD"
        self._ledger.lose(prim, f"{name} = {shown}", reason, f"{default} is used")
        return default


def _numbers(raw: Any) -> Floats | None:
    try:
        return np.array(raw, np.float64)
    except (TypeError, ValueError):
        return None
