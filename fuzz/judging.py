"""Whether an input ended as it should: read, or refused by a LigamentError."""

from __future__ import annotations

import hashlib
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ligament.errors import LigamentError, LigamentWarning

ROOT = Path(__file__).resolve().parents[1]


class Fault(NamedTuple):
    """An exception that nobody meant: its text, and a name for the place it came from."""

    text: str
    name: str


def judge(run: Callable[[bytes], object], data: bytes) -> Fault | None:
    """Give an input to a target; returns what is wrong with how it ended."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a user would see the warnings of other packages
        warnings.simplefilter("ignore", LigamentWarning)
        try:
            run(data)
        except LigamentError as refusal:
            return _badly_reported(refusal)
        except Exception as error:
            return Fault(traceback.format_exc(), _name(error))
    return None


def _badly_reported(refusal: LigamentError) -> Fault | None:
    line = str(refusal)
    if "\n" in line or len(line) > 2000:
        return Fault(
            f"reported in {len(line)} characters: {line[:500]}", f"reported-{_name(refusal)}"
        )
    return None


def _name(error: BaseException) -> str:
    """Name a fault by its kind and the deepest line of ligament that it passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f"{ROOT.name}/ligament/" in f.filename.replace("\\", "/")]
    last = own[-1] if own else frames[-1]
    place = f"{Path(last.filename).stem}-{last.name}".strip("_<>")
    digest = hashlib.blake2b(str(last.line).encode(), digest_size=3).hexdigest()
    return f"{type(error).__name__}-{place}-{digest}"
