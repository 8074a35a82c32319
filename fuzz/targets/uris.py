"""URIs: data in them, escapes, and the files that they may name."""

from __future__ import annotations

import functools
import os
import random
import tempfile
import urllib.parse
from collections.abc import Sequence
from pathlib import Path

from fuzz.mutation import mutate_bytes
from ligament.gltf.storage import uris
from ligament.gltf.storage.byte_sources import decode_data_uri, is_data_uri

__all__ = ["mutate", "run", "seeds"]

PIECES = (b"%", b"%2e", b"..", b"/", b"\\", b"%00", b"file:///", b"data:;base64,", b"\xff", b"%C3")


def seeds() -> Sequence[bytes]:
    """Return honest URIs."""
    return [b"a.bin", b"sub/b%20c.bin", b"%C3%96l.bin", b"data:,%41%42", b"data:;base64,QUJD"]


def mutate(data: bytes, dice: random.Random) -> bytes:
    """Change bytes, or put in a piece that means something."""
    if dice.random() < 0.5:
        return mutate_bytes(data, dice)
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(PIECES) + data[at:]


def run(data: bytes) -> None:
    """Decode a URI, as the standard library does, and find the file that it names."""
    text = data.decode(errors="replace")
    assert uris.percent_decoded(text) == urllib.parse.unquote_to_bytes(text)
    if is_data_uri(text):
        decode_data_uri(text)
        return
    path = uris.resolve(text, folder())
    assert Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder()))


@functools.cache
def folder() -> Path:
    """Return a folder with a file in it, kept as long as the process."""
    made = Path(tempfile.mkdtemp(prefix="ligament-fuzz-"))
    (made / "a.bin").write_bytes(b"")
    return made
