"""`worlds`: many variations of one scene, in parallel, as one data set."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from ligament.arguments import checked, names_of
from ligament.datasets.columns import rows_within
from ligament.datasets.dataset import create_spool
from ligament.errors import ContentError, FileError, SimulationError
from ligament.gltf import Document, load, save
from ligament.jobs.datasets import dataset_place
from ligament.jobs.perform import Result, run_task
from ligament.jobs.pool import Setup
from ligament.jobs.remote import PROTOCOLS, Access
from ligament.jobs.runner import (
    interrupted,
    make_tasks,
    require_bounds,
    run_tasks,
)
from ligament.jobs.sources import Source
from ligament.jobs.stores import Store
from ligament.jobs.task import Entry, Options, Status, Task, digest_of
from ligament.limits import DEFAULT, Limits
from ligament.options.names import MEMORY, TIMEOUT, Quality
from ligament.physics.engines import DEVICE_ENGINE
from ligament.recording import Recording
from ligament.worlds.simulator import WorldSimulator, WorldsOptions
from ligament.worlds.tables import (
    EVENT_COLUMNS,
    EVENTS,
    WORLDS,
    collect,
    event_rows,
    require_one_source,
    world_columns,
    world_row,
)
from ligament.worlds.variations.rules import Rules, read_variations

if TYPE_CHECKING:
    from distributed import Client

PART_BYTES = 1 << 25
"""Size [bytes] of one task's part of the data set; it holds at least one world."""

MAX_WORLDS, MIN_TASKS = 64, 32
"""Most worlds per task, and fewest tasks (with fewer worlds each) if there are enough."""

DEVICE_BYTES, MAX_DEVICE_WORLDS = 1 << 30, 16_384
"""Size of a task's part if a device steps its worlds together, and most worlds."""

Progress = Callable[[int, int], None]
"""Called with (worlds played, total worlds)."""


@dataclasses.dataclass(frozen=True)
class WorldsReport:
    """The outcome of a run: `failed` gives reasons by world, `seconds` [s] is the time taken."""

    out: Path | str
    count: int
    failed: Mapping[int, str]
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether no world failed."""
        return not self.failed


class Playing(TypedDict, total=False):
    """Options of `lg.simulate` that all worlds share."""

    substeps: int | None
    engine: str
    quality: Quality
    gravity: Sequence[float]
    animations: str | Sequence[str] | None
    loop: bool
    scene: int | None
    omi_stiffness: Literal["auto", "literal"]
    spring_mode: Literal["reference", "steady", "none"]
    contacts: bool
    strict: bool


@checked
def worlds(
    document: Document | str | os.PathLike[str],
    variations: Rules,
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
    device: str | None = None,
    contact_room: int | None = None,
    client: Client | None = None,
    protocols: Iterable[str] = (),
    storage: Mapping[str, Mapping[str, Any]] | None = None,
    limits: Limits = DEFAULT,
    progress: Progress | None = None,
    **playing: Unpack[Playing],
) -> WorldsReport:
    """Simulate `count` variations of a document for `seconds` [s] into the data set `out`.

    `variations` are rules in a .toml or .json file, or a mapping of the same form; the draws of a
    world depend on `seed` and its number alone, and `out` (.zarr, .parquet or .npz) has the same
    bytes whatever the number of `jobs`. A world that fails is recorded with its reason, and the
    others continue. With `engine="mujoco-warp"`, all worlds of a task are stepped together on a
    `device` ("cuda", "cpu") with room for `contact_room` contacts each, and no events are recorded;
    `max_memory` does not apply there. `timeout` [s] is the limit per world. `resume` continues an
    interrupted run. With a Dask `client` its workers are used. `out` may be a URL in a remote
    store; `protocols` and `storage` are as for `lg.batch`. `playing` are further options of
    `lg.simulate`.

    >>> worlds("dice.glb", "throw.toml", 1000, "throws.zarr", seconds=2, rate=60, float32=True)
    """
    require_bounds(jobs, timeout, max_memory)
    if count < 1:
        raise ContentError(f"{count} worlds", remedy="use 1 or more")
    place = dataset_place(out, Access(PROTOCOLS | set(protocols), dict(storage or {})))
    rules = read_variations(variations)
    options = WorldsOptions(
        variations=rules.plain,
        seed=_seed(seed, rules.seed),
        seconds=seconds,
        rate=rate,
        dtype="f4" if float32 else "f8",
        device=device,
        contact_room=contact_room,
        limits=document.limits if isinstance(document, Document) else limits,
        **_fixed(playing),
    )
    loaded = document if isinstance(document, Document) else load(document, limits=limits)
    simulator = WorldSimulator(loaded, options, rules)
    _require_device(simulator, options)
    # A GPU's driver maps far more address space than a process uses: that cannot be limited.
    memory = None if options.engine == DEVICE_ENGINE else max_memory
    setup = Setup(work=play_worlds, memory=memory, timeout=timeout)
    start = time.monotonic()
    with place.opened(resume=resume) as (folder, store, target, _):
        source = _source(document, loaded, folder, store)
        run = _Run(simulator, source, folder, count, setup, jobs, progress, client, store)
        entries = run.entries()
        require_one_source(simulator, entries)
        try:
            failed = collect(simulator, entries, folder, target, count)
        except FileError as fault:
            raise interrupted(fault, count, count) from fault
    return WorldsReport(place.shown, count, failed, round(time.monotonic() - start, 3))


def _require_device(simulator: WorldSimulator, options: WorldsOptions) -> None:
    """Refuse a device without its engine, and warn of what that engine does not record."""
    room = options.contact_room
    if options.engine != DEVICE_ENGINE:
        remedy = f"use it with engine {DEVICE_ENGINE}"
        if options.device is not None:
            raise ContentError(f"the device {options.device!r}", remedy=remedy)
        if room is not None:
            raise ContentError(f"room for {room} contacts", remedy=remedy)
        return
    if room is not None and room < 1:
        raise ContentError(f"room for {room} contacts", remedy="use 1 or more")
    if simulator.scene.triggers:
        node = simulator.scene.triggers[0].node
        message = f"{DEVICE_ENGINE} records no events of triggers"
        simulator.document.warn(message, f"/nodes/{node}")
    if options.contacts:
        simulator.document.warn(f"{DEVICE_ENGINE} records no events of contacts")


def _fixed(playing: Playing) -> dict[str, Any]:
    """Return the options as immutable values."""
    fixed: dict[str, Any] = dict(playing)
    if "gravity" in fixed:
        gravity = np.asarray(fixed["gravity"], float)
        if gravity.shape != (3,):
            raise ContentError(f"gravity of shape {gravity.shape}", remedy="give 3 finite numbers")
        fixed["gravity"] = tuple(gravity.tolist())
    if "animations" in fixed:
        fixed["animations"] = names_of(fixed["animations"])
    return fixed


def _seed(asked: int | None, in_file: int | None) -> int:
    if asked is not None and asked < 0:
        raise ContentError(f"the seed is {asked}", remedy="use 0 or more")
    return asked if asked is not None else in_file or 0


def _source(
    document: Document | str | os.PathLike[str],
    loaded: Document,
    folder: Path,
    store: Store | None,
) -> str:
    """Return a file that workers can read: the named one, or a copy of the document."""
    if not isinstance(document, Document) and store is None:
        return str(Path(document).absolute())
    path = folder / "scene.glb"
    save(loaded, path, embed=True)
    if store is None:
        return str(path)
    store.put(path, path.name)
    return f"{store.url}/{path.name}"


@dataclasses.dataclass(frozen=True)
class _Run:
    simulator: WorldSimulator
    source: str
    folder: Path
    count: int
    setup: Setup
    jobs: int | None
    progress: Progress | None
    client: Client | None = None
    store: Store | None = None

    @property
    def is_on_device(self) -> bool:
        """Whether a device steps the worlds of a task together; one task then has them all."""
        return self.simulator.options.engine == DEVICE_ENGINE

    def entries(self) -> list[tuple[WorldsOptions, Entry]]:
        """Play all worlds; those of a failed task are retried one by one.

        On a device worlds fail individually; a task fails for lack of memory or of the device.
        """
        entries: list[tuple[WorldsOptions, Entry]] = []
        for options, entry in self._entries(list(self._blocks())):
            if entry.status is Status.DONE:
                entries.append((options, entry))
            elif self.is_on_device:
                raise SimulationError(entry.reason or str(entry.status))
            elif options.last - options.first == 1:
                entries.append((options, entry))
            else:
                entries += self._entries([*_singles(options)])
        if self.store is not None:
            for options, entry in entries:
                if entry.status is Status.DONE:
                    part = f"{options.name}.part"
                    self.store.get_all(part, self.folder / part)
        return entries

    def _blocks(self) -> Iterator[WorldsOptions]:
        """Divide the worlds into tasks; the division does not affect the data set."""
        fitting = rows_within(world_columns(self.simulator), PART_BYTES)
        size = max(1, min(MAX_WORLDS, fitting, -(-self.count // MIN_TASKS)))
        if self.is_on_device:
            fitting = rows_within(world_columns(self.simulator), DEVICE_BYTES)
            size = max(1, min(MAX_DEVICE_WORLDS, fitting, self.count))
        for first in range(0, self.count, size):
            last = min(first + size, self.count)
            yield dataclasses.replace(self.simulator.options, first=first, last=last)

    def _entries(self, blocks: list[WorldsOptions]) -> list[tuple[WorldsOptions, Entry]]:
        by_name = {block.name: block for block in blocks}
        size = max(block.last - block.first for block in blocks)
        timeout = self.setup.timeout
        setup = dataclasses.replace(self.setup, timeout=None if timeout is None else timeout * size)
        played = self.count - sum(block.last - block.first for block in blocks)

        def report_progress(entry: Entry, finished: int, total: int) -> None:
            nonlocal played
            played += by_name[entry.name].last - by_name[entry.name].first
            if self.progress is not None:
                self.progress(played, self.count)

        report = run_tasks(
            lambda: self._tasks(blocks),
            self.folder,
            setup,
            jobs=self.jobs or (1 if self.is_on_device else None),
            client=self.client,
            progress=report_progress,
            store=self.store,
        )
        return [(by_name[entry.name], entry) for entry in report]

    def _tasks(self, blocks: Sequence[WorldsOptions]) -> list[Task]:
        by_name = {block.name: block for block in blocks}
        inputs = dict.fromkeys(by_name, (self.source, self.source.rpartition("/")[2]))
        access = None if self.store is None else self.store.access
        tasks = make_tasks(
            blocks[0], inputs, self.folder, access=access, resume=True, store=self.store
        )
        return [dataclasses.replace(task, options=by_name[task.name]) for task in tasks]


def _singles(block: WorldsOptions) -> Iterator[WorldsOptions]:
    for world in range(block.first, block.last):
        yield dataclasses.replace(block, first=world, last=world + 1)


# --- in a worker ---


def play_worlds(task: Task) -> Entry:
    """Play the worlds of a task; failed ones are recorded in its part of the data set."""
    return run_task(task, _command)


def _command(source: Source, paths: Sequence[Path], options: Options, *, shown: str) -> Result:
    assert isinstance(options, WorldsOptions)
    simulators = _Simulators.get(source, options)
    with create_spool(paths[0]) as spool:
        worlds = spool.table(WORLDS, columns := world_columns(simulators.simulator))
        events = spool.table(EVENTS, EVENT_COLUMNS)
        if options.engine == DEVICE_ENGINE:
            from ligament.worlds.device import play_together

            rows = play_together(simulators.simulator, options, columns)
            worlds.append(rows)
            return Result(counts={"worlds": len(rows["ok"]), "failed": int((~rows["ok"]).sum())})
        failed = 0
        for world in range(options.first, options.last):
            outcome = simulators.play(world)
            worlds.append(world_row(simulators.simulator, columns, world, outcome))
            if isinstance(outcome, Recording):
                events.append(event_rows(world, outcome.events))
            failed += isinstance(outcome, str)
    return Result(counts={"worlds": options.last - options.first, "failed": failed})


class _Simulators:
    """The simulator of this process, kept between tasks and replaced after a failure."""

    _current: _Simulators | None = None

    def __init__(self, path: Path, options: WorldsOptions, key: tuple[str | None, str]) -> None:
        self.path, self.options, self.key = path, options, key
        self.simulator = WorldSimulator(path, options)

    @classmethod
    def get(cls, source: Source, options: WorldsOptions) -> _Simulators:
        """Return the simulator for a file in its current state."""
        key = (source.known, digest_of(options.command, options.fingerprint()))
        if cls._current is None or cls._current.key != key:
            cls._current = cls(source.path, options, key)
        return cls._current

    def play(self, world: int) -> Recording | str:
        """Return the recording of a world, or why there is none."""
        try:
            return self.simulator.play(world)
        except SimulationError as fault:
            self.simulator = WorldSimulator(self.path, self.options)
            return str(fault)
