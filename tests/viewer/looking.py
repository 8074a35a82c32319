"""Looking at pictures of pages: where a colour is, and how much of it there is."""

from __future__ import annotations

import io
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image

from tests.browser import Page
from tests.sampling import IS_SOAK

Picture = npt.NDArray[np.int16]
Colour = Literal["red", "blue"]

PANEL = 460
"""Where the panel begins [pixels from the left]."""


NOTICE = (160, 320)
"""Height and width [pixels] of the corner where the page says that it is drawn in software."""


def shot(page: Page) -> Picture:
    """Take a picture (height, width, 3) of what is left of the panel."""
    image = Image.open(io.BytesIO(page.page.screenshot()))
    picture = np.asarray(image.convert("RGB"), np.int16)[:, :PANEL].copy()
    picture[: NOTICE[0], : NOTICE[1]] = 255
    return picture


def mask(picture: Picture, colour: Colour) -> npt.NDArray[np.bool_]:
    """Tell which pixels are of a colour: strong, and stronger by far than the others."""
    channel = {"red": 0, "blue": 2}[colour]
    others = np.delete(picture, channel, axis=2).max(axis=2)
    return (picture[..., channel] > 60) & (picture[..., channel] > others + 50)


def share(picture: Picture, colour: Colour) -> float:
    """Return the part of a picture that has a colour."""
    return float(mask(picture, colour).mean())


def middle_of(picture: Picture, colour: Colour) -> tuple[float, float]:
    """Return the middle of all that has a colour: pixels from the left and from the top."""
    rows, columns = np.nonzero(mask(picture, colour))
    assert len(rows), f"nothing is {colour}"
    return float(columns.mean()), float(rows.mean())


def is_red(picture: Picture) -> bool:
    """Tell whether most of a picture is red."""
    return share(picture, "red") > 0.5


def leave_out_reflections() -> None:
    """Have pages show no reflections of surroundings, which take ten seconds of software drawing.

    A soak draws them.
    """
    if IS_SOAK:
        return
    from viser import SceneApi

    configure = SceneApi.configure_environment_map

    def leave_out(self: SceneApi, *_: Any, **__: Any) -> None:
        configure(self, None)

    SceneApi.configure_environment_map = leave_out  # type: ignore[method-assign]
