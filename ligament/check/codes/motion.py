"""Codes about motion files."""

from __future__ import annotations

from ligament.check.codes.entry import Code

_VRMA = "VRMC_vrm_animation 1.0"

CODES: dict[str, Code] = {
    "VRMA_SPEC_VERSION": Code(
        "error",
        "specVersion is missing or names no version that exists.",
        f"{_VRMA}, specVersion",
        'Write "1.0".',
    ),
    "VRMA_DRAFT": Code(
        "warning",
        "The file follows the draft, which is read like 1.0.",
        f"{_VRMA}, specVersion",
        'Write "1.0".',
    ),
    "VRMA_EYE_MAPPED": Code(
        "error",
        "An eye is mapped as a bone.",
        f"{_VRMA}: leftEye and rightEye must not be mapped",
        "Use lookAt.",
    ),
    "VRMA_GAZE_PRESET": Code(
        "error",
        "A preset of the gaze (lookUp, lookDown, lookLeft, lookRight) is mapped.",
        f"{_VRMA}: expressions",
        "Use lookAt.",
    ),
    "VRMA_CUSTOM_IS_PRESET": Code(
        "error",
        "A custom expression has the name of a preset.",
        f"{_VRMA}: expressions",
        "Rename it, or move it to the presets.",
    ),
    "VRMA_NODE": Code(
        "error",
        "An expression or the gaze names no node.",
        f"{_VRMA}: expressions and lookAt",
        "Name an existing node.",
    ),
    "VRMA_SCALE_CHANNEL": Code(
        "error",
        "The scale of a bone is animated.",
        f"{_VRMA}: humanoid",
        "Remove the channel.",
    ),
    "VRMA_TRANSLATION_CHANNEL": Code(
        "error",
        "The translation of a bone other than the hips is animated.",
        f"{_VRMA}: humanoid",
        "Remove the channel.",
    ),
    "VRMA_BESIDE_VRM": Code(
        "warning",
        "The file is an avatar and a motion at once.",
        f"{_VRMA}: it should not stand beside VRMC_vrm",
        "Split the file.",
    ),
    "VRMA_REST_SCALE": Code(
        "warning",
        "A node of the skeleton is scaled.",
        f"{_VRMA}: strongly recommended not to",
        "Apply the scale.",
    ),
    "VRMA_WEIGHT_RANGE": Code(
        "warning",
        "A weight of an expression leaves 0 to 1, where players clamp it.",
        f"{_VRMA}: expressions",
        "Use weights from 0 to 1.",
    ),
    "VRMA_SEVERAL_ANIMATIONS": Code(
        "warning",
        "There is more than one animation, of which players play the first.",
        f"{_VRMA}: animations",
        "Use one file per motion.",
    ),
    "VRMA_INTERPOLATION": Code(
        "warning",
        "STEP or CUBICSPLINE on a bone, which a common player shows wrongly.",
        "glTF 2.0, Appendix C",
        "Use LINEAR.",
    ),
    "VRMA_LOOK_AT_NODE": Code(
        "info",
        "lookAt names no node, which the schema demands and the text does not.",
        f"{_VRMA}: lookAt",
        "Name a node.",
    ),
}
