"""Lists of .bvh files: frames, joints of a chain, joints of one parent."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.growing_files.parts import grows_in

LEG = ("UpLeg", "Leg", "Foot")
ARM = ("Shoulder", "Arm", "ForeArm", "Hand")
CHANNELS = "CHANNELS 3 Zrotation Xrotation Yrotation"


def _joint(name: str, offset: str, *inner: str) -> str:
    content = "".join(inner) or "End Site {\nOFFSET 0 0.1 0\n}\n"
    return f"JOINT {name} {{\nOFFSET {offset}\n{CHANNELS}\n{content}}}\n"


def _chain(names: Iterator[str], offset: str) -> str:
    """One joint below the other, written from the innermost outwards."""
    made = ""
    for name in reversed([*names]):
        made = _joint(name, offset, *filter(None, [made]))
    return made


def _skeleton(*spine: str) -> str:
    """Joints below the hips: legs, a spine with more joints, arms and a head."""
    legs = "".join(
        _chain((side + part for part in LEG), f"{x} -0.4 0")
        for side, x in (("Left", 0.1), ("Right", -0.1))
    )
    arms = "".join(
        _chain((side + part for part in ARM), f"{x} 0 0")
        for side, x in (("Left", 0.2), ("Right", -0.2))
    )
    head = _chain(iter(("Neck", "Head")), "0 0.1 0")
    return legs + _joint("Spine", "0 0.2 0", _joint("Spine1", "0 0.2 0", arms, head, *spine))


def _bvh(joints: str, frames: int) -> str:
    channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    count = 6 + 3 * joints.count("JOINT")
    row = " ".join(["0", "1", "0", *["5"] * (count - 3)])
    motion = f"MOTION\nFrames: {frames}\nFrame Time: 0.0333333\n" + f"{row}\n" * frames
    return f"HIERARCHY\nROOT Hips {{\nOFFSET 0 1 0\n{channels}\n{joints}}}\n{motion}"


@grows_in(".bvh")
def frames_of_a_bvh(n: int) -> str:
    return _bvh(_skeleton(), 10 * n)


@grows_in(".bvh")
def joints_of_a_bvh(n: int) -> str:
    return _bvh(_skeleton("".join(_joint(f"Extra{i}", "0.01 0 0.1") for i in range(n))), 2)


@grows_in(".bvh")
def joints_in_a_chain_of_a_bvh(n: int) -> str:
    return _bvh(_skeleton(_chain((f"Tail{i}" for i in range(n)), "0 0 -0.1")), 2)
