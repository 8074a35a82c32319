"""Outputs in remote stores: files and data sets get their names when complete.

Object stores (S3, Google, Azure) show a file once all of it has arrived. Elsewhere a file is sent
under another name and renamed. A data set that is a folder has no such moment anywhere: it is sent
under another name, copied within the store, and gets the file that makes it a data set last.
"""

from __future__ import annotations

import contextlib
import posixpath
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from ligament.datasets.dataset import MARKERS, STORES, is_signed
from ligament.errors import ContentError, FileError, LigamentError
from ligament.jobs.remote import (
    Access,
    is_url,
    open_store,
    shown,
    store_errors,
    url_parts,
)

Value = TypeVar("Value")

WHOLE: Final = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl"})
"""Protocols of stores in which a file appears at once, when it is complete."""

READ_ONLY: Final = frozenset({"http", "https"})

PRIVATE: Final = "memory"
"""The protocol of a store that only this process sees."""

UNFINISHED: Final = "_unfinished"
"""A file in the folder of a data set that is being copied to its name."""


class Store:
    """A folder in a remote store, to which outputs go."""

    def __init__(self, url: str, access: Access) -> None:
        if url.partition(":")[0].lower() in READ_ONLY:
            remedy = "name a folder, or a store such as s3"
            raise ContentError("outputs cannot go there", file=shown(url), remedy=remedy)
        self.url, self.access = url.rstrip("/"), access
        self._files, root = open_store(self.url, access)
        self._root = str(root).rstrip("/")

    @property
    def is_private(self) -> bool:
        """Whether worker processes cannot reach it."""
        return self.url.lower().startswith(f"{PRIVATE}:")

    def below(self, name: str) -> Store:
        """Return a folder in this one."""
        return Store(f"{self.url}/{name}", self.access)

    def holds(self, url: str) -> bool:
        """Tell whether a URL lies in this folder."""
        return url.startswith(f"{self.url}/")

    def put(self, file: Path, name: str) -> None:
        """Copy a local file into the store, where it appears when it is complete."""
        with self._writing(name):
            if self._is_flat:
                self._files.put_file(str(file), self._path(name))
                return
            temporary = self._path(_temporary_name(name))
            try:
                self._files.makedirs(posixpath.dirname(temporary), exist_ok=True)
                self._files.put_file(str(file), temporary)
                self._files.mv(temporary, self._path(name))
            except BaseException:
                self._drop(temporary)
                raise

    def put_all(self, folder: Path, names: Sequence[str]) -> None:
        """Copy files of a local folder, the first one last."""
        rest = names[1:]
        if rest and self._is_flat:
            with self._writing(names[0]):
                paths = [self._path(name) for name in rest]
                self._files.put([str(folder / name) for name in rest], paths)
            rest = ()
        for name in (*rest, *names[:1]):
            self.put(folder / name, name)

    def get(self, name: str, file: Path) -> bool:
        """Copy a file from the store; return False if there is none."""
        file.parent.mkdir(parents=True, exist_ok=True)
        return self._ask(name, lambda path: self._files.get_file(path, str(file)) is None) or False

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        return self._ask(name, lambda path: bytes(self._files.cat_file(path)))

    def size(self, name: str) -> int | None:
        """Return the size of a file [bytes]; None if there is none."""
        return self._ask(name, lambda path: int(self._files.info(path)["size"]))

    def get_all(self, name: str, folder: Path) -> None:
        """Copy a folder from the store."""
        with self._reading(name):
            for path in self._below(self._path(name)):
                file = folder / path[len(self._path(name)) + 1 :]
                file.parent.mkdir(parents=True, exist_ok=True)
                self._files.get_file(path, str(file))

    def remove(self, name: str = "") -> None:
        """Remove a file or a folder, if present."""
        with self._writing(name):
            self._drop(self._path(name))

    def check_dataset(self, name: str) -> None:
        """Refuse a name that cannot become a data set, before any work is done."""
        if posixpath.splitext(name)[1].lower() not in STORES:
            remedy = f"use one of {', '.join(STORES)}"
            raise ContentError(f"{name} has no data set suffix", remedy=remedy)
        with self._reading(name):
            is_free = not self._below(self._path(name))
        if is_free or self.read(f"{name}/{UNFINISHED}") is not None:
            return
        contents = {marker: self.read(f"{name}/{marker}") for marker in MARKERS}
        if any(content and is_signed(marker, content) for marker, content in contents.items()):
            return
        raise FileError(
            "is a folder without a data set of Ligament",
            file=shown(f"{self.url}/{name}"),
            remedy="move it away, or choose another name",
        )

    def put_dataset(self, path: Path, name: str) -> None:
        """Copy a local data set into the store, replacing one of that name."""
        if path.is_file():
            self.put(path, name)
            return
        self.check_dataset(name)
        files = sorted(
            (file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()),
            key=_last_marker,
        )
        temporary = _temporary_name(name)
        try:
            self.below(temporary).put_all(path, files)
            with self._writing(name):
                self._rename(temporary, name, files)
        finally:
            with contextlib.suppress(LigamentError):
                self.remove(temporary)

    def _rename(self, temporary: str, name: str, files: Sequence[str]) -> None:
        for marker in MARKERS:
            self._drop(self._path(f"{name}/{marker}"))
        self._files.pipe_file(self._path(f"{name}/{UNFINISHED}"), b"")
        for path in self._below(self._path(name)):
            if not path.endswith(f"/{UNFINISHED}"):
                self._drop(path)
        pairs = [
            (self._path(f"{temporary}/{file}"), self._path(f"{name}/{file}")) for file in files
        ]
        rows = [pair for pair in pairs if posixpath.basename(pair[0]) not in MARKERS]
        if rows:
            self._files.copy([old for old, _ in rows], [new for _, new in rows])
        for old, new in pairs[len(rows) :]:
            self._files.cp_file(old, new)
        self._drop(self._path(f"{name}/{UNFINISHED}"))

    # --- the store itself ---

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    @property
    def _is_flat(self) -> bool:
        """Whether folders are only parts of names."""
        return url_parts(self.url)[0].lower() in WHOLE

    def _ask(self, name: str, question: Callable[[str], Value]) -> Value | None:
        """Return what a question about a file gives; None if there is none."""
        with self._reading(name):
            self._files.invalidate_cache()  # other processes write there too
            try:
                return question(self._path(name))
            except FileNotFoundError:
                return None

    def _below(self, path: str) -> list[str]:
        self._files.invalidate_cache()
        return [str(each) for each in self._files.find(path) if str(each) != path]

    def _drop(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            if self._files.isfile(path):
                self._files.rm_file(path)
            elif self._files.exists(path):
                self._files.rm(path, recursive=True)

    def _writing(self, name: str) -> contextlib.AbstractContextManager[None]:
        remedy = "check the URL, and that it may be written"
        return store_errors(f"{self.url}/{name}".rstrip("/"), "cannot be written", remedy)

    def _reading(self, name: str) -> contextlib.AbstractContextManager[None]:
        return store_errors(f"{self.url}/{name}".rstrip("/"))


def split_url(url: str, access: Access) -> tuple[Store, str]:
    """Return the folder of a URL and the name in it."""
    folder, _, name = url.rpartition("/")
    if not name or len(url_parts(url)) < 3:
        raise ContentError("names no file in a store", file=shown(url), remedy="add a name")
    return Store(folder, access), name


def local_path(text: str) -> str:
    """Return the path of a file:// URL, anything else as it is."""
    if is_url(text) and text.lower().startswith("file://"):
        return "/".join(("", *url_parts(text)[1:]))
    return text


def _temporary_name(name: str) -> str:
    """Return a free name beside another."""
    folder, last = posixpath.split(name)
    return posixpath.join(folder, f".{last[:50]}.{secrets.token_hex(6)}.new")


def _last_marker(name: str) -> tuple[Any, ...]:
    """Order files: those that make a folder a data set come last, the outermost at the end."""
    is_marker = posixpath.basename(name) in MARKERS
    return is_marker, -name.count("/") if is_marker else 0, name
