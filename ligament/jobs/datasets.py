"""Destinations of outputs: folders and data sets, on this machine or in a remote store."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ligament.datasets import check_dataset
from ligament.errors import ContentError
from ligament.jobs.folders import output_folder, work_folder
from ligament.jobs.remote import Access, is_url, shown
from ligament.jobs.stores import Store, local_path, split_url

PathLike = str | os.PathLike[str]


class Making(NamedTuple):
    """A local folder of outputs, their remote store if any, and the data set made of them.

    `target` is local, too: what is there in the end goes to its place. Without a data set it is
    the folder. `shown` is where outputs are in reports.
    """

    folder: Path
    store: Store | None
    target: Path
    shown: Path | str


@dataclasses.dataclass(frozen=True)
class DatasetPlace:
    """The place of a data set, `path`, or in a store that name; its parts are in `.NAME.work`.

    In a store that only this process sees, the parts stay on this machine.
    """

    path: Path
    store: Store | None = None

    @property
    def shown(self) -> Path | str:
        """Its name in reports, without secrets."""
        return self.path if self.store is None else shown(f"{self.store.url}/{self.path}")

    @contextlib.contextmanager
    def opened(self, *, resume: bool) -> Iterator[Making]:
        """Yield what it is made from; it goes to its store when the block ends well."""
        store = self.store
        if store is None:
            with work_folder(self.path, resume=resume) as folder:
                yield Making(folder, None, self.path, self.path.parent)
            return
        parts = None if store.is_private else store.below(f".{self.path.name[:50]}.work")
        if parts is not None and not resume:
            parts.remove()
        with self.target() as target, tempfile.TemporaryDirectory(prefix="ligament-") as folder:
            yield Making(Path(folder).resolve(), parts, target, shown(store.url))
        if parts is not None:
            parts.remove()

    @contextlib.contextmanager
    def target(self) -> Iterator[Path]:
        """Yield its local path; it goes to its store when the block ends well."""
        if self.store is None:
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="ligament-") as folder:
            path = Path(folder, self.path).resolve()
            yield path
            self.store.put_dataset(path, self.path.name)


def dataset_place(out: PathLike, access: Access) -> DatasetPlace:
    """Return the place of a data set; raise if it is invalid, before any work is done."""
    text = local_path(os.fspath(out))
    if not is_url(text):
        target = Path(text).absolute()
        check_dataset(target)
        return DatasetPlace(target)
    store, name = split_url(text, access)
    store.check_dataset(name)
    return DatasetPlace(Path(name), store)


@contextlib.contextmanager
def opened(
    out_dir: PathLike | None, dataset: PathLike | None, access: Access, *, resume: bool
) -> Iterator[Making]:
    """Yield an output folder (for a URL a temporary one), and a data set; one of both may be None.

    The parts of a data set without a folder lie next to it.
    """
    place = None if dataset is None else dataset_place(dataset, access)
    if out_dir is None:
        if place is None:
            raise ContentError("there is no output", remedy="name a folder")
        with place.opened(resume=resume) as making:
            yield making
        return
    with contextlib.ExitStack() as stack:
        target = None if place is None else stack.enter_context(place.target())
        text, store = local_path(os.fspath(out_dir)), None
        if is_url(text):
            # Workers of a cluster that is lost may still write there.
            temporary = tempfile.TemporaryDirectory(prefix="ligament-", ignore_cleanup_errors=True)
            store = Store(text, access)
            folder = Path(stack.enter_context(temporary)).resolve()
        else:
            folder = output_folder(text)
        yield Making(folder, store, target or folder, shown(store.url) if store else folder)
