"""Codes about rigid bodies that no text forbids: mistakes in practice, and other programs."""

from __future__ import annotations

from ligament.findings.finding import Code

_BODIES = "KHR_physics_rigid_bodies"
_PHYSICS = "mechanics"
_ENGINES = "practice of engines"
_PROGRAMS = "known implementations"

PRACTICE: dict[str, Code] = {
    "PHYSICS_BODY_WITHOUT_COLLIDER": Code(
        "hint",
        "A body has no collider, so it touches nothing.",
        f"{_BODIES}, Colliders",
        "Give it a collider at or below its node, unless this is intended.",
    ),
    "PHYSICS_INERTIA_IMPOSSIBLE": Code(
        "info",
        "One principal moment is above the sum of the other two, which is impossible.",
        f"{_PHYSICS}: the triangle inequality of principal moments",
        "Compute the moments from the shape, or leave them out.",
    ),
    "PHYSICS_KINEMATIC_CENTER": Code(
        "hint",
        "A kinematic body rotates about the centre of its colliders, which is away from its node: "
        "usually the node is meant.",
        f"{_BODIES}, Motions: the centre of mass is calculated where it is not given",
        "Write centerOfMass [0, 0, 0] to rotate it about the node.",
    ),
    "PHYSICS_SCALE_UNEVEN": Code(
        "info",
        "A sphere, capsule or cylinder has a non-uniform scale: players differ.",
        "KHR_implicit_shapes, scale: undefined",
        "Use a uniform scale, and write the sizes in the shape.",
    ),
    "PHYSICS_SCALE_SKEWED": Code(
        "info",
        "Non-uniform scales above a rotated node shear a shape: players differ.",
        "KHR_implicit_shapes, scale: undefined",
        "Apply the scales above to the mesh.",
    ),
    "PHYSICS_BODY_DEFORMED": Code(
        "warning",
        "A body below a non-uniform scale may rotate: it is drawn deformed, in its exact position.",
        "glTF 2.0, 3.5.3: a node's transform is a translation, a rotation and a scale",
        "Use a uniform scale above the body, and scale its meshes and shapes instead.",
    ),
    "PHYSICS_FRAME_SHEARED": Code(
        "warning",
        "Non-uniform scales shear the axes of a joint frame: the joint uses its rotations alone.",
        f"{_BODIES}, Joints: a frame has an origin and three axes at right angles",
        "Use uniform scales above the frames of joints.",
    ),
    "PHYSICS_MESH_DEGENERATE": Code(
        "info",
        "A collision mesh has triangles without an area.",
        "KHR_collision_shapes, trimesh",
        "Remove them.",
    ),
    "PHYSICS_MESH_LARGE": Code(
        "info",
        "A collision mesh has more than 5,000 vertices, which is slow.",
        f"{_BODIES}, Colliders: many vertices impose a large cost",
        "Use a simpler mesh, or some boxes and capsules.",
    ),
    "PHYSICS_HULL_LARGE": Code(
        "info",
        "A convex hull has more than 255 corners, which engines reduce.",
        "OMI_collider, hull: at most 255 points",
        "Simplify the mesh of the hull.",
    ),
    "PHYSICS_MESH_DYNAMIC": Code(
        "info",
        "A mesh, which has no volume, is on a dynamic body: engines take its hull, or let it "
        "fall through others.",
        f"{_BODIES}, Colliders; {_ENGINES}",
        "Use convex shapes on dynamic bodies.",
    ),
    "PHYSICS_MESH_PAIR": Code(
        "info",
        "Two meshes can collide, which engines advise against.",
        f"{_BODIES}, Colliders: engines recommend against pairs of trimesh objects",
        "Make one of the two convex, or filter the pair.",
    ),
    "PHYSICS_FILTER_MEETS_NOTHING": Code(
        "info",
        "The filters of a body keep it from colliding with anything else in the file.",
        f"{_BODIES}, Collision Filtering: both directions must accept",
        "Name systems that have members, or remove the filter.",
    ),
    "PHYSICS_FILTER_UNKNOWN_SYSTEM": Code(
        "hint",
        "A filter lists a system without members.",
        f"{_BODIES}, Collision Filtering",
        "Fix its name, or remove it.",
    ),
    "PHYSICS_FILTER_EMPTY_LIST": Code(
        "warning",
        "A list of systems is empty, which the specification does not define.",
        f"{_BODIES}, Collision Filtering: string[1-*]",
        "Fill or remove it.",
    ),
    "PHYSICS_FILTER_DUPLICATE_SYSTEM": Code(
        "warning",
        "A list names a system twice.",
        f"{_BODIES}, Collision Filtering",
        "Name it once, or correct the name.",
    ),
    "PHYSICS_FRICTION_HIGH": Code(
        "info",
        "A friction is above 1.",
        f"{_BODIES}, Physics Materials: typical range from 0 to 1",
        "Use 0 to 1, unless this is intended.",
    ),
    "PHYSICS_RESTITUTION_HIGH": Code(
        "info",
        "A restitution is above 1, so that bounces gain energy.",
        f"{_BODIES}, Physics Materials: typical range from 0 to 1",
        "Use 0 to 1.",
    ),
    "PHYSICS_LIMITS_OVERLAP": Code(
        "info",
        "Two hard limits of a joint bound the same side of the same axes, so one never acts.",
        f"{_BODIES}, Joints: all limits hold at once",
        "Keep the narrower one.",
    ),
    "PHYSICS_DRIVES_OVERLAP": Code(
        "info",
        "Two drives without a force limit pull one axis to different targets and settle at "
        "neither.",
        f"{_BODIES}, Joints: the forces of drives add up",
        "Keep one of them, or limit its force.",
    ),
    "PHYSICS_LIMIT_BELOW_ZERO": Code(
        "info",
        "A limit on two or three axes has a minimum below 0, which their value never reaches.",
        f"{_BODIES}, Constraint Limit Metrics",
        "Use 0, or leave the minimum out.",
    ),
    "PHYSICS_LIMIT_WITHOUT_BOUNDS": Code(
        "warning",
        "A limit bounds nothing: it has neither a minimum nor a maximum that a value can break.",
        f"{_BODIES}, Joints: an absent minimum or maximum is no bound",
        "Give it a bound, 0 and 0 to lock the axes, or remove it.",
    ),
    "PHYSICS_LIMIT_WHOLE_TURN": Code(
        "hint",
        "Bounds of an angle allow a whole turn. About one axis they still stop it, once it has "
        "wound up that far; a cone or total angle of half a turn bounds nothing.",
        f"{_BODIES}, Constraint Limit Metrics",
        "Leave the limit out if the joint is meant to be free.",
    ),
    "PHYSICS_LIMIT_IN_DEGREES": Code(
        "warning",
        "The bounds of an angle look like degrees: whole or half numbers above 15.",
        f"{_BODIES}, Joints: angles are in radians",
        "Multiply them by π/180.",
    ),
    "PHYSICS_DAMPING_ALONE": Code(
        "info",
        "A limit has damping but no stiffness: it is hard, and the damping has no effect.",
        f"{_BODIES}, Joints: without stiffness a limit is infinitely stiff",
        "Give it stiffness, 0 for damping only, or remove the damping.",
    ),
    "PHYSICS_LIMIT_WITHOUT_GAIN": Code(
        "info",
        "A soft limit has neither stiffness nor damping, so it has no effect.",
        f"{_BODIES}, Joints",
        "Give it stiffness, leave stiffness out for a hard limit, or remove it.",
    ),
    "PHYSICS_DRIVE_WITHOUT_GAIN": Code(
        "info",
        "A drive has a target but no gain to reach it with, or may apply no force.",
        f"{_BODIES} of 2024, drives: a target and its gain go together",
        "Give it stiffness for a position, damping for a velocity, and a force.",
    ),
    "PHYSICS_TARGET_UNREACHABLE": Code(
        "info",
        "A drive's target is outside a limit on the same axis.",
        f"{_BODIES}, Joints",
        "Move the target inside the limits.",
    ),
    "PHYSICS_JOINT_STARTS_VIOLATED": Code(
        "info",
        "A hard limit is broken at the start, by more than 1 mm or half a degree: the joint snaps.",
        f"{_BODIES}, Constraint Limit Metrics",
        "Place the two frames inside the limits.",
    ),
    "PHYSICS_JOINT_AGAINST_ANIMATION": Code(
        "warning",
        "An animation moves the ends of a joint, or of a chain of joined bodies, where the joint "
        "cannot follow: by more than 1 cm or 2 degrees. Engines pull such joints open.",
        f"{_BODIES}, Motions: animation takes precedence over simulation",
        "Change the animation or the joint, or animate the whole chain.",
    ),
    "PHYSICS_MASS_RATIO": Code(
        "info",
        "A joint connects masses whose ratio is above 1,000, which engines solve badly.",
        _ENGINES,
        "Bring the masses closer, or join both to something heavy.",
    ),
    "PHYSICS_STARTS_INSIDE": Code(
        "info",
        "Two colliders start inside each other, by more than a quarter of the thinner one: they "
        "are pushed apart violently.",
        _ENGINES,
        "Move them apart, join them, or filter the pair.",
    ),
    "PHYSICS_JOINT_CONTACTS_OFF": Code(
        "info",
        "A joint switches off contacts between a body and a static collider: the one on the node "
        "of its frame, or else the nearest one that the body overlaps at the start or touches at a "
        "frame that is locked to it.",
        f"{_BODIES}, Joints: enableCollision",
        "Nothing, if it is meant so; else set enableCollision.",
    ),
}
"""Content that is rarely meant, or does not work well."""

PORTABILITY: dict[str, Code] = {
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
        "A limit has one bound only: some programs read the other as 0.",
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
        "There are more than 32 collision systems: programs with bit masks keep the first 32.",
        _PROGRAMS,
        "Merge systems.",
    ),
    "PORTABILITY_COMPOUND_TRIGGER": Code(
        "hint",
        "A compound trigger: some programs support single triggers only.",
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
        "A body on a rotated node starts with a velocity: some programs read it in world space.",
        _PROGRAMS,
        "Rotate the children of the node instead.",
    ),
    "PORTABILITY_MIRRORED_SHAPE": Code(
        "hint",
        "A shape is scaled by a negative number, which counts as its absolute value: some programs "
        "turn the shape inside out.",
        "KHR_implicit_shapes, scale",
        "Use scales above 0.",
    ),
    "PORTABILITY_MIRRORED_FRAME": Code(
        "hint",
        "A body or joint frame is below a negative scale: some programs leave it out of rotations, "
        "or reverse velocities and limits.",
        _PROGRAMS,
        "Apply the negative scale to the nodes and meshes below it.",
    ),
    "PORTABILITY_ANIMATED_BODY": Code(
        "hint",
        "An animation moves a body: some programs simulate it instead.",
        _PROGRAMS,
        "Make it kinematic too.",
    ),
    "PORTABILITY_COMPRESSED_MESH": Code(
        "hint",
        "A collision mesh is compressed: some programs cannot decompress it for physics.",
        _PROGRAMS,
        "Store collision meshes uncompressed.",
    ),
    "PORTABILITY_MESHES_ONLY": Code(
        "hint",
        "The file has colliders, but no array of shapes: some programs fail on that.",
        _PROGRAMS,
        "Add the extension of shapes with one shape.",
    ),
}
"""Content that other programs are known to get wrong."""
