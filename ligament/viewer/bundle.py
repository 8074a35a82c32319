"""The player's script and decoders, which `web/bundle.py` builds when the package is built."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ligament.errors import MissingExtraError

FOLDER = Path(__file__).parent / "static"
"""Location of the bundle, a build artefact that is not in the repository."""

SCRIPT = "player.js"

DECODERS = {
    "KHR_draco_mesh_compression": ("draco_wasm_wrapper.js", "draco_decoder.wasm"),
    "KHR_texture_basisu": ("basis_transcoder.js", "basis_transcoder.wasm"),
}
"""Decoders that a page needs, by the glTF extension used."""


def has_bundle() -> bool:
    """Tell whether pages can be made."""
    return (FOLDER / SCRIPT).is_file()


def require_bundle() -> None:
    """Raise MissingExtraError if the player was not built."""
    if not has_bundle():
        raise MissingExtraError(
            "pages need the player's script, which this installation lacks",
            remedy="install a wheel of Ligament, or in a clone with Node: python web/bundle.py",
        )


@cache
def script() -> str:
    """Return the script that makes players of all <ligament-player> elements of a page."""
    require_bundle()
    return (FOLDER / SCRIPT).read_text(encoding="utf-8")


def decoder(name: str) -> bytes:
    """Return a decoder by its file name."""
    return (FOLDER / name).read_bytes()
