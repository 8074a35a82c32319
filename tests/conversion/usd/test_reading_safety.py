"""Stages from strangers: files elsewhere, numbers beyond measure, circles, and broken bytes."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pxr import Sdf, Usd, UsdUtils

from ligament.conversion.usd import from_usd, isolation
from ligament.conversion.usd.reading.opening import MAX_DEPTH
from ligament.errors import (
    ContentError,
    FileError,
    FormatError,
    LigamentError,
    LimitError,
    UnsafePathError,
)
from ligament.limits import Limits
from tests.conversion.usd.texts import Read, usda

DEFAULT_PRIM = 'defaultPrim = "A"'
VARIANT = """
def Xform "A" (variantSets = "v")
{{
    variantSet "v" = {{ "x" (references = @{}@) {{}} }}
}}
"""

DAMAGES = range(4)
"""How many damaged files are read; each takes a process."""


def write(folder: Path, name: str, body: str, metadata: str = DEFAULT_PRIM) -> Path:
    path = folder / name
    path.write_text(usda(body, metadata), encoding="utf-8")
    return path


# --- files elsewhere ---


@pytest.mark.parametrize(
    "target", ["../secret.usda", "/etc/passwd", "http://example.com/a.usda", "./link.usda"]
)
@pytest.mark.parametrize(
    ("body", "metadata"),
    [
        ('def Xform "A" (references = @{}@) {{}}', DEFAULT_PRIM),
        ('def Xform "A" (payload = @{}@) {{}}', DEFAULT_PRIM),
        ("", "subLayers = [@{}@]"),
        (VARIANT, DEFAULT_PRIM),
    ],
    ids=["reference", "payload", "sublayer", "variant"],
)
def test_layers_outside_of_the_folder_are_refused(
    tmp_path: Path, body: str, metadata: str, target: str
) -> None:
    write(tmp_path, "secret.usda", 'def Xform "A" {}')
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "link.usda").symlink_to(tmp_path / "secret.usda")
    path = write(folder, "stage.usda", body.format(target), metadata.format(target))
    with pytest.raises(UnsafePathError, match=r"stage\.usda"):
        from_usd(path)


def test_folders_can_be_allowed(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "in").mkdir()
    write(tmp_path / "library", "ball.usda", 'def Sphere "A" {}')
    path = write(tmp_path / "in", "stage.usda", 'def "A" (references = @../library/ball.usda@) {}')
    found = from_usd(path, roots=[tmp_path / "library"])
    assert len(found.document.json["meshes"]) == 1


def test_a_layer_of_a_layer_is_looked_at_too(tmp_path: Path) -> None:
    write(tmp_path, "middle.usda", 'def Xform "A" (references = @/etc/passwd@) {}')
    path = write(tmp_path, "stage.usda", 'def Xform "A" (references = @./middle.usda@) {}')
    with pytest.raises(UnsafePathError):
        from_usd(path)


@pytest.mark.parametrize(
    "body",
    [
        """def Xform "A" (references = @`"${NAME}.usda"`@) {}""",
        'def Xform "A" (references = @./b.usda:SDF_FORMAT_ARGS:target=x@) {}',
        """def Xform "A" (clips = {
            dictionary default = {
                asset[] assetPaths = [@./b.usda@]
                string primPath = "/A"
            }
        }) {}""",
    ],
    ids=["expression", "arguments", "clips"],
)
def test_names_that_usd_works_out_later_are_refused(tmp_path: Path, body: str) -> None:
    with pytest.raises(ContentError, match="flatten"):
        from_usd(write(tmp_path, "stage.usda", body))


# --- beyond measure ---


def test_nesting_beyond_the_stack_of_the_parser(tmp_path: Path) -> None:
    deep = 100_000  # at which the parser of USD overflows its stack
    for body in (
        'def "A" {\n' * deep + "}\n" * deep,
        f'def "A" {{\nint[] a = {"[" * deep}{"]" * deep}\n}}',
        f'def "A" (customData = {"{ dictionary a = " * deep}{"}" * deep}) {{}}',
    ):
        path = tmp_path / "stage.usda"
        path.write_text(f"#usda 1.0\n{body}")
        with pytest.raises(LimitError, match=r"stage\.usda: brackets nest"):
            from_usd(path)


def test_brackets_in_words_do_not_count(tmp_path: Path) -> None:
    words = '"' + "{" * 500 + '"'
    body = f'def Xform "A" {{\n# {"(" * 500}\nstring a = {words}\nasset b = @{"[" * 500}@\n}}'
    assert len(from_usd(write(tmp_path, "stage.usda", body)).document.json["nodes"]) == 1


def test_nesting_within_the_limit(tmp_path: Path) -> None:
    depth = MAX_DEPTH - 1
    body = 'def Xform "A" {\n' * depth + "}\n" * depth
    assert len(from_usd(write(tmp_path, "s.usda", body)).document.json["nodes"]) == depth


@pytest.mark.parametrize("instanceable", ["", "\ninstanceable = true"])
def test_references_that_multiply_are_counted_before_they_are_made(
    tmp_path: Path, instanceable: str
) -> None:
    for level in range(12):
        arc = f"references = @./{level + 1}.usda@{instanceable}"
        children = "".join(f'def "c{k}" ({arc}) {{}}\n' for k in range(10))
        write(tmp_path, f"{level}.usda", f'def Xform "A" {{\n{children}}}')
    write(tmp_path, "12.usda", 'def Xform "A" {}')
    with pytest.raises(LimitError, match="prims"):
        from_usd(tmp_path / "0.usda")


def test_classes_and_variants_that_multiply(tmp_path: Path) -> None:
    classes = ""
    for level in range(12):
        arc = f"inherits = </L{level + 1}>"
        children = "".join(f'def "c{k}" ({arc}) {{}}\n' for k in range(10))
        classes += f'class "L{level}" {{\n{children}}}\n'
    path = write(tmp_path, "s.usda", f'{classes}class "L12" {{}}\ndef "A" (inherits = </L0>) {{}}')
    with pytest.raises(LimitError, match="prims"):
        from_usd(path)


def test_a_long_chain_of_references(tmp_path: Path) -> None:
    for link in range(MAX_DEPTH + 2):
        arc = f"(references = @./{link + 1}.usda@)"
        write(tmp_path, f"{link}.usda", f'def Xform "A" {arc} {{}}')
    with pytest.raises(LimitError, match="deep"):
        from_usd(tmp_path / "0.usda")


def test_limits_are_those_of_loading(tmp_path: Path) -> None:
    prims = "".join(f'def Xform "A{k}" {{}}\n' for k in range(20))
    path = write(tmp_path, "s.usda", prims)
    with pytest.raises(LimitError, match="--limit prims=2"):
        from_usd(path, limits=Limits(prims=10))
    points = ", ".join(["(0, 0, 0)"] * 20)
    path = write(tmp_path, "t.usda", f'def Mesh "A" {{ point3f[] points = [{points}] }}')
    with pytest.raises(LimitError, match="points"):
        from_usd(path, limits=Limits(shape_points=10))
    with pytest.raises(LimitError, match="text_bytes"):
        from_usd(path, limits=Limits(text_bytes=100))


# --- circles ---


@pytest.mark.parametrize(
    "body",
    [
        'def Xform "A" { def "B" (references = </A>) {} }',
        'def Xform "A" (references = @./s.usda@) {}',
        'def Xform "A" (inherits = </B>) {}\ndef Xform "B" (inherits = </A>) {}',
        'def Xform "A" (specializes = </A>) {}',
    ],
)
def test_cycles_are_reported_and_cut(tmp_path: Path, body: str) -> None:
    found = Read(from_usd(write(tmp_path, "s.usda", body)))
    assert found.losses
    assert all("0x" not in str(loss) for loss in found.losses)  # the same words every time
    assert "A" in found.nodes


def test_a_layer_below_itself(tmp_path: Path) -> None:
    path = write(tmp_path, "s.usda", 'def Xform "A" {}', "subLayers = [@./s.usda@]")
    assert Read(from_usd(path)).losses


# --- broken bytes ---


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.usda", b""),
        ("s.usda", b"#usda 1.0\ndef Xform {"),
        ("s.usda", bytes(range(256)) * 8),
        ("s.usdc", b"PXR-USDC" + b"\xff" * 1000),
        ("s.usdc", b"PXR-USDC"),
        ("s.usdz", b"PK\x03\x04" + b"\xff" * 1000),
        ("s.usd", b"no stage at all"),
    ],
)
def test_invalid_stages_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=r"s\.usd"):
        from_usd(tmp_path / name)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        from_usd(tmp_path / "none.usda")
    with pytest.raises(FormatError, match="suffix"):
        from_usd(tmp_path / "none.obj")
    (tmp_path / "folder.usda").mkdir()
    with pytest.raises(FileError):
        from_usd(tmp_path / "folder.usda")


EVERYTHING = """
def Xform "Root" (
    apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"]
    customData = { dictionary ligament = { int node = 0
                                           string name = "root" } }
)
{
    float physics:mass = 2
    point3f physics:centerOfMass = (0, 1, 0)
    float3 physics:diagonalInertia = (1, 2, 3)
    vector3f physics:velocity = (1, 2, 3)
    rel physics:filteredPairs = </Floor>
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 10: (1, 0, 0) }
    quatf xformOp:orient = (1, 0, 0, 0)
    float3 xformOp:scale = (1, 2, 1)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
    def Capsule "Part" (apiSchemas = ["PhysicsCollisionAPI"]) {
        uniform token axis = "X"
        double height = 3
        float physics:density = 100
    }
    def Mesh "Skin" (apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]) {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        normal3f[] normals = [(0, 0, 1), (0, 0, 1), (0, 0, 1), (0, 0, 1)]
        texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "vertex")
        uniform token physics:approximation = "convexHull"
    }
}
def Plane "Floor" (apiSchemas = ["PhysicsCollisionAPI"]) {}
def PhysicsCollisionGroup "G" (apiSchemas = ["CollectionAPI:colliders"]) {
    rel collection:colliders:includes = </Floor>
    rel physics:filteredGroups = </G>
}
def PhysicsRevoluteJoint "J" (apiSchemas = ["PhysicsDriveAPI:angular", "PhysicsLimitAPI:rotX"]) {
    rel physics:body1 = </Root>
    point3f physics:localPos1 = (0, 1, 0)
    float physics:lowerLimit = -10
    float drive:angular:physics:stiffness = 3
    float limit:rotX:physics:low = 3
}
def PhysicsScene "S" { vector3f physics:gravityDirection = (0, -1, 0) }
"""
WORDS = ["inf", "-1", "1e38", "0", "9999999999", '"x"', "[]", "None", "</Root>", "@x@", "(1, 2)"]


def test_everything_is_read(tmp_path: Path) -> None:
    found = Read(from_usd(write(tmp_path, "s.usda", EVERYTHING, "metersPerUnit = 1")))
    assert len(found.physics.colliders) == 3
    assert len(found.physics.joints) == 1


VALUE = re.compile(r'-?\d+(?:\.\d+)?|"[A-Za-z:]+"|</?\w+>')
NUMBERS = ["0", "-1", "1e38", "-1e38", "1e-30", "7", "1000000", "inf", "-inf", "0.5"]


def other_values(text: str, rng: random.Random) -> str:
    """Replace numbers by others, and words and paths by words and paths of the same text."""
    values = list(VALUE.finditer(text))[4:]
    chosen = rng.sample(values, rng.choice([1, 2, 5, 15]))
    for found in sorted(chosen, key=lambda found: -found.start()):
        alike = [v.group() for v in values if v.group()[0] == found.group()[0]]
        is_number = found.group()[0] not in '"<'
        text = (
            text[: found.start()]
            + rng.choice(NUMBERS if is_number else alike)
            + text[found.end() :]
        )
    return text


def other_words(text: str, rng: random.Random) -> str:
    """Put words in place of others."""
    words = text.split(" ")
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = rng.randrange(4, len(words))
        words[place] = rng.choice([rng.choice(WORDS), rng.choice(words[4:]), words[place] + "0"])
    return " ".join(words)


@given(st.integers(0, 2**32 - 1), st.sampled_from([other_values, other_words]))
def test_stages_with_other_numbers_and_words(
    tmp_path_factory: pytest.TempPathFactory, seed: int, change: Callable[..., str]
) -> None:
    """Whatever a text says: a document comes that can be read, or one of our errors."""
    path = tmp_path_factory.mktemp("s") / "s.usda"
    text = change(usda(EVERYTHING, "metersPerUnit = 1"), random.Random(seed))
    path.write_text(text, encoding="utf-8")
    try:
        found = Read(from_usd(path))
    except LigamentError as fault:
        reported = str(fault)
    else:
        reported = f"s.usda with {len(found.scene.bodies)} bodies"
    assert "s.usda" in reported


def test_damaged_binary_layers(tmp_path: Path) -> None:
    """A reader of crates that does not survive them ends another process than this one."""
    text = write(tmp_path, "s.usda", EVERYTHING, "metersPerUnit = 1")
    Usd.Stage.Open(str(text)).Export(str(tmp_path / "whole.usdc"))
    whole = (tmp_path / "whole.usdc").read_bytes()
    path, outcomes = tmp_path / "s.usdc", set()
    for seed in DAMAGES:
        rng, content = random.Random(seed), bytearray(whole)
        for _ in range(rng.choice([1, 2, 8])):
            content[rng.randrange(8, len(content))] = rng.choice([0, 255, rng.randrange(256)])
        path.write_bytes(content)
        try:
            from_usd(path)
            outcomes.add("read")
        except LigamentError as fault:
            outcomes.add("ended" if "crashed in native code" in fault.message else "refused")
    assert "refused" in outcomes


def test_binary_layers_and_packages_are_read_as_text_is(tmp_path: Path) -> None:
    text = write(tmp_path, "s.usda", EVERYTHING, "metersPerUnit = 1")
    Usd.Stage.Open(str(text)).Export(str(tmp_path / "s.usdc"))
    UsdUtils.CreateNewUsdzPackage(str(tmp_path / "s.usdc"), str(tmp_path / "s.usdz"))
    write(tmp_path, "r.usda", "", "metersPerUnit = 1\nsubLayers = [@./s.usdc@]")
    expected = from_usd(text)
    for name in ("s.usdc", "s.usdz", "r.usda"):
        found = from_usd(tmp_path / name)
        for member in ("nodes", "extensions", "meshes", "animations", "accessors"):
            assert found.document.json[member] == expected.document.json[member]
        assert found.losses == expected.losses


def test_errors_of_the_other_process_are_the_same(tmp_path: Path) -> None:
    text = write(tmp_path, "s.usda", 'def Xform "A" (references = @/etc/passwd@) {}')
    Sdf.Layer.FindOrOpen(str(text)).Export(str(tmp_path / "s.usdc"))
    with pytest.raises(UnsafePathError) as here:
        from_usd(text)
    with pytest.raises(UnsafePathError) as there:
        from_usd(tmp_path / "s.usdc")
    assert str(there.value) == str(here.value).replace("s.usda", "s.usdc")
    with pytest.raises(LimitError, match="--limit prims="):
        from_usd(_many(tmp_path), limits=Limits(prims=10))


def _many(folder: Path) -> Path:
    text = write(folder, "m.usda", "".join(f'def Xform "A{k}" {{}}\n' for k in range(20)))
    Sdf.Layer.FindOrOpen(str(text)).Export(str(folder / "m.usdc"))
    return folder / "m.usdc"


def test_the_other_process_has_so_much_time_and_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write(tmp_path, "s.usda", EVERYTHING, "metersPerUnit = 1")
    binary = tmp_path / "s.usdc"
    Usd.Stage.Open(str(text)).Export(str(binary))
    with pytest.raises(LimitError, match=r"longer than 0\.01 s"):
        from_usd(binary, limits=Limits(seconds=0.01))
    monkeypatch.setattr(isolation, "_read_stage", _take_memory)
    with pytest.raises(LimitError, match=r"s\.usdc: reading it needs more than 2\.25 GiB"):
        from_usd(binary, limits=Limits(decoded_bytes=1 << 28))
    monkeypatch.setattr(isolation, "_read_stage", _crash)
    with pytest.raises(FormatError, match=r"that read it crashed in native code \(SIGABRT\)"):
        from_usd(binary)


def _take_memory(*_: object) -> object:
    return bytearray(1 << 33)


def _crash(*_: object) -> None:
    os.abort()


def test_only_the_other_process_imports_usd(tmp_path: Path) -> None:
    """Importing it takes longer than reading most stages."""
    path = tmp_path / "ball.usdc"
    (tmp_path / "ball.usda").write_text(usda('def Sphere "Ball" { }\ndef Cube "Box" { }'))
    Usd.Stage.Open(str(tmp_path / "ball.usda")).Export(str(path))
    code = (
        "import sys; from ligament.conversion.usd import from_usd\n"
        "assert len(from_usd(sys.argv[1]).document.array('nodes')) == 2\n"
        "assert not [name for name in sys.modules if name.partition('.')[0] == 'pxr']\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=120)
