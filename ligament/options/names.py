"""Names and bounds that options share with what they are passed to."""

from enum import StrEnum
from typing import Final, Literal, TypeAlias, get_args

Quality: TypeAlias = Literal["fast", "balanced", "exact"]
SpringMode: TypeAlias = Literal["reference", "steady", "none"]
HipsRule: TypeAlias = Literal["delta", "scaled"]

TPose: TypeAlias = int | Literal["auto", "given"]
"""The pose that motion is measured from: a frame, the aligned rest pose, or the rest pose."""

ENGINES: Final = ("rapier", "mujoco")
"""Names of the built-in engines; the first is the default."""

QUALITIES: Final[tuple[Quality, ...]] = get_args(Quality)
"""From cheapest to most accurate; the last is the default."""

MAX_SUBSTEPS: Final = 1000
"""Most engine steps per frame that a caller may request."""

LOWEST_RATE: Final = 1e-6
"""Frame rate [Hz] below which more than eleven days pass between frames."""

HIGHEST_RATE: Final = 1e6
"""Frame rate [Hz] above which steps are too short for single precision."""

EARTH: Final = (0.0, -9.81, 0.0)
"""Default gravity [m/s²]: files do not specify it."""

CHUNK: Final = 4096
"""Frames of a motion that are computed at once, by default."""

TIMEOUT: Final = 300.0
"""Default time limit of a task [s] in a run of many."""

MEMORY: Final = 4 << 30
"""Default memory limit of a task [bytes] in a run of many."""

DISTANCE_TOLERANCE: Final = 1e-5
"""Default of the largest error of keyframes in position [m]."""

ANGLE_TOLERANCE: Final = 5e-4
"""Default of the largest error of keyframes in rotation [degrees]."""

DIFFERENCE: Final = 1e-5
"""Default of the difference below which numbers are equal, absolutely or relative to their size."""


NUDGE: Final = 1e-9
"""Default displacement [m] of a start that shows whether a motion is chaotic."""

DIFFERENT_DISTANCE: Final = 0.01
"""Default distance [m] above which bodies count as different."""

DIFFERENT_ANGLE: Final = 1.0
"""Default angle [degrees] above which bodies count as different."""

DIFFERENT_DELAY: Final = 0.05
"""Default of the largest delay [s] between events of the same kind that still match."""

MJCF_SUFFIX: Final = ".xml"
USD_SUFFIXES: Final = (".usda", ".usdc", ".usd")
RECORDINGS: Final = (".npz", ".json")
"""Recordings that can be read."""

USD_PACKAGE: Final = ".usdz"
"""A USD package, which can be read but not written."""


class Target(StrEnum):
    """What a document can be converted to: dialects and formats of avatars."""

    KHR = "khr"
    """KHR_physics_rigid_bodies of January 2026."""

    KHR_2024_10 = "khr-2024-10"
    """KHR_physics_rigid_bodies of October 2024."""

    KHR_2024_03 = "khr-2024-03"
    """KHR_physics_rigid_bodies of March 2024, with KHR_collision_shapes."""

    OMI = "omi"
    """The OMI extensions of physics as they are today."""

    OMI_2023 = "omi-2023"
    """The OMI extensions of physics of the spring of 2023."""

    VRMC_1_0 = "vrmc-1.0"
    """Node constraints of VRMC_node_constraint 1.0."""

    VRM_1_0 = "vrm-1.0"
    """Avatars of VRM 1.0."""


class Layer(StrEnum):
    """Layers, named as in options, files and pages."""

    MESHES = "meshes"
    COLLIDERS = "colliders"
    TRIGGERS = "triggers"
    JOINTS = "joints"
    LIMITS = "limits"
    CONTACTS = "contacts"
    MASSES = "centers_of_mass"
    CONSTRAINTS = "constraints"
    SKELETON = "skeleton"
    SPRINGS = "spring_bones"

    @property
    def label(self) -> str:
        """The name for people."""
        return self.value.replace("_", " ").capitalize()


LAYERS: Final = tuple(layer for layer in Layer if layer is not Layer.MESHES)
"""The layers of overlays: all that no mesh of the file shows."""
