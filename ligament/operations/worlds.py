"""Worlds: many variations of one scene as a data set."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self

from ligament.operations.operation import Operation, Reads, Report
from ligament.options.groups import AnyPath, Contacts, Frames, Playing, Reading
from ligament.options.option import Option
from ligament.options.running import Running
from ligament.processes.bounds import GIBIBYTE

if TYPE_CHECKING:
    from ligament.gltf.document import Document
    from ligament.worlds import WorldsReport

MAX_LISTED: Final = 8
"""Most failed worlds that are listed individually."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Worlds(
    Frames, Contacts, Playing, Reading, Running, Operation["Document | Path", "WorldsReport"]
):
    """Simulate many variations of a file into one data set.

    The exit status is 1 if any world failed, and the data set says which and why; it is 3 if the
    run was interrupted and --resume continues it.
    """

    title: ClassVar[str] = "Options"

    command = "worlds"
    example = "ligament worlds door.glb --vary rules.toml --count 4 --seconds 1 -o worlds.npz"
    reads = Reads("file", "A .gltf, .glb, .vrm or .vrma file")
    supervises_itself = True
    doing = "worlds"
    unit = "worlds"

    vary: Annotated[AnyPath, Option("The variation rules, a .toml or .json file", is_read=True)]
    count: Annotated[int, Option("Number of worlds", least=1)]
    seconds: Annotated[float, Option("Length of each world", unit="s", least=0)]
    out: Annotated[
        str,
        Option(
            "The data set, a path or a URL: .zarr, .parquet or .npz",
            flags=("-o", "--out"),
            metavar="PATH",
        ),
    ]
    seed: Annotated[int | None, Option("Random seed; by default that of the rules", least=0)] = None
    float32: Annotated[bool, Option("Write single-precision numbers")] = False
    device: Annotated[
        str | None, Option("The device of the engine mujoco-warp: cuda, cuda:1, cpu")
    ] = None
    contact_room: Annotated[
        int | None, Option("Contact capacity of mujoco-warp per world", least=1)
    ] = None

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse an engine that is not there."""
        from ligament.physics.engines import require_engine, single_engine

        require_engine(single_engine(self.engine), self.quality)
        return self

    def load(self, sources: Sequence[Path]) -> "Document | Path":
        """Leave reading to the workers, unless the file needs others of named folders."""
        return super().load(sources) if self.roots else sources[0]

    def run(self, subject: "Document | Path") -> "WorldsReport":
        """Simulate all worlds, here or on a cluster."""
        from ligament.operations.clusters import connected
        from ligament.worlds import worlds

        playing = self.part(Playing)
        del playing["settings"]
        with connected(self) as client:
            return worlds(
                subject,
                Path(self.vary),
                self.count,
                self.out,
                seconds=self.seconds,
                rate=self.rate,
                seed=self.seed,
                **playing,
                contacts=self.contacts,
                float32=self.float32,
                device=self.device,
                contact_room=self.contact_room,
                jobs=self.jobs,
                timeout=self.timeout or None,
                max_memory=round(self.max_memory * GIBIBYTE) or None,
                resume=self.resume,
                client=client,
                limits=self.limits,
                progress=self.watch.advance,
            )

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Say how many worlds there are, and which failed."""
        from ligament.jobs.remote import is_url, shown

        place = shown(self.out) if is_url(self.out) else self.out
        counts = {"count": result.count, "failed": result.failed, "seconds": result.seconds}
        return Report(
            notes=[*_lines(result, place)],
            shortfall=None if result.ok else f"{len(result.failed)} failed",
            data={"file": place, **counts},
        )


def _lines(report: "WorldsReport", out: str) -> Iterator[str]:
    for world, reason in list(report.failed.items())[:MAX_LISTED]:
        yield f"failed: world {world}: {reason}"
    if len(report.failed) > MAX_LISTED:
        yield f"failed: {len(report.failed) - MAX_LISTED} more"
    failed = f", {len(report.failed)} failed" if report.failed else ""
    yield f"{out}: {report.count} worlds{failed}, {report.seconds:.1f} s"
