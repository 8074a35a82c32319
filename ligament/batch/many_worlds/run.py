"""Many variations of one scene, in parallel, into one data set."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import msgspec

from ligament.batch.datasets import check_dataset
from ligament.batch.datasets.columns import rows_within
from ligament.batch.entries import Entry, Status, Task, digest_of
from ligament.batch.many_worlds.bench import Bench
from ligament.batch.many_worlds.collecting import collect
from ligament.batch.many_worlds.options import WorldsOptions
from ligament.batch.many_worlds.rules import Source, read_variations
from ligament.batch.many_worlds.tables import world_columns
from ligament.batch.many_worlds.work import play_worlds
from ligament.batch.run import MEMORY, TIMEOUT, known_entries, require_bounds, run_tasks
from ligament.batch.worker import Setup
from ligament.batch.workplaces import workplace
from ligament.errors import ContentError
from ligament.gltf import Document, load, save
from ligament.limits import DEFAULT, Limits

PART_BYTES = 1 << 25
"""How large the part of one task may be; it holds at least one world."""

MOST_IN_TASK = 64
FEWEST_TASKS = 32
"""A task has that many worlds at most, and as few as give so many tasks."""

Progress = Callable[[int, int], None]
"""Called with (worlds played, worlds in all)."""


@dataclasses.dataclass(frozen=True)
class WorldsReport:
    """What became of many worlds: `failed` says why, by number; `seconds` [s] is how long."""

    out: Path
    count: int
    failed: Mapping[int, str]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether all worlds came to a good end."""
        return not self.failed


class Playing(TypedDict, total=False):
    """How worlds are played, as by `lg.simulate`."""

    substeps: int | None
    gravity: Sequence[float]
    animations: Sequence[str] | None
    loop: bool
    scene: int | None
    omi_stiffness: Literal["auto", "literal"]
    contacts: bool


def worlds(
    document: Document | str | os.PathLike[str],
    variations: Source,
    count: int,
    out: str | os.PathLike[str],
    *,
    seconds: float,
    rate: float = 60.0,
    seed: int | None = None,
    float32: bool = False,
    jobs: int | None = None,
    timeout: float | None = TIMEOUT,
    max_memory: int | None = MEMORY,
    resume: bool = False,
    limits: Limits = DEFAULT,
    progress: Progress | None = None,
    **playing: Unpack[Playing],
) -> WorldsReport:
    """Simulate `count` variations of a document for `seconds` [s] into the data set `out`.

    `variations` are rules in a .toml or .json file, or the same as a mapping; what is drawn for a
    world depends on `seed` and its number alone, and `out` (.zarr, .parquet or .npz) has the same
    bytes however many `jobs` are at work. A world that fails is told there with its reason, and
    the rest goes on. `timeout` [s] is for one world. `resume` goes on with what a run that was
    killed has left. `playing` are further options of `lg.simulate`.

    >>> worlds("dice.glb", "throw.toml", 1000, "throws.zarr", seconds=2, rate=60, float32=True)
    """
    require_bounds(jobs, timeout, max_memory)
    if count < 1:
        raise ContentError(f"{count} worlds", remedy="use 1 or more")
    target = Path(out).absolute()
    check_dataset(target)
    rules = read_variations(variations)
    options = WorldsOptions(
        variations=rules.plain,
        seed=_seed(seed, rules.seed),
        seconds=seconds,
        rate=rate,
        dtype="f4" if float32 else "f8",
        limits=document.limits if isinstance(document, Document) else limits,
        **_fixed(playing),
    )
    loaded = document if isinstance(document, Document) else load(document, limits=limits)
    bench = Bench(loaded, options, rules)
    setup = Setup(work=play_worlds, memory=max_memory, timeout=timeout)
    start = time.monotonic()
    with workplace(target, resume=resume) as folder:
        source = _source(document, folder)
        run = _Run(bench, source, folder, count, setup, jobs, progress)
        entries = run.entries()
        failed = collect(bench, entries, folder, target, count)
    return WorldsReport(target, count, failed, round(time.monotonic() - start, 3))


def _fixed(playing: Playing) -> dict[str, Any]:
    """Return options as values that cannot change and that JSON can hold."""
    fixed: dict[str, Any] = dict(playing)
    if "gravity" in fixed:
        fixed["gravity"] = tuple(map(float, fixed["gravity"]))
    if fixed.get("animations") is not None:
        fixed["animations"] = tuple(fixed["animations"])
    return fixed


def _seed(asked: int | None, in_file: int | None) -> int:
    if asked is not None and asked < 0:
        raise ContentError(f"a seed of {asked}", remedy="use 0 or more")
    return asked if asked is not None else in_file or 0


def _source(document: Document | str | os.PathLike[str], folder: Path) -> Path:
    """Return a file that workers can read: the one that was named, or a copy of what is here."""
    if not isinstance(document, Document):
        return Path(document).absolute()
    path = folder / "scene.glb"
    save(document, path, embed=True)
    return path


@dataclasses.dataclass(frozen=True)
class _Run:
    bench: Bench
    source: Path
    folder: Path
    count: int
    setup: Setup
    jobs: int | None
    progress: Progress | None

    def entries(self) -> list[tuple[WorldsOptions, Entry]]:
        """Play all worlds; those of a task that came to a bad end are tried one by one."""
        entries: list[tuple[WorldsOptions, Entry]] = []
        for options, entry in self._entries(list(self._blocks())):
            if entry.status is Status.DONE or options.last - options.first == 1:
                entries.append((options, entry))
            else:
                entries += self._entries([*_singles(options)])
        return entries

    def _blocks(self) -> Iterator[WorldsOptions]:
        """Cut the worlds into tasks; how does not show in the data set."""
        fitting = rows_within(world_columns(self.bench), PART_BYTES)
        size = max(1, min(MOST_IN_TASK, fitting, -(-self.count // FEWEST_TASKS)))
        for first in range(0, self.count, size):
            last = min(first + size, self.count)
            yield dataclasses.replace(self.bench.options, first=first, last=last)

    def _entries(self, blocks: list[WorldsOptions]) -> list[tuple[WorldsOptions, Entry]]:
        by_name = {block.name: block for block in blocks}
        size = max(block.last - block.first for block in blocks)
        timeout = self.setup.timeout
        setup = dataclasses.replace(self.setup, timeout=None if timeout is None else timeout * size)
        played = self.count - sum(block.last - block.first for block in blocks)

        def told(entry: Entry, finished: int, total: int) -> None:
            nonlocal played
            played += by_name[entry.name].last - by_name[entry.name].first
            if self.progress is not None:
                self.progress(played, self.count)

        report = run_tasks(
            lambda: self._tasks(blocks), self.folder, setup, jobs=self.jobs, progress=told
        )
        return [(by_name[entry.name], entry) for entry in report]

    def _tasks(self, blocks: Sequence[WorldsOptions]) -> list[Task]:
        options = blocks[0]
        fingerprint = msgspec.to_builtins(options.fingerprint())
        digest = digest_of(options.command, fingerprint)
        known = known_entries(self.folder, digest)
        return [
            Task(
                source=str(self.source),
                shown=self.source.name,
                name=block.name,
                out_dir=str(self.folder),
                options=block,
                digest=digest,
                fingerprint=fingerprint,
                previous=known.get(block.name),
            )
            for block in blocks
        ]


def _singles(block: WorldsOptions) -> Iterator[WorldsOptions]:
    for world in range(block.first, block.last):
        yield dataclasses.replace(block, first=world, last=world + 1)
