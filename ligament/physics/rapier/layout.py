"""Where the engine keeps the state of a body in the bytes that it saves it as.

The engine hands out poses and velocities one body and one vector at a time. The bytes in which a
body saves itself hold all of it, and take less time than two of its four attributes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import rapier3d as rp

Rows: TypeAlias = npt.NDArray[np.float32]

SIZES: Final = (3, 4, 3, 3)
"""Numbers in translation, rotation, velocity and spin: a row of 13 is the state of a body."""


class Layout(NamedTuple):
    """Where a body's bytes hold its state: between two of them, and in which single numbers."""

    first: int
    last: int
    columns: npt.NDArray[np.intp]


def find_layout() -> Layout | None:
    """Find out where a body keeps its state, by saving one with values that nothing else has.

    None where that is not clear, as it may be in another version of the engine.
    """
    sought = ((1.25, 2.5, 5.125), (0.5, -0.5, -0.5, 0.5), (7.75, 8.5, 9.25), (11.5, 12.25, 13.5))
    position, rotation, velocity, spin = sought
    body = rp.RigidBody.dynamic().position((position, rotation)).linvel(velocity).angvel(spin)
    data = body.build().to_bytes()
    starts = [data.find(struct.pack(f"<{len(part)}f", *part)) for part in sought]
    if any(start < 0 or start % 4 for start in starts):
        return None
    first = min(starts)
    columns = [(s - first) // 4 + np.arange(n) for s, n in zip(starts, SIZES, strict=True)]
    return Layout(first, max(starts) + 16, np.concatenate(columns))


LAYOUT: Final = find_layout()


def read_rows(bodies: Sequence[rp.RigidBody], layout: Layout | None = LAYOUT) -> Rows:
    """Return the present state (n, 13) of n bodies, in the engine's single precision."""
    if layout is None:
        return np.array([_row(body) for body in bodies], np.float32).reshape(-1, sum(SIZES))
    first, last, columns = layout
    data = b"".join([body.to_bytes()[first:last] for body in bodies])
    numbers = np.frombuffer(data, "<f4").reshape(len(bodies), -1)
    return numbers.take(columns, axis=1)


def _row(body: rp.RigidBody) -> tuple[float, ...]:
    return (
        *body.translation.to_tuple(),
        *body.rotation.to_tuple(),
        *body.linvel.to_tuple(),
        *body.angvel.to_tuple(),
    )
