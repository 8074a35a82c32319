"""`ligament compare`: differences of two recordings, or of one file on two engines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import typer

from ligament.cli import playing
from ligament.cli.compare_report import plain_comparison, print_comparison
from ligament.cli.console import messages, plain, results
from ligament.cli.options import Contacts, Limit, Quiet, chosen_limits, grouped
from ligament.comparison import compare as compared
from ligament.comparison.comparison import ANGLE, DELAY, DISTANCE
from ligament.comparison.naming import renumbered, same_nodes
from ligament.errors import ContentError
from ligament.files import all_or_nothing, require_place
from ligament.gltf import Document, load
from ligament.gltf.tree import NodeTree
from ligament.jobs.options import GLTF_SUFFIXES, require_engine
from ligament.limits import Limits
from ligament.options.names import ENGINES, QUALITIES
from ligament.play.nudge import NUDGE
from ligament.play.tracks import attached
from ligament.plot import check_picture, plot_comparison
from ligament.recording import Recording, load_recording
from ligament.viewer.bundle import require_bundle

EXAMPLE = "ligament compare door.glb --seconds 2"

DIFFERENT = 1


class Side(NamedTuple):
    """One side: a recording, and the document, engine and quality if it was played here."""

    path: Path
    engine: str
    quality: str

    @property
    def is_played(self) -> bool:
        """Whether it is a document to be played, not a recording."""
        return self.path.suffix.lower() in GLTF_SUFFIXES

    def title(self, other: Side) -> str:
        """Name a side by what distinguishes it from the other."""
        if not self.is_played:
            return str(self.path)
        how = [self.engine] if self.quality == other.quality else [self.engine, self.quality]
        return " ".join(how) if self.path == other.path else f"{self.path}, {' '.join(how)}"


@grouped
def compare(
    *,
    a: Annotated[
        Path, typer.Argument(help="A recording (.npz, .json) or a .gltf, .glb or .vrm file.")
    ],
    b: Annotated[
        Path | None, typer.Argument(help="The other one; without it, A on two engines.")
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"{playing.ENGINE_HELP}; twice: of A, then of B."),
    ] = None,
    quality: Annotated[
        list[str] | None,
        typer.Option(metavar="|".join(QUALITIES), help="As in `simulate`; twice: of A, then of B."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Length [s] of a run; by default as in `simulate`."),
    ] = None,
    rate: playing.Rate = 60.0,
    distance_tolerance: Annotated[
        float,
        typer.Option(
            "--distance-tolerance",
            "--tolerance",
            help="Distance [m] above which bodies differ.",
        ),
    ] = DISTANCE,
    angle_tolerance: Annotated[
        float, typer.Option(help="Angle [degrees] above which bodies differ.")
    ] = 1.0,
    delay: Annotated[
        float, typer.Option(help="Largest delay [s] between matching events.")
    ] = DELAY,
    nudge: Annotated[
        float,
        typer.Option(
            min=0,
            help="Replay A from a start nudged by this [m], at least by one unit in the last "
            "place of the engine's numbers; differences that this causes are chaos. 0: skip.",
        ),
    ] = NUDGE,
    events: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            help="The events of two recordings; by default NAME.events.json next to them."
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="The .gltf, .glb or .vrm file of two recordings.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Plot distances, angles and limits: .png, .svg, .pdf.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write an HTML page that shows both in one scene.")
    ] = None,
    contacts: Contacts = False,
    content: playing.Content,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Show where, when and how far two runs diverge.

    A and B are recordings that `simulate` wrote, or files to play; one file alone is played on both
    engines, or on the two engines or qualities named. Nodes of two different files are matched by
    name. Differences that a minimally displaced start causes as well are chaos. The exit status is
    0 where nothing differs beyond the tolerances except for chaos, 1 where something does.
    """
    sides = _sides(a, b, engine or [], quality or [])
    _check_outputs(plot, html)
    if html is not None and file is None and not all(side.is_played for side in sides):
        remedy = "name the file that they were recorded from with --file"
        raise ContentError("recordings alone cannot be shown in a page", remedy=remedy)
    limits = chosen_limits(limit)
    options = {"seconds": seconds, "rate": rate, "contacts": contacts, **content.arguments()}
    runs = Runs(sides, limits, options, events, file, quiet=quiet)
    first, second = runs.recordings()
    nudged = runs.play(0, nudge=nudge) if nudge and sides[0].is_played else None
    found = compared(
        first,
        second,
        nudged=nudged,
        distance=distance_tolerance,
        angle=ANGLE * angle_tolerance,
        delay=delay,
    )
    titles = (sides[0].title(sides[1]), sides[1].title(sides[0]))
    if json:
        report = msgspec.json.encode(plain_comparison(found, titles, runs.names))
        results.print(msgspec.json.format(report, indent=2).decode())
    else:
        print_comparison(found, titles, runs.names)
    with all_or_nothing():
        if plot is not None:
            plot_comparison(found, plot, titles=titles, names=runs.names)
        frames = 0 if html is None else runs.write_page(html, titles)
    if html is not None and not quiet:
        messages.print(f"{plain(html)}: {frames} frames, opens in any browser")
    if not found.is_alike:
        raise typer.Exit(DIFFERENT)


class Runs:
    """The recordings of both sides, and the names of all nodes in them."""

    def __init__(
        self,
        sides: tuple[Side, Side],
        limits: Limits,
        options: dict[str, Any],
        events: tuple[Path, Path] | None,
        file: Path | None,
        *,
        quiet: bool,
    ) -> None:
        self.sides, self._limits, self._options = sides, limits, options
        self._events, self._quiet = events or (None, None), quiet
        if events is not None and any(side.is_played for side in sides):
            remedy = "leave --events out"
            raise ContentError(
                "--events is for recordings: a played file has its own", remedy=remedy
            )
        first, second = (side.path if side.is_played else file for side in sides)
        loaded = None if first is None else load(first, limits=limits)
        other = loaded if second == first else second and load(second, limits=limits)
        self.documents: tuple[Document | None, Document | None] = (loaded, other or None)
        self.names = self._join_names()

    def _join_names(self) -> list[str | None]:
        """Return the names of all nodes of A, then those of B if it is a different file."""
        first, second = self.documents
        mine = [] if first is None else NodeTree(first).names
        self._numbers = None
        if first is None or second is None or first is second:
            return [*mine]
        others = NodeTree(second).names
        self._numbers = same_nodes(mine, others)
        return [*mine, *others]

    def recordings(self) -> tuple[Recording, Recording]:
        """Return both recordings, with the node numbers of the first."""
        first, second = self._recordings = [
            self.play(i) if side.is_played else self._read(i) for i, side in enumerate(self.sides)
        ]
        return first, second if self._numbers is None else renumbered(second, self._numbers)

    def play(self, index: int, nudge: float = 0.0) -> Recording:
        """Play a side."""
        side, document = self.sides[index], self.documents[index]
        assert document is not None
        return playing.play(
            document,
            quiet=self._quiet,
            engine=side.engine,
            quality=side.quality,
            nudge=nudge,
            **self._options,
        )

    def _read(self, index: int) -> Recording:
        path, document = self.sides[index].path, self.documents[index]
        recording = load_recording(path, events=self._events[index], limits=self._limits)
        return recording if document is None else attached(recording, document)

    def write_page(self, path: Path, titles: tuple[str, str]) -> int:
        """Write the page that shows both; return its number of frames."""
        from ligament.viewer.comparison import save_comparison_page
        from ligament.viewer.takes import Take

        takes = [
            Take(document, recording, title)
            for document, recording, title in zip(
                self.documents, self._recordings, titles, strict=True
            )
            if document is not None
        ]
        return save_comparison_page(path, *takes)


def _sides(
    a: Path, b: Path | None, engines: Sequence[str], qualities: Sequence[str]
) -> tuple[Side, Side]:
    """Return the two sides to compare; ContentError if they are the same."""
    if b is None and not engines and len(qualities) < 2:
        engines = ENGINES[:2]
    for name, given in (("--engine", engines), ("--quality", qualities)):
        if len(given) > 2:
            raise ContentError(
                f"{name} is given {len(given)} times", remedy="give it once or twice"
            )
    pairs = [
        (given[0], given[-1]) if given else (default, default)
        for given, default in ((engines, ENGINES[0]), (qualities, QUALITIES[-1]))
    ]
    for engine, quality in zip(*pairs, strict=True):
        require_engine(engine, quality)
    first, second = (
        Side(path, engine, quality)
        for path, engine, quality in zip((a, b or a), *pairs, strict=True)
    )
    if (first == second and first.is_played) or (b is None and not first.is_played):
        remedy = "name another file, or two engines or qualities"
        raise ContentError("both sides are the same", file=a, remedy=remedy)
    return first, second


def _check_outputs(plot: Path | None, html: Path | None) -> None:
    if plot is not None:
        check_picture(plot)
    if html is not None:
        require_bundle()
        if html.suffix.lower() not in (".html", ".htm"):
            remedy = "use a name that ends in .html"
            raise ContentError(f"{html.name} is not an HTML file", remedy=remedy)
    for path in filter(None, (plot, html)):
        require_place(path)
