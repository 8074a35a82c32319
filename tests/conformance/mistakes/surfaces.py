"""Mistakes about materials, filters and triggers."""

from __future__ import annotations

from tests.conformance.mistakes.mistake import (
    Json,
    extended,
    filters,
    forget,
    materials,
    mistake,
    mistold,
    parts,
)


def _replace(document: Json, kind: str, table: dict[str, str]) -> None:
    for material in materials(document):
        if f"{kind}Combine" in material:
            material[f"{kind}Combine"] = table.get(
                material[f"{kind}Combine"], material[f"{kind}Combine"]
            )


for _mode, _other in (
    ("average", "maximum"),
    ("minimum", "maximum"),
    ("maximum", "minimum"),
    ("multiply", "average"),
):
    for _kind in ("friction", "restitution"):

        def _wrong(
            document: Json, kind: str = _kind, pair: tuple[str, str] = (_mode, _other)
        ) -> None:
            _replace(document, kind, dict([pair]))

        _wrong.__name__ = f"{_kind}_{_mode}_is_{_other}"
        mistake(f"materials/{_kind}_{_mode}", f"{_mode} combines {_kind} as {_other} does")(_wrong)


@mistake("materials/friction_average_over_multiply", "the weaker combine mode counts")
def weaker_mode_counts(document: Json) -> None:
    order = ["average", "minimum", "maximum", "multiply"]
    for kind in ("frictionCombine", "restitutionCombine"):
        found = [m[kind] for m in materials(document) if kind in m]
        for material in materials(document):
            if found:
                material[kind] = max(found, key=order.index)


@mistake("materials/friction_average_over_minimum", "the combine mode of one side counts")
def mode_of_one_side(document: Json) -> None:
    found = list(materials(document))
    for material in found:
        material["frictionCombine"] = found[0]["frictionCombine"]


@mistake("materials/friction_absent_and_maximum", "an absent mode votes average")
def absent_mode_votes(document: Json) -> None:
    for material in materials(document):
        material.setdefault("frictionCombine", "average")


@mistake("materials/restitution_absent_modes", "two absent modes take the smaller restitution")
def absent_restitution_minimum(document: Json) -> None:
    for material in materials(document):
        material.setdefault("restitutionCombine", "minimum")


@mistake("materials/dynamic_while_moving", "staticFriction is used while sliding")
def static_while_moving(document: Json) -> None:
    for material in materials(document):
        material["dynamicFriction"] = material.get("staticFriction", 0.6)


@mistake("materials/slope_holds_by_static", "dynamicFriction is used at rest")
def dynamic_at_rest(document: Json) -> None:
    for material in materials(document):
        material["staticFriction"] = material.get("dynamicFriction", 0.6)


@mistake("materials/dynamic_friction_0_3", "friction is ignored")
def no_friction(document: Json) -> None:
    for material in materials(document):
        material |= {"staticFriction": 0.0, "dynamicFriction": 0.0}


@mistake("materials/friction_default", "the default friction is 0.3")
def other_default_friction(document: Json) -> None:
    for material in materials(document):
        material.setdefault("dynamicFriction", 0.3)
        material.setdefault("staticFriction", 0.3)


@mistake("materials/restitution_0_5", "restitution is ignored")
def no_restitution(document: Json) -> None:
    forget(materials(document), "restitution")


@mistake("materials/restitution_0_7", "restitution returns energy, not speed")
def restitution_of_energy(document: Json) -> None:
    for material in materials(document):
        material["restitution"] = material.get("restitution", 0.0) ** 0.5


@mistake("materials/elastic_1_to_3", "restitution counts against static colliders alone")
def bodies_do_not_bounce(document: Json) -> None:
    forget(materials(document), "restitution")


# --- filters ---


@mistake("filters/not_collide_with_listed", "filters are dropped")
def no_filters(document: Json) -> None:
    forget(parts(document, "collider"), "collisionFilter")


@mistake("filters/collide_with_others", "collideWithSystems is ignored")
def no_collide_with(document: Json) -> None:
    forget(filters(document), "collideWithSystems")


@mistake("filters/several_opted_out", "notCollideWithSystems counts its first entry alone")
def first_entry_alone(document: Json) -> None:
    for entry in filters(document):
        if "notCollideWithSystems" in entry:
            entry["notCollideWithSystems"] = entry["notCollideWithSystems"][:1]


@mistake("filters/one_of_two_systems", "all systems have to be listed (subset)")
def subset(document: Json) -> None:
    listed = {s for e in filters(document) for s in e.get("collideWithSystems", ())}
    for entry in filters(document):
        names = entry.get("collisionSystems", [])
        if listed and not set(names) <= listed:
            entry["collisionSystems"] = [name for name in names if name not in listed]


@mistake("filters/opted_out_of_one_of_two", "one listed system is enough to opt out")
def any_opts_out(document: Json) -> None:
    listed = {s for e in filters(document) for s in e.get("notCollideWithSystems", ())}
    for entry in filters(document):
        names = entry.get("collisionSystems", [])
        if set(names) & listed:
            entry["collisionSystems"] = [name for name in names if name in listed]


@mistake("filters/second_refuses", "only the first collider's filter is asked")
def one_direction(document: Json) -> None:
    entries = list(filters(document))
    forget(iter(entries[:1]), "collideWithSystems", "notCollideWithSystems")


@mistake("filters/first_refuses", "one filter that accepts is enough")
def either_accepts(document: Json) -> None:
    forget(filters(document), "collideWithSystems", "notCollideWithSystems")


@mistake("filters/no_systems_and_collide_with", "what belongs to no system is refused")
def nameless_refused(document: Json) -> None:
    document["extensions"]["KHR_physics_rigid_bodies"]["collisionFilters"].append(
        {"collisionSystems": ["nameless"]}
    )
    last = len(list(filters(document))) - 1
    for collider in parts(document, "collider"):
        collider.setdefault("collisionFilter", last)


@mistake("filters/many_systems", "there are 32 systems")
def thirty_two_systems(document: Json) -> None:
    first = [f"s{index}" for index in range(32)]
    for entry in filters(document):
        names = entry.get("notCollideWithSystems", ())
        if not set(names) <= set(first):
            entry.pop("notCollideWithSystems", None)


@mistake("filters/names_are_exact", "names of systems are trimmed and folded")
def folded_names(document: Json) -> None:
    for entry in filters(document):
        for member, names in entry.items():
            entry[member] = sorted({name.strip().lower() for name in names})


@mistake("filters/each_collider_its_own", "the filter of one collider counts for its body")
def filter_of_body(document: Json) -> None:
    for node, content in extended(document):
        if node["name"] == "high":
            content["collider"]["collisionFilter"] = 0


# --- triggers ---


@mistake("triggers/box_does_not_push", "triggers push")
def triggers_push(document: Json) -> None:
    for _, content in extended(document):
        if "geometry" in content.get("trigger", {}):
            content["collider"] = content.pop("trigger")


@mistake("triggers/sphere_tells", "triggers are missing")
def no_triggers(document: Json) -> None:
    for _, content in extended(document):
        content.pop("trigger", None)


@mistake("triggers/compound", "compound triggers are missing")
def no_compound(document: Json) -> None:
    for _, content in extended(document):
        if "nodes" in content.get("trigger", {}):
            del content["trigger"]


@mistake("triggers/filter_refuses", "filters of triggers are ignored")
def trigger_filters_ignored(document: Json) -> None:
    forget(parts(document, "trigger"), "collisionFilter")


@mistake("triggers/moving_trigger", "triggers do not move with their body")
def triggers_stay(document: Json) -> None:
    for node, content in extended(document):
        if node["name"] == "carrier":
            content["motion"]["linearVelocity"] = [0, 0, 0]


@mistake("triggers/scaled", "the shapes of triggers are not scaled")
def unscaled_triggers(document: Json) -> None:
    for node in document["nodes"]:
        node.pop("scale", None)


mistold(
    "no_exit",
    "triggers/box_tells",
    "leaving a trigger is not reported",
    lambda events: [event for event in events if event["type"] != "trigger_exit"],
)
mistold(
    "start_untold",
    "triggers/overlap_at_start",
    "an overlap at the start is not reported",
    lambda events: [event for event in events if event["time"] > 0],
)
mistold(
    "event_per_collider",
    "triggers/body_of_two_colliders",
    "each collider of a body is reported",
    lambda events: events * 2,
)
mistold(
    "events_late",
    "triggers/capsule_tells",
    "events come a tenth of a second late",
    lambda events: [{**event, "time": event["time"] + 0.1} for event in events],
)
mistold(
    "told_again",
    "triggers/cylinder_tells",
    "entering is reported in every frame",
    lambda events: [*events, *({**e, "time": e["time"] + 1 / 60} for e in events)],
)
