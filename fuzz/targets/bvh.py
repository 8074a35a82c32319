"""Motion capture: BVH text."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fuzz.mutation import mutate_bytes
from fuzz.targets.rig import honest_avatar
from ligament.rig import retarget
from ligament.rig.motion.bvh import parse_bvh
from ligament.rig.motion.bvh_motion import motion_of_bvh

__all__ = ["mutate", "run", "seeds"]

WORDS = (
    "HIERARCHY", "ROOT", "JOINT", "End Site", "{", "}", "OFFSET", "CHANNELS 3", "MOTION", "Frames:",
    "Frame Time:", "Xposition", "Zrotation", "0", "-1", "1e300", "nan", "inf", "999999999999",
    "1e-320", "Hips", "Spine", "LeftArm", "\n", "\0", "\u2028", "é",
)  # fmt: skip

LIMBS = {
    "Hips": (("Spine", "LeftUpLeg", "RightUpLeg"), (0, 90, 0)),
    "Spine": (("Head", "LeftArm", "RightArm"), (0, 20, 0)),
    "Head": ((), (0, 40, 0)),
    "LeftArm": (("LeftForeArm",), (15, 30, 0)),
    "LeftForeArm": (("LeftHand",), (25, 0, 0)),
    "LeftHand": ((), (25, 0, 0)),
    "RightArm": (("RightForeArm",), (-15, 30, 0)),
    "RightForeArm": (("RightHand",), (-25, 0, 0)),
    "RightHand": ((), (-25, 0, 0)),
    "LeftUpLeg": (("LeftLeg",), (8, 0, 0)),
    "LeftLeg": (("LeftFoot",), (0, -40, 0)),
    "LeftFoot": ((), (0, -40, 0)),
    "RightUpLeg": (("RightLeg",), (-8, 0, 0)),
    "RightLeg": (("RightFoot",), (0, -40, 0)),
    "RightFoot": ((), (0, -40, 0)),
}


def seeds() -> Sequence[bytes]:
    """Return a skeleton in motion, in centimetres."""
    frames = [[0.0, 90.0, 0.0] + [float(frame * 5)] * 3 * len(LIMBS) for frame in range(3)]
    rows = "\n".join(" ".join(map(str, row)) for row in frames)
    text = f"HIERARCHY\n{_joint('Hips')}MOTION\nFrames: 3\nFrame Time: 0.05\n{rows}\n"
    return [text.encode()]


def mutate(data: bytes, dice: random.Random) -> bytes:
    """Change bytes, or words and lines."""
    if dice.random() < 0.3:
        return mutate_bytes(data, dice)
    lines = data.decode(errors="replace").splitlines() or [""]
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(lines))
        match dice.randrange(4):
            case 0:
                lines[at] = dice.choice(WORDS)
            case 1:
                lines.insert(at, dice.choice(lines))
            case 2 if len(lines) > 1:
                del lines[at]
            case _:
                words = lines[at].split() or [""]
                words[dice.randrange(len(words))] = dice.choice(WORDS)
                lines[at] = " ".join(words)
    return "\n".join(lines).encode()


def run(data: bytes) -> None:
    """Read a capture and move it to an avatar."""
    bvh = parse_bvh(data.decode("utf-8-sig", errors="replace"))
    retarget(motion_of_bvh(bvh), honest_avatar())


def _joint(name: str) -> str:
    below, offset = LIMBS[name]
    kind = "ROOT" if name == "Hips" else "JOINT"
    places = "6 Xposition Yposition Zposition" if name == "Hips" else "3"
    channels = f"CHANNELS {places} Zrotation Xrotation Yrotation"
    inner = "".join(map(_joint, below)) or "End Site\n{\nOFFSET 0 5 0\n}\n"
    return f"{kind} {name}\n{{\nOFFSET {offset[0]} {offset[1]} {offset[2]}\n{channels}\n{inner}}}\n"
