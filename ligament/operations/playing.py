"""Options of the operations that play a file."""

import dataclasses
from typing import ClassVar, Self

from ligament.operations.cost import Cost
from ligament.options.groups import Playing, Reading, Simulating


@dataclasses.dataclass(frozen=True, kw_only=True)
class Played(Playing, Reading):
    """The options of an operation that plays a file."""

    cost: ClassVar[Cost] = Cost()
    doing: ClassVar[str] = "simulating"

    def with_engine(self) -> Self:
        """Refuse an engine that is not there."""
        from ligament.physics.engines import engine_factory

        engine_factory(self.engine)
        return self


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recorded(Simulating, Played):
    """The options of an operation that plays and records a file."""

    def with_engine(self) -> Self:
        """Refuse an engine that is not there, and more frames than there may be."""
        from ligament.recording import frame_times

        frame_times(self.seconds or 0.0, self.rate, limits=self.limits)
        return super().with_engine()
