"""Mistakes about limits, joints and drives, of KHR and of OMI."""

from __future__ import annotations

import math

from tests.conformance.mistakes.mistake import (
    Json,
    descriptions,
    drives,
    extended,
    forget,
    limits,
    mistake,
    parts,
)


def _per_axis(document: Json, kind: str, count: int) -> None:
    """Split a limit of several axes into one for each, as boxes instead of radii."""
    for joint in descriptions(document):
        split = []
        for limit in joint.get("limits", ()):
            axes = limit.get(f"{kind}Axes", [])
            if len(axes) != count:
                split.append(limit)
                continue
            most = limit.get("max", math.inf)
            split += [{**limit, f"{kind}Axes": [axis], "min": -most, "max": most} for axis in axes]
        joint["limits"] = split


@mistake("limits/linear_xy_radius", "2D linear limits are a box instead of a radius")
def radius_is_box(document: Json) -> None:
    _per_axis(document, "linear", 2)


@mistake("limits/linear_distance_max", "3D linear limits are a box instead of a distance")
def distance_is_box(document: Json) -> None:
    _per_axis(document, "linear", 3)


@mistake("limits/angular_xz_cone", "2D angular limits are two twists instead of a cone")
def cone_is_box(document: Json) -> None:
    _per_axis(document, "angular", 2)


@mistake("limits/angular_whole_oblique", "3D angular limits are three twists")
def whole_is_box(document: Json) -> None:
    _per_axis(document, "angular", 3)


@mistake("limits/angular_x_min", "the twist has no sign")
def unsigned_twist(document: Json) -> None:
    for limit in limits(document):
        if len(limit.get("angularAxes", ())) == 1:
            limit["min"] = -limit["max"]


@mistake("limits/linear_without_max", "absent bounds are zero")
def absent_is_zero(document: Json) -> None:
    for limit in limits(document):
        limit.setdefault("min", 0.0)
        limit.setdefault("max", 0.0)


@mistake("limits/linear_xy_min", "the min of a radius is ignored")
def no_min(document: Json) -> None:
    for limit in limits(document):
        if len(limit.get("linearAxes", ())) > 1:
            limit["min"] = 0.0


@mistake("limits/linear_distance_equal", "equal bounds are a rope, not a rod")
def rod_is_rope(document: Json) -> None:
    for limit in limits(document):
        limit["max"] = limit["max"] * 1.5


@mistake("limits/linear_x_max", "limits act on the next axis")
def axes_off_by_one(document: Json) -> None:
    for limit in limits(document):
        for kind in ("linearAxes", "angularAxes"):
            if kind in limit:
                limit[kind] = [(axis + 1) % 3 for axis in limit[kind]]


@mistake("limits/angular_y_max", "angles are in degrees")
def limits_in_degrees(document: Json) -> None:
    for limit in limits(document):
        if "angularAxes" in limit:
            limit |= {"min": math.radians(limit["min"]), "max": math.radians(limit["max"])}


@mistake("limits/linear_sides_exchanged", "limits measure the joint's node from the connected one")
def sides_exchanged(document: Json) -> None:
    for limit in limits(document):
        limit["min"], limit["max"] = -limit["max"], -limit["min"]


@mistake("limits/linear_axes_turned_about_z", "the rotation of attachment frames is ignored")
def frames_unturned(document: Json) -> None:
    for node in document["nodes"]:
        node.pop("rotation", None)


@mistake("limits/soft_sag_100", "soft limits are hard")
def soft_is_hard(document: Json) -> None:
    forget(limits(document), "stiffness", "damping")


@mistake("limits/soft_damped_0_5", "the damping of limits is ignored")
def no_limit_damping(document: Json) -> None:
    for limit in limits(document):
        limit["damping"] = 0.0


@mistake("limits/soft_swing_y", "limits are three times too stiff")
def stiff_limits(document: Json) -> None:
    for limit in limits(document):
        if "stiffness" in limit:
            limit["stiffness"] *= 3


@mistake("limits/soft_within_range", "the spring of a limit acts within its range")
def spring_within_range(document: Json) -> None:
    for limit in limits(document):
        if "stiffness" in limit:
            limit |= {"min": 0.0, "max": 0.0}


@mistake("limits/soft_distance", "3D limits have no spring")
def no_soft_distance(document: Json) -> None:
    for limit in limits(document):
        if len(limit.get("linearAxes", ())) == 3:
            limit.pop("stiffness", None)


@mistake("limits/soft_twist_z", "angular limits have no spring")
def no_soft_angle(document: Json) -> None:
    for limit in limits(document):
        if "angularAxes" in limit:
            limit.pop("stiffness", None)


@mistake("limits/beyond_half_a_turn", "angles end at π")
def ends_at_pi(document: Json) -> None:
    for limit in limits(document):
        limit["max"] = min(limit["max"], 3.1)


# --- joints ---


@mistake("joints/fixed_to_world", "joints to the world are dropped")
def no_world_joints(document: Json) -> None:
    for _, content in extended(document):
        content.pop("joint", None)


@mistake("joints/fixed_bodies", "joints between bodies are dropped")
def no_joints(document: Json) -> None:
    no_world_joints(document)


@mistake("joints/door", "attachment frames are at the origins of the bodies")
def frames_at_origin(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "edge":
            node.pop("translation", None)


@mistake("joints/hinge_x_holds", "only the first limit of a joint counts")
def first_limit_alone(document: Json) -> None:
    for joint in descriptions(document):
        joint["limits"] = joint["limits"][:1]


@mistake("joints/enable_collision_absent", "joined bodies collide")
def joined_collide(document: Json) -> None:
    for _, content in extended(document):
        if "joint" in content:
            content["joint"]["enableCollision"] = True


@mistake("joints/enable_collision_true", "joined bodies never collide")
def joined_never_collide(document: Json) -> None:
    for _, content in extended(document):
        if "joint" in content:
            content["joint"].pop("enableCollision", None)


@mistake("joints/spring_between_1_and_3", "a joint moves one of its bodies alone")
def one_sided(document: Json) -> None:
    for node, content in extended(document):
        if node["name"] == "second":
            content["motion"]["mass"] = 1e4


@mistake("joints/limit_under_scale", "limits are scaled with their node")
def scaled_limits(document: Json) -> None:
    for limit in limits(document):
        limit |= {"min": 2 * limit["min"], "max": 2 * limit["max"]}


@mistake("joints/fixed_to_animated_node", "frames on animated nodes stay")
def frames_stay(document: Json) -> None:
    document.pop("animations", None)


# --- drives ---


@mistake("drives/linear_position_force_x", "drives are three times too strong")
def strong_drives(document: Json) -> None:
    for drive in drives(document):
        drive |= {key: 3 * drive[key] for key in ("stiffness", "damping") if key in drive}


@mistake("drives/holds_an_arm", "angular drives are three times too strong")
def strong_angular_drives(document: Json) -> None:
    strong_drives(document)


@mistake("drives/acceleration_of_mass_10_0", "acceleration mode is force mode")
def acceleration_is_force(document: Json) -> None:
    for drive in drives(document):
        drive["mode"] = "force"


@mistake("drives/force_on_mass_10_0", "force mode is acceleration mode")
def force_is_acceleration(document: Json) -> None:
    for drive in drives(document):
        drive["mode"] = "acceleration"


@mistake("drives/linear_max_force_1", "maxForce is ignored")
def no_max_force(document: Json) -> None:
    forget(drives(document), "maxForce")


@mistake("drives/angular_max_force_0", "a maxForce of zero is no bound")
def zero_force_is_unbounded(document: Json) -> None:
    for drive in drives(document):
        if drive.get("maxForce") == 0:
            del drive["maxForce"]


@mistake("drives/linear_velocity_force_z", "velocityTarget is ignored")
def no_velocity_target(document: Json) -> None:
    forget(drives(document), "velocityTarget")


@mistake("drives/both_targets", "of two targets the position counts alone")
def position_alone(document: Json) -> None:
    forget(drives(document), "velocityTarget")


@mistake("drives/linear_position_acceleration_y", "the damping of drives is ignored")
def no_drive_damping(document: Json) -> None:
    for drive in drives(document):
        drive["damping"] = 0.0


@mistake("drives/linear_sides_exchanged", "drives move the joint's node instead")
def drive_the_other_way(document: Json) -> None:
    for drive in drives(document):
        drive["positionTarget"] = -drive["positionTarget"]


@mistake("drives/angular_position_force_y", "angular targets are in degrees")
def target_in_degrees(document: Json) -> None:
    for drive in drives(document):
        drive["positionTarget"] = math.radians(drive["positionTarget"])


@mistake("drives/linear_in_turned_frame", "drives act along axes of the world")
def drives_in_world(document: Json) -> None:
    for node in document["nodes"]:
        node.pop("rotation", None)


@mistake("drives/two_drives", "only the first drive acts")
def first_drive_alone(document: Json) -> None:
    for joint in descriptions(document):
        joint["drives"] = joint["drives"][:1]


@mistake("drives/stopped_by_limit", "drives go beyond limits")
def drives_beyond_limits(document: Json) -> None:
    for joint in descriptions(document):
        joint.pop("limits", None)


# --- OMI ---


def _constraints(document: Json) -> list[Json]:
    found: list[Json] = document["extensions"].get("OMI_physics_joint", {}).get("constraints", [])
    return found


@mistake("omi/later_narrow_overrides", "earlier constraints win")
def earlier_wins(document: Json) -> None:
    for _, content in extended(document, "OMI_physics_joint"):
        content["constraints"] = content["constraints"][::-1]


@mistake("omi/range_upper", "node A and node B are exchanged")
def nodes_exchanged(document: Json) -> None:
    for _, content in extended(document, "OMI_physics_joint"):
        content["nodeA"], content["nodeB"] = content["nodeB"], content["nodeA"]


@mistake("omi/damping_default", "the damping is 0 by default")
def omi_damping_default(document: Json) -> None:
    for constraint in _constraints(document):
        constraint.setdefault("damping", 0.0)


@mistake("omi/stiffness_50", "the stiffness of OMI limits is ignored")
def omi_stiffness_ignored(document: Json) -> None:
    forget(iter(_constraints(document)), "stiffness")


@mistake("omi/joint_place", "the joint is at the origin of node B")
def joint_at_body(document: Json) -> None:
    for node, _ in extended(document, "OMI_physics_joint"):
        node["translation"] = [1, 1, 0]


@mistake("omi/collider_capsule", "the height of an OMI capsule is between its centres")
def omi_capsule_between_centres(document: Json) -> None:
    for collider in document["extensions"].get("OMI_collider", {}).get("colliders", ()):
        if collider["type"] == "capsule":
            collider["height"] = collider.get("height", 2) + 2 * collider.get("radius", 0.5)


@mistake("omi/combine_default", "an absent OMI combine mode takes the larger value")
def omi_combine_default(document: Json) -> None:
    for material in document["extensions"]["OMI_physics_body"]["physicsMaterials"]:
        material.setdefault("frictionCombine", "maximum")


@mistake("omi/type_kinematic", "kinematic OMI bodies are rigid")
def omi_kinematic_is_rigid(document: Json) -> None:
    for _, content in extended(document, "OMI_physics_body"):
        if content.get("type") == "kinematic":
            content["type"] = "rigid"


@mistake("omi/istrigger_tells", "isTrigger is ignored")
def omi_trigger_is_solid(document: Json) -> None:
    for collider in document["extensions"]["OMI_collider"]["colliders"]:
        collider.pop("isTrigger", None)


@mistake("omi/inertia_tensor", "inertiaTensor is ignored")
def omi_inertia_ignored(document: Json) -> None:
    for _, content in extended(document, "OMI_physics_body"):
        content["inertiaTensor"] = [2.0, 0, 0, 0, 2.0, 0, 0, 0, 2.0]


@mistake("limits/angular_x_half_turn_max", "a range of a whole turn does not bound an angle")
def whole_turns_are_free(document: Json) -> None:
    for limit in limits(document):
        if limit.get("max", 0.0) - limit.get("min", 0.0) >= 2 * math.pi - 1e-6:
            del limit["min"], limit["max"]


@mistake("limits/angular_x_turns_max", "angles are counted within half a turn")
def angles_within_half_a_turn(document: Json) -> None:
    for limit in limits(document):
        if "max" in limit:
            limit["max"] = min(limit["max"], math.pi)


def _lock_at_zero(document: Json) -> None:
    for limit in limits(document):
        if limit.get("min") == limit.get("max"):
            limit["min"] = limit["max"] = 0.0


@mistake("limits/linear_x_locked_off_zero", "locked distances are 0")
def locked_distance_is_zero(document: Json) -> None:
    _lock_at_zero(document)


@mistake("limits/angular_x_locked_off_zero", "locked angles are 0")
def locked_angle_is_zero(document: Json) -> None:
    _lock_at_zero(document)


@mistake("joints/static_side_nothing", "a joint to a static node switches off its whole level")
def whole_level_is_off(document: Json) -> None:
    for _, content in extended(document):
        if "motion" not in content:
            content.pop("collider", None)


@mistake("joints/static_side_touched", "bodies collide with the edge that they are hinged to")
def hinged_edge_is_solid(document: Json) -> None:
    for joint in parts(document, "joint"):
        joint["enableCollision"] = True


@mistake("omi/frame_1_below_animated_node", "the frame of an OMI joint follows nodes above it")
def omi_frame_follows(document: Json) -> None:
    nodes = document["nodes"]
    bob, group = ([node.get("name") for node in nodes].index(name) for name in ("bob", "group"))
    nodes[bob]["children"] = [len(nodes)]
    nodes.append({"translation": [-1, 0, 0], "children": [group]})
    document["scenes"][0]["nodes"].remove(group)
