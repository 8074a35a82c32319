"""Options of runs of many tasks: how the work is done, and where."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, ClassVar, Final

from ligament.options.groups import AnyPath
from ligament.options.names import CHUNK, MEMORY, TIMEOUT
from ligament.options.option import Option, Options
from ligament.processes.bounds import GIBIBYTE


class Watch:
    """Who hears what becomes of a run of many: nobody, unless its methods are overridden."""

    def found(self, count: int) -> None:
        """Hear how many inputs have been found so far."""

    def advance(self, finished: int, total: int) -> None:
        """Hear how many of all are finished."""

    def say(self, line: str) -> None:
        """Hear what is worth a line before the end."""


NOBODY: Final = Watch()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Printed(Options):
    """What is printed."""

    title: ClassVar[str] = "Run"

    json: Annotated[bool, Option("Print JSON for programs")] = False
    quiet: Annotated[bool, Option("No messages")] = False

    def limits(self) -> tuple[str, ...]:
        """Return the limits that have options of their own, as --limit has them."""
        return ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Supervised(Printed):
    """How the process of one command is bounded, and what is printed."""

    title: ClassVar[str] = "Run"

    max_seconds: Annotated[
        float | None, Option("CPU time limit, by default by size; 0 means none", unit="s", least=0)
    ] = None
    max_memory: Annotated[
        float | None,
        Option(
            "Memory limit, by default by size; 0 means none", unit="GiB", least=0, metavar="GIB"
        ),
    ] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Timed(Supervised):
    """The same for a simulation, whose time counts by the clock."""

    title: ClassVar[str] = "Run"

    seconds_limit: Annotated[
        str | None,
        Option(
            "Time limit of the simulation; the same as --limit seconds=NUMBER",
            unit="s",
            flags=("--timeout", "--max-seconds"),
            metavar="NUMBER",
        ),
    ] = None
    max_bodies: Annotated[str | None, Option("The same as --limit bodies=NUMBER", metavar="N")] = (
        None
    )
    max_seconds: Annotated[float, Option("None: the clock counts", for_python=True)] = 0.0

    def limits(self) -> tuple[str, ...]:
        """Return the limits that have options of their own, as --limit has them."""
        given = {"seconds": self.seconds_limit, "bodies": self.max_bodies}
        return tuple(f"{name}={word}" for name, word in given.items() if word is not None)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cluster(Options):
    """The cluster of a run, and its certificates."""

    title: ClassVar[str] = "Cluster"

    cluster: Annotated[
        str | None,
        Option("Run on a Dask cluster: its scheduler, or 'local'", metavar="ADDRESS"),
    ] = None
    tls_ca: Annotated[AnyPath | None, Option("The certificate authority of the cluster (.pem)")] = (
        None
    )
    tls_cert: Annotated[AnyPath | None, Option("The client certificate for the cluster (.pem)")] = (
        None
    )
    tls_key: Annotated[AnyPath | None, Option("The key of that certificate (.pem)")] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pairing(Options):
    """How every motion is put on every avatar."""

    title: ClassVar[str] = "Every motion on every avatar"

    dataset: Annotated[
        str | None,
        Option(
            "Write one data set of all, to a path or a URL: .zarr, .parquet or .npz",
            metavar="PATH",
        ),
    ] = None
    chunk: Annotated[int, Option("Frames computed at once", least=1)] = CHUNK
    float32: Annotated[bool, Option("Single-precision arrays")] = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Into(Options):
    """Which files, and where the outputs go."""

    title: ClassVar[str] = "Files"

    input: Annotated[
        Sequence[str], Option("Files, folders, globs, URLs; - reads a list", is_positional=True)
    ]
    out_dir: Annotated[
        str, Option("The folder, or its URL, for outputs, manifest and report", metavar="PATH")
    ]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Overseen(Printed):
    """How many processes work on a run of many, and who hears of it."""

    title: ClassVar[str] = "Run"

    jobs: Annotated[int | None, Option("Number of processes; by default one per core", least=1)] = (
        None
    )
    watch: Annotated[Watch, Option("Hears what becomes of the run", for_python=True)] = NOBODY


@dataclasses.dataclass(frozen=True, kw_only=True)
class Running(Overseen, Cluster):
    """How the work on many files, or worlds, is done."""

    title: ClassVar[str] = "Run"

    timeout: Annotated[
        float, Option("Time limit per file, or world; 0 means none", unit="s", least=0)
    ] = TIMEOUT
    max_memory: Annotated[
        float, Option("Memory limit per process; 0 means none", unit="GiB", least=0, metavar="GIB")
    ] = MEMORY / GIBIBYTE
    resume: Annotated[bool, Option("Skip what is done and unchanged")] = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Batching(Into, Running):
    """How the work on many files is done."""

    title: ClassVar[str] = "Run"

    allow_protocol: Annotated[tuple[str, ...], Option("Also allow URLs of this protocol")] = ()
    allow_host: Annotated[tuple[str, ...], Option("Also follow redirects to this host")] = ()
