"""Output names: the tree of the inputs mirrored, with safe and distinct names."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ligament.batches.inputs import Input, common_root
from ligament.errors import ContentError
from ligament.files import safe_name, short_hash
from ligament.jobs.folders import LOCK
from ligament.jobs.report import MANIFEST, REPORT
from ligament.jobs.task import Options


def names_of(inputs: Sequence[Input], options: Options) -> list[str]:
    """Return a relative path for each input, to which the endings of its outputs are added.

    Where outputs of two inputs would have the same name (on case-insensitive systems, too), each
    gets a hash of its origin.
    """
    shared = common_root(inputs)
    names = [_name(entry.parts[shared if entry.root is None else entry.root :]) for entry in inputs]
    keys = [[_key(name + ending) for ending in options.endings(name)] for name in names]
    taken = Counter(key for each in keys for key in each)
    taken.update(map(_key, (MANIFEST, REPORT, LOCK)))
    return [
        _hashed(name, entry) if any(taken[key] > 1 for key in each) else name
        for name, each, entry in zip(names, keys, inputs, strict=True)
    ]


def refuse_overwriting(
    names: Sequence[str], inputs: Sequence[Input], options: Options, out_dir: Path | str
) -> None:
    """Refuse an output folder in which an output would overwrite an input."""
    sources = {entry.source for entry in inputs}
    for name in names:
        for ending in options.endings(name):
            own = name + ending
            path = f"{out_dir}/{own}" if isinstance(out_dir, str) else str(out_dir / own)
            if path in sources:
                remedy = "choose another --out-dir"
                raise ContentError("an output would overwrite this input", file=path, remedy=remedy)


def _name(parts: Sequence[str]) -> str:
    return str(PurePosixPath(*map(safe_name, parts)))


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _hashed(name: str, entry: Input) -> str:
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem}-{short_hash('/'.join(entry.parts))}{path.suffix}"))
