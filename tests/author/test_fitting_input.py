"""Inputs that cannot be fitted, and surfaces that are cut into parts."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest
import trimesh

from ligament.author.fitting import Kind, fit, has_coacd, simplified
from ligament.errors import ContentError, EditError, LigamentError, MissingExtraError
from ligament.physics.mass import solid
from ligament.physics.shapes import Hull, Mesh

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 0, 2], [0, 0, 2]]
SOLID = [*SQUARE, [0.5, 1, 0.5]]
LINE = [[i, 2 * i, 3 * i] for i in range(5)]
HALVES = [[0, 1, 2], [0, 2, 3]]


@pytest.mark.parametrize(
    ("points", "triangles", "kind", "said"),
    [
        ([], None, "auto", "shape"),
        (SQUARE[:3], None, "auto", "only 3 points"),
        ([[1, 2, 3]] * 5, None, "sphere", "all points coincide"),
        (LINE, None, "auto", "on one line"),
        (LINE, None, "hull", "on one line"),
        ([*SOLID, [0, np.nan, 0]], None, "auto", "not finite"),
        ([*SOLID, [0, np.inf, 0]], None, "box", "not finite"),
        ([*SOLID, [0, 1e300, 0]], None, "box", "single precision"),
        ([[0, 0]] * 5, None, "auto", "shape"),
        ("points", None, "auto", "not numbers"),
        ([[1, 2, 3], [4]], None, "auto", "not numbers"),
        (SQUARE, None, "sphere", "in one plane"),
        (SQUARE, None, "box", "in one plane"),
        (SQUARE, HALVES, "cylinder", "in one plane"),
        (SQUARE, HALVES, "decomposed", "in one plane"),
        (SOLID, None, "mesh", "triangles"),
        (SOLID, None, "decomposed", "triangles"),
        (SOLID, [], "auto", "no triangles"),
        (SOLID, np.empty((0, 3), int), "mesh", "triangles"),
        (SOLID, [[0, 1, 5]], "auto", "indices below 5"),
        (SOLID, [[0, 1, -1]], "auto", "indices below 5"),
        (SOLID, [[0.0, 1.0, 2.0]], "auto", "whole numbers"),
        (SOLID, [0, 1, 2], "auto", "whole numbers"),
        (SOLID, [[0, 1, 1], [2, 2, 2]], "mesh", "has an area"),
    ],
)
def test_unfit_points_are_refused_with_a_remedy(
    points: Any, triangles: Any, kind: str, said: str
) -> None:
    with pytest.raises(ContentError) as caught:
        fit(points, triangles, kind)
    assert said in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kind": "bax"}, "did you mean 'box'"),
        ({"kind": 3}, "the kind of shape"),
        ({"tolerance": -1}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"kind": "hull", "max_points": 3}, "four or more"),
    ],
)
def test_options_that_are_none(options: dict[str, Any], said: str) -> None:
    with pytest.raises(EditError, match=said):
        fit(SOLID, **options)


def test_flat_points_have_a_flat_hull() -> None:
    for kind in ("auto", "hull"):
        found = fit(SQUARE, HALVES, kind)
        assert found.kind == Kind.HULL
        assert isinstance(found.shape, Hull)
        assert sorted(found.shape.points.tolist()) == sorted(SQUARE)
        assert found.error == (0.0, 0.0, None)
    assert isinstance(fit(SQUARE, HALVES, "mesh").shape, Mesh)
    flat = Hull(np.array([[np.cos(a), 0, np.sin(a)] for a in np.linspace(0, 6, 300)]))
    assert simplified(flat) == (flat, 0.0)


def test_points_that_no_triangle_uses_do_not_count() -> None:
    box = trimesh.creation.box((1, 2, 3))
    points = np.concatenate([box.vertices, [[50.0, 0, 0]]])
    assert sorted(fit(points, box.faces).shape.size) == pytest.approx([1, 2, 3])


def test_cutting_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coacd", None)
    box = trimesh.creation.box((1, 2, 3))
    with pytest.raises(MissingExtraError, match=r"ligament\[decompose\]"):
        fit(box.vertices, box.faces, "decomposed")


class _Halver(types.ModuleType):
    """Cuts everything at x = 0, as the real package hands it over, chips included."""

    Mesh = staticmethod(lambda points, triangles: points)

    def set_log_level(self, level: str) -> None:
        assert level == "error"

    def run_coacd(self, points: Any, *, threshold: float, seed: int, **_: Any) -> list[list[Any]]:
        assert 0.01 <= threshold <= 1
        assert seed == 0
        halves = [np.array(points) for _ in range(2)]
        halves[0][:, 0] = np.minimum(halves[0][:, 0], 0)
        halves[1][:, 0] = np.maximum(halves[1][:, 0], 0)
        chip = np.array(SQUARE) * 1e-9
        return [[part, None] for part in (*halves, chip)]


@pytest.mark.parametrize("tolerance", [0.0, 0.15, 10.0])
def test_parts_of_a_surface(tolerance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coacd", _Halver("coacd"))
    box = trimesh.creation.box((2, 4, 6))
    found = fit(box.vertices, box.faces, "decomposed", tolerance=tolerance)
    assert found.kind == Kind.DECOMPOSED
    assert len(found.fits) == len(found.parts) == 2
    assert [solid(part.shape).volume for part in found.parts] == pytest.approx([24, 24])
    assert solid(found.shape).volume == pytest.approx(48)
    assert found.error == pytest.approx((0, 0, 0), abs=1e-9)


def test_nothing_is_left_of_a_surface(monkeypatch: pytest.MonkeyPatch) -> None:
    module = _Halver("coacd")
    monkeypatch.setattr(module, "run_coacd", lambda *_, **__: [])
    monkeypatch.setitem(sys.modules, "coacd", module)
    box = trimesh.creation.box((1, 2, 3))
    with pytest.raises(LigamentError, match="no part"):
        fit(box.vertices, box.faces, "decomposed")


@pytest.mark.skipif(not has_coacd(), reason="coacd is not installed")
def test_an_angle_is_cut_in_two() -> None:
    # Two beams of one corner: 3 cubes of 3.5 in the hull.
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
    points = np.concatenate([np.insert(outline, 2, z, axis=1) for z in (0, 1)]).astype(float)
    floor = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    walls = [((i, j, j + 6), (i, j + 6, i + 6)) for i, j in enumerate([1, 2, 3, 4, 5, 0])]
    triangles = np.concatenate([floor[:, ::-1], floor + 6, np.array(walls).reshape(-1, 3)])
    found = fit(points, triangles, "decomposed")
    assert len(found.fits) == 2
    assert sum(solid(part.shape).volume for part in found.fits) == pytest.approx(3, rel=0.02)
    assert found.error.distance < 0.02
    again = fit(points, triangles, "decomposed")
    for one, other in zip(found.fits, again.fits, strict=True):
        assert isinstance(one.shape, Hull)
        assert isinstance(other.shape, Hull)
        assert np.array_equal(one.shape.points, other.shape.points)
