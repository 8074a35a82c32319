"""The JSON Schemas: sound by themselves, and of one mind with the readers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import example, given, settings

import ligament
from ligament.checker import schemas
from ligament.checker.rules.schemas import schema_rules
from ligament.checker.subject import Places, Subject
from ligament.extensions import registry
from ligament.extensions.members import PLACES
from ligament.extensions.physics import read_physics
from ligament.extensions.tables.table import Table
from ligament.extensions.vrmc_node_constraint import inspect
from ligament.findings import Finding
from ligament.gltf import load, pointers
from ligament.gltf.document import Document
from tests.checker.changed_extensions import VALID, mutants
from tests.checker.valid import KHR, Json

FORMS = [
    (place.pattern, place.table, dialect)
    for name, places in PLACES.items()
    for place in places
    for dialect in registry.EXTENSIONS[name].dialects
]
FILES = sorted(name for name in schemas.schemas() if name.endswith(".schema.json"))
INDEX: Json = schemas.schemas()["index.json"]

BY_READERS_ALONE = {
    # An index, and the object that it names.
    "UNRESOLVED_REFERENCE",
    "UNSATISFIED_DEPENDENCY",
    "KHR_RIGID_BODIES_TRIGGER_NODES_INVALID",
    "OMI_PHYSICS_BODY_TRIGGER_NODES",
    "OMI_PHYSICS_JOINT_NOT_A_BODY",
    "OMI_PHYSICS_JOINT_TRIGGER",
    "OMI_PHYSICS_JOINT_SAME_BODY",
    "OMI_PHYSICS_JOINT_NOTHING_MOVES",
    "OMI_PHYSICS_JOINT_NOT_UNDER_DYNAMIC",
    "NODE_CONSTRAINT_SELF",
    "SHAPE_WEIGHTS_INVALID",
    # Numbers that depend on each other.
    "ROTATION_NON_UNIT",
    "KHR_RIGID_BODIES_JOINT_INVALID_RANGE",
    "OMI_COLLIDER_INVALID_CAPSULE_HEIGHT",
    "OMI_PHYSICS_BODY_INVALID_INERTIA_TENSOR",
    "OMI_PHYSICS_BODY_PARTIAL_INERTIA",
    "OMI_PHYSICS_JOINT_CONSTRAINT_INVALID_LIMITS",
    # Unusual values that are allowed.
    "PHYSICS_INERTIA_ORIENTATION_ALONE",
    "OMI_STIFFNESS_IS_BIAS",
    "OMI_PHYSICS_SHAPE_AMBIGUOUS_HEIGHT",
    "OMI_COLLIDER_TRIMESH_TRIGGER",
    "OMI_PHYSICS_BODY_MISSING_COLLIDER",
    "PHYSICS_DIALECT_CONFLICT",
    "SHARES_NODE_WITH",
}
"""The exceptions: what no schema can say."""


def is_beyond_schemas(finding: Finding, file: Json) -> bool:
    if finding.code in BY_READERS_ALONE:
        return True
    value = pointers.find(file, finding.pointer)
    if finding.code == "NODE_CONSTRAINT_SOURCE":  # an index, but of no node
        return type(value) in (int, float) and value >= 0 and float(value).is_integer()
    # A trigger of OMI without shape and nodes consists of those below it, if there are any.
    is_trigger = finding.pointer.endswith("/OMI_physics_body/trigger")
    return finding.code == "ONE_OF_MISMATCH" and is_trigger


def by_readers(file: Json) -> list[Finding]:
    document = Document(file)
    odd = [finding for finding in inspect(document)[1] if finding.severity == "error"]
    return [*read_physics(document).findings, *odd]


def by_schemas(file: Json) -> list[Finding]:
    """Return the findings of schemas; nothing reads shapes of glTF 2.1 in files without physics."""
    found = schema_rules(Subject(Document(file)))
    has_physics = f"'{KHR}': " in repr(file)
    return [f for f in found if has_physics or not f.pointer.startswith("/shapes")]


@pytest.mark.parametrize("name", FILES)
def test_every_schema_is_one_of_draft_2020_12(name: str) -> None:
    schema = schemas.schemas()[name]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"]
    jsonschema_rs.meta.validate(schema)
    assert not schemas.validator(name).is_valid(None)


def test_the_index_leads_to_every_schema() -> None:
    listed = {INDEX["file"], *INDEX["root"].values(), *INDEX["node"].values()}
    for places in INDEX["revisions"].values():
        listed |= {file for revisions in places.values() for file in revisions.values()}
    assert {*FILES} == listed | {"shapes.schema.json"}


def test_the_schema_for_editors_refers_to_those_of_the_index() -> None:
    whole = schemas.schemas()[schemas.WHOLE]["properties"]
    node = whole["nodes"]["items"]["properties"]["extensions"]["properties"]
    root = whole["extensions"]["properties"]
    assert {name: schema["$ref"] for name, schema in node.items()} == INDEX["node"]
    assert {name: schema["$ref"] for name, schema in root.items()} == INDEX["root"]


def test_the_package_holds_no_schema() -> None:
    """They follow from the tables."""
    package = Path(ligament.__file__).parent
    assert [*package.rglob("*.schema.json")] == []


def test_schemas_are_written_for_editors(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ligament.checker.schemas", str(tmp_path / "schemas")]
    subprocess.run(command, check=True)
    written = {file.name: json.loads(file.read_text()) for file in tmp_path.glob("schemas/*")}
    assert written == schemas.schemas()
    run = subprocess.run(command[:3], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, "usage: python -m ligament.checker.schemas FOLDER\n")


@pytest.mark.parametrize("name", VALID)
def test_readers_and_schemas_find_nothing_in_valid_files(name: str) -> None:
    assert by_readers(VALID[name]) == []
    assert by_schemas(VALID[name]) == []


def shapes_alone(name: str, member: str, shapes: Any) -> Json:
    used = {"asset": {"version": "2.0"}, "extensionsUsed": [name]}
    return {**used, "extensions": {name: {member: shapes}}}


NO_SHAPES = shapes_alone("MSFT_CollisionPrimitives", "colliders", None)
UNKNOWN_TYPE = shapes_alone(
    "KHR_collision_shapes", "shapes", [{"type": None, "sphere": {"radius": None}}]
)


@settings(max_examples=5 * settings().max_examples)
@given(file=mutants())
@example(file=NO_SHAPES)
@example(file={"asset": {"version": "2.0"}, "extensionsUsed": [KHR], "shapes": None})
def test_readers_and_schemas_agree_on_what_is_valid(file: Json) -> None:
    read, reported = by_readers(file), by_schemas(file)
    structural = [finding for finding in read if not is_beyond_schemas(finding, file)]
    if structural:
        assert reported, structural
    if reported:
        assert read, reported


MISSING_LIST: Json = {
    "asset": {"version": "2.0"},
    "extensionsUsed": ["OMI_physics_joint"],
    "nodes": [
        {},
        {"extensions": {"OMI_physics_joint": {"constraints": [None], "nodeA": 0, "nodeB": 1}}},
    ],
    "extensions": {"OMI_physics_joint": None},
}


@given(file=mutants())
@example(file=UNKNOWN_TYPE)
@example(file=MISSING_LIST)
def test_schemas_report_where_readers_report(file: Json) -> None:
    """So that a checker that asks both tells every fault once.

    Readers look no further into a node constraint of no known version, nor into indices of a list
    that is missing; schemas do.
    """
    read = by_readers(file)
    reported = Places(finding.pointer for finding in read)
    codes = ("NODE_CONSTRAINT_SPEC_VERSION", "UNSATISFIED_DEPENDENCY")
    unread = [f.pointer for f in read if f.code in codes]
    for finding in by_schemas(file):
        is_unread = any(finding.pointer.startswith(f"{pointer}/") for pointer in unread)
        assert is_unread or reported.adjoin(finding.pointer), finding


REVISIONS: dict[str, Json] = {
    "khr": {"collider": {"geometry": {"mesh": 0, "convexHull": True}}},
    "khr-2024-10": {"collider": {"geometry": {"node": 0}}},
    "khr-2024-06": {"collider": {"shape": 0}, "trigger": {"nodes": [1]}},
    "khr-2024-03": {"collider": {"shape": 0}, "trigger": {"shape": 1}},
}


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_schema_of_a_revision_knows_its_own_way_to_name_geometry(revision: str) -> None:
    files = INDEX["revisions"][KHR]["node"]
    validator = schemas.validator(files[revision])
    for other, content in REVISIONS.items():
        is_alike = {revision, other} <= {"khr-2024-06", "khr-2024-03"}
        assert validator.is_valid(content) is (other == revision or is_alike), other


def test_the_schemas_of_shapes_know_the_types_of_their_revision() -> None:
    files = INDEX["revisions"]["KHR_collision_shapes"]["root"]
    hull = {"shapes": [{"type": "convex", "convex": {"mesh": 0}}]}
    mesh = {"shapes": [{"type": "mesh", "mesh": {"mesh": 0, "convexHull": True}}]}
    assert schemas.validator(files["khr-2024-03"]).is_valid(hull)
    assert not schemas.validator(files["khr-2024-03"]).is_valid(mesh)
    assert schemas.validator(files["khr-2024-06"]).is_valid(mesh)
    assert not schemas.validator(files["khr-2024-06"]).is_valid(hull)


def test_schemas_skip_content_that_json_cannot_hold() -> None:
    """A lone surrogate cannot come from a file, nor can nesting without an end."""
    endless: Json = {}
    endless["motion"] = endless
    for content in (endless, {"motion": {"mass": "\ud800"}}):
        file = {"nodes": [{"extensions": {KHR: content}}]}
        assert by_schemas(file) == []


@pytest.mark.filterwarnings("ignore::ligament.errors.LigamentWarning")
def test_published_files_fit_the_schemas(shared: Path) -> None:
    files = [
        file
        for file in sorted((shared / "corpus").rglob("*.gl[tb]*"))
        if file.suffix in (".gltf", ".glb") and "khr_validator" not in file.parts
    ]
    assert len(files) > 80
    for file in files:
        assert by_schemas(load(file).json) == [], file


def test_avatars_and_motions_fit_the_schemas(shared: Path) -> None:
    files = sorted((shared / "golden" / "humanoid").glob("*.vrm*"))
    assert len(files) > 80
    for file in files:
        assert by_schemas(load(file).json) == [], file


def test_every_schema_is_of_an_extension_and_a_place_of_the_registry() -> None:
    for place in registry.Place:
        for name in INDEX.get(place, {}):
            assert place in registry.EXTENSIONS[name].places, (name, place)
    without = {name for name in registry.PHYSICS if name not in {**INDEX["root"], **INDEX["node"]}}
    assert without == set()


@pytest.mark.parametrize(("pattern", "form", "dialect"), FORMS)
def test_every_object_has_a_schema_in_each_of_its_dialects(
    pattern: str, form: Table, dialect: registry.Dialect
) -> None:
    jsonschema_rs.meta.validate(form.at(dialect).schema())
