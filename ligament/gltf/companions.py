"""The files beside a saved document: placed without ever overwriting something else."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ligament.errors import FileError, LigamentError
from ligament.files import Bytes, create_atomic
from ligament.gltf import uris
from ligament.gltf.sources import BLOCK, Content, FileRange

_HASH = re.compile(r"\.[0-9a-f]{12}$")


class Companions:
    """Places files in the folder of `output` and remembers what it created there."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.folder = output.parent
        self._created: list[Path] = []

    def place(self, uri: str, content: Content) -> str:
        """Write content under `uri`, or under a hashed name where something else stands there.

        Returns the URI under which it can be read.
        """
        for name in _names(self._inside(uri), content):
            target = self._target(name)
            if self.is_output(name):
                continue
            if self._create(target, content) or _same(target, content):
                return name
        raise FileError("stands in the way of the file to be written", file=target)

    def is_output(self, uri: str) -> bool:
        """Tell whether a URI names the very file that is about to be replaced."""
        target = self._target(uri)
        if target.name != self.output.name:
            return False
        return os.path.realpath(target.parent) == os.path.realpath(self.folder)

    @contextlib.contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Remove what was created if the block fails."""
        try:
            yield
        except BaseException:
            for made in reversed(self._created):
                with contextlib.suppress(OSError):
                    made.rmdir() if made.is_dir() else made.unlink()
            raise

    def _target(self, uri: str) -> Path:
        return self.folder / urllib.parse.unquote(uri)

    def _inside(self, uri: str) -> str:
        """A URI that leads out of the folder becomes the bare file name."""
        try:
            uris.resolve(uri, self.folder)
        except LigamentError:
            return uris.quote(PurePosixPath(urllib.parse.unquote(uri).replace("\\", "/")).name)
        return uri

    def _create(self, target: Path, content: Content) -> bool:
        self._make_folder(target.parent)
        if not create_atomic(target, content.blocks()):
            return False
        self._created.append(target)
        return True

    def _make_folder(self, folder: Path) -> None:
        try:
            missing = [f for f in (folder, *folder.parents) if not f.exists()]
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise FileError(
                f"the folder {folder} cannot be made ({fault.strerror})",
                remedy="name an output whose folder can be written",
            ) from fault
        self._created.extend(reversed(missing))


def _names(uri: str, content: Content) -> Iterator[str]:
    yield uri
    yield hashed(uri, content)


def hashed(uri: str, content: Content) -> str:
    """Put the hash of the content into a file name: mesh.bin → mesh.1f0c22d9a7b3.bin."""
    digest = hashlib.blake2b(digest_size=6)
    for block in content.blocks():
        digest.update(block)
    path = PurePosixPath(uri)
    stem = _HASH.sub("", path.stem)  # a name that is saved again and again must not grow
    return str(path.with_name(f"{stem}.{digest.hexdigest()}{path.suffix}"))


def _same(file: Path, content: Content) -> bool:
    """Tell whether a file of its own (not a link to somewhere else) has the content already."""
    if file.is_symlink():
        return False
    try:
        if isinstance(content, FileRange) and file.samefile(content.path):
            return True
        if file.stat().st_size != content.size():
            return False
        with file.open("rb") as stream:
            theirs = iter(functools.partial(stream.read, BLOCK), b"")
            return _joined_equal(theirs, content.blocks())
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
