"""Mistakes about node constraints, humanoids, spring bones and animated members."""

from __future__ import annotations

from collections.abc import Iterator

from tests.conformance.mistakes.mistake import (
    Json,
    drop_channels,
    extended,
    mistake,
    pointer_of,
)

CONSTRAINT, SPRINGS = "VRMC_node_constraint", "VRMC_springBone"


def constraints(document: Json) -> Iterator[tuple[int, str, Json]]:
    """Yield the destination, the kind and the members of constraints."""
    for node, content in extended(document, CONSTRAINT):
        for kind, members in content.get("constraint", content).items():
            if isinstance(members, dict):
                yield document["nodes"].index(node), kind, members


def _forget_rest(document: Json, *, of_source: bool) -> None:
    for target, _, members in constraints(document):
        document["nodes"][members["source"] if of_source else target].pop("rotation", None)


@mistake("constraints/rotation_source_rest", "the source's rest rotation is ignored")
def source_rest_ignored(document: Json) -> None:
    _forget_rest(document, of_source=True)


@mistake("constraints/rotation_target_rest", "the destination's rest rotation is ignored")
def target_rest_ignored(document: Json) -> None:
    _forget_rest(document, of_source=False)


@mistake("constraints/roll_x_both_rests", "rest rotations are ignored in rolls")
def roll_rest_ignored(document: Json) -> None:
    _forget_rest(document, of_source=True)
    _forget_rest(document, of_source=False)


@mistake("constraints/aim_PositiveY_rest", "rest rotations are ignored in aims")
def aim_rest_ignored(document: Json) -> None:
    _forget_rest(document, of_source=False)


def _forget_weights(document: Json) -> None:
    for _, _, members in constraints(document):
        members.pop("weight", None)


@mistake("constraints/rotation_weight_0_5", "the weight of rotations is ignored")
def rotation_weight_ignored(document: Json) -> None:
    _forget_weights(document)


@mistake("constraints/rotation_weight_0_0", "a weight of zero counts as absent")
def zero_weight_is_absent(document: Json) -> None:
    _forget_weights(document)


@mistake("constraints/roll_y_half", "the weight of rolls is ignored")
def roll_weight_ignored(document: Json) -> None:
    _forget_weights(document)


@mistake("constraints/aim_weight_0_3", "the weight of aims is ignored")
def aim_weight_ignored(document: Json) -> None:
    _forget_weights(document)


def _change_kind(document: Json, before: str, after: str) -> None:
    for _, content in extended(document, CONSTRAINT):
        if before in content["constraint"]:
            content["constraint"] = {after: content["constraint"].pop(before)}


@mistake("constraints/roll_z_ignores_swing", "a roll copies the whole rotation")
def roll_is_rotation(document: Json) -> None:
    for _, _, members in constraints(document):
        members.pop("rollAxis", None)
    _change_kind(document, "roll", "rotation")


@mistake("constraints/roll_y_plain", "every roll is about X")
def roll_about_x(document: Json) -> None:
    for _, kind, members in constraints(document):
        if kind == "roll":
            members["rollAxis"] = "X"


@mistake("constraints/aim_NegativeZ", "the sign of aimAxis is ignored")
def aim_unsigned(document: Json) -> None:
    for _, kind, members in constraints(document):
        if kind == "aim":
            members["aimAxis"] = members["aimAxis"].replace("Negative", "Positive")


@mistake("constraints/aim_PositiveX", "every aim is along Z")
def aim_along_z(document: Json) -> None:
    for _, kind, members in constraints(document):
        if kind == "aim":
            members["aimAxis"] = "PositiveZ"


@mistake("constraints/aim_below_turned_parent", "the parent's rotation is ignored in aims")
def aim_ignores_parent(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "parent":
            node.pop("rotation", None)


def _in_index_order(document: Json) -> None:
    """Have a constraint see its source at rest where the source is constrained after it."""
    found = {target: members["source"] for target, _, members in constraints(document)}
    for target, source in found.items():
        if source in found and source > target:
            del document["nodes"][target]["extensions"][CONSTRAINT]


@mistake("constraints/chain_backward", "constraints run in the order of their nodes")
def order_by_index(document: Json) -> None:
    _in_index_order(document)


@mistake("draft_constraints/chain_backward", "draft constraints run in the order of their nodes")
def draft_order_by_index(document: Json) -> None:
    _in_index_order(document)


@mistake("constraints/aim_after_ancestor_of_source", "an aim runs before its source's ancestors")
def aim_too_early(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "arm":
            del node["extensions"]


@mistake("draft_constraints/freeze_own_axis", "true in freezeAxes leaves an axis alone")
def frozen_inverted(document: Json) -> None:
    for _, _, members in constraints(document):
        if "freezeAxes" in members:
            members["freezeAxes"] = [not flag for flag in members["freezeAxes"]]


@mistake("draft_constraints/freeze_other_axes", "freezeAxes is ignored")
def frozen_ignored(document: Json) -> None:
    for _, _, members in constraints(document):
        members.pop("freezeAxes", None)


@mistake("draft_constraints/weight_0_3", "the weight of draft constraints is ignored")
def draft_weight_ignored(document: Json) -> None:
    _forget_weights(document)


@mistake("draft_constraints/rotation_both_rests", "draft rotations are absolute")
def draft_absolute(document: Json) -> None:
    _forget_rest(document, of_source=True)


# --- humanoids ---


def _bones(document: Json) -> dict[str, Json]:
    """Return the nodes of a humanoid by bone."""
    found = document["extensions"]
    content = found.get("VRMC_vrm") or found["VRMC_vrm_animation"]
    bones = content["humanoid"]["humanBones"]
    return {bone: document["nodes"][entry["node"]] for bone, entry in bones.items()}


def _forget_rests(document: Json) -> None:
    for node in _bones(document).values():
        node.pop("rotation", None)


@mistake("humanoid/target_rest", "rest rotations of the target are ignored")
def avatar_rest_ignored(document: Json) -> None:
    _forget_rests(document)


@mistake("humanoid/source_rest", "rest rotations of the source are ignored", motion=True)
def motion_rest_ignored(document: Json) -> None:
    _forget_rests(document)


@mistake("humanoid/target_lacks_chest", "rotations of missing bones are lost", motion=True)
def missing_bone_lost(document: Json) -> None:
    bones = document["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    for channel in document["animations"][0]["channels"]:
        if channel["target"]["node"] == bones["chest"]["node"]:
            channel["target"]["node"] = bones["leftFoot"]["node"]


@mistake("humanoid/hips_ratio_2_0", "the source's hips are taken to rest at 2 m", motion=True)
def hips_rest_elsewhere(document: Json) -> None:
    _bones(document)["hips"]["translation"] = [0, 2, 0]


@mistake("humanoid/step", "STEP keys of motions are played as LINEAR", motion=True)
def motion_step_is_linear(document: Json) -> None:
    for sampler in document["animations"][0]["samplers"]:
        sampler["interpolation"] = "LINEAR"


@mistake("humanoid/helper_in_source", "nodes between bones of the source are ignored", motion=True)
def source_helper_ignored(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"].endswith("helper"):
            node.pop("rotation", None)


@mistake("humanoid/helper_in_target", "nodes between bones of the target are ignored")
def target_helper_ignored(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"].endswith("helper"):
            node.pop("rotation", None)


@mistake("humanoid/bone_spine", "the motion of the spine goes to the chest", motion=True)
def wrong_bone(document: Json) -> None:
    bones = document["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    for channel in document["animations"][0]["channels"]:
        if channel["target"]["node"] == bones["spine"]["node"]:
            channel["target"]["node"] = bones["chest"]["node"]


# --- spring bones ---


def spring_joints(document: Json) -> Iterator[Json]:
    """Yield the joints of all springs."""
    for spring in document["extensions"][SPRINGS]["springs"]:
        yield from spring["joints"]


def _set_joints(document: Json, **members: object) -> None:
    for joint in spring_joints(document):
        joint.update(members)


@mistake("springs/default_drag", "dragForce is 0.4 by default")
def drag_default(document: Json) -> None:
    for joint in spring_joints(document):
        joint.setdefault("dragForce", 0.4)


@mistake("springs/default_stiffness", "stiffness is 0 by default")
def stiffness_default(document: Json) -> None:
    for joint in spring_joints(document):
        joint.setdefault("stiffness", 0.0)


@mistake("springs/drag_0_2", "dragForce is what is left of the inertia")
def drag_inverted(document: Json) -> None:
    for joint in spring_joints(document):
        joint["dragForce"] = 1 - joint.get("dragForce", 0.5)


@mistake("springs/stiffness_4", "stiffness is ignored")
def stiffness_ignored(document: Json) -> None:
    _set_joints(document, stiffness=1.0)


@mistake("springs/gravity_power_3", "gravityPower is an acceleration")
def gravity_is_acceleration(document: Json) -> None:
    for joint in spring_joints(document):
        joint["gravityPower"] = joint.get("gravityPower", 0) / 60


@mistake("springs/gravity_forward", "gravity is always downwards")
def gravity_down(document: Json) -> None:
    _set_joints(document, gravityDir=[0, -1, 0])


@mistake("springs/gravity_not_unit", "gravityDir is normalized")
def gravity_normalized(document: Json) -> None:
    _set_joints(document, gravityDir=[0, -2 / 5**0.5, 1 / 5**0.5])


@mistake("springs/rest_rotation", "the rest rotation of a bone is ignored")
def bone_rest_ignored(document: Json) -> None:
    for joint in spring_joints(document):
        document["nodes"][joint["node"]].pop("rotation", None)


@mistake("springs/collider_sphere_hit_radius", "hitRadius is ignored")
def hit_radius_ignored(document: Json) -> None:
    _set_joints(document, hitRadius=0.0)


@mistake("springs/collider_capsule", "capsules are spheres")
def capsule_is_sphere(document: Json) -> None:
    for collider in document["extensions"][SPRINGS]["colliders"]:
        shape = collider["shape"].pop("capsule")
        collider["shape"] = {"sphere": {"offset": shape["offset"], "radius": shape["radius"]}}


@mistake("springs/collider_plane", "the fallback of an extended collider is used")
def extended_collider_ignored(document: Json) -> None:
    for collider in document["extensions"][SPRINGS]["colliders"]:
        collider.pop("extensions", None)


@mistake("springs/collider_inside_sphere", "inside is ignored")
def inside_ignored(document: Json) -> None:
    for collider in document["extensions"][SPRINGS]["colliders"]:
        shape = collider["extensions"]["VRMC_springBone_extended_collider"]["shape"]
        shape["sphere"].pop("inside")


@mistake("springs/collider_sphere", "colliders are missing")
def colliders_missing(document: Json) -> None:
    for spring in document["extensions"][SPRINGS]["springs"]:
        spring.pop("colliderGroups", None)


@mistake("springs/collider_of_other_springs", "springs collide with all groups")
def all_groups(document: Json) -> None:
    for spring in document["extensions"][SPRINGS]["springs"]:
        spring["colliderGroups"] = [0]


@mistake("springs/collider_on_node", "the rotation of a collider's node is ignored")
def collider_unturned(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "carrier":
            node.pop("rotation", None)


@mistake("springs/center_moves_along", "center is ignored")
def center_ignored(document: Json) -> None:
    for spring in document["extensions"][SPRINGS]["springs"]:
        spring.pop("center", None)


@mistake("springs/chain_of_3_joint_2", "all joints have the members of the first")
def members_inherited(document: Json) -> None:
    joints = list(spring_joints(document))
    for joint in joints[1:]:
        joint |= {key: value for key, value in joints[0].items() if key != "node"}
        joint.pop("gravityPower", None)


@mistake("springs/last_joint_is_a_tail", "the members of the last joint move the bone before it")
def last_joint_counts(document: Json) -> None:
    joints = list(spring_joints(document))
    joints[-2] |= {key: value for key, value in joints[-1].items() if key != "node"}


# --- animated members ---


def _ignore_pointers(document: Json, part: str) -> None:
    drop_channels(document, lambda target: part in pointer_of(target))


for _case, _part, _words in (
    ("gravity_factor", "gravityFactor", "animated gravityFactor is ignored"),
    ("released", "isKinematic", "animated isKinematic is ignored"),
    ("kinematic_linear_velocity", "linearVelocity", "animated velocities are ignored"),
    ("mass", "mass", "animated mass is ignored"),
    ("linear_position_target_ramp", "positionTarget", "animated positionTarget is ignored"),
    ("angular_velocity_target", "velocityTarget", "animated velocityTarget is ignored"),
    ("drive_stiffness", "drives/0/stiffness", "animated stiffness of drives is ignored"),
    ("drive_max_force", "maxForce", "animated maxForce is ignored"),
    ("linear_limit_max", "limits/0/max", "animated bounds are ignored"),
    ("limit_stiffness", "limits/0/stiffness", "animated stiffness of limits is ignored"),
    ("friction", "Friction", "animated friction is ignored"),
    ("restitution", "restitution", "animated restitution is ignored"),
    ("shape_sphere_radius", "radius", "animated radii are ignored"),
    ("shape_box_size", "size", "animated sizes are ignored"),
    ("node_translation", "translation", "pointers to a node's translation are ignored"),
    ("enable_collision", "enableCollision", "animated enableCollision is ignored"),
):

    def _ignored(document: Json, part: str = _part) -> None:
        _ignore_pointers(document, part)

    _ignored.__name__ = f"pointer_{_case}_ignored"
    mistake(f"pointers/{_case}", _words)(_ignored)


@mistake("pointers/gravity_factor_step", "STEP keys of pointers are played as LINEAR")
def pointer_step_is_linear(document: Json) -> None:
    for animation in document["animations"]:
        for sampler in animation["samplers"]:
            sampler["interpolation"] = "LINEAR"
