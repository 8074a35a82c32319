"""Demo: the tour on the built-in examples."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from ligament.operations.operation import Operation, Report
from ligament.options.groups import AnyPath
from ligament.options.option import Option


@dataclasses.dataclass(frozen=True, kw_only=True)
class Demo(Operation[None, None]):
    """Show what Ligament does, on its own examples."""

    command = "demo"
    example = "ligament demo --out-dir demo"
    supervises_itself = True

    out_dir: Annotated[AnyPath, Option("The folder for the files that the tour makes")] = Path(
        "ligament-demo"
    )

    def is_live(self, outputs: Mapping[str, Path]) -> bool:
        """Tell that each stop is printed when it is reached."""
        return True

    def load(self, sources: Sequence[Path]) -> None:
        """Read nothing."""

    def live(self, subject: None) -> Iterator[Report]:
        """Yield the stops of the tour."""
        from ligament.demo import tour
        from ligament.files import all_or_nothing
        from ligament.text import plain

        with all_or_nothing():
            for number, stop in enumerate(tour(Path(self.out_dir)), start=1):
                lines = [f"   {plain(line)}" for line in stop.lines]
                files = [f"   -> {plain(file)}" for file in stop.files]
                yield Report(text=[f"{number}. {stop.title}", *lines, *files])
