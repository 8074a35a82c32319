"""Draws triangles: a camera, a depth buffer, one light, and soft shadows on a floor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LIGHT = np.array([-0.35, 0.85, 0.45]) / np.linalg.norm([-0.35, 0.85, 0.45])
"""Where the light comes from."""

PAPER, SHADE = (250, 251, 253), 0.30
"""The colour of the background, and how much of it a full shadow takes."""

FINER = 2
"""Pictures are drawn this much larger and made smaller, which smooths edges."""

SOFTNESS = 3.0
"""Radius [pixels] by which shadows are blurred."""


class Solid(NamedTuple):
    """Points (V, 3) [m] with unit normals (V, 3), triangles (T, 3), and a colour from 0 to 1."""

    points: Floats
    normals: Floats
    triangles: Ints
    colour: tuple[float, float, float]
    is_lit: bool = True


class Camera(NamedTuple):
    """Where the eye is and what it looks at [m]; `zoom` is the focal length in half heights."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    zoom: float = 3.0

    def project(self, points: Floats, width: int, height: int) -> Floats:
        """Return pixels and depths (V, 3) of points of the world (V, 3)."""
        forward = np.subtract(self.target, self.eye)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, [0.0, 1.0, 0.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, forward)
        seen = (points - self.eye) @ np.stack([right, up, forward], axis=1)
        scale = self.zoom * height / 2 / seen[:, 2]
        x, y = width / 2 + seen[:, 0] * scale, height / 2 - seen[:, 1] * scale
        return np.stack([x, y, seen[:, 2]], axis=1)


def render(
    solids: Iterable[Solid], camera: Camera, *, width: int, height: int, floor: bool = True
) -> Image.Image:
    """Draw solids; with a floor at Y = 0 they throw shadows."""
    solids = list(solids)
    wide, high = FINER * width, FINER * height
    canvas = (
        _ground(solids, camera, wide, high) if floor else np.full((high, wide, 3), PAPER, float)
    )
    depth = np.full((high, wide), np.inf)
    for solid in solids:
        light = _lit(solid)
        pixels = camera.project(solid.points, wide, high)
        for corners in solid.triangles[_faces_us(pixels, solid.triangles)]:
            _fill(canvas, depth, pixels[corners], light[corners])
    picture = Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8))
    return picture.resize((width, height), Image.Resampling.BOX)


def _faces_us(pixels: Floats, triangles: Ints) -> npt.NDArray[np.bool_]:
    """Tell which triangles (T,) show their outer side, the one on which they run left around."""
    a, b, c = (pixels[triangles[:, i], :2] for i in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return np.asarray(ux * vy - uy * vx < 0)


def _lit(solid: Solid) -> Floats:
    """Return the colour of every point (V, 3), from 0 to 255."""
    colour = 255 * np.array(solid.colour)
    if not solid.is_lit:
        return np.tile(colour, (len(solid.points), 1))
    shine = np.clip(solid.normals @ LIGHT, 0, 1)[:, None]
    sky = 0.5 + 0.5 * solid.normals[:, 1:2]
    return np.asarray(colour * (0.42 + 0.20 * sky + 0.48 * shine))


def _fill(canvas: Floats, depth: Floats, corners: Floats, colours: Floats) -> None:
    """Fill one triangle where it is nearer than what is there."""
    low = np.maximum(np.floor(corners[:, :2].min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(corners[:, :2].max(axis=0)).astype(int), canvas.shape[1::-1])
    if (low >= high).any() or corners[:, 2].min() <= 0.05:
        return
    weights = _weights(corners[:, :2], low, high)
    if weights is None:
        return
    inside = (weights >= 0).all(axis=-1)
    away = 1 / (weights @ (1 / corners[:, 2])).clip(1e-9)
    box = np.s_[low[1] : high[1], low[0] : high[0]]
    inside &= away < depth[box]
    depth[box][inside] = away[inside]
    canvas[box][inside] = weights[inside] @ colours


def _weights(corners: Floats, low: Ints, high: Ints) -> Floats | None:
    """Return how much each corner counts (H, W, 3) at the pixels of a box; None for a line."""
    a, b, c = corners
    area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    if abs(area) < 1e-9:
        return None
    x = np.arange(low[0], high[0])[None] + 0.5
    y = np.arange(low[1], high[1])[:, None] + 0.5
    u = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
    v = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
    return np.stack([1 - u - v, u, v], axis=-1)


def _ground(solids: list[Solid], camera: Camera, wide: int, high: int) -> Floats:
    """Draw the paper with the shadows of all lit solids on the floor."""
    cast = Image.new("L", (wide, high))
    shadow = ImageDraw.Draw(cast)
    for solid in solids:
        if solid.is_lit:
            fallen = solid.points - solid.points[:, 1:2].clip(0) / LIGHT[1] * LIGHT
            pixels = camera.project(fallen, wide, high)[:, :2]
            for corners in solid.triangles[solid.normals[solid.triangles[:, 0]] @ LIGHT > 0]:
                shadow.polygon([tuple(pixels[corner]) for corner in corners], fill=255)
    soft = np.asarray(cast.filter(ImageFilter.GaussianBlur(SOFTNESS * FINER))) / 255
    return np.asarray(np.array(PAPER) * (1 - SHADE * soft[..., None]))
