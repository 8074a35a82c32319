"""Compare: differences of two recordings, or of one file on two engines."""

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Self

from ligament.arguments import named
from ligament.errors import ContentError
from ligament.operations.cost import Cost
from ligament.operations.operation import GLTF, Operation, Reads, Report, Writes, function
from ligament.options.groups import ENGINE_HELP, Reading, Run, Simulating
from ligament.options.names import (
    DIFFERENT_ANGLE,
    DIFFERENT_DELAY,
    DIFFERENT_DISTANCE,
    ENGINES,
    NUDGE,
    QUALITIES,
    RECORDINGS,
    Quality,
)
from ligament.options.option import Option

if TYPE_CHECKING:
    from ligament.comparison.comparison import Comparison
    from ligament.gltf.document import Document
    from ligament.gltf.load import AnyDocument
    from ligament.recording import Recording
    from ligament.viewer.takes import Take
else:
    Document, Recording = named("Document"), named("Recording")


class Side(NamedTuple):
    """One side: a recording, or a document that is played on an engine, or the file of one."""

    source: Any
    engine: str
    quality: Quality

    @property
    def is_played(self) -> bool:
        """Whether it is to be played."""
        if isinstance(self.source, str | os.PathLike):
            return Path(self.source).suffix.lower() in GLTF
        return hasattr(self.source, "json")

    def title(self, other: "Side") -> str:
        """Name a side by what distinguishes it from the other."""
        source = self.source
        name = _path(source) or str(getattr(source, "path", None) or "a recording")
        if not self.is_played:
            return name
        how = [self.engine] if self.quality == other.quality else [self.engine, self.quality]
        return " ".join(how) if is_same(source, other.source) else f"{name}, {' '.join(how)}"


class Compared(NamedTuple):
    """A comparison with the titles of both sides, the names of all nodes, and what was seen."""

    comparison: "Comparison"
    titles: tuple[str, str]
    names: Sequence[str | None]
    takes: "Sequence[Take]"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Compare(Run, Reading, Operation["AnyDocument | Recording", "Comparison"]):
    """Show where, when and how far two runs diverge.

    A and B are recordings that `simulate` wrote, or files to play; one file alone is played on both
    engines, or on the two engines or qualities named. Nodes of two different files are matched by
    name. Differences that a minimally displaced start causes as well are chaos. The exit status is
    0 where nothing differs beyond the tolerances except for chaos, 1 where something does.
    """

    command = "compare"
    subject: ClassVar[str] = "a"
    example = "ligament compare door.glb --seconds 2"
    reads = Reads(
        "a", "A recording (.npz, .json) or a .gltf, .glb or .vrm file", (*GLTF, *RECORDINGS)
    )
    writes = (
        Writes("html", "A page that shows both in one scene", (".html", ".htm"), "", True),
        Writes(
            "plot", "Distances, angles and limits as a plot", (".png", ".svg", ".pdf"), "", True
        ),
    )
    cost = Cost()
    doing = "comparing"
    runs = 3

    b: Annotated[
        Recording | Document | str | os.PathLike[str] | None,
        Option("The other one; without it, A on two engines", is_positional=True, is_read=True),
    ] = dataclasses.field(default=None, kw_only=False)
    engines: Annotated[
        str | Sequence[str], Option(f"{ENGINE_HELP}; twice: of A, then of B", flags=("--engine",))
    ] = ()
    qualities: Annotated[
        Quality | Sequence[Quality],
        Option("As in `simulate`; twice: of A, then of B", flags=("--quality",)),
    ] = ()
    distance_tolerance: Annotated[
        float,
        Option(
            "Distance above which bodies differ",
            unit="m",
            above=0,
            flags=("--tolerance", "--distance-tolerance"),
        ),
    ] = DIFFERENT_DISTANCE
    angle_tolerance: Annotated[
        float, Option("Angle above which bodies differ", unit="degrees", above=0)
    ] = DIFFERENT_ANGLE
    delay: Annotated[float, Option("Largest delay between matching events", unit="s", above=0)] = (
        DIFFERENT_DELAY
    )
    nudge: Annotated[
        float,
        Option(
            "Replay A from a start nudged by this, at least by one unit in the last place of the "
            "engine's numbers; differences that this causes are chaos. 0: skip",
            unit="m",
            least=0,
        ),
    ] = NUDGE
    events: Annotated[
        Sequence[str | os.PathLike[str]] | None,
        Option("The events of two recordings; by default NAME.events.json next to them", length=2),
    ] = None
    file: Annotated[
        Document | str | os.PathLike[str] | None,
        Option("The .gltf, .glb or .vrm file of two recordings", metavar="PATH", is_read=True),
    ] = None
    nudged: Annotated[
        Recording | None,
        Option("A recording of A, played from a nudged start", for_python=True),
    ] = None

    def prepared(self, outputs: Mapping[str, Path] | None = None) -> Self:
        """Refuse engines that are not there, and pictures and pages that cannot be made."""
        from ligament.physics.engines import engine_factory

        for option, given in (("engine", self.engines), ("quality", self.qualities)):
            if len(given) > 2:
                many = f"--{option} is given {len(given)} times"
                raise ContentError(many, remedy="give it once or twice")
        for name in self.engines:
            engine_factory(name)
        if outputs and "plot" in outputs:
            from ligament.plot import check_picture

            check_picture(outputs["plot"])
        if outputs and "html" in outputs:
            from ligament.viewer.bundle import require_bundle

            require_bundle()
        return self

    def load(self, sources: Sequence[Path]) -> Any:
        """Leave reading to the work: both sides are read alike."""
        return sources[0]

    def run(self, subject: "AnyDocument | Recording") -> "Comparison":
        """Compare two recordings of one scene, or play documents and compare what they do.

        >>> compare("door.glb", seconds=2).verdict
        >>> compare(*(simulate(doc, engine=name) for name in ("rapier", "mujoco"))).verdict
        """
        return self.work(subject).comparison

    def work(self, subject: Any) -> Compared:
        """Read or play both sides, and compare them."""
        from ligament.comparison.comparison import compare as compared
        from ligament.comparison.naming import renumbered, same_nodes
        from ligament.gltf.tree import NodeTree
        from ligament.viewer.takes import Take

        sides = self._sides(subject)
        documents = self._documents(sides)
        recordings = [self._recording(i, side, documents[i]) for i, side in enumerate(sides)]
        first, second = documents
        names = [] if first is None else [*NodeTree(first).names]
        a, b = recordings
        if first is not None and second is not None and first is not second:
            others = NodeTree(second).names
            b = renumbered(b, same_nodes(names, others))
            names += others
        nudged = self.nudged
        if nudged is None and self.nudge and sides[0].is_played:
            nudged = self._play(sides[0], first, nudge=self.nudge)
        found = compared(
            a,
            b,
            nudged=nudged,
            distance=self.distance_tolerance,
            angle=math.radians(self.angle_tolerance),
            delay=self.delay,
        )
        titles = (sides[0].title(sides[1]), sides[1].title(sides[0]))
        takes = [
            Take(document, recording, title)
            for document, recording, title in zip(documents, recordings, titles, strict=True)
            if document is not None
        ]
        return Compared(found, titles, names, takes)

    def save(self, subject: Any, result: Any, outputs: Mapping[str, Path]) -> Report:
        """Write the page and the plot, and say what differs."""
        from ligament.comparison.report import data, lines

        found, titles, names, takes = result
        line = ""
        if "html" in outputs:
            from ligament.viewer.comparison import save_comparison_page

            if len(takes) < 2:
                remedy = "name the file that they were recorded from with --file"
                raise ContentError("recordings alone cannot be shown in a page", remedy=remedy)
            frames = save_comparison_page(outputs["html"], *takes)
            line = f"{frames} frames, opens in any browser"
        if "plot" in outputs:
            from ligament.plot import plot_comparison

            plot_comparison(found, outputs["plot"], titles=titles, names=names)
        return Report(
            line=line,
            text=[*lines(found, titles, names)],
            shortfall=None if found.is_alike else "the two differ",
            data=data(found, titles, names),
        )

    def _sides(self, a: Any) -> tuple[Side, Side]:
        """Return the two sides to compare; ContentError if they are the same."""
        b, engines, qualities = self.b, self.engines, self.qualities
        if b is None and not engines and len(qualities) < 2:
            engines = ENGINES[:2]
        both = [
            (given[0], given[-1]) if given else (default, default)
            for given, default in ((engines, ENGINES[0]), (qualities, QUALITIES[-1]))
        ]
        other = a if b is None else b
        first, second = (Side(*each) for each in zip((a, other), *both, strict=True))
        is_one = first[1:] == second[1:] and is_same(first.source, second.source)
        if is_one if first.is_played else b is None:
            remedy = "name another file, or two engines or qualities"
            raise ContentError("both sides are the same", file=_path(a), remedy=remedy)
        if self.events is not None and (first.is_played or second.is_played):
            remedy = "leave --events out"
            raise ContentError(
                "--events is for recordings: a played file has its own", remedy=remedy
            )
        return first, second

    def _documents(self, sides: tuple[Side, Side]) -> "list[Document | None]":
        """Return the documents of both sides as far as they are known; one file is one."""
        from ligament.gltf.load import load

        found: list[tuple[Any, Document]] = []
        documents: list[Document | None] = []
        for side in sides:
            source: Any = side.source if side.is_played else self.file
            known = next((document for other, document in found if is_same(other, source)), None)
            if known is None and source is not None:
                is_path = isinstance(source, str | os.PathLike)
                known = load(source, limits=self.limits) if is_path else source
                found.append((source, known))
            documents.append(known)
        return documents

    def _recording(self, index: int, side: Side, document: Any) -> "Recording":
        """Play a side, or read it."""
        if side.is_played:
            return self._play(side, document)
        from ligament.play.tracks import attached
        from ligament.recording import load_recording

        recording = side.source
        if isinstance(recording, str | os.PathLike):
            events = None if self.events is None else self.events[index]
            recording = load_recording(recording, events=events, limits=self.limits)
        return recording if document is None else attached(recording, document)

    def _play(self, side: Side, document: Any, nudge: float = 0.0) -> "Recording":
        from ligament.play.timeline import play

        how: dict[str, Any] = {"engine": side.engine, "quality": side.quality, "nudge": nudge}
        recording = play(document, Simulating(**self.part(Run), **how))
        recording.require_finite()
        return recording


def is_same(one: Any, other: Any) -> bool:
    """Tell whether two sources are one."""
    return one is other or (_path(one) is not None and _path(one) == _path(other))


def _path(source: Any) -> str | None:
    return str(source) if isinstance(source, str | os.PathLike) else None


compare = function(Compare)
