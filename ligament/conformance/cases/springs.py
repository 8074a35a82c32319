"""Spring bones: the recurrence of VRMC_springBone, its members, colliders and center."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from ligament.conformance.assets import Asset
from ligament.conformance.case import Case, Check, Source, at, integrated
from ligament.conformance.cases.constraints import rounded
from ligament.conformance.cases.sources import spring_bone
from ligament.conformance.rotations import about, rotate
from ligament.conformance.signals import X, Y, Z, local_rotation

ALGORITHM: Final = spring_bone("Spring Bone Algorithm")
JOINTS: Final = spring_bone("Joints")
COLLIDERS: Final = spring_bone("Colliders")
CENTER: Final = spring_bone("Center space")
EXTENDED: Final = Source("VRMC_springBone_extended_collider-1.0", "Shapes")

case = partial(Case, family="springs", source=ALGORITHM)

NAME: Final = "VRMC_springBone"
EXACT: Final = 1e-3
TIMES: Final = (1 / 60, 0.1, 0.3, 0.6, 1.0)

_MEMBERS: Final = {
    "stiffness": "stiffness",
    "drag": "dragForce",
    "gravity_power": "gravityPower",
    "gravity_direction": "gravityDir",
    "hit_radius": "hitRadius",
}

Json = dict[str, Any]
Bone = Mapping[str, Any]


def cases() -> Iterator[Case]:
    """Yield the cases of this family."""
    yield from equilibria()
    yield from members()
    yield from moving()
    yield from chains()
    yield from colliders()
    yield from centers()


class Tail(Asset):
    """A root node and a chain of joints below it; `nodes_of` are the joints."""

    def __init__(self, *bones: Bone, keys: Bone | None = None) -> None:
        super().__init__()
        self.top = self.node("root")
        self.joints, parent, place = [], self.top, (0.0, 0.0, 0.0)
        for index, bone in enumerate(bones):
            rest = bone.get("rest")
            turn = None if rest is None else rounded(rest)
            parent = self.node(f"joint {index}", place, rotation=turn, parent=parent)
            self.joints.append(parent)
            place = bone["tail"]
        self.joints.append(self.node("tail", place, parent=parent))
        listed = [
            {"node": node} | {_MEMBERS[key]: _plain(bone[key]) for key in _MEMBERS if key in bone}
            for node, bone in zip(self.joints, bones, strict=False)
        ]
        self.spring: dict[str, Any] = {"joints": [*listed, {"node": self.joints[-1]}]}
        self.extend_root(NAME, {"specVersion": "1.0", "springs": [self.spring]})
        if keys and "places" in keys:
            self.animate(self.top, "translation", keys["keys"], keys["places"])
        if keys and "turns" in keys:
            axis = keys["turn_axis"]
            turns = [about(axis, angle).tolist() for angle in keys["turns"]]
            self.animate(self.top, "rotation", keys["keys"], turns)

    def collide(self, *shapes: Bone, node: int | None = None) -> None:
        """Give the spring colliders, all in one group."""
        carrier = self.node("collider") if node is None else node
        listed = [{"node": carrier, **shape} for shape in shapes]
        group = {"colliders": list(range(len(listed)))}
        self.extend_root(NAME, {"colliders": listed, "colliderGroups": [group]})
        self.spring["colliderGroups"] = [0]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def followed(a: Tail, *bones: Bone, seen: int = 0, **values: Any) -> Check:
    """Expect one of the joints to follow the recurrence."""
    joints = [dict(bone) for bone in bones]
    for joint in joints:
        if "rest" in joint:
            joint["rest"] = rounded(joint["rest"])
    signal = local_rotation(a.joints[seen])
    return integrated(signal, TIMES, "spring bones", EXACT, joints=joints, seen=seen, **values)


def equilibria() -> Iterator[Case]:
    """Yield cases about where a bone comes to rest."""
    a = Tail({"tail": X})
    a.animate(a.node("clock"), "rotation", [0, 1], [(0, 0, 0, 1), about(Z, 0.1).tolist()])
    yield case(
        name="rest",
        sentence="A bone at rest stays at rest: stiffness pulls it along its rest direction.",
        asset=a,
        checks=[at(local_rotation(a.joints[0]), (0.5, 1), "[0, 0, 0, 1]", EXACT)],
    )
    for name, direction in {
        "down": (0, -1, 0),
        "up": (0, 1, 0),
        "forward": (0, 0, 1),
        "backward": (0, 0, -1),
    }.items():
        bone = {"tail": X, "stiffness": 2.0, "gravity_power": 3.0, "gravity_direction": direction}
        a = Tail(bone)
        yield case(
            name=f"gravity_{name}",
            sentence=f"A bone ends between its rest direction and gravityDir, here {name}: along "
            "stiffness times one plus gravityPower times the other.",
            seconds=3.0,
            asset=a,
            checks=[
                at(
                    local_rotation(a.joints[0]),
                    (3,),
                    "from_to(a, s*a + p*d)",
                    0.01,
                    "both pulls are constant, so the bone rests along their sum",
                    a=list(X),
                    s=2.0,
                    p=3.0,
                    d=list(direction),
                )
            ],
        )
    rest = about(Y, 0.7)
    bone = {"tail": X, "rest": rest, "stiffness": 1.0, "gravity_power": 1.0}
    a = Tail(bone)
    yield case(
        name="gravity_with_rest_rotation",
        sentence="Gravity is in the world, the rest direction turns with the rest rotation.",
        seconds=3.0,
        asset=a,
        checks=[
            at(
                local_rotation(a.joints[0]),
                (3,),
                "product(r, from_to(a, rotate(inverse(r), rotate(r, a) + [0, -1, 0])))",
                0.01,
                a=list(X),
                r=rest,
            )
        ],
    )
    bone = {"tail": X, "stiffness": 0.0, "gravity_power": 1.0}
    a = Tail(bone)
    yield case(
        name="no_stiffness",
        sentence="Without stiffness a bone hangs along gravityDir.",
        seconds=3.0,
        asset=a,
        checks=[at(local_rotation(a.joints[0]), (3,), "from_to([1, 0, 0], [0, -1, 0])", 0.02)],
    )


def members() -> Iterator[Case]:
    """Yield cases of the members of joints, on the way to rest."""
    base = {"tail": (0.5, 0, 0), "stiffness": 1.0, "gravity_power": 1.0, "drag": 0.5}
    for name, changed, words in (
        ("drag_0", {"drag": 0.0}, "A dragForce of 0 keeps all inertia."),
        ("drag_0_2", {"drag": 0.2}, "dragForce reduces the inertia, here 0.2."),
        ("drag_0_8", {"drag": 0.8}, "dragForce reduces the inertia, here 0.8."),
        ("drag_1", {"drag": 1.0}, "A dragForce of 1 leaves no inertia."),
        ("stiffness_0_5", {"stiffness": 0.5}, "stiffness is a speed towards rest, here 0.5."),
        ("stiffness_4", {"stiffness": 4.0}, "stiffness is a speed towards rest, here 4."),
        ("gravity_power_0_2", {"gravity_power": 0.2}, "gravityPower is a speed, here 0.2."),
        ("gravity_power_3", {"gravity_power": 3.0}, "gravityPower is a speed, here 3."),
        ("long_bone", {"tail": (2, 0, 0)}, "A longer bone turns more slowly."),
        ("oblique_bone", {"tail": (0.3, 0.2, -0.4)}, "The tail is where its node is."),
        ("gravity_not_unit", {"gravity_direction": (0, -2, 1)}, "gravityDir counts as it is."),
        (
            "rest_rotation",
            {"rest": about((1, 2, 3), 1.1)},
            "A bone swings about its rest rotation.",
        ),
    ):
        bone = {**base, **changed}
        a = Tail(bone)
        yield case(
            name=name,
            sentence=words,
            source=JOINTS if name.startswith(("drag", "stiff", "grav")) else ALGORITHM,
            tier="decision" if name == "gravity_not_unit" else "must",
            decision="gravityDir is not normalized." if name == "gravity_not_unit" else None,
            asset=a,
            checks=[followed(a, bone)],
        )
    for name, left_out, words in (
        ("default_drag", "drag", "dragForce is 0.5 by default."),
        ("default_stiffness", "stiffness", "stiffness is 1 by default."),
        ("default_gravity_power", "gravity_power", "gravityPower is 0 by default."),
    ):
        bone = {key: value for key, value in base.items() if key != left_out}
        keys: Json = {"keys": [0.0, 0.5, 1.0], "places": [[0, 0, 0], [0, 0, 1], [0, 0, 0]]}
        a = Tail(bone, keys=keys)
        yield case(
            name=name, sentence=words, source=JOINTS, asset=a, checks=[followed(a, bone, **keys)]
        )


def moving() -> Iterator[Case]:
    """Yield cases of bones below nodes that move."""
    keys: Json
    bone = {"tail": (0, -0.5, 0), "stiffness": 1.0, "drag": 0.3}
    for name, axis in (("x", X), ("z", Z)):
        keys = {"keys": [0.0, 0.5, 1.0], "places": [[0, 0, 0], [*axis], [0, 0, 0]]}
        a = Tail(bone, keys=keys)
        yield case(
            name=f"root_moves_{name}",
            sentence=f"A bone lags behind a root that moves along {name}.",
            asset=a,
            checks=[followed(a, bone, **keys)],
        )
    for name, axis in (("x", X), ("y", Y), ("z", Z)):
        keys = {"keys": [0.0, 1.0], "turns": [0.0, 1.5], "turn_axis": list(axis)}
        bone = {"tail": (0.4, -0.3, 0.1), "stiffness": 1.0, "drag": 0.3, "gravity_power": 0.3}
        a = Tail(bone, keys=keys)
        yield case(
            name=f"root_turns_{name}",
            sentence=f"A bone follows a root that turns about {name}.",
            asset=a,
            checks=[followed(a, bone, **keys)],
        )


def chains() -> Iterator[Case]:
    """Yield cases of several joints."""
    keys: Json = {"keys": [0.0, 0.5, 1.0], "places": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}
    bones = [
        {"tail": (0, -0.4, 0), "stiffness": 1.0, "drag": 0.4},
        {"tail": (0, -0.3, 0.1), "stiffness": 0.5, "drag": 0.2, "gravity_power": 0.4},
        {"tail": (0.1, -0.3, 0), "stiffness": 2.0, "drag": 0.5, "rest": about(X, 0.3)},
    ]
    for count in (2, 3):
        for seen in range(1, count):
            a = Tail(*bones[:count], keys=keys)
            yield case(
                name=f"chain_of_{count}_joint_{seen}",
                sentence=f"In a chain of {count} a joint sees its parent as it has just been "
                f"moved: joint {seen}.",
                asset=a,
                checks=[followed(a, *bones[:count], seen=seen, **keys)],
            )
    a = Tail(*bones[:2], keys=keys)
    a.spring["joints"][-1] |= {"stiffness": 9.0, "gravityPower": 5.0}
    yield case(
        name="last_joint_is_a_tail",
        sentence="The last joint only marks a tail: its members have no effect.",
        source=JOINTS,
        asset=a,
        checks=[followed(a, *bones[:2], seen=1, **keys)],
    )
    a = Tail(bones[1], keys=keys)
    a.spring["joints"] = a.spring["joints"][:1]
    yield case(
        name="single_joint",
        sentence="A spring of one joint moves nothing.",
        source=JOINTS,
        asset=a,
        checks=[at(local_rotation(a.joints[0]), (0.5, 1), "[0, 0, 0, 1]", EXACT)],
    )


def colliders() -> Iterator[Case]:
    """Yield cases of spheres, capsules and the extended shapes."""
    bone = {"tail": (0.5, 0, 0), "stiffness": 0.5, "gravity_power": 1.0, "drag": 0.4}
    sphere = {"offset": [0.4, -0.25, 0.05], "radius": 0.15}
    capsule = {"offset": [0.4, -0.3, -0.4], "radius": 0.15, "tail": [0.3, -0.3, 0.5]}
    plane = {"offset": [0, -0.2, 0], "normal": [0, 1, 0]}
    inside = {"offset": [0.2, -0.1, 0.0], "radius": 0.35, "inside": True}
    far = {"sphere": {"offset": [0, -10000, 0], "radius": 0}}
    for name, kind, shape, changed, words in (
        ("sphere", "sphere", sphere, {}, "A sphere pushes a tail out."),
        (
            "sphere_hit_radius",
            "sphere",
            sphere,
            {"hit_radius": 0.1},
            "hitRadius adds to the collider's.",
        ),
        ("capsule", "capsule", capsule, {}, "A capsule pushes a tail out."),
        (
            "capsule_hit_radius",
            "capsule",
            capsule,
            {"hit_radius": 0.08},
            "hitRadius adds to a capsule's.",
        ),
        ("plane", "plane", plane, {}, "A plane keeps a tail on its side."),
        (
            "plane_hit_radius",
            "plane",
            plane,
            {"hit_radius": 0.1},
            "hitRadius keeps a tail off a plane.",
        ),
        ("inside_sphere", "sphere", inside, {}, "A sphere with inside keeps a tail within."),
    ):
        mine = {**bone, **changed}
        a = Tail(mine)
        plain = {key: value for key, value in shape.items() if key != "radius" or kind != "plane"}
        is_extended = kind == "plane" or "inside" in shape
        if is_extended:
            extension = {"specVersion": "1.0", "shape": {kind: plain}}
            content = {"shape": far, "extensions": {"VRMC_springBone_extended_collider": extension}}
            a._used.add("VRMC_springBone_extended_collider")
        else:
            content = {"shape": {kind: plain}}
        a.collide(content)
        yield case(
            name=f"collider_{name}",
            sentence=words,
            source=EXTENDED if is_extended else COLLIDERS,
            asset=a,
            checks=[followed(a, mine, colliders=[dict(shape)])],
        )
    a = Tail(bone)
    carrier = a.node("carrier", (0.1, -0.05, 0), rotation=rounded(about(Z, 0.5)))
    a.collide({"shape": {"sphere": {"offset": [0.2, -0.3, 0], "radius": 0.15}}}, node=carrier)
    place = [0.1, -0.05, 0.0]
    turned = rotate(rounded(about(Z, 0.5)), (0.2, -0.3, 0)).tolist()
    world = [p + q for p, q in zip(place, turned, strict=True)]
    yield case(
        name="collider_on_node",
        sentence="A collider's offset is in the space of its node.",
        source=COLLIDERS,
        asset=a,
        checks=[followed(a, bone, colliders=[{"offset": world, "radius": 0.15}])],
    )
    a = Tail(bone)
    both = (
        {"offset": [0.4, -0.25, 0.05], "radius": 0.15},
        {"offset": [0.45, -0.2, -0.1], "radius": 0.1},
    )
    a.collide(*({"shape": {"sphere": shape}} for shape in both))
    yield case(
        name="colliders_in_turn",
        sentence="Colliders push one after the other, in their order.",
        source=COLLIDERS,
        asset=a,
        checks=[followed(a, bone, colliders=[dict(shape) for shape in both])],
    )
    a = Tail(bone)
    listed = [{"node": a.node("collider"), "shape": {"sphere": sphere}}]
    a.extend_root(NAME, {"colliders": listed, "colliderGroups": [{"colliders": [0]}]})
    yield case(
        name="collider_of_other_springs",
        sentence="A spring collides only with the groups that it names.",
        source=COLLIDERS,
        asset=a,
        checks=[followed(a, bone)],
    )


def centers() -> Iterator[Case]:
    """Yield cases of center space."""
    keys: Json = {"keys": [0.0, 1.0], "places": [[0, 0, 0], [3, 0, 0]]}
    bone = {"tail": (0, -0.5, 0), "stiffness": 1.0, "drag": 0.2}
    a = Tail(bone, keys=keys)
    a.spring["center"] = a.top
    yield case(
        name="center_moves_along",
        sentence="Motion of the center makes no inertia: a bone does not lag behind it.",
        source=CENTER,
        asset=a,
        checks=[at(local_rotation(a.joints[0]), (0.1, 0.5, 1), "[0, 0, 0, 1]", EXACT)],
    )
    a = Tail(bone, keys=keys)
    a.spring["center"] = a.node("center", parent=None)
    center = a.spring["center"]
    a.nodes[center]["children"] = [a.top]
    yield case(
        name="center_at_rest",
        sentence="A center that stays still changes nothing: the bone lags as without one.",
        source=CENTER,
        asset=a,
        checks=[followed(a, bone, **keys)],
    )
