"""The README and the licence that go with the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ligament.conformance.case import Case

LICENCE: Final = """\
The files of this folder are dedicated to the public domain under CC0 1.0 Universal:
https://creativecommons.org/publicdomain/zero/1.0/

To the extent possible under law, the Ligament authors have waived all copyright and related or
neighboring rights to this data. You may copy, change and use it, also commercially, without asking.

SPDX-License-Identifier: CC0-1.0
"""

_GUIDE: Final = """\
# Conformance suite for glTF that moves

Version {version}: {count} small glTF files, each about one sentence of a specification, with the values that must be
seen. {tiers}.

| family | cases | about |
|-|-|-|
{families}

## Files

`FAMILY/NAME.gltf` is the file, `FAMILY/NAME.json` beside it says what to run and what to expect.

| member | meaning |
|-|-|
| `sentence`, `source` | what the case is about, and the document and section that say so |
| `tier` | `must`; `should`; `decision`: the text leaves room, and `decision` names the reading that is judged |
| `features` | what the file uses, so that a program that lacks one of them can leave the case out |
| `run` | the `file` (and for pose transfer the `motion` to put on it), `seconds` to play, `rate` of the frames [Hz], `gravity` [m/s²], and the nodes to `record` |
| `checks` | quantities: `signal`, `times` [s] with `expected` values, or a `window` [s] with `least` and `most`; `tolerance`; `derivation` |

Units are metres, kilograms, seconds and radians; quaternions are xyzw. All animations start at 0 s. Every expected
value carries its derivation: an expression with its values (`kind` closed form or exact rational), or a named model
that was integrated in double precision, with the step and the error that half the step shows. None comes from a
physics engine. Tolerances leave room for an integrator of first order at 1/60 s, and none for another meaning.

## Judging a program

    ligament conformance run --command "PROGRAM {{input}} {{output}}"

`PROGRAM` reads the file `{{input}}`, plays it and writes a recording to `{{output}}`. `{{seconds}}`, `{{rate}}`,
`{{events}}` and `{{motion}}` are put in too where the command has them. The recording is JSON (or npz with the same
names):

    {{"times": [0.0, 0.0167, ...],                 seconds, increasing, the first frame is the start
     "nodes": [1, 2],                             indices of the nodes that were recorded
     "translation": [[[x, y, z], ...], ...],      world, [frame][node]
     "rotation": [[[x, y, z, w], ...], ...],      world, [frame][node]
     "events": [{{"time": 0.5, "type": "trigger_enter", "trigger": 3, "collider": 2, "body": 1}}]}}

`body` is the node with the motion that owns the collider, null for static ones; `type` is `trigger_enter` or
`trigger_exit`. Nodes that nothing moves need not be recorded. Without this program a judge is simple to write: each
`signal` is defined in the manual, page "Conformance".

`SHA256SUMS` has the checksums of all files. The licence is CC0 (see `LICENSE`).
"""

_ABOUT: Final = {
    "bodies": "motion: velocities, gravity, nesting, kinematic and animated bodies",
    "mass": "mass, centre of mass, inertia; what is computed from shapes",
    "shapes": "implicit shapes, meshes and hulls, scale",
    "materials": "friction, restitution, combine modes",
    "filters": "collision systems",
    "triggers": "overlap events",
    "limits": "metrics of joint limits, linear and angular, hard and soft",
    "joints": "attachment frames, joints to the world, collision of joined bodies",
    "drives": "drives of joints",
    "omi": "OMI_physics_joint, OMI_physics_body, OMI_physics_shape, OMI_collider",
    "constraints": "VRMC_node_constraint 1.0",
    "draft_constraints": "VRMC_node_constraint 1.0-draft",
    "humanoid": "pose transfer between humanoids",
    "springs": "VRMC_springBone and its collider extension",
    "pointers": "animated members of physics (KHR_animation_pointer)",
}


def guide(version: str, cases: Sequence[Case]) -> str:
    """Return the README of the data."""
    tiers = Counter(case.tier for case in cases)
    families = Counter(case.family for case in cases)
    return _GUIDE.format(
        version=version,
        count=len(cases),
        tiers=", ".join(f"{tiers[tier]} {tier}" for tier in ("must", "should", "decision")),
        families="\n".join(f"| {name} | {n} | {_ABOUT[name]} |" for name, n in families.items()),
    )
