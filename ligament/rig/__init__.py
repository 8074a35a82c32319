"""Rigs: node constraints, spring bones, humanoids, motion, retargeting. Arrays in, arrays out.

`constraints/` solves node constraints; `springs/` simulates spring bones; `humanoid/` models
avatars (skeleton, T-pose, look-at, expressions); `motion/` reads motion from files, independent of
any skeleton; `retarget` applies it to an avatar, `contacts` keeps planted feet in place; `animator`
samples the animations, constraints and springs of a document.
"""

from ligament.rig.constraints import NodeConstraints, constraint_problems
from ligament.rig.humanoid.skeleton import Humanoid, humanoid_problems
from ligament.rig.humanoid.tpose import tpose_deviation
from ligament.rig.motion.gltf_skeleton import find_humanoid
from ligament.rig.motion.load import load_motion
from ligament.rig.motion.motion import Motion
from ligament.rig.retarget import Pose, retarget, retarget_many
from ligament.rig.springs import SpringBones, spring_problems

__all__ = [
    "Humanoid",
    "Motion",
    "NodeConstraints",
    "Pose",
    "SpringBones",
    "constraint_problems",
    "find_humanoid",
    "humanoid_problems",
    "load_motion",
    "retarget",
    "retarget_many",
    "spring_problems",
    "tpose_deviation",
]
