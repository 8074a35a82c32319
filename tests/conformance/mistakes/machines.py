"""Mistakes about machines: what mechanics decides beyond the sentence of one member."""

from __future__ import annotations

from tests.conformance.mistakes.mistake import (
    Json,
    descriptions,
    drives,
    forget,
    limits,
    materials,
    mistake,
    parts,
)


def _scale_drives(document: Json, member: str, factor: float) -> None:
    """Multiply a member of all drives."""
    for drive in drives(document):
        if member in drive:
            drive[member] *= factor


def _set_motions(document: Json, **members: object) -> None:
    """Give all motions other members."""
    for motion in parts(document, "motion"):
        motion.update(members)


@mistake("machines/boom", "a drive reaches its target, whatever it carries")
def drive_without_sag(document: Json) -> None:
    _scale_drives(document, "stiffness", 100.0)
    _scale_drives(document, "damping", 10.0)


@mistake("machines/scissor_lift", "a drive in a loop has half its stiffness")
def soft_drive_in_loop(document: Json) -> None:
    _scale_drives(document, "stiffness", 0.5)


@mistake("machines/platform_on_six_legs", "drives that lift one body together share their force")
def shared_drives(document: Json) -> None:
    _scale_drives(document, "stiffness", 1 / 6)


@mistake("machines/arm_of_two", "a drive feels the weight of its own link alone")
def own_link_alone(document: Json) -> None:
    last = [*parts(document, "motion")][-1]
    last["gravityFactor"] = 0.0


@mistake("machines/springs_in_series", "springs in series are as stiff as each of them")
def stiff_series(document: Json) -> None:
    _scale_drives(document, "stiffness", 3.0)


@mistake("machines/springs_in_parallel", "of two springs on one axis the last one counts")
def last_spring_alone(document: Json) -> None:
    next(drives(document))["stiffness"] = 0.0


@mistake("machines/door_closer", "damping is per unit of mass, not of the effective inertia")
def damping_by_mass(document: Json) -> None:
    _scale_drives(document, "damping", 20 / 5.4)


@mistake("machines/brake_of_30", "a brake holds whatever it carries")
def unbounded_brake(document: Json) -> None:
    forget(drives(document), "maxForce")


@mistake("machines/hoist", "the force of a motor is what it lifts with")
def motor_without_load(document: Json) -> None:
    _set_motions(document, gravityFactor=0.0)


@mistake("machines/stop_at_10", "a hard limit is a soft one")
def soft_stop(document: Json) -> None:
    for limit in limits(document):
        if limit.get("angularAxes") == [2]:
            limit.update(stiffness=10.0, damping=1.0)


@mistake("machines/lever_3_to_1_5", "the mass of welded bodies does not count")
def welded_without_mass(document: Json) -> None:
    for motion in [*parts(document, "motion")][1:]:
        motion["mass"] = 0.1


@mistake("machines/four_bar", "joints of a loop beyond its tree are left out")
def open_loop(document: Json) -> None:
    joints = [node for node in document["nodes"] if node["name"] == "mount"]
    joints[-2]["extensions"]["KHR_physics_rigid_bodies"].pop("joint")


@mistake("machines/pendulum_0_1", "a slow pendulum is at rest")
def asleep(document: Json) -> None:
    _set_motions(document, gravityFactor=0.0)


@mistake("machines/conical_pendulum", "a ball joint is a hinge")
def hinge_for_ball(document: Json) -> None:
    for limit in limits(document):
        limit["angularAxes"] = [0, 1]


@mistake("machines/double_pendulum", "a joint between bodies holds the second one alone")
def light_second(document: Json) -> None:
    [*parts(document, "motion")][1]["mass"] = 0.01


@mistake("machines/carousel", "the velocity of an animated side does not reach what hangs from it")
def hub_at_rest(document: Json) -> None:
    next(parts(document, "motion"))["angularVelocity"] = [0, 0, 0]


@mistake("machines/bifilar_pendulum", "a greatest distance pulls with the mass of a whole body")
def heavy_turn(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["inertiaDiagonal"] = [4 * part for part in motion["inertiaDiagonal"]]


@mistake("machines/rope_catches", "a greatest distance is a distance")
def rod_for_rope(document: Json) -> None:
    for limit in limits(document):
        limit["min"] = 0.5
        limit["max"] = 0.5


@mistake("machines/chain_with_1000_kg", "a heavy end stretches a chain of light links")
def elastic_chain(document: Json) -> None:
    for limit in limits(document):
        limit.update(stiffness=1e6, damping=1e5)


@mistake("machines/beat", "a spring between two bodies pulls at one of them")
def one_sided_spring(document: Json) -> None:
    [*drives(document)][-1]["stiffness"] = 0.0


@mistake("machines/cradle_of_2", "restitution is lost where a joint holds a body")
def dead_impact(document: Json) -> None:
    for material in materials(document):
        material["restitution"] = 0.0


@mistake("machines/metronome", "a spring swings with k alone, whatever stands on it")
def spring_alone(document: Json) -> None:
    _set_motions(document, gravityFactor=0.0)


@mistake("machines/gyroscope", "angular velocity is kept, not angular momentum")
def no_gyroscopic_torque(document: Json) -> None:
    _set_motions(document, angularVelocity=[0, 0, 0])


@mistake("machines/symmetric_body", "a free body turns about a fixed axis")
def fixed_axis(document: Json) -> None:
    _set_motions(document, inertiaDiagonal=[0.3] * 3)


@mistake("machines/spin_about_largest", "a body tumbles about any axis that is not its middle one")
def tumbling_about_largest(document: Json) -> None:
    _set_motions(document, inertiaDiagonal=[0.05, 0.15, 0.1])


@mistake("machines/skater", "a turn keeps its rate when its weights are pulled in")
def rate_is_kept(document: Json) -> None:
    for motion in [*parts(document, "motion")][1:]:
        motion["mass"] = 0.01
        motion["inertiaDiagonal"] = [0.001] * 3


@mistake("machines/reaction_wheel", "a motor turns one side of its joint alone")
def motor_without_reaction(document: Json) -> None:
    next(parts(document, "motion"))["inertiaDiagonal"] = [100.0] * 3


@mistake("machines/hollow_ball", "all that is round rolls alike")
def rolls_as_a_solid_ball(document: Json) -> None:
    _set_motions(document, inertiaDiagonal=[0.4 * 0.25**2 * 2.0] * 3)


@mistake("machines/thin_tube", "a roller slides down its ramp")
def smooth_ramp(document: Json) -> None:
    for material in materials(document):
        material.update(staticFriction=0.0, dynamicFriction=0.0)


@mistake("machines/bowling_ball", "friction does not spin a ball up")
def infinite_spin(document: Json) -> None:
    _set_motions(document, inertiaDiagonal=[0.0] * 3)


@mistake("machines/car_of_80_kg_coasts", "axles have a friction of their own")
def axles_with_friction(document: Json) -> None:
    for description in descriptions(document):
        drive = {"type": "angular", "mode": "force", "axis": 2, "velocityTarget": 0, "damping": 0.5}
        description["drives"] = [drive]


@mistake("machines/car_brakes", "a tyre that slides has twice the friction")
def gripping_tyres(document: Json) -> None:
    for material in materials(document):
        material["dynamicFriction"] *= 2


@mistake("machines/car_in_a_bend", "steered wheels roll straight on")
def straight_wheels(document: Json) -> None:
    for material in materials(document):
        material.update(staticFriction=0.0, dynamicFriction=0.0)


@mistake("machines/car_on_slope_0_4", "a brake does not hold on a slope")
def brake_creeps(document: Json) -> None:
    _scale_drives(document, "damping", 1e-4)


@mistake("machines/hull_placed", "a hull has a margin that floats above what it lies on")
def margin(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "hull":
            node["translation"][1] += 0.02


@mistake("machines/ten_boxes_of_10_cm", "contacts are soft springs")
def sinking_stack(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "part":
            node["translation"][1] *= 0.98


@mistake("machines/ladder_0_7", "static friction is that of what slides on")
def slipping_ladder(document: Json) -> None:
    for material in materials(document):
        material.update(staticFriction=0.0)


@mistake("machines/block_on_a_free_wedge", "what lies on a body does not push it aside")
def heavy_wedge(document: Json) -> None:
    next(parts(document, "motion"))["mass"] = 1000.0


@mistake("machines/cut_at_30_degrees", "an impact acts along the path of the ball that strikes")
def head_on(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "cue":
            node["translation"][2] = 0.0


@mistake("machines/break", "impacts lose energy where many happen at once")
def dead_break(document: Json) -> None:
    for material in materials(document):
        material["restitution"] = 0.3


@mistake("machines/bullet_at_300", "a fast ball is only looked for where its steps end")
def tunnelling(document: Json) -> None:
    for node in document["nodes"]:
        if node["name"] == "wall":
            node["extensions"].clear()


@mistake("machines/crane_trolley", "an animated body has no velocity for what hangs from it")
def trolley_without_velocity(document: Json) -> None:
    _set_motions(document, gravityFactor=0.0)


@mistake("machines/puppet", "a joint to an animated body is a spring")
def soft_hand(document: Json) -> None:
    for limit in limits(document):
        limit.update(stiffness=20.0, damping=1.0)


@mistake("machines/drift_far_away", "places are in single precision")
def frozen(document: Json) -> None:
    _set_motions(document, linearVelocity=[0, 0, 0])


@mistake("machines/crate_over_tiles", "a body hits the sides of tiles that lie flush")
def tiles_with_sides(document: Json) -> None:
    for index, node in enumerate(n for n in document["nodes"] if n["name"] == "tile"):
        node["translation"][1] += 0.02 * (index // 4 % 2)


@mistake("machines/ball_over_mesh", "the triangles of a plane have edges")
def rough_mesh(document: Json) -> None:
    for material in materials(document):
        material.update(staticFriction=0.0, dynamicFriction=0.0)
    _set_motions(document, linearVelocity=[2.5, 0, 0])


@mistake("machines/roller_at_0_05_20_cm_slab", "a slow roller is driven by its old contacts")
def driven_roller(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["linearVelocity"] = [3 * part for part in motion["linearVelocity"]]
        motion["angularVelocity"] = [3 * part for part in motion["angularVelocity"]]


@mistake("machines/falling_chain", "a joint that a fall opens throws its bodies")
def thrown_limbs(document: Json) -> None:
    _set_motions(document, gravityFactor=2.0)


@mistake("machines/tumbling_on_a_rope", "the gyroscopic torque of an explicit step adds energy")
def spun_up(document: Json) -> None:
    for motion in parts(document, "motion"):
        motion["angularVelocity"] = [1.1 * part for part in motion["angularVelocity"]]
