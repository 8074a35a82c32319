"""Mistakes about bodies, their mass and their shapes."""

from __future__ import annotations

import math

from ligament.conformance.rotations import IDENTITY, inverse, product, rotate
from tests.conformance.mistakes.mistake import (
    Json,
    drop_channels,
    extended,
    forget,
    mistake,
    parts,
    shapes,
)


def _turned(document: Json, member: str, *, own: bool) -> None:
    """Have a velocity ignore the rotations above its node, and the node's own as well."""
    parents = {c: i for i, n in enumerate(document["nodes"]) for c in n.get("children", ())}
    for index, node in enumerate(document["nodes"]):
        motion = node.get("extensions", {}).get("KHR_physics_rigid_bodies", {}).get("motion", {})
        if member in motion:
            mine = node.get("rotation", IDENTITY)
            above, parent = IDENTITY, parents.get(index)
            while parent is not None:
                above = product(document["nodes"][parent].get("rotation", IDENTITY), above)
                parent = parents.get(parent)
            seen = motion[member] if own else rotate(mine, motion[member])
            motion[member] = rotate(inverse(product(above, mine)), seen).tolist()


@mistake("bodies/linear_velocity_in_node_space_y", "linearVelocity is taken in the world")
def linear_velocity_in_world(document: Json) -> None:
    _turned(document, "linearVelocity", own=True)


@mistake("bodies/angular_velocity_in_node_space_x", "angularVelocity is taken in the world")
def angular_velocity_in_world(document: Json) -> None:
    _turned(document, "angularVelocity", own=True)


@mistake("bodies/linear_velocity_in_parent_space_z", "linearVelocity ignores rotations above")
def linear_velocity_below_parent(document: Json) -> None:
    _turned(document, "linearVelocity", own=False)


@mistake("bodies/linear_velocity_x", "linearVelocity is ignored")
def no_linear_velocity(document: Json) -> None:
    forget(parts(document, "motion"), "linearVelocity")


@mistake("bodies/angular_velocity_x", "angularVelocity is ignored")
def no_angular_velocity(document: Json) -> None:
    forget(parts(document, "motion"), "angularVelocity")


@mistake("bodies/angular_velocity_z", "angularVelocity is in degrees")
def angular_velocity_in_degrees(document: Json) -> None:
    for motion in parts(document, "motion"):
        if "angularVelocity" in motion:
            motion["angularVelocity"] = [math.radians(c) for c in motion["angularVelocity"]]


@mistake("bodies/velocity_under_scale", "velocities are scaled with the node")
def scaled_velocity(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["linearVelocity"] = [2 * c for c in motion.get("linearVelocity", (0, 0, 0))]


@mistake("bodies/gravity_factor_0_5", "gravityFactor is ignored")
def no_gravity_factor(document: Json) -> None:
    forget(parts(document, "motion"), "gravityFactor")


@mistake("bodies/gravity_factor_minus_1_0", "a negative gravityFactor counts as 0")
def gravity_factor_at_least_0(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["gravityFactor"] = max(0.0, motion.get("gravityFactor", 1.0))


@mistake("bodies/free_fall", "there is no gravity")
def no_gravity(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["gravityFactor"] = 0.0


@mistake("bodies/kinematic_ignores_gravity", "kinematic bodies are dynamic")
def kinematic_is_dynamic(document: Json) -> None:
    for motion in parts(document, "motion"):
        if motion.pop("isKinematic", False):
            motion |= {"mass": 1.0, "inertiaDiagonal": [1, 1, 1]}


@mistake("bodies/kinematic_angular_velocity_y", "kinematic bodies do not move by themselves")
def kinematic_stands(document: Json) -> None:
    for motion in parts(document, "motion"):
        if motion.get("isKinematic"):
            motion.pop("linearVelocity", None)
            motion.pop("angularVelocity", None)


@mistake("bodies/independent_descendant", "a body below a body is a part of it")
def nested_body_is_a_part(document: Json) -> None:
    below = {c for node, _ in extended(document) for c in node.get("children", ())}
    for index in below:
        document["nodes"][index].get("extensions", {}).get("KHR_physics_rigid_bodies", {}).pop(
            "motion", None
        )


@mistake("bodies/nearest_motion_owns", "the highest motion owns what is below")
def highest_motion_owns(document: Json) -> None:
    nested_body_is_a_part(document)


@mistake("bodies/animated_translation", "animated bodies are simulated")
def animation_ignored(document: Json) -> None:
    document.pop("animations", None)


@mistake("bodies/animated_static_collider", "static colliders do not follow animation")
def static_stays(document: Json) -> None:
    document.pop("animations", None)


@mistake("bodies/collider_below_body", "only a body's own node has a collider")
def colliders_below_lost(document: Json) -> None:
    for _, content in extended(document):
        if "motion" not in content and "collider" in content:
            below = any(
                document["nodes"].index(node) in parent.get("children", ())
                for node, own in extended(document)
                if own is content
                for parent in document["nodes"]
            )
            if below:
                del content["collider"]


@mistake("bodies/turns_about_centre_of_mass_z", "bodies turn about their node")
def no_centre_of_mass(document: Json) -> None:
    forget(parts(document, "motion"), "centerOfMass")


# --- mass ---


@mistake("mass/collision_1_to_3", "all bodies weigh the same")
def no_mass(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["mass"] = 1.0


@mistake("mass/zero_mass_is_infinite", "a mass of zero counts as absent")
def zero_mass_is_absent(document: Json) -> None:
    for motion in parts(document, "motion"):
        if motion.get("mass") == 0:
            del motion["mass"]


@mistake("mass/infinite_inertia_x", "an inertia of zero counts as one")
def zero_inertia_is_finite(document: Json) -> None:
    for motion in parts(document, "motion"):
        if "inertiaDiagonal" in motion:
            motion["inertiaDiagonal"] = [i or 0.05 for i in motion["inertiaDiagonal"]]


@mistake("mass/infinite_mass_does_not_fall", "infinite masses fall")
def infinite_mass_falls(document: Json) -> None:
    for motion in parts(document, "motion"):
        if motion.get("mass") == 0:
            motion["mass"] = 1000.0


@mistake("mass/inertia_orientation_y", "inertiaOrientation is ignored")
def inertia_unrotated(document: Json) -> None:
    forget(parts(document, "motion"), "inertiaOrientation")


@mistake("mass/free_rotation_middle_axis", "the three moments of inertia are averaged")
def isotropic_inertia(document: Json) -> None:
    for motion in parts(document, "motion"):
        if "inertiaDiagonal" in motion:
            motion["inertiaDiagonal"] = [sum(motion["inertiaDiagonal"]) / 3] * 3


@mistake("mass/given_inertia_2_0", "inertiaDiagonal is ignored")
def no_inertia(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["inertiaDiagonal"] = [0.1] * 3


@mistake("mass/computed_inertia_of_box", "computed inertia is that of a point")
def point_inertia(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion.setdefault("inertiaDiagonal", [1e-3] * 3)


@mistake("mass/volume_of_sphere", "the mass is 1 kg where it is absent")
def absent_mass_is_one(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion.setdefault("mass", 1.0)


@mistake("mass/density", "the density is 1 kg/m³")
def density_of_one(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion.setdefault("mass", 0.001)


@mistake("mass/centre_of_shapes", "the centre of mass is the node where it is absent")
def centre_at_node(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion.setdefault("centerOfMass", [0, 0, 0])


@mistake("mass/centre_of_mass_under_scale", "centerOfMass is not scaled")
def unscaled_centre(document: Json) -> None:
    for motion in parts(document, "motion"):
        if "centerOfMass" in motion:
            motion["centerOfMass"] = [c / 2 for c in motion["centerOfMass"]]


@mistake("mass/mass_under_scale", "mass grows with the scale of the node")
def scaled_mass(document: Json) -> None:
    for node, content in extended(document):
        if "motion" in content and "scale" in node and "mass" in content["motion"]:
            content["motion"]["mass"] *= math.prod(node["scale"])


# --- shapes ---


@mistake("shapes/static_box_y", "the size of a box counts as half extents")
def box_of_half_extents(document: Json) -> None:
    for box in shapes(document, "box"):
        box["size"] = [2 * c for c in box.get("size", (1, 1, 1))]


@mistake("shapes/static_sphere_y", "the radius of a sphere counts as its diameter")
def sphere_of_diameter(document: Json) -> None:
    for sphere in shapes(document, "sphere"):
        sphere["radius"] = sphere.get("radius", 0.5) / 2


@mistake("shapes/static_capsule_y", "the height of a capsule is from tip to tip")
def capsule_of_total_height(document: Json) -> None:
    for capsule in shapes(document, "capsule"):
        ends = capsule.get("radiusTop", 0.25) + capsule.get("radiusBottom", 0.25)
        capsule["height"] = max(capsule.get("height", 0.5) - ends, 0.01)


@mistake("shapes/static_capsule_default_y", "a capsule is 1 m high by default")
def capsule_default(document: Json) -> None:
    for capsule in shapes(document, "capsule"):
        capsule.setdefault("height", 1.0)


@mistake("shapes/static_box_default_x", "a box is 2 m wide by default")
def box_default(document: Json) -> None:
    for box in shapes(document, "box"):
        box.setdefault("size", [2, 2, 2])


def _lie_down(document: Json, kind: str) -> None:
    found = document.get("extensions", {}).get("KHR_implicit_shapes", {}).get("shapes", ())
    mine = {i for i, shape in enumerate(found) if shape["type"] == kind}
    for node, content in extended(document):
        if content.get("collider", {}).get("geometry", {}).get("shape") in mine:
            half = math.sqrt(0.5)
            node["rotation"] = product(node.get("rotation", IDENTITY), (0, 0, half, half)).tolist()


@mistake("shapes/static_capsule_x", "capsules lie along X")
def capsule_along_x(document: Json) -> None:
    _lie_down(document, "capsule")


@mistake("shapes/static_cylinder_y", "cylinders lie along X")
def cylinder_along_x(document: Json) -> None:
    _lie_down(document, "cylinder")


def _exchange(document: Json, kind: str) -> None:
    for shape in shapes(document, kind):
        top, bottom = shape.get("radiusTop", 0.25), shape.get("radiusBottom", 0.25)
        shape |= {"radiusTop": bottom, "radiusBottom": top}


@mistake("shapes/static_tapered_capsule_y", "the radii of a capsule are exchanged")
def capsule_upside_down(document: Json) -> None:
    _exchange(document, "capsule")


@mistake("shapes/cylinder_narrow_at_top", "the radii of a cylinder are exchanged")
def cylinder_upside_down(document: Json) -> None:
    _exchange(document, "cylinder")


@mistake("shapes/convex_hull", "convexHull is ignored")
def hull_ignored(document: Json) -> None:
    for collider in parts(document, "collider"):
        collider["geometry"].pop("convexHull", None)


@mistake("shapes/mesh", "every mesh is its hull")
def mesh_is_hull(document: Json) -> None:
    for collider in parts(document, "collider"):
        if "mesh" in collider["geometry"]:
            collider["geometry"]["convexHull"] = True


@mistake("shapes/mesh_is_hollow", "closed meshes are solid")
def mesh_is_solid(document: Json) -> None:
    mesh_is_hull(document)


@mistake("shapes/uniform_scale_of_sphere", "shapes are not scaled")
def unscaled_shapes(document: Json) -> None:
    for node in document["nodes"]:
        node.pop("scale", None)


@mistake("shapes/negative_scale_of_box", "a negative scale disables a shape")
def negative_scale_disables(document: Json) -> None:
    for node in document["nodes"]:
        if min(node.get("scale", (1,))) < 0:
            node["scale"] = [0, 0, 0]


@mistake("shapes/scale_of_parents", "only the node's own scale counts")
def own_scale_alone(document: Json) -> None:
    for node in document["nodes"]:
        if "children" in node:
            node.pop("scale", None)


@mistake("shapes/uneven_scale_of_box_y", "shapes are scaled by the mean of the three factors")
def mean_scale(document: Json) -> None:
    for node in document["nodes"]:
        if "scale" in node:
            node["scale"] = [sum(node["scale"]) / 3] * 3


@mistake("shapes/zero_scale", "a scale of zero counts as one")
def zero_scale_is_one(document: Json) -> None:
    for node in document["nodes"]:
        if node.get("scale") == [0, 0, 0]:
            del node["scale"]


@mistake("shapes/plane_is_endless_x", "planes end after 100 m")
def plane_ends(document: Json) -> None:
    for plane in shapes(document, "plane"):
        plane.setdefault("sizeX", 100.0)
        plane.setdefault("sizeZ", 100.0)


@mistake("shapes/plane_sizeX", "the sizes of planes are ignored")
def plane_sizes_ignored(document: Json) -> None:
    forget(shapes(document, "plane"), "sizeX", "sizeZ")


@mistake("shapes/offset", "the place of a collider's node within its body is ignored")
def no_offset(document: Json) -> None:
    for node, content in extended(document):
        if "collider" in content and node["name"] == "foot":
            node.pop("translation", None)


@mistake("shapes/draft_convex", "KHR_collision_shapes is not read")
def draft_ignored(document: Json) -> None:
    for _, content in extended(document):
        content.pop("collider", None)


@mistake("bodies/animated_step", "STEP keys are played as LINEAR")
def step_is_linear(document: Json) -> None:
    for animation in document.get("animations", ()):
        for sampler in animation["samplers"]:
            sampler["interpolation"] = "LINEAR"


@mistake("bodies/animated_rotation", "the animated rotation of a body is ignored")
def rotation_channel_ignored(document: Json) -> None:
    drop_channels(document, lambda target: target["path"] == "rotation")
