"""Mistakes about machines: what mechanics decides beyond the sentence of one member."""

from __future__ import annotations

from tests.conformance.mistakes.mistake import (
    Json,
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
