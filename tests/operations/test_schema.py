"""JSON Schemas of operations: what a form, or a server, needs to know of their options."""

from __future__ import annotations

import jsonschema_rs
import pytest

from ligament.operations import BATCHES, OPERATIONS, operation
from ligament.operations.schema import schema
from ligament.options.option import fields_of


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_defaults_of_an_operation_fit_its_schema(name: str) -> None:
    made = schema(operation(name))
    validator = jsonschema_rs.Draft202012Validator(made, validate_formats=True)
    known = made["properties"].items()
    defaults = {key: each["default"] for key, each in known if "default" in each}
    faults = [fault.message for fault in validator.iter_errors(defaults)]
    assert all("is a required property" in fault for fault in faults), faults


@pytest.mark.parametrize("name", BATCHES)
def test_an_operation_on_many_files_has_the_options_of_both(name: str) -> None:
    one, many = schema(operation(name)), schema(operation("batch").subcommand(name))
    left_out = {"format", "embed"}  # what is written is chosen otherwise, and embeds always
    assert one["properties"].keys() - left_out <= many["properties"].keys()
    assert {"input", "out_dir", "jobs", "cluster"} <= many["properties"].keys()
    assert "embed" not in many["properties"]
    assert {*one["required"], "input", "out_dir"} == {*many["required"]}
    assert many["properties"]["jobs"]["minimum"] == 1


def test_bounds_units_and_groups_are_in_it() -> None:
    made = schema(operation("simulate"))["properties"]
    assert made["gravity"] == {
        "type": "array",
        "items": {"type": "number"},
        "minItems": 3,
        "maxItems": 3,
        "description": "Gravity; files do not specify it",
        "group": "Scene",
        "unit": "m/s²",
        "default": [0.0, -9.81, 0.0],
    }
    assert made["quality"]["enum"] == ["fast", "balanced", "exact"]
    assert (made["rate"]["minimum"], made["rate"]["unit"]) == (1e-6, "Hz")


def test_a_schema_refuses_what_the_operation_refuses() -> None:
    validator = jsonschema_rs.Draft202012Validator(schema(operation("simulate")))
    for wrong in ({"rate": 0}, {"quality": "best"}, {"gravity": [1, 2]}, {"secs": 1}):
        assert not validator.is_valid(wrong)
    assert validator.is_valid({"rate": 30, "gravity": [0, 0, 0], "animations": ["Walk"]})
    assert "progress" not in schema(operation("simulate"))["properties"]
    assert "progress" in {field.name for field in fields_of(operation("simulate"))}
