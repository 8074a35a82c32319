"""Codes about glTF itself, as far as motion depends on it, and about members of extensions."""

from __future__ import annotations

from ligament.findings.finding import Code

_SCHEMA = "the schema of the object that is named"
_POINTERS = "KHR_animation_pointer"
_ANIMATION = "glTF 2.0, 3.11"
_TREE = "glTF 2.0, 3.5.2"

GLTF: dict[str, Code] = {
    "FILE_UNREADABLE": Code(
        "error",
        "The file cannot be read, or its bytes are not glTF.",
        "glTF 2.0, 4 (GLB) and 2.7 (JSON)",
        "Export or fetch the file again.",
    ),
    "CONTENT_UNREADABLE": Code(
        "error",
        "Something that motion depends on cannot be read; the message says why.",
        "glTF 2.0",
        "Fix the named place.",
    ),
    "TYPE_MISMATCH": Code(
        "error",
        "A member has a value of the wrong type.",
        _SCHEMA,
        "Write a value of the type in the message.",
    ),
    "VALUE_NOT_IN_RANGE": Code(
        "error",
        "A number is out of range or not finite.",
        _SCHEMA,
        "Use a number in the range in the message.",
    ),
    "NUMBER_INFINITE": Code(
        "warning",
        "A number is too large for a double, as some exporters write infinity; it is read as "
        "infinity.",
        "RFC 8259, 6; glTF 2.0, 2.7",
        "Leave the member out where that means the same.",
    ),
    "VALUE_NOT_IN_LIST": Code(
        "warning",
        "A name is not one of the valid names, so it is ignored.",
        _SCHEMA,
        "Use one of the listed names.",
    ),
    "UNDEFINED_PROPERTY": Code(
        "error",
        "A required member is missing.",
        _SCHEMA,
        "Add it.",
    ),
    "UNEXPECTED_PROPERTY": Code(
        "warning",
        "A member is unknown here, or has no meaning together with the others.",
        _SCHEMA,
        "Remove it, fix its name, or move it to extras.",
    ),
    "UNRESOLVED_REFERENCE": Code(
        "error",
        "An index is out of range.",
        "glTF 2.0, 3.3",
        "Use an index in range.",
    ),
    "UNSATISFIED_DEPENDENCY": Code(
        "error",
        "An index refers to an array of an extension that is missing at the root of the file.",
        "KHR_physics_rigid_bodies, Colliders and Joints",
        "Add the object of the extension to the root, or remove the index.",
    ),
    "EMPTY_ENTITY": Code(
        "error",
        "An array is empty, which glTF does not allow.",
        "glTF 2.0, 3.3",
        "Fill or remove it.",
    ),
    "ARRAY_LENGTH_NOT_IN_LIST": Code(
        "error",
        "An array has the wrong number of elements.",
        _SCHEMA,
        "Give it the number of elements in the message.",
    ),
    "ONE_OF_MISMATCH": Code(
        "error",
        "None or more than one of several mutually exclusive members is present.",
        _SCHEMA,
        "Keep exactly one of them.",
    ),
    "ROTATION_NON_UNIT": Code(
        "error",
        "A quaternion does not have length 1.",
        "glTF 2.0, 3.5.3",
        "Normalize it.",
    ),
    "DUPLICATE_ELEMENTS": Code(
        "error",
        "An array names something twice.",
        _SCHEMA,
        "Name it once.",
    ),
    "INVALID_INDEX": Code(
        "error",
        "An index is negative.",
        "glTF 2.0, 3.3",
        "Use an index from 0, or leave it out.",
    ),
    "UNDECLARED_EXTENSION": Code(
        "error",
        "An extension is used, but not listed in extensionsUsed.",
        "glTF 2.0, 3.12; KHR_physics_rigid_bodies; OMI_physics_joint, glTF Schema Updates",
        "List it in extensionsUsed.",
    ),
    "UNUSED_EXTENSION_REQUIRED": Code(
        "error",
        "An extension is listed in extensionsRequired, but not in extensionsUsed.",
        "glTF 2.0, 3.12",
        "List it in both, or in extensionsUsed alone.",
    ),
    "UNEXPECTED_EXTENSION_OBJECT": Code(
        "error",
        "An extension is in an object that it does not extend.",
        "the extension that is named",
        "Move it to where it belongs.",
    ),
    "EXTENSION_REQUIRED_NEEDLESSLY": Code(
        "info",
        "An optional extension is required, so programs without it refuse the file.",
        "OMI_physics_joint, glTF Schema Updates: it is optional",
        "Remove it from extensionsRequired.",
    ),
    "EXTENSION_NOT_PLAYED": Code(
        "info",
        "An extension moves something, or is required and unknown, and Ligament does not play it.",
        "the extension that is named",
        "Everything else plays without it; it is kept in the file.",
    ),
    "ANIMATION_NOT_PLAYED": Code(
        "info",
        "A channel of an animation moves something that Ligament does not play.",
        "KHR_animation_pointer; glTF 2.0, 3.11",
        "Animate translation, rotation or scale of nodes; the channel is kept in the file.",
    ),
    "ANIMATION_OVERRIDDEN": Code(
        "info",
        "Two animations move the same property of a node: of both played together, which is what "
        "Ligament does unless some are chosen, the later one wins.",
        "glTF 2.0, 3.11: which animations play is left to the program",
        "Choose the animations to play by name.",
    ),
    "NODE_LOOP": Code(
        "error",
        "The nodes contain a cycle.",
        _TREE,
        "Remove one of the named children.",
    ),
    "NODE_PARENT_OVERRIDE": Code(
        "error",
        "A node has two parents.",
        _TREE,
        "Keep it among the children of one.",
    ),
    "NODE_MATRIX_TRS": Code(
        "error",
        "A node has both a matrix and translation, rotation or scale.",
        "glTF 2.0, 3.5.3",
        "Keep one of the two.",
    ),
    "SCENE_NON_ROOT_NODE": Code(
        "error",
        "A scene names a node that has a parent.",
        "glTF 2.0, 3.5.1",
        "Name the root above it.",
    ),
    "ACCESSOR_UNREADABLE": Code(
        "error",
        "An accessor that an animation or a collider needs cannot be read.",
        "glTF 2.0, 3.6",
        "Fix the accessor, its buffer view or its buffer, as the message says.",
    ),
    "ACCESSOR_ANIMATION_INPUT_NEGATIVE": Code(
        "error",
        "A key of an animation is before time 0.",
        _ANIMATION,
        "Shift the keys to start at 0 or later.",
    ),
    "ACCESSOR_ANIMATION_INPUT_NON_INCREASING": Code(
        "error",
        "The key times of an animation do not increase strictly.",
        _ANIMATION,
        "Sort the keys; keys at equal times are played, and `ligament fix` separates them.",
    ),
    "ANIMATION_CHANNEL_TARGET_NODE_MATRIX": Code(
        "error",
        "A node is animated that has a matrix, not translation, rotation and scale.",
        _ANIMATION,
        "Write the node with translation, rotation and scale.",
    ),
    "ANIMATION_DUPLICATE_TARGETS": Code(
        "error",
        "Two channels of one animation move the same property.",
        _ANIMATION,
        "Keep one of the channels, or split the animation.",
    ),
    "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT": Code(
        "error",
        "Key times are not floating-point scalars.",
        _ANIMATION,
        "Store them as SCALAR of FLOAT.",
    ),
    "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT": Code(
        "error",
        "Key values have the wrong number of components for their target.",
        _ANIMATION,
        "Use VEC3 for translation and scale, VEC4 for rotation, SCALAR for weights.",
    ),
    "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT": Code(
        "error",
        "The number of key values does not match the key times.",
        "glTF 2.0, Appendix C",
        "Give one value per key, three with CUBICSPLINE, and one per morph target for weights.",
    ),
    "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE": Code(
        "error",
        "A channel names a node in addition to its pointer.",
        f"{_POINTERS}: node must not be set",
        "Remove the node.",
    ),
    "KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH": Code(
        "error",
        "A channel has a pointer, but its path is not 'pointer'.",
        f"{_POINTERS}: path must be pointer",
        "Use the path pointer.",
    ),
    "ANIMATION_POINTER_UNRESOLVED": Code(
        "error",
        "A pointer does not resolve, or names a member without a default that the file lacks.",
        f"{_POINTERS}: the property must be defined",
        "Fix the pointer, or write the member in the file.",
    ),
    "ANIMATION_POINTER_NOT_MUTABLE": Code(
        "error",
        "A pointer names a member that may not be animated.",
        f"{_POINTERS}: the property must be mutable",
        "Remove the channel.",
    ),
    "ANIMATION_POINTER_BOOL": Code(
        "error",
        "A boolean is animated by keys other than unsigned bytes with STEP.",
        f"{_POINTERS}, Output Accessor",
        "Store the keys as SCALAR of UNSIGNED_BYTE, and use STEP.",
    ),
    "ANIMATION_POINTER_WITHOUT_EFFECT": Code(
        "warning",
        "An animated member has no effect.",
        "KHR_physics_rigid_bodies and KHR_implicit_shapes, Object Model",
        "Use the animated member, or remove the channel.",
    ),
}
"""The core: the file, nodes, scenes, animations, and members that a schema describes."""
