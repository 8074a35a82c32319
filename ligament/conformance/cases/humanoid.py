"""Humanoids: one pose on skeletons with other rest rotations and other bones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Source, at
from ligament.conformance.cases.constraints import rounded
from ligament.conformance.rotations import (
    IDENTITY,
    Floats,
    about,
    inverse,
    product,
    rotate,
)
from ligament.conformance.signals import X, Y, Z, local_rotation, position

POSES: Final = partial(Source, "HumanPose compatibility (VRMC_vrm_animation)")
FORMULA: Final = POSES("PoseForA to NormalizedLocalRotation to PoseForB")
case = partial(Case, family="humanoid", source=FORMULA, seconds=0.5)

EXACT = 1e-4
TIMES = (0.25, 0.5)

SKELETON: Final[dict[str, tuple[str | None, tuple[float, float, float]]]] = {
    "hips": (None, (0, 1, 0)),
    "spine": ("hips", (0, 1.1, 0)),
    "chest": ("spine", (0, 1.25, 0)),
    "neck": ("chest", (0, 1.5, 0)),
    "head": ("neck", (0, 1.6, 0)),
    "leftUpperLeg": ("hips", (0.1, 0.95, 0)),
    "leftLowerLeg": ("leftUpperLeg", (0.1, 0.5, 0)),
    "leftFoot": ("leftLowerLeg", (0.1, 0.1, 0)),
    "rightUpperLeg": ("hips", (-0.1, 0.95, 0)),
    "rightLowerLeg": ("rightUpperLeg", (-0.1, 0.5, 0)),
    "rightFoot": ("rightLowerLeg", (-0.1, 0.1, 0)),
    "leftUpperArm": ("chest", (0.2, 1.4, 0)),
    "leftLowerArm": ("leftUpperArm", (0.45, 1.4, 0)),
    "leftHand": ("leftLowerArm", (0.7, 1.4, 0)),
    "rightUpperArm": ("chest", (-0.2, 1.4, 0)),
    "rightLowerArm": ("rightUpperArm", (-0.45, 1.4, 0)),
    "rightHand": ("rightLowerArm", (-0.7, 1.4, 0)),
}
"""Bones with their parents and positions in T-pose [m]."""

RESTS_A: Final = {
    bone: about((1.0, 0.3 * i, 0.5), 0.4 + 0.1 * i) for i, bone in enumerate(SKELETON)
}
RESTS_B: Final = {
    bone: about((0.2 * i, 1.0, -0.7), 1.5 - 0.1 * i) for i, bone in enumerate(SKELETON)
}
"""World rotations at rest, without any symmetry."""

POSE: Final = product(about(Z, 0.6), about(X, -0.4), about(Y, 0.3))

NORMALIZED = "product(wa, inverse(la), q, inverse(wa))"
TRANSFERRED = f"product(lb, inverse(wb), {NORMALIZED}, wb)"


def _parent(bone: str, without: Sequence[str]) -> str | None:
    """Return the nearest ancestor of a bone that is not left out."""
    parent = SKELETON[bone][0]
    while parent in without:
        parent = SKELETON[str(parent)][0]
    return parent


class Skeleton:
    """Nodes of a humanoid in T-pose with chosen world rotations at rest."""

    def __init__(
        self,
        rests: Mapping[str, Floats] | None = None,
        *,
        without: Sequence[str] = (),
        scale: float = 1.0,
        between: Mapping[str, Floats] | None = None,
    ) -> None:
        self.asset = Asset()
        self.nodes: dict[str, int] = {}
        self.world: dict[str, Floats] = {}
        self.local: dict[str, Floats] = {}
        still = np.array(IDENTITY)
        places: dict[str, Floats] = {}
        for bone, (_, place) in SKELETON.items():
            if bone in without:
                continue
            parent = _parent(bone, without)
            world = still if rests is None else rests[bone]
            above = still if parent is None else self.world[parent]
            here = scale * np.asarray(place, float)
            offset = here - (np.zeros(3) if parent is None else places[parent])
            node_parent = None if parent is None else self.nodes[parent]
            if between and bone in between:
                helper = rounded(product(inverse(above), between[bone]))
                name = f"{bone} helper"
                node_parent = self.asset.node(name, rotation=helper, parent=node_parent)
                above = between[bone]
            local = product(inverse(above), world)
            self.nodes[bone] = self.asset.node(
                bone,
                np.round(rotate(inverse(above), offset), 9).tolist(),
                rotation=rounded(local),
                parent=node_parent,
            )
            self.world[bone], self.local[bone], places[bone] = world, local, here

    def as_avatar(self) -> Asset:
        """Declare the bones as those of an avatar."""
        bones = {bone: {"node": node} for bone, node in self.nodes.items()}
        meta = {
            "name": "Figure",
            "authors": ["The Ligament authors"],
            "licenseUrl": "https://vrm.dev/licenses/1.0/",
        }
        content = {"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": bones}}
        self.asset.extend_root("VRMC_vrm", content)
        return self.asset

    def as_motion(self) -> Asset:
        """Declare the bones as those of a motion."""
        bones = {bone: {"node": node} for bone, node in self.nodes.items()}
        content = {"specVersion": "1.0", "humanoid": {"humanBones": bones}}
        self.asset.extend_root("VRMC_vrm_animation", content)
        return self.asset

    def bend(self, bone: str, pose: Floats = POSE, interpolation: str = "LINEAR") -> Floats:
        """Animate a bone from rest to a pose, reached at 0.25 s; return its rotation there."""
        stop = product(self.local[bone], pose)
        values = [self.local[bone].tolist(), stop.tolist()]
        self.asset.animate(self.nodes[bone], "rotation", [0, 0.25], values, interpolation)
        return stop


def transfer(source: Skeleton, target: Skeleton, bone: str, q: Floats) -> dict[str, Any]:
    """Return the values of the formula for a bone."""
    return {
        "q": q,
        "wa": source.world[bone],
        "la": source.local[bone],
        "wb": target.world[bone],
        "lb": target.local[bone],
    }


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from rests()
    yield from bones()
    yield from missing()
    yield from hips()
    yield from helpers()
    yield from keys()


def rests() -> Iterator[Case]:
    """Yield cases of different rest rotations of source and target."""
    for name, first, second, words in (
        ("plain", None, None, "Without rest rotations a pose is the same on both."),
        ("source_rest", RESTS_A, None, "Rest rotations of the source are removed."),
        ("target_rest", None, RESTS_B, "Rest rotations of the target are added."),
        ("both_rests", RESTS_A, RESTS_B, "A pose goes through the normalized rotation."),
        ("same_rests", RESTS_A, RESTS_A, "Between equal rest rotations a pose is the same."),
    ):
        source, target = Skeleton(first), Skeleton(second)
        bone = "leftLowerArm"
        values = transfer(source, target, bone, source.bend(bone))
        yield case(
            name=name,
            sentence=words,
            asset=target.as_avatar(),
            motion=source.as_motion(),
            checks=[at(local_rotation(target.nodes[bone]), TIMES, TRANSFERRED, EXACT, **values)],
        )


def bones() -> Iterator[Case]:
    """Yield a case for each of several bones, between two sets of rest rotations."""
    for bone in (
        "hips",
        "spine",
        "chest",
        "neck",
        "head",
        "rightUpperArm",
        "leftHand",
        "rightUpperLeg",
        "leftLowerLeg",
        "rightFoot",
    ):
        source, target = Skeleton(RESTS_A), Skeleton(RESTS_B)
        values = transfer(source, target, bone, source.bend(bone))
        child = next((b for b, (p, _) in SKELETON.items() if p == bone), None)
        checks = [at(local_rotation(target.nodes[bone]), TIMES, TRANSFERRED, EXACT, **values)]
        if child is not None:
            rest = target.local[child]
            checks.append(at(local_rotation(target.nodes[child]), TIMES, "l", EXACT, l=rest))
        yield case(
            name=f"bone_{bone}",
            sentence=f"A rotation of {bone} alone turns {bone} alone.",
            asset=target.as_avatar(),
            motion=source.as_motion(),
            checks=checks,
        )
    source, target = Skeleton(RESTS_A), Skeleton(RESTS_B)
    used = ("chest", "leftUpperArm", "leftLowerArm")
    found = {bone: transfer(source, target, bone, source.bend(bone)) for bone in used}
    yield case(
        name="several_bones",
        sentence="Several bones of a limb are transferred independently.",
        asset=target.as_avatar(),
        motion=source.as_motion(),
        checks=[
            at(local_rotation(target.nodes[bone]), TIMES, TRANSFERRED, EXACT, **values)
            for bone, values in found.items()
        ],
    )


def missing() -> Iterator[Case]:
    """Yield cases of bones that the source or the target lacks."""
    document = POSES("Bones that are not required")
    for bone, child in (("chest", "neck"), ("neck", "head")):
        source, target = Skeleton(RESTS_A), Skeleton(RESTS_B, without=[bone])
        q = source.bend(bone)
        values = {"q": q, "wa": source.world[bone], "la": source.local[bone]}
        values |= {"wb": target.world[child], "lb": target.local[child]}
        yield case(
            name=f"target_lacks_{bone}",
            sentence=f"A target without {bone} gets its rotation in {child}: world rotations over "
            "the parents of the humanoid are kept.",
            source=document,
            asset=target.as_avatar(),
            motion=source.as_motion(),
            checks=[at(local_rotation(target.nodes[child]), TIMES, TRANSFERRED, EXACT, **values)],
        )
        source, target = Skeleton(RESTS_A, without=[bone]), Skeleton(RESTS_B)
        values = transfer(source, target, child, source.bend(child))
        rest = target.local[bone]
        yield case(
            name=f"source_lacks_{bone}",
            sentence=f"A source without {bone} leaves it at rest.",
            source=document,
            asset=target.as_avatar(),
            motion=source.as_motion(),
            checks=[
                at(local_rotation(target.nodes[bone]), TIMES, "l", EXACT, l=rest),
                at(local_rotation(target.nodes[child]), TIMES, TRANSFERRED, EXACT, **values),
            ],
        )


def hips() -> Iterator[Case]:
    """Yield cases of the hips' displacement."""
    document = Source("VRMC_vrm_animation-1.0", "Humanoid: hips translation")
    for ratio in (1.0, 0.5, 2.0):
        source, target = Skeleton(), Skeleton(scale=ratio)
        displacement = (0.2, 1.3, -0.4)
        node = source.nodes["hips"]
        source.asset.animate(node, "translation", [0, 0.25], [(0, 1, 0), displacement])
        hip = target.nodes["hips"]
        yield case(
            name=f"hips_ratio_{str(ratio).replace('.', '_')}",
            sentence="The displacement of the hips is scaled by the ratio of rest heights, here "
            f"{ratio:g}.",
            source=document,
            asset=target.as_avatar(),
            motion=source.as_motion(),
            checks=[
                at(position(hip, X), TIMES, "r*x", 1e-4, r=ratio, x=displacement[0]),
                at(position(hip, Y), TIMES, "r*1 + r*(y - 1)", 1e-4, r=ratio, y=displacement[1]),
                at(position(hip, Z), TIMES, "r*z", 1e-4, r=ratio, z=displacement[2]),
            ],
        )


def helpers() -> Iterator[Case]:
    """Yield cases of nodes between bones that are not bones."""
    between = {"leftLowerArm": about((1, 2, 3), 0.9)}
    for name, first, second, words in (
        ("source", between, None, "The rest rotations of the source's actual nodes count"),
        ("target", None, between, "The rest rotations of the target's actual nodes count"),
    ):
        source, target = Skeleton(RESTS_A, between=first), Skeleton(RESTS_B, between=second)
        bone = "leftLowerArm"
        values = transfer(source, target, bone, source.bend(bone))
        yield case(
            name=f"helper_in_{name}",
            sentence=f"{words}, those of nodes between bones included.",
            asset=target.as_avatar(),
            motion=source.as_motion(),
            checks=[at(local_rotation(target.nodes[bone]), TIMES, TRANSFERRED, EXACT, **values)],
        )


def keys() -> Iterator[Case]:
    """Yield cases of the interpolation of the motion."""
    source, target = Skeleton(RESTS_A), Skeleton(RESTS_B)
    bone = "rightLowerArm"
    values = transfer(source, target, bone, source.bend(bone, interpolation="STEP"))
    rest = target.local[bone]
    yield case(
        name="step",
        sentence="STEP keys are held, in the transferred motion too.",
        source=Source("glTF 2.0", "Animations"),
        asset=target.as_avatar(),
        motion=source.as_motion(),
        checks=[
            at(local_rotation(target.nodes[bone]), (0.1, 0.2), "l", EXACT, l=rest),
            at(local_rotation(target.nodes[bone]), (0.3, 0.5), TRANSFERRED, EXACT, **values),
        ],
    )
    source, target = Skeleton(RESTS_A), Skeleton(RESTS_B)
    bone = "leftUpperLeg"
    source.bend(bone)
    start = source.local[bone]
    values = transfer(source, target, bone, product(start, POSE)) | {"p": POSE}
    del values["q"]
    text = TRANSFERRED.replace("q,", "slerp(la, product(la, p), 4*t),")
    yield case(
        name="linear",
        sentence="LINEAR keys are interpolated on the sphere, in the transferred motion too.",
        source=Source("glTF 2.0", "Animations"),
        asset=target.as_avatar(),
        motion=source.as_motion(),
        checks=[at(local_rotation(target.nodes[bone]), (0.1, 0.2), text, 1e-3, **values)],
    )
