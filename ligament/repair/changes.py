"""What a repair changed."""

from __future__ import annotations

from typing import NamedTuple


class Change(NamedTuple):
    """One edit: the JSON pointer of the place in the repaired document, and what was done there."""

    pointer: str
    what: str
