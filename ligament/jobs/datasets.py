"""Locations of data sets being written: on this machine, or in a remote store."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ligament.datasets import check_dataset
from ligament.jobs.folders import work_folder
from ligament.jobs.remote import Access, is_url, shown
from ligament.jobs.stores import Store, local_path, split_url


class Making(NamedTuple):
    """A folder for the parts of a data set, its remote store if any, and the data set.

    `folder` and `target` are local: what is at `target` in the end goes to its place.
    """

    folder: Path
    store: Store | None
    target: Path


@dataclasses.dataclass(frozen=True)
class LocalPlace:
    """A data set on this machine; its parts are next to it, in `.NAME.work`."""

    target: Path

    @property
    def shown(self) -> Path:
        """Its name in reports."""
        return self.target

    @property
    def parent(self) -> Path:
        """Its folder."""
        return self.target.parent

    @contextlib.contextmanager
    def opened(self, *, resume: bool) -> Iterator[Making]:
        """Yield what it is made from."""
        with work_folder(self.target, resume=resume) as folder:
            yield Making(folder, None, self.target)


@dataclasses.dataclass(frozen=True)
class RemotePlace:
    """A data set in a store; its parts are next to it, in `.NAME.work`.

    In a store that only this process sees, the parts stay on this machine.
    """

    store: Store
    name: str

    @property
    def shown(self) -> str:
        """Its URL in reports, without secrets."""
        return shown(f"{self.store.url}/{self.name}")

    @property
    def parent(self) -> str:
        """Its folder, without secrets."""
        return shown(self.store.url)

    @contextlib.contextmanager
    def opened(self, *, resume: bool) -> Iterator[Making]:
        """Give what it is made from; the data set goes to the store when the block ends well."""
        parts = None if self.store.is_private else self.store.below(f".{self.name[:50]}.work")
        if parts is not None and not resume:
            parts.remove()
        with tempfile.TemporaryDirectory(prefix="ligament-") as name:
            folder, target = Path(name, "work").resolve(), Path(name, self.name).resolve()
            folder.mkdir()
            yield Making(folder, parts, target)
            self.store.put_dataset(target, self.name)
        if parts is not None:
            parts.remove()


def dataset_place(out: str | os.PathLike[str], access: Access) -> LocalPlace | RemotePlace:
    """Return the location of a data set; raise if it is invalid, before any work is done."""
    text = local_path(os.fspath(out))
    if not is_url(text):
        target = Path(text).absolute()
        check_dataset(target)
        return LocalPlace(target)
    store, name = split_url(text, access)
    store.check_dataset(name)
    return RemotePlace(store, name)


@contextlib.contextmanager
def dataset_target(out: str | os.PathLike[str] | None, access: Access) -> Iterator[Path | None]:
    """Give the local path of a data set, which goes to its store when the block ends well."""
    place = None if out is None else dataset_place(out, access)
    if place is None or isinstance(place, LocalPlace):
        yield None if place is None else place.target
        return
    with tempfile.TemporaryDirectory(prefix="ligament-") as folder:
        yield Path(folder, place.name)
        place.store.put_dataset(Path(folder, place.name), place.name)
