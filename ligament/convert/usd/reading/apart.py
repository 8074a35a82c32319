"""Binary layers in a process of their own.

The parser of text reports what it does not like. That of crates and packages trusts offsets in the
file: a damaged one can end the process that reads it, with nothing in Python to catch.
"""

from __future__ import annotations

import dataclasses
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ligament import errors
from ligament.convert.losses import Converted, Loss
from ligament.errors import FormatError, LigamentError
from ligament.gltf.load import loads
from ligament.gltf.save import save
from ligament.limits import Limits

# The same modules are found there as here, wherever they came from.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:];"
    " from ligament.convert.usd.reading.apart import main; main(sys.argv[1])"
)
_REQUEST, _ANSWER, _DOCUMENT = "request", "answer.json", "document.glb"


class _Answer(msgspec.Struct):
    """The losses of a document, or what kind of error there was and its parts."""

    losses: list[dict[str, str]] = []
    kind: str = ""
    parts: dict[str, str | None] = {}


def read_apart(path: Path, roots: Sequence[Path], limits: Limits) -> Converted:
    """Read a stage in another process; FormatError where it does not survive that."""
    request = path.absolute(), [root.absolute() for root in roots], limits
    with tempfile.TemporaryDirectory(prefix="ligament-usd-") as name:
        folder = Path(name)
        (folder / _REQUEST).write_bytes(pickle.dumps(request))
        command = [sys.executable, "-c", _PROGRAM, name, *sys.path]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode or not (folder / _ANSWER).exists():
            raise _ended(path, done.returncode)
        answer = msgspec.json.decode((folder / _ANSWER).read_bytes(), type=_Answer)
        if answer.kind:
            raise _error(answer).located(path)
        document = loads((folder / _DOCUMENT).read_bytes(), limits=limits)
    return Converted(document, tuple(Loss(**loss) for loss in answer.losses))


def main(name: str) -> None:
    """Answer the request in a folder."""
    from ligament.convert.usd.reading.document import read_document

    folder = Path(name)
    path, roots, limits = pickle.loads((folder / _REQUEST).read_bytes())
    try:
        found = read_document(path, roots, limits, binary=True)
        save(found.document, folder / _DOCUMENT)
        answer = _Answer([dataclasses.asdict(loss) for loss in found.losses])
    except LigamentError as fault:
        parts = {"file": fault.file, "pointer": fault.pointer, "remedy": fault.remedy}
        answer = _Answer(kind=type(fault).__name__, parts={"message": fault.message, **parts})
    (folder / _ANSWER).write_bytes(msgspec.json.encode(answer))


def _error(answer: _Answer) -> LigamentError:
    parts = dict(answer.parts)
    message = parts.pop("message") or ""
    kind: type[LigamentError] = getattr(errors, answer.kind)
    return kind(message, **parts)


def _ended(path: Path, code: int) -> FormatError:
    how = f"ended with status {code}"
    if code < 0:
        how = f"was ended by {signal.Signals(-code).name}"
    return FormatError(
        f"the process that read it {how}",
        file=path,
        remedy="the file is damaged, or there is not enough memory for it",
    )
