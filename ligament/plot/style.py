"""Style of figures: colours that everyone can tell apart, fonts, and quiet axes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, Final

from matplotlib import font_manager, style

INK: Final = "#222222"
FAINT: Final = "#777777"

# The muted scheme of Paul Tol, which stays distinct for every kind of colour vision.
SERIES: Final = (
    *("#332288", "#44AA99", "#CC6677", "#88CCEE"),
    *("#117733", "#DDCC77", "#AA4499", "#882255"),
)
VIOLATION: Final = "#EE7733"
KINETIC, POTENTIAL, TOTAL = SERIES[0], SERIES[1], "#C4C4C4"
TRIGGER, CONTACT = SERIES[4], SERIES[6]

_FAMILY: Final = "DejaVu Sans"

# Families with the signs of East Asia, which the one above lacks; those that are installed help.
_WIDE_FAMILIES: Final = (
    *("Noto Sans CJK JP", "Noto Sans JP", "Source Han Sans", "Yu Gothic", "Hiragino Sans"),
    *("MS Gothic", "IPAGothic", "Microsoft YaHei", "PingFang SC", "WenQuanYi Zen Hei"),
    *("Noto Sans CJK KR", "Malgun Gothic", "Apple SD Gothic Neo"),
)

_LOOK: Final[dict[str, Any]] = {
    # Names come from files: a dollar sign in them is a dollar sign, not the start of a formula.
    "text.parse_math": False,
    "text.usetex": False,
    "svg.hashsalt": "ligament",
    "agg.path.chunksize": 20_000,
    "savefig.dpi": 120,
    "font.size": 8.5,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.xmargin": 0.01,
    "axes.formatter.limits": (-4, 5),
    "axes.formatter.useoffset": False,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.06,
    "lines.solid_capstyle": "round",
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "legend.handlelength": 1.6,
    "figure.facecolor": "white",
}


def look() -> AbstractContextManager[None]:
    """Use this library's style within the block, whatever the user's settings."""
    return style.context(["default", {**_LOOK, "font.family": list(_families())}])


@lru_cache(maxsize=1 << 16)
def can_draw(character: str) -> bool:
    """Tell whether one of the font families has a glyph for a character."""
    return any(ord(character) in signs for signs in _signs())


@lru_cache
def _families() -> tuple[str, ...]:
    installed = set(font_manager.fontManager.get_font_names())
    return _FAMILY, *(family for family in _WIDE_FAMILIES if family in installed)


@lru_cache
def _signs() -> tuple[frozenset[int], ...]:
    """Return the code points that each font family can draw."""
    fonts = [font_manager.get_font(font_manager.findfont(family)) for family in _families()]
    return tuple(frozenset(font.get_charmap()) for font in fonts)
