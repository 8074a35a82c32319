"""Mistakes about what negative scales turn."""

from __future__ import annotations

from tests.conformance.mistakes.mistake import Json, mistake, shapes


def _without_mirrors(document: Json) -> None:
    """Have negative scales count as their absolute values."""
    for node in document["nodes"]:
        if "scale" in node:
            node["scale"] = [abs(factor) for factor in node["scale"]]


def _with_ends_exchanged(document: Json) -> None:
    for kind in ("cylinder", "capsule"):
        for shape in shapes(document, kind):
            shape["radiusTop"], shape["radiusBottom"] = shape["radiusBottom"], shape["radiusTop"]


for _name, _words in (
    ("velocity_half_turn", "velocities ignore the half turn of two negative scales"),
    ("animated_static", "animated static colliders tilt as if nothing were mirrored"),
    ("animated_kinematic", "kinematic bodies tilt as if nothing were mirrored"),
    ("hinge_across_x", "the frame of a hinge ignores a mirror above it"),
    ("hinge_half_turn", "the frame of a hinge ignores the half turn of two negative scales"),
):

    def _wrong(document: Json) -> None:
        _without_mirrors(document)

    _wrong.__name__ = f"{_name}_ignores_mirrors"
    mistake(f"mirrors/{_name}", _words)(_wrong)

for _name, _words in (
    ("cylinder_40", "the absolute value of a mirrored scale turns a cone around"),
    ("cylinder_50", "a mirror turns a cone around that lies by more than 45°"),
    ("capsule_50", "a mirror turns a tapered capsule around that lies by more than 45°"),
):

    def _exchanged(document: Json) -> None:
        _with_ends_exchanged(document)

    _exchanged.__name__ = f"{_name}_exchanges_ends"
    mistake(f"mirrors/{_name}", _words)(_exchanged)


@mistake("mirrors/carried_across_x", "nodes below a mirrored body stay behind")
def mirrored_children_stay(document: Json) -> None:
    arm, tip = document["nodes"][-2], document["nodes"][-1]
    assert arm["children"] == [len(document["nodes"]) - 1]
    del arm["children"]
    tip["translation"] = [-1, 0, 0]
    document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)


@mistake("mirrors/plane", "a mirror along a plane turns its face down")
def mirrored_plane_faces_down(document: Json) -> None:
    for node in document["nodes"]:
        node["scale"] = [-factor for factor in node.get("scale", (-1, -1, -1))]
