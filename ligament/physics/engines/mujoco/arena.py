"""The arena: MuJoCo's memory of fixed size for contacts and constraint rows.

Without room for the solver, MuJoCo raises an error; without room for contacts, it drops them with a
warning, and bodies pass through each other. Both end the simulation with a one-line error.
"""

from __future__ import annotations

from typing import Any, Final

import mujoco
import numpy as np

from ligament.arrays import Floats
from ligament.errors import SimulationError

FARTHEST: Final = float(mujoco.mjMAXVAL)
"""Positions [m] above which MuJoCo gives up."""

_CONTACTS: Final = int(mujoco.mjtWarning.mjWARN_CONTACTFULL)
_ROWS: Final = int(mujoco.mjtWarning.mjWARN_CNSTRFULL)


def forward(model: Any, data: Any) -> None:
    """Derive everything from positions and velocities. Raises SimulationError without room."""
    try:
        mujoco.mj_forward(model, data)
    except mujoco.FatalError:
        raise arena_is_full(data) from None
    require_room(data)


def require_room(data: Any) -> None:
    """Raise SimulationError if contacts or constraint rows were dropped since the start."""
    warnings = data.warning.number
    if warnings[_CONTACTS] or warnings[_ROWS]:
        raise arena_is_full(data)


def arena_is_full(data: Any) -> SimulationError:
    """Return the error for a scene with more contacts than there is memory for."""
    return SimulationError(
        f"MuJoCo has no memory for more than the {data.ncon:,} contacts that it found",
        remedy="move bodies apart that start inside one another, or use --engine rapier",
    )


def is_within_reach(positions: Floats) -> bool:
    """Tell whether all positions are finite and within range, by their squares if possible."""
    near = np.vdot(positions, positions) < FARTHEST**2  # vdot raises no warnings
    return bool(near or np.abs(positions).max(initial=0.0) < FARTHEST)
