"""Physics materials."""

import dataclasses
from enum import StrEnum
from typing import Annotated, Any

from ligament.extensions.tables.rows import Choice, Number
from ligament.extensions.tables.table import Table


class Combine(StrEnum):
    """How the values of two touching materials become one, strongest first."""

    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    MULTIPLY = "multiply"


MODES = {str(mode): mode for mode in Combine}
MODES_2023 = {**{mode.upper(): mode for mode in Combine}, **MODES}
"""Upper case, as the texts of 2023 have them; a late revision may have written lower case."""


_SIZE: Any = {"least": 0.0, "is_written": True}


@dataclasses.dataclass(frozen=True)
class Material:
    """A surface material.

    A combine mode of None has no vote.
    """

    static_friction: Annotated[float, Number(**_SIZE, about="Coefficient at rest.")] = 0.6
    dynamic_friction: Annotated[float, Number(**_SIZE, about="Coefficient in motion.")] = 0.6
    restitution: Annotated[float, Number(**_SIZE, about="Coefficient of restitution.")] = 0.0
    friction_combine: Annotated[Combine | None, Choice(choices=MODES)] = None
    restitution_combine: Annotated[Combine | None, Choice(choices=MODES)] = None


MATERIAL = Table(Material, named=True)
MATERIAL_2023 = MATERIAL.changed(
    friction_combine={"choices": MODES_2023}, restitution_combine={"choices": MODES_2023}
)
