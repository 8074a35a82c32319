"""Isolation of binary layers in a separate process.

USD's text parser reports errors. Its parser of crates and packages trusts offsets in the file: a
damaged one can crash the process, which Python cannot catch. Only that process imports USD.
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
from ligament.errors import FileError, FormatError, LigamentError, LimitError
from ligament.gltf.load import loads
from ligament.gltf.save import save
from ligament.limits import Limits
from ligament.losses import Converted, Loss

# The process finds the same modules as this one.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:];"
    " from ligament.convert.usd.isolation import main; main(sys.argv[1])"
)
_SIGNATURES = (b"PXR-USDC", b"PK\x03\x04")
_REQUEST, _ANSWER, _DOCUMENT = "request", "answer.json", "document.glb"

SECONDS = 600.0
"""Time limit of reading [s]; a shorter limit for simulations applies here, too."""

MEMORY = 1 << 31
"""Memory [bytes] that reading may take in addition to the limit of decoded data."""


class _Answer(msgspec.Struct):
    """The losses of a document, or the kind and parts of an error."""

    losses: list[dict[str, str]] = []
    kind: str = ""
    parts: dict[str, str | None] = {}


def is_binary(path: Path) -> bool:
    """Tell whether a file is a crate or a package; False where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(8).startswith(_SIGNATURES)
    except OSError:
        return False


def read_isolated(path: Path, roots: Sequence[Path], limits: Limits) -> Converted:
    """Read a stage in another process; FormatError if that process crashes."""
    try:
        with tempfile.TemporaryDirectory(prefix="ligament-usd-") as name:
            return _read_by(Path(name), path, roots, limits)
    except subprocess.TimeoutExpired as fault:
        remedy = "split the stage, or write it as text (.usda)"
        what = f"reading it took longer than {fault.timeout:g} s"
        raise LimitError(what, file=path, remedy=remedy) from fault
    except OSError as fault:
        reason = fault.strerror or str(fault)
        remedy = "it needs space in the system's temporary folder"
        raise FileError(
            f"cannot be read in a separate process ({reason})", file=path, remedy=remedy
        ) from fault


def _read_by(folder: Path, path: Path, roots: Sequence[Path], limits: Limits) -> Converted:
    """Read a stage in a process that writes its answer to a folder."""
    request = path.absolute(), [root.absolute() for root in roots], limits
    (folder / _REQUEST).write_bytes(pickle.dumps(request))
    command = [sys.executable, "-c", _PROGRAM, str(folder), *sys.path]
    seconds = min(SECONDS, limits.seconds)
    done = subprocess.run(command, capture_output=True, check=False, timeout=seconds)
    if done.returncode or not (folder / _ANSWER).exists():
        raise _ended(path, done.returncode)
    answer = msgspec.json.decode((folder / _ANSWER).read_bytes(), type=_Answer)
    if answer.kind:
        raise _error(answer).located(path)
    document = loads((folder / _DOCUMENT).read_bytes(), limits=limits)
    return Converted(document, tuple(Loss(**loss) for loss in answer.losses))


def main(name: str) -> None:
    """Answer the request in a folder."""
    from ligament.convert.usd import require_usd

    folder = Path(name)
    path, roots, limits = pickle.loads((folder / _REQUEST).read_bytes())
    _bound_memory(limits.decoded_bytes + MEMORY)
    try:
        require_usd()
        from ligament.convert.usd.reading import read_document

        found = read_document(path, roots, limits, binary=True)
        save(found.document, folder / _DOCUMENT)
        answer = _Answer([dataclasses.asdict(loss) for loss in found.losses])
    except LigamentError as fault:
        parts = {"file": fault.file, "pointer": fault.pointer, "remedy": fault.remedy}
        answer = _Answer(kind=type(fault).__name__, parts={"message": fault.message, **parts})
    (folder / _ANSWER).write_bytes(msgspec.json.encode(answer))


def _bound_memory(size: int) -> None:
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        soft = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


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
