"""Lists of USD stages: bodies, joints, and what keeps them from colliding."""

from __future__ import annotations

from benchmarks.growing_files.parts import grows_in


def _stage(*prims: str) -> str:
    head = '#usda 1.0\n(\n defaultPrim = "World"\n metersPerUnit = 1\n upAxis = "Y"\n)\n'
    return f'{head}def Xform "World"\n{{\n{"".join(prims)}}}\n'


def _prim(kind: str, name: str, schemas: list[str], *content: str, tag: str = "") -> str:
    listed = ", ".join(f'"{schema}"' for schema in schemas)
    applied = f"prepend apiSchemas = [{listed}]\n" if schemas else ""
    tagged = f"customData = {{\ndictionary ligament = {{\n{tag}\n}}\n}}\n" if tag else ""
    return f'def {kind} "{name}" (\n{applied}{tagged})\n{{\n{"".join(content)}}}\n'


def _body(index: int, *content: str, schemas: tuple[str, ...] = ()) -> str:
    place = f"double3 xformOp:translate = ({3 * index}, 0, 0)\n"
    order = 'uniform token[] xformOpOrder = ["xformOp:translate"]\n'
    applied = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", *schemas]
    return _prim("Cube", f"B{index}", applied, place, order, *content)


def _bodies(count: int) -> list[str]:
    return [_body(index) for index in range(count)]


@grows_in(".usda")
def bodies_of_a_stage(n: int) -> str:
    return _stage(*_bodies(n))


@grows_in(".usda")
def filtered_pairs_of_a_stage(n: int) -> str:
    pairs = (f"rel physics:filteredPairs = </World/B{(i + 1) % n}>\n" for i in range(n))
    schemas = ("PhysicsFilteredPairsAPI",)
    return _stage(*(_body(i, pair, schemas=schemas) for i, pair in enumerate(pairs)))


@grows_in(".usda")
def collision_groups_of_a_stage(n: int) -> str:
    schemas = ["CollectionAPI:colliders"]
    members = (f"rel collection:colliders:includes = </World/B{i}>\n" for i in range(n))
    others = [f"rel physics:filteredGroups = </World/G{(i + 1) % n}>\n" for i in range(n)]
    groups = [
        _prim("PhysicsCollisionGroup", f"G{i}", schemas, member, others[i])
        for i, member in enumerate(members)
    ]
    return _stage(*_bodies(n), *groups)


@grows_in(".usda")
def joints_of_a_body_of_a_stage(n: int) -> str:
    """The body has as many children, which were the frames of the joints in a document."""
    frames = (_prim("Xform", f"F{i}", [], tag=f"int node = {i}") for i in range(n))
    hub = f"rel physics:body0 = </World/B{n}>\n"
    ends = (f"rel physics:body1 = </World/B{i}>\n" for i in range(n))
    joints = [
        _prim("PhysicsSphericalJoint", f"J{i}", [], hub, end, tag=f"int joint = {i}")
        for i, end in enumerate(ends)
    ]
    return _stage(*_bodies(n), _body(n, *frames), *joints)
