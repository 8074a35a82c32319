"""Poses: node constraints, spring bones, humanoids, motion, retargeting. Arrays in, arrays out.

`constraints/` solves node constraints; `springs/` swings spring bones; `humanoid/` is an avatar
(skeleton, T-pose, look-at, expressions); `motion/` reads motion from files, free of any skeleton;
`retarget` puts it on an avatar, `contacts` keeps its feet where they stand; `animator` samples the
animations of a document, its constraints and its springs.
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
