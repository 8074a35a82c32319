"""The JSON of every extension: checked, repaired, summed up."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from fuzz.mutation import mutate_document as mutate
from fuzz.seeds import demo_files, small_files
from fuzz.steps import attempt, load
from ligament.checker import check
from ligament.errors import LigamentError
from ligament.gltf.document import Document
from ligament.repair import repair
from ligament.summary import summarize

__all__ = ["mutate", "run", "seeds"]


def seeds() -> Sequence[bytes]:
    """Return files that use every extension."""
    return (*small_files(), *demo_files())


def run(data: bytes) -> None:
    """Check a file, which never fails, before and after its repair; tell what it holds."""
    document = load(data)
    _check(document)
    summary = attempt(summarize, document)
    if summary is not None:
        msgspec.json.encode(summary)
    repaired = attempt(repair, document)
    if repaired is not None and repaired.changes:
        _check(repaired.document)


def _check(document: Document) -> None:
    try:
        check(document)
    except LigamentError as fault:
        raise AssertionError("the checker did not report what it found, but raised it") from fault
