"""Where the eye is at first, and the ground below the scene."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ligament.view.palette import GRID, SECTION
from ligament.view.picture import Picture

if TYPE_CHECKING:
    import viser

WAY = np.array([0.55, 0.42, 1.0])
"""From where the camera looks at first, as seen from the middle of the scene."""

FIELD = 0.9
"""Vertical field of view [rad]."""

MARGIN = 0.8
"""Half the height of the view, as a part of the size of what it should show."""


def aim_camera(server: viser.ViserServer, picture: Picture) -> None:
    """Set the camera that new pages start with."""
    middle, size = (picture.low + picture.high) / 2, picture.size
    camera = server.initial_camera
    camera.position = middle + WAY / np.linalg.norm(WAY) * MARGIN * size / math.tan(FIELD / 2)
    camera.look_at = middle
    camera.fov = FIELD
    camera.near, camera.far = size / 1000, size * 100


def add_ground(server: viser.ViserServer, picture: Picture) -> None:
    """Add a grid in cells of a power of ten [m], a hair below the lowest point."""
    cell = 10.0 ** round(math.log10(picture.size / 4))
    middle = np.round((picture.low + picture.high) / 2 / cell) * cell
    server.scene.add_grid(
        "/grid",
        width=20 * cell,
        height=20 * cell,
        plane="xz",
        cell_size=cell,
        section_size=5 * cell,
        cell_color=GRID,
        section_color=SECTION,
        cell_thickness=0.7,
        section_thickness=1.0,
        position=(middle[0], picture.floor - 0.002 * picture.size, middle[2]),
    )
