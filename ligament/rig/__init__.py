"""Poses: node constraints, humanoids, motion and retargeting. Arrays in, arrays out."""

from ligament.rig.constraints import NodeConstraints, constraint_problems
from ligament.rig.humanoid import Humanoid, humanoid_problems
from ligament.rig.loading import load_motion
from ligament.rig.motion import Motion
from ligament.rig.retarget import Pose, retarget, retarget_many
from ligament.rig.tpose import tpose_deviation

__all__ = [
    "Humanoid",
    "Motion",
    "NodeConstraints",
    "Pose",
    "constraint_problems",
    "humanoid_problems",
    "load_motion",
    "retarget",
    "retarget_many",
    "tpose_deviation",
]
