"""Codes about what other programs that read these extensions are known to get wrong."""

from __future__ import annotations

from ligament.check.codes.entry import Code

_PROGRAMS = "known implementations"

CODES: dict[str, Code] = {
    "PORTABILITY_OLD_DIALECT": Code(
        "hint",
        "The file follows a draft that newer programs do not read.",
        "KHR_physics_rigid_bodies of January 2026; OMI_physics_body of 2024",
        "Convert it to the newest revision.",
    ),
    "PORTABILITY_RADIAL_LIMIT": Code(
        "hint",
        "A limit on the distance from a line (two linear axes): most programs limit each axis.",
        _PROGRAMS,
        "Limit the axes one by one, if a square will do.",
    ),
    "PORTABILITY_CONE_LIMIT": Code(
        "hint",
        "A cone (two angular axes with room): most programs limit each axis.",
        _PROGRAMS,
        "Limit the axes one by one, if a pyramid will do.",
    ),
    "PORTABILITY_SOFT_DISTANCE": Code(
        "hint",
        "A limit on three axes with a spring: most programs leave the spring out.",
        _PROGRAMS,
        "Use a hard limit, or springs on single axes.",
    ),
    "PORTABILITY_OPEN_LIMIT": Code(
        "hint",
        "A limit has one bound only: some programs take the other for 0.",
        _PROGRAMS,
        "Write both bounds.",
    ),
    "PORTABILITY_WORLD_JOINT": Code(
        "hint",
        "A joint connects a body to the world: some programs drop it.",
        _PROGRAMS,
        "Connect it to a kinematic body instead.",
    ),
    "PORTABILITY_MANY_SYSTEMS": Code(
        "hint",
        "There are more than 32 collision systems: programs with masks keep the first 32.",
        _PROGRAMS,
        "Share systems.",
    ),
    "PORTABILITY_COMPOUND_TRIGGER": Code(
        "hint",
        "A compound trigger: some programs know single ones only.",
        _PROGRAMS,
        "Use one trigger of one shape.",
    ),
    "PORTABILITY_NESTED_BODY": Code(
        "hint",
        "A body below another body: some programs give its colliders to the upper one.",
        _PROGRAMS,
        "Make the two siblings.",
    ),
    "PORTABILITY_INFINITE_MASS": Code(
        "hint",
        "A mass or moment of inertia of 0 means infinite: the newest schema refuses it.",
        "KHR_physics_rigid_bodies, Motions: the text and the newest schema disagree",
        "Use isKinematic, or a large value.",
    ),
    "PORTABILITY_TURNED_VELOCITY": Code(
        "hint",
        "A body on a turned node starts with a velocity: some programs do not turn it.",
        _PROGRAMS,
        "Turn what is below the node instead of the node.",
    ),
    "PORTABILITY_MIRRORED_SHAPE": Code(
        "hint",
        "A shape is scaled by a negative number, which counts as its absolute value: some programs "
        "turn the shape inside out.",
        "KHR_implicit_shapes, scale",
        "Use scales above 0.",
    ),
    "PORTABILITY_ANIMATED_BODY": Code(
        "hint",
        "An animation moves a body: some programs simulate it instead.",
        _PROGRAMS,
        "Make it kinematic too.",
    ),
    "PORTABILITY_COMPRESSED_MESH": Code(
        "hint",
        "A mesh to collide with is compressed: programs that read physics apart cannot unpack it.",
        _PROGRAMS,
        "Store meshes of colliders as they are.",
    ),
    "PORTABILITY_MESHES_ONLY": Code(
        "hint",
        "The file has colliders, but no array of shapes: some programs stop at that.",
        _PROGRAMS,
        "Add the extension of shapes with one shape.",
    ),
}
