"""The files beside a saved document: placed without ever overwriting something else."""

from __future__ import annotations

import contextlib
import hashlib
import urllib.parse
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ligament.errors import FileError, LigamentError
from ligament.files import Bytes, create_atomic
from ligament.gltf import uris
from ligament.gltf.sources import Content, FileRange


class Companions:
    """Places files in one folder and remembers which ones it created."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._created: list[Path] = []

    def place(self, uri: str, content: Content) -> str:
        """Write content under `uri`, or under a hashed name where other content stands there.

        Returns the URI under which it can be read.
        """
        uri = self._inside(uri)
        for name in (uri, hashed(uri, content)):
            target = self.folder / urllib.parse.unquote(name)
            if self._create(target, content) or _same(target, content):
                return name
        raise FileError("stands in the way of the file to be written", file=target)

    @contextlib.contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Remove what was created if the block fails."""
        try:
            yield
        except BaseException:
            for file in self._created:
                with contextlib.suppress(OSError):
                    file.unlink()
            raise

    def _inside(self, uri: str) -> str:
        """A URI that leads out of the folder becomes the bare file name."""
        try:
            uris.resolve(uri, self.folder)
        except LigamentError:
            return uris.quote(PurePosixPath(urllib.parse.unquote(uri).replace("\\", "/")).name)
        return uri

    def _create(self, target: Path, content: Content) -> bool:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise FileError(
                f"the folder {target.parent} cannot be made ({fault.strerror})",
                remedy="name an output whose folder can be written",
            ) from fault
        if not create_atomic(target, content.blocks()):
            return False
        self._created.append(target)
        return True


def hashed(uri: str, content: Content) -> str:
    """Put the hash of the content into a file name: mesh.bin → mesh.1f0c22d9a7b3.bin."""
    digest = hashlib.blake2b(digest_size=6)
    for block in content.blocks():
        digest.update(block)
    path = PurePosixPath(uri)
    return str(path.with_name(f"{path.stem}.{digest.hexdigest()}{path.suffix}"))


def _same(file: Path, content: Content) -> bool:
    if isinstance(content, FileRange) and content.path.exists() and file.samefile(content.path):
        return True
    try:
        if file.stat().st_size != content.size():
            return False
        theirs, ours = FileRange(file).blocks(), content.blocks()
        return _joined_equal(theirs, ours)
    except OSError:
        return False


def _joined_equal(theirs: Iterator[Bytes], ours: Iterator[Bytes]) -> bool:
    left, right = memoryview(b""), memoryview(b"")
    while True:
        left = left or memoryview(next(theirs, b""))
        right = right or memoryview(next(ours, b""))
        count = min(len(left), len(right))
        if not count:
            return len(left) == len(right)
        if left[:count] != right[:count]:
            return False
        left, right = left[count:], right[count:]
