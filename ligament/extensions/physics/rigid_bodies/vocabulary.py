"""Vocabularies: names and defaults in which the dialects of rigid bodies differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ligament.extensions.declarations import Combine, Vector
from ligament.extensions.registry import MSFT_RIGID_BODIES

COMBINE_MODES: Mapping[str, Combine] = {str(mode): mode for mode in Combine}

COMBINE_MODES_OF_2023: Mapping[str, Combine] = {
    **{mode.upper(): mode for mode in Combine},
    **COMBINE_MODES,
}
"""Upper case, as the texts of 2023 have them; a late revision may have written lower case."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The names of one dialect, and its defaults for values that are computed where None.

    `name` is the extension that holds the arrays, `node_keys` are the keys of its objects
    on nodes. `joint_arrays` maps members of a node's joint to the arrays that they index.
    `stiffness` and `damping` list the names of these members of a limit; the first one present is
    used. A limit without bounds has no effect unless `locks_without_bounds` is set.
    """

    name: str
    node_keys: tuple[str, ...]
    joint_arrays: Mapping[str, str]
    combine_modes: Mapping[str, Combine]
    stiffness: tuple[str, ...] = ("stiffness",)
    damping: tuple[str, ...] = ("damping",)
    mass: float | None = None
    center_of_mass: Vector | None = None
    inertia_diagonal: Vector | None = None
    locks_without_bounds: bool = False


WORDS_OF_2023 = Vocabulary(
    name=MSFT_RIGID_BODIES,
    node_keys=(MSFT_RIGID_BODIES,),
    joint_arrays={"jointLimits": "physicsJointLimits"},
    combine_modes=COMBINE_MODES_OF_2023,
    stiffness=("springConstant", "stiffness"),
    damping=("springDamping", "damping"),
    mass=1.0,
    center_of_mass=(0.0, 0.0, 0.0),
    inertia_diagonal=(1.0, 1.0, 1.0),
)
"""MSFT_rigid_bodies as it was frozen: mass and inertia are never computed, but 1."""
